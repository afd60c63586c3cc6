/* test_positions.c - each boundary of a scope is a new position: one that comes back, however many
 * lie between, ends the flow, for effects behind both would pass for each other. */
#include <string.h>

#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define REACH(path) "ctx.boundary('tool_round', { position = { path = " path " } }) "

static void test_flow(const char *text, ck_session_status want, const char *says,
                      const char *promise) {
  fake_flow self = {0};
  fake_flow_open(&self, text);
  fake_flow_start(&self, "s");
  for (int i = 0; i < 1000 && fake_flow_turn(&self) == CK_E_PENDING; i++) continue;
  tap_ok(self.result.status == want && strstr(self.result.text, says) != NULL, "%s: %s", promise,
         self.result.text);
  fake_flow_close(&self);
}

int main(void) {
  test_flow(HEAD "for n = 1, 60 do " REACH("'n#' .. n") "end" TAIL, CK_SESSION_COMPLETED, "",
            "new ones go on");
  test_flow(HEAD "for n = 1, 60 do " REACH("'n#' .. n % 59") "end" TAIL, CK_SESSION_FAILED,
            "comes back to the position \"n#1\"", "one that comes back does not");
  return tap_done();
}
