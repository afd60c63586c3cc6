/* test_batch.c - effects asked for together: side by side in time, in one order in the
 * conversation, and each kept by itself. */
#include <stdio.h>
#include <string.h>

#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"

/* Two effects together; the order of their ends is not that of their messages. */
static const char batch[] =
    HEAD "ctx.message('user', 'go') local o = ctx.effects { "
         "{ kind = 'tool', class = 'once', ordinal = 1, request = { name = 'one', call_id = 'c1', "
         "arguments = {} } }, "
         "{ kind = 'tool', class = 'once', ordinal = 2, request = { name = 'two', call_id = 'c2', "
         "arguments = {} } } } "
         "ctx.boundary('tool_round', { position = { path = 'r#1' } }) return { o[1].result, "
         "o[2].result, ctx.last_message().name }" TAIL;

static void test_batch(void) {
  fake_flow s = {0};
  fake_flow_open(&s, batch);
  fake_flow_start(&s, "batch");
  tap_is_int((int64_t)s.count, 2, "effects asked for together are under way together");
  fake_flow_ok(&s, "tool/2", "\"2\"", 0);
  fake_flow_ok(&s, "tool/1", "\"1\"", 0);
  tap_is_text(fake_flow_result(&s, "batch"), "[\"1\",\"2\",\"two\"]",
              "outcomes and messages come in the order asked");
  fake_flow_crash(&s);
  fake_flow_start(&s, "batch-crash");
  fake_flow_ok(&s, "tool/2", "\"2\"", 0);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "batch-crash");
  tap_is_int(s.result.status, CK_SESSION_IN_DOUBT,
             "killed in between: the one that has no outcome is in doubt");
  tap_ok(s.log.len == 0, "and none runs again");
  fake_flow_close(&s);
}

static void test_batch_fails_whole(void) {
  fake_flow s = {0};
  fake_flow_open(&s, batch);
  fake_flow_start(&s, "fails");
  fake_flow_failed(&s, "tool/1", CK_E_FAILED, "broken");
  tap_is_int(s.status, CK_E_PENDING, "one that fails waits for the other");
  fake_flow_ok(&s, "tool/2", "\"2\"", 0);
  tap_is_int(s.result.status, CK_SESSION_FAILED, "then the session fails");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "fails");
  tap_ok(strstr(s.log.data, "tool/1") && !strstr(s.log.data, "tool/2"),
         "and a resume runs only what failed");
  fake_flow_ok(&s, "tool/1", "\"1\"", 0);
  tap_is_text(fake_flow_result(&s, "fails"), "[\"1\",\"2\",\"two\"]", "to the same end");
  fake_flow_close(&s);
}

int main(void) {
  test_batch();
  test_batch_fails_whole();
  return tap_done();
}
