/* test_message_calls.c - ctx.tool_calls finds the calls of either API's messages, each with the
 * bytes of its arguments. */
#include <string.h>

#include "tests/lua/flow/flow_driver.h"
#include "tests/tap.h"

/* What ctx.tool_calls gives for a message: NAME CALL-ID REQUEST NUMBER-OF-ARGUMENTS or the problem,
 * a call a line. */
static void gives(const char *message, const char *want, const char *promise) {
  flow_driver driver = {0};
  ck_error err = CK_ERROR_INIT;
  ck_buffer body = {0};
  ck_buffer_append_format(&body,
                          "local out = {} for i, call in ipairs(ctx.tool_calls([==[%s]==])) do\n"
                          "local count = call.arguments and 0 or \"none\" for _ in "
                          "pairs(call.arguments or {}) do count = count + 1 end\n"
                          "out[i] = call.problem or (call.name .. ' ' .. tostring(call.call_id) .. "
                          "' ' .. call.request .. ' ' .. count)\n"
                          "end return table.concat(out, '; ')",
                          message);
  flow_driver_load_body(&driver, body.data, NULL);
  tap_is_status(flow_driver_run(&driver, &err), CK_OK, &err, "%s: it runs", promise);
  ck_buffer text = {0};
  if (driver.value) ck_json_read_string(&text, ck_value_bytes(driver.value));
  tap_is_text(text.data ? text.data : "", want, "%s", promise);
  ck_buffer_clear(&text);
  ck_buffer_clear(&body);
  flow_driver_clear(&driver);
}

int main(void) {
  gives("{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\","
        "\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"I look\"},"
        "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"find\",\"input\":{\"q\": "
        "1.50}},{\"type\":\"text\",\"text\":\"and\"},"
        "{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"stop\",\"input\":{}}]}",
        "find toolu_1 {\"name\":\"find\",\"call_id\":\"toolu_1\",\"index\":0,\"arguments\":{\"q\": "
        "1.50}} 1; "
        "stop toolu_2 {\"name\":\"stop\",\"call_id\":\"toolu_2\",\"index\":1,\"arguments\":{}} 0",
        "blocks are counted among calls, and their input is byte for byte what came");
  gives("{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":"
        "\"find\",\"input\":{\"INVALID_JSON\":\"{\\\"q\\\":\"}}]}",
        "find a "
        "{\"name\":\"find\",\"call_id\":\"a\",\"index\":0,\"arguments\":{\"INVALID_JSON\":\"{"
        "\\\"q\\\":\"}} none",
        "an input that was cut is no argument");
  gives("{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"input\":{}}]}",
        "the call does not say which tool", "a block without a name");
  gives("{\"role\":\"assistant\",\"content\":[\"text\",7,{\"type\":\"text\",\"text\":\"x\"}]}", "",
        "other blocks are no calls");
  gives("{\"role\":\"assistant\",\"content\":\"tool_use\"}", "", "nor is a text");
  gives("{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"x\","
        "\"input\":{}}],"
        "\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"y\",\"arguments\":\"{}\"}}]}",
        "y b {\"name\":\"y\",\"call_id\":\"b\",\"index\":0,\"arguments\":\"{}\"} 0",
        "a message with tool_calls means those");
  return tap_done();
}
