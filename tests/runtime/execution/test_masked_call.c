/* test_masked_call.c - a tool call whose arguments came back from the store masked is not made:
 * whoever asked for it is told, and nothing is started. */
#include "tests/runtime/execution/limits_fixture.h"
#include "tests/tap.h"

#define CALL(arguments)                                                            \
  HEAD "local one = ctx.effect { kind = 'tool', class = 'once', request = { name " \
       "= 'pay', arguments = { card = " arguments " } } } return one.error or one.result" TAIL

int main(void) {
  fake_flow masked = {0}, whole = {0};
  fake_flow_open(&masked, CALL("'[redacted:card:0123456789ab]'"));
  fake_flow_start(&masked, "masked");
  tap_is_int((int64_t)masked.log.len, 0, "a call with masked arguments is not begun");
  tap_is_int(masked.result.status, CK_SESSION_COMPLETED, "and the flow goes on: %s",
             masked.result.text);
  tap_is_text(fake_flow_result(&masked, "masked"),
              "\"not run: its arguments held a secret that was not stored; call it again with "
              "them\"",
              "as its error says why");
  fake_flow_close(&masked);
  fake_flow_open(&whole, CALL("'1234'"));
  fake_flow_start(&whole, "whole");
  fake_flow_ok(&whole, "tool/", "\"paid\"", 0);
  tap_is_text(fake_flow_result(&whole, "whole"), "\"paid\"", "one with all of them is made");
  fake_flow_close(&whole);
  return tap_done();
}
