/* test_json_write.c - whatever is written, the strict scanner takes. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "tests/tap.h"

static void writes(ck_bytes text, const char *want, const char *name) {
  ck_buffer out = {0};
  ck_json_append_string(&out, text);
  tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(want), "string: %s", name);
  ck_buffer_clear(&out);
}

static void test_visible(void) {
  static const char in[] =
      "{\"caf\xc3\xa9\":\"\x7f\xc2\x85\xc2\xad|\xe2\x80\xae\xe2\x80\x8d\",\n\"\xef\xbb\xbf\":"
      "\"\xf0\x9f\x98\x80\xf3\xa0\x80\x80\xf3\xa0\x81\xbf\\u202e\"}";
  static const char want[] =
      "{\"caf\xc3\xa9\":\"\\u007f\\u0085\\u00ad|\\u202e\\u200d\",\n\"\\ufeff\":"
      "\"\xf0\x9f\x98\x80\\udb40\\udc00\\udb40\\udc7f\\u202e\"}";
  ck_buffer out = {0};
  ck_error err = CK_ERROR_INIT;
  ck_json_append_visible(&out, ck_bytes_text(in));
  tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(want), "what acts is escaped, all else stays");
  tap_is_status(ck_json_check(ck_buffer_bytes(&out), &err), CK_OK, &err, "it is JSON");
  tap_ok(ck_json_is_text(ck_json_get(ck_buffer_bytes(&out), "\xef\xbb\xbf"),
                         "\xf0\x9f\x98\x80\xf3\xa0\x80\x80\xf3\xa0\x81\xbf\xe2\x80\xae"),
         "the value is the same");
  ck_buffer_clear(&out);
}

static void test_strings(void) {
  writes((ck_bytes){NULL, 0}, "\"\"", "nothing");
  writes(ck_bytes_text("plain"), "\"plain\"", "plain");
  writes(ck_bytes_text("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"", "quote and backslash");
  writes(ck_bytes_text("\b\f\n\r\t\x01\x1f\x7f"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\"",
         "controls");
  writes(ck_bytes_text("\xc3\xa9\xf0\x9f\x98\x80"), "\"\xc3\xa9\xf0\x9f\x98\x80\"", "UTF-8 stays");
  writes((ck_bytes){"a\0b", 3},
         "\"a\xef\xbf\xbd"
         "b\"",
         "NUL, which the scanner refuses");
  writes(ck_bytes_text("\xff"
                       "a\xc3"),
         "\"\xef\xbf\xbd"
         "a\xef\xbf\xbd\"",
         "bytes that are not UTF-8");
  writes(ck_bytes_text("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"", "a surrogate");
}

/* Pseudo-random bytes of every kind; the same in every run. */
static void test_any_bytes(void) {
  uint32_t state = 1;
  bool valid = true, same = true;
  for (int round = 0; round < 5000; round++) {
    char bytes[40];
    size_t len = (size_t)round % sizeof bytes;
    for (size_t i = 0; i < len; i++) {
      state = state * 1664525 + 1013904223;
      bytes[i] = (char)(state >> 24 & (round % 2 ? 0xff : 0x7f));
      if (!bytes[i] && round % 2 == 0) bytes[i] = 'x';
    }
    ck_buffer out = {0}, back = {0};
    ck_json_append_string(&out, (ck_bytes){bytes, len});
    valid = valid && ck_json_check(ck_buffer_bytes(&out), NULL) == CK_OK;
    ck_json_read_string(&back, ck_buffer_bytes(&out));
    same = same && (round % 2 || ck_bytes_equal(ck_buffer_bytes(&back), (ck_bytes){bytes, len}));
    ck_buffer_clear(&out);
    ck_buffer_clear(&back);
  }
  tap_ok(valid, "any bytes make a valid string");
  tap_ok(same, "characters without NUL read back as they were");
}

static void test_writer(void) {
  ck_buffer out = {0};
  ck_json_writer w = {.out = &out};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "min", INT64_MIN);
  ck_json_member_text(&w, "text", "a\"");
  ck_json_member_text(&w, "left out", NULL);
  ck_json_member_bool(&w, "yes", true);
  ck_json_member_raw(&w, "raw", ck_bytes_text("1.50"));
  ck_json_member_raw(&w, "none", (ck_bytes){NULL, 0});
  ck_json_member_string(&w, "bytes", (ck_bytes){"xyz", 2});
  ck_json_name(&w, "list");
  ck_json_begin(&w, '[');
  ck_json_put_text(&w, NULL);
  ck_json_begin(&w, '{');
  ck_json_end(&w, '}');
  ck_json_begin(&w, '[');
  ck_json_end(&w, ']');
  ck_json_put_bool(&w, false);
  ck_json_put_text(&w, "t");
  ck_json_end(&w, ']');
  ck_json_member_int(&w, "last\n", 1);
  ck_json_end(&w, '}');
  tap_is_bytes(ck_buffer_bytes(&out),
               ck_bytes_text("{\"min\":-9223372036854775808,\"text\":\"a\\\"\",\"yes\":true,"
                             "\"raw\":1.50,\"none\":null,"
                             "\"bytes\":\"xy\",\"list\":[null,{},[],false,\"t\"],\"last\\n\":1}"),
               "the writer sets commas and colons");
  tap_is_int(ck_json_check(ck_buffer_bytes(&out), NULL), CK_OK, "and the scanner takes it");
  ck_buffer_clear(&out);
}

static void test_decimals(void) {
  static const struct {
    int64_t number;
    int digits;
    const char *json;
  } rows[] = {{75264, 6, "0.075264"},
              {1000000, 6, "1"},
              {1250000, 6, "1.25"},
              {0, 6, "0"},
              {1, 6, "0.000001"},
              {-500000, 6, "-0.5"},
              {171367, 3, "171.367"},
              {10, 0, "10"},
              {INT64_MAX, 6, "9223372036854.775807"},
              {INT64_MIN, 6, "-9223372036854.775808"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_buffer out = {0};
    ck_json_append_decimal(&out, rows[i].number, rows[i].digits);
    tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(rows[i].json), "decimal %s", rows[i].json);
    ck_buffer_clear(&out);
  }
}

int main(void) {
  test_decimals();
  test_visible();
  test_strings();
  test_any_bytes();
  test_writer();
  return tap_done();
}
