/* test_mcp_name.c - names of servers' tools: models are offered names that their providers accept,
 * and the server gets its own. */
#include <string.h>

#include "core/effect/mcp/name.h"
#include "tests/tap.h"

#define X10 "xxxxxxxxxx"
#define X60 X10 X10 X10 X10 X10 X10

static void check_names(const char *name, const char *want) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_mcp_put_names(&w, ck_bytes_text(name));
  ck_json_end(&w, '}');
  tap_is_text(text.data, want, "%.40s", name);
  ck_buffer_clear(&text);
}

static void check_called(const char *request, const char *want) {
  ck_effect effect = {.request = ck_bytes_text(request)};
  ck_bytes name = ck_mcp_name_of(&effect);
  tap_ok(ck_bytes_equal(name, ck_bytes_text(want)), "%s calls %s", request, want);
}

int main(void) {
  check_names("\"get_Fare-2\"", "{\"name\":\"get_Fare-2\"}");
  check_names("\"fares.get\"", "{\"name\":\"fares_get\",\"called\":\"fares.get\"}");
  check_names("\"a b/c\"", "{\"name\":\"a_b_c\",\"called\":\"a b/c\"}");
  check_names("\"caf\xc3\xa9\"", "{\"name\":\"caf_\",\"called\":\"caf\xc3\xa9\"}");
  check_names("\"caf\\u00e9\"", "{\"name\":\"caf_\",\"called\":\"caf\\u00e9\"}");
  check_names("\"" X60 "1234\"", "{\"name\":\"" X60 "1234\"}");
  check_names("\"" X60 "12345\"", "{\"name\":\"" X60 "1234\",\"called\":\"" X60 "12345\"}");
  check_called("{\"name\":\"a_b\"}", "\"a_b\"");
  check_called("{\"called\":\"a.b\",\"name\":\"a_b\"}", "\"a.b\"");
  check_called("{\"called\":5,\"name\":\"a_b\"}", "\"a_b\"");
  tap_ok(ck_mcp_name_is_usable(ck_bytes_text("\"a.b c\"")), "a name of any characters is usable");
  tap_ok(!ck_mcp_name_is_usable(ck_bytes_text("\"a\\\"b\"")), "one with a quote is not");
  tap_ok(!ck_mcp_name_is_usable(ck_bytes_text("\"a\\\\b\"")), "one with a backslash is not");
  tap_ok(!ck_mcp_name_is_usable(ck_bytes_text("\"a\\nb\"")), "one of two lines is not");
  tap_ok(
      !ck_mcp_name_is_usable(ck_bytes_text("\"\"")) && !ck_mcp_name_is_usable(ck_bytes_text("5")),
      "nor is none");
  return tap_done();
}
