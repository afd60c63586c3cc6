/* test_lapse.c - a lease that lapses between an intent and its effect: the effect is not begun. */
#include <string.h>

#include "core/store/store_core.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

static bool lapsed;

static ck_status check_lapse(void *to, ck_lease lease, ck_error *err) {
  (void)to;
  (void)lease;
  return lapsed ? ck_error_set(err, CK_E_LAPSED, "the lease has lapsed") : CK_OK;
}

#define TOOL(n) \
  "ctx.effect { kind = 'tool', class = 'once', request = { name = '" n "', arguments = {} } } "

int main(void) {
  fake_flow s = {0};
  fake_flow_open(&s, "local flow = require 'ck.flow' return flow.custom { name = 'x', run = "
                     "function(ctx) " TOOL("a") TOOL("b") "return 'end' end }");
  s.runtime->store->backend.lapse.check = check_lapse;
  fake_flow_start(&s, "stands");
  lapsed = true;
  fake_flow_ok(&s, "tool/1", "1", 0);
  tap_is_status(s.status, CK_E_LAPSED, NULL, "a session whose lease has lapsed stops");
  tap_is_int((int64_t)s.count, 0, "nothing is begun, though its intent is durable");
  tap_ok(!strstr(s.log.data, "tool/2"), "what was begun: %s", s.log.data);
  fake_flow_crash(&s);
  lapsed = false;
  fake_flow_resume(&s, "stands");
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT,
             "who goes on does not know that, and what may not be repeated is in doubt");
  fake_flow_close(&s);
  return tap_done();
}
