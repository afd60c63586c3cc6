/* test_msgpack.c - MessagePack as JSON: each type, each length, whatever ends early or is wrong. */
#include "core/base/msgpack.h"

#include <string.h>

#include "core/base/json.h"
#include "tests/tap.h"

static void check(const char *bytes, size_t len, const char *want) {
  ck_buffer out = {0};
  bool good = ck_msgpack_append_json(&out, (ck_bytes){bytes, len});
  if (want && good)
    tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(want), "%s", want);
  else
    tap_ok(good == (want != NULL), "%s", want ? want : "what is none is refused");
  ck_buffer_clear(&out);
}
#define CHECK(bytes, want) check(bytes, sizeof(bytes) - 1, want)

static void check_types(void) {
  CHECK("\x00", "0");
  CHECK("\x7f", "127");
  CHECK("\xff", "-1");
  CHECK("\xe0", "-32");
  CHECK("\xc0", "null");
  CHECK("\xc2", "false");
  CHECK("\xc3", "true");
  CHECK("\xcc\xff", "255");
  CHECK("\xcd\x01\x00", "256");
  CHECK("\xce\xff\xff\xff\xff", "4294967295");
  CHECK("\xcf\xff\xff\xff\xff\xff\xff\xff\xff", "18446744073709551615");
  CHECK("\xd0\x80", "-128");
  CHECK("\xd1\xff\x00", "-256");
  CHECK("\xd2\x80\x00\x00\x00", "-2147483648");
  CHECK("\xd3\x80\x00\x00\x00\x00\x00\x00\x00", "-9223372036854775808");
  CHECK("\xca\x3f\xc0\x00\x00", "1.5");
  CHECK("\xcb\xbf\xf8\x00\x00\x00\x00\x00\x00", "-1.5");
  CHECK("\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00", "null");
  CHECK("\xa3"
        "a\"\n",
        "\"a\\\"\\n\"");
  CHECK("\xd9\x02\xc3\xa9", "\"\xc3\xa9\"");
  CHECK("\xda\x00\x01x", "\"x\"");
  CHECK("\xdb\x00\x00\x00\x01x", "\"x\"");
  CHECK("\xc4\x03\x00\x01\x02", "{\"$bytes\":\"AAEC\"}");
  CHECK("\xc5\x00\x00", "{\"$bytes\":\"\"}");
  CHECK("\x93\x01\x90\x80", "[1,[],{}]");
  CHECK("\xdc\x00\x02\x01\x02", "[1,2]");
  CHECK("\xdd\x00\x00\x00\x01\xc0", "[null]");
  CHECK("\x82\xa1"
        "a\x01\x05\xc3",
        "{\"a\":1,\"5\":true}");
  CHECK("\xde\x00\x01\xa1x\xc0", "{\"x\":null}");
  CHECK("\xdf\x00\x00\x00\x01\xc0\xc0", "{\"null\":null}");
  CHECK("\xd4\x05\x07", "{\"$ext\":5,\"value\":7}");
  CHECK("\xc7\x02\xff\x91\x01", "{\"$ext\":-1,\"value\":[1]}");
  CHECK("\xd5\x05\x93\x01", "{\"$ext\":5,\"value\":{\"$bytes\":\"kwE=\"}}");
}

static void check_wrong(void) {
  CHECK("", NULL);
  CHECK("\xc1", NULL);         /* no type */
  CHECK("\x01\x02", NULL);     /* goes on behind its value */
  CHECK("\xa2\xc3x", NULL);    /* no UTF-8 */
  CHECK("\x81\x90\x01", NULL); /* a list as a key */
  CHECK("\xdd\xff\xff\xff\xff", NULL);
  CHECK("\xdb\xff\xff\xff\xffx", NULL);
  char deep[CK_MSGPACK_DEPTH_MAX + 2];
  memset(deep, '\x91', sizeof deep);
  deep[CK_MSGPACK_DEPTH_MAX - 1] = '\x01';
  ck_buffer out = {0};
  tap_ok(ck_msgpack_append_json(&out, (ck_bytes){deep, CK_MSGPACK_DEPTH_MAX}),
         "as deep as is allowed");
  deep[CK_MSGPACK_DEPTH_MAX - 1] = '\x91';
  deep[CK_MSGPACK_DEPTH_MAX] = '\x01';
  check(deep, CK_MSGPACK_DEPTH_MAX + 1, NULL);
  ck_buffer_clear(&out);
}

/* Whatever the bytes: what is taken is JSON. */
static void check_any(void) {
  uint32_t state = 7;
  int64_t taken = 0, wrong = 0;
  for (int i = 0; i < 200000; i++) {
    char bytes[12];
    size_t len = 1 + i % sizeof bytes;
    for (size_t j = 0; j < len; j++)
      bytes[j] = (char)((state = state * 1664525u + 1013904223u) >> 24);
    ck_buffer out = {0};
    ck_error err = CK_ERROR_INIT;
    if (ck_msgpack_append_json(&out, (ck_bytes){bytes, len})) {
      taken++;
      wrong += ck_json_check(ck_buffer_bytes(&out), &err) != CK_OK && !strstr(err.text, "twice") &&
               !strstr(err.text, "duplicate");
      if (wrong == 1) tap_diag("%s: %.*s", err.text, (int)out.len, out.data);
    }
    ck_buffer_clear(&out);
  }
  tap_ok(taken > 1000, "%lld of random bytes are MessagePack", (long long)taken);
  tap_is_int(wrong, 0, "and what they become is JSON");
}

int main(void) {
  check_types();
  check_wrong();
  check_any();
  return tap_done();
}
