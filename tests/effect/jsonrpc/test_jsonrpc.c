/* test_jsonrpc.c - messages are recognised, written as one line each, and mended where other
 * programs write invalid JSON. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json_mend.h"
#include "core/effect/jsonrpc/jsonrpc.h"
#include "tests/tap.h"

static void reads(const char *text, int want) {
  ck_rpc_message message;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_json_check(ck_bytes_text(text), &err) == CK_OK, "%s: %s", text, err.text);
  bool read = ck_rpc_read(&message, ck_bytes_text(text));
  tap_is_int(read ? (int)message.kind : -1, want, "%s", text);
}

static void test_kinds(void) {
  reads("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\",\"params\":{}}", CK_RPC_REQUEST);
  reads("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"m\",\"params\":[]}", CK_RPC_REQUEST);
  reads("{\"id\":0,\"method\":\"m\"}", CK_RPC_REQUEST);
  reads("{\"jsonrpc\":\"2.0\",\"method\":\"m\"}", CK_RPC_NOTIFICATION);
  reads("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", CK_RPC_ANSWER);
  reads("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":null}", CK_RPC_ANSWER);
  reads("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null,\"error\":{\"code\":1,\"message\":\"\"}}",
        CK_RPC_ANSWER);
  reads("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,\"message\":\"\"}}", CK_RPC_ANSWER);
  static const char *const none[] = {"5",
                                     "[]",
                                     "null",
                                     "\"method\"",
                                     "{}",
                                     "{\"id\":1}",
                                     "{\"jsonrpc\":\"1.0\",\"method\":\"m\"}",
                                     "{\"method\":5}",
                                     "{\"id\":{},\"method\":\"m\"}",
                                     "{\"id\":null,\"method\":\"m\"}",
                                     "{\"method\":\"m\",\"params\":5}",
                                     "{\"id\":null,\"result\":1}",
                                     "{\"id\":1,\"result\":1,\"error\":{}}",
                                     "{\"id\":1,\"error\":\"no\"}",
                                     "{\"id\":1,\"result\":null,\"error\":null,\"x\":1}"};
  for (size_t i = 0; i + 1 < sizeof none / sizeof *none; i++) reads(none[i], -1);
  reads(none[sizeof none / sizeof *none - 1], CK_RPC_ANSWER);
}

static void test_writing(void) {
  ck_buffer out = {0};
  ck_rpc_write_request(&out, 7, "tools/call", ck_bytes_text("{\"a\":\n\r[1,\n2]}"));
  ck_rpc_write_notification(&out, "ping", (ck_bytes){0});
  ck_rpc_write_result(&out, ck_bytes_text("\"x\""), (ck_bytes){0});
  ck_rpc_write_error(&out, ck_bytes_text("3"), -32601, "no \"such\"\nmethod");
  tap_is_text(
      out.data,
      "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"a\":  [1, 2]}}\n"
      "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n"
      "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":null}\n"
      "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":-32601,\"message\":\"no "
      "\\\"such\\\"\\nmethod\"}}\n",
      "each message is a line of its own");
  ck_buffer_clear(&out);
}

static void mends(const char *given, size_t len, const char *want) {
  ck_buffer out = {0};
  bool mended = ck_json_mend(&out, (ck_bytes){given, len});
  tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(want), "%s becomes %s", given, want);
  tap_is_int(mended, strcmp(given, want) != 0, "and that is told");
  ck_buffer_clear(&out);
}
#define MENDS(given, want) mends(given, sizeof(given) - 1, want)
#define BAD "\xEF\xBF\xBD"

static void test_mending(void) {
  MENDS("{\"a\":\"\\u00e9 \\ud83d\\ude00 \\\\u0000 \\n é 😀\"}",
        "{\"a\":\"\\u00e9 \\ud83d\\ude00 \\\\u0000 \\n é 😀\"}");
  MENDS("\"\\u0000\"", "\"" BAD "\"");
  MENDS("\"\\\\\\u0000\"", "\"\\\\" BAD "\"");
  MENDS("\"\\ud83d\"", "\"" BAD "\"");
  MENDS("\"\\ud83dx\\ude00\"", "\"" BAD "x" BAD "\"");
  MENDS("\"\\ud83d\\ud83d\\ude00\"", "\"" BAD "\\ud83d\\ude00\"");
  MENDS("\"\xff"
        "a\xc3\"",
        "\"" BAD "a" BAD "\"");
  MENDS("\"\xed\xa0\x80\"", "\"" BAD BAD BAD "\"");
  MENDS("\\u00", "\\u00");
  MENDS("\\", "\\");
  MENDS("\\\xff", "\\" BAD);
  MENDS("", "");
}

/* For any input the result is UTF-8, and a second pass changes nothing. */
static void test_random(void) {
  static const char alphabet[] = "\\u0dD8fFeE\"{}[]: \n\xc3\xa9\xff\xed\xa0\x80x";
  unsigned state = 7;
  int again = 0;
  for (int round = 0; round < 20000; round++) {
    char given[32];
    size_t len = (state = state * 1103515245 + 12345) >> 16 & 31;
    for (size_t i = 0; i < len; i++)
      given[i] = alphabet[((state = state * 1103515245 + 12345) >> 16) % (sizeof alphabet - 1)];
    ck_buffer once = {0}, twice = {0};
    ck_json_mend(&once, (ck_bytes){given, len});
    again += ck_json_mend(&twice, ck_buffer_bytes(&once));
    ck_buffer_clear(&once);
    ck_buffer_clear(&twice);
  }
  tap_is_int(again, 0, "what is mended needs no mending");
}

int main(void) {
  test_kinds();
  test_writing();
  test_mending();
  test_random();
  return tap_done();
}
