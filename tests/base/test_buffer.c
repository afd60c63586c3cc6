/* test_buffer.c - a buffer fails once and for all, never halfway; varints keep to 64 bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "tests/tap.h"

static void test_append(void) {
  ck_buffer buffer = {0};
  ck_buffer_append(&buffer, NULL, 0);
  ck_buffer_append_text(&buffer, NULL);
  ck_buffer_append_text(&buffer, "ab");
  ck_buffer_append_char(&buffer, '\0');
  ck_buffer_append_format(&buffer, "%05d|%s", 42, "x");
  ck_buffer_append_bytes(&buffer, ck_bytes_text("end"));
  tap_is_bytes(ck_buffer_bytes(&buffer),
               (ck_bytes){"ab\0"
                          "00042|xend",
                          13},
               "appenders add in order, NULs too");
  tap_is_int(buffer.data[buffer.len], 0, "a NUL stands behind the content");
  ck_buffer_reset(&buffer);
  tap_ok(buffer.len == 0 && buffer.cap > 0, "reset keeps the allocation");
  for (int i = 0; i < 100000; i++) ck_buffer_append_char(&buffer, (char)i);
  bool kept = buffer.len == 100000;
  for (int i = 0; i < 100000 && kept; i++) kept = buffer.data[i] == (char)i;
  tap_ok(kept, "growing loses nothing");
  ck_buffer_clear(&buffer);
  tap_ok(!buffer.data && buffer.len == 0, "clear leaves an empty buffer");
}

/* Whatever room there is for it. */
static void test_format(void) {
  int wrong = 0;
  for (size_t before = 0; before < 300; before++)
    for (int len = 0; len < 600; len += len < 40 || len > 220 ? 1 : 20) {
      ck_buffer buffer = {0};
      memset(ck_buffer_extend(&buffer, before), 'b', before);
      ck_buffer_append_format(&buffer, "%*s", len, len ? "f" : "");
      bool good = buffer.len == before + (size_t)len && buffer.data[buffer.len] == '\0' &&
                  strlen(buffer.data) == buffer.len && buffer.len < buffer.cap;
      wrong += !good || (len && buffer.data[buffer.len - 1] != 'f');
      ck_buffer_clear(&buffer);
    }
  tap_is_int(wrong, 0, "what is formatted is whole, behind texts of any length");
}

static void test_failure(void) {
  ck_buffer buffer = {0};
  ck_error err = CK_ERROR_INIT;
  ck_buffer_append_text(&buffer, "before");
  tap_ok(ck_buffer_extend(&buffer, SIZE_MAX) == NULL, "a size that overflows is refused");
  tap_ok(buffer.failed && buffer.len == 6, "the failure is kept, the content as it was");
  ck_buffer_append_text(&buffer, "after");
  ck_buffer_append_format(&buffer, "%d", 1);
  ck_buffer_append_varint(&buffer, 1);
  tap_is_int((int64_t)buffer.len, 6, "after a failure appends do nothing");
  tap_is_status(ck_buffer_check(&buffer, &err), CK_E_NO_MEMORY, &err,
                "the check tells of the failure");
  tap_ok(ck_buffer_take(&buffer) == NULL, "nothing can be taken from a failed buffer");
  tap_ok(!buffer.failed && !buffer.data, "taking empties the buffer, and it can be used again");
  tap_ok(ck_buffer_extend(&buffer, (size_t)PTRDIFF_MAX) == NULL,
         "half of the address space is refused");
  ck_buffer_clear(&buffer);
}

static void test_take(void) {
  ck_buffer buffer = {0};
  char *text = ck_buffer_take(&buffer);
  tap_is_text(text, "", "an empty buffer gives an empty text");
  free(text);
  ck_buffer_append_text(&buffer, "given");
  text = ck_buffer_take(&buffer);
  tap_is_text(text, "given", "the content is given away");
  tap_ok(!buffer.data, "and the buffer no longer has it");
  free(text);
}

static void test_int(void) {
  static const int64_t numbers[] = {0,  1,   -1,         9,         10,        -10,
                                    99, 100, 4294967296, INT64_MAX, INT64_MIN, INT64_MIN + 1};
  bool same = true;
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    char text[32];
    ck_buffer buffer = {0};
    snprintf(text, sizeof text, "n=%lld", (long long)numbers[i]);
    ck_buffer_append_text(&buffer, "n=");
    ck_buffer_append_int(&buffer, numbers[i]);
    same = same && strcmp(buffer.data, text) == 0;
    ck_buffer_clear(&buffer);
  }
  tap_ok(same, "numbers are written as printf does, from -2^63 to 2^63-1");
}

static void test_varint(void) {
  static const uint64_t numbers[] = {
      0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
  bool same = true;
  ck_buffer buffer = {0};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    ck_buffer_append_varint(&buffer, numbers[i]);
  ck_bytes rest = ck_buffer_bytes(&buffer);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    uint64_t number;
    same = ck_bytes_read_varint(&number, &rest) && number == numbers[i] && same;
  }
  tap_ok(same && rest.len == 0, "varints read back as they were written, to 2^64-1");
  ck_buffer_reset(&buffer);
  ck_buffer_append_varint(&buffer, UINT64_MAX);
  tap_is_int((int64_t)buffer.len, 10, "the largest takes ten bytes");
  uint64_t number = 7;
  bool cut = true;
  for (size_t len = 0; len < 10; len++) {
    rest = (ck_bytes){buffer.data, len};
    cut = cut && !ck_bytes_read_varint(&number, &rest) && number == 0 && rest.len == len;
  }
  tap_ok(cut, "a varint that is cut anywhere is refused and nothing is consumed");
  rest = (ck_bytes){"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10};
  tap_ok(!ck_bytes_read_varint(&number, &rest), "a 65th bit is refused");
  rest = (ck_bytes){"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11};
  tap_ok(!ck_bytes_read_varint(&number, &rest), "an eleventh byte is refused");
  ck_buffer_clear(&buffer);
}

static void test_bytes(void) {
  ck_bytes rest = ck_bytes_text("abc"), front;
  tap_ok(ck_bytes_read(&front, &rest, 2) && ck_bytes_equal(front, ck_bytes_text("ab")),
         "bytes are split off");
  tap_ok(!ck_bytes_read(&front, &rest, 2) && rest.len == 1 && !front.data,
         "not more than there are");
  tap_ok(!ck_bytes_read(&front, &rest, SIZE_MAX), "and not by overflow");
  tap_ok(ck_bytes_equal((ck_bytes){NULL, 0}, ck_bytes_text("")), "no bytes equal no bytes");
  tap_ok(!ck_bytes_equal(ck_bytes_text("a"), ck_bytes_text("ab")), "a prefix is not equal");
}

int main(void) {
  test_append();
  test_format();
  test_failure();
  test_take();
  test_int();
  test_varint();
  test_bytes();
  return tap_done();
}
