/* test_acted_on.c - after a failure a model is asked anew, but not for an answer whose calls were
 * made: it would call others in their place, which are neither the ones that were made nor may be
 * made beside them. */
#include <string.h>

#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define TOOL(class, n)                                                      \
  "ctx.effect { kind = 'tool', class = '" class "', request = { name = '" n \
                                                "', said = said, arguments = {} } } "
#define MODEL                                                                            \
  "local said = ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } " \
  "}.result.content "

static const char first[] =
    "{\"role\":\"assistant\",\"content\":\"first\",\"tool_calls\":[{\"id\":\"a\"}]}",
                  other[] = "{\"role\":\"assistant\",\"content\":\"other\"}";

/* The tool "t" is run and ends well, the tool "last" fails, and the session with it. */
static void fail_once(fake_flow *s, const char *flow, const char *tool) {
  fake_flow_open(s, flow);
  fake_flow_start(s, "s");
  fake_flow_ok(s, "/model/1", first, 5);
  fake_flow_ok(s, tool, "1", 0);
  fake_flow_failed(s, "main/start/tool", CK_E_CREDENTIALS, "no");
  tap_is_int(s->result.status, CK_SESSION_FAILED, "it fails");
  fake_flow_crash(s);
  fake_flow_resume(s, "s");
}

static void check_replayed(const char *flow, const char *tool, const char *what) {
  fake_flow s = {0};
  fail_once(&s, flow, tool);
  tap_is_text(s.log.data, "main/start/tool/2\n",
              "%s: neither the model nor the tool is asked again", what);
  if (s.count) fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"first\"",
              "%s: it ends with the answer that was acted on: %s", what, s.result.text);
  tap_is_int(ck_session_totals(s.session)->cost_micros, 5, "%s: it is paid once", what);
  fake_flow_close(&s);
}

static void check_asked_anew(const char *flow, const char *tool, const char *what) {
  fake_flow s = {0};
  fail_once(&s, flow, tool);
  tap_is_text(s.log.data, "main/start/model/1\n", "%s: the model is asked anew", what);
  fake_flow_ok(&s, "main/start/model/1", other, 5);
  if (fake_flow_is_running(&s, tool)) fake_flow_ok(&s, tool, "1", 0);
  fake_flow_ok(&s, "main/start/tool", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"other\"", "%s: its new answer counts", what);
  fake_flow_close(&s);
}

#define OWN(class) HEAD MODEL TOOL(class, "t") TOOL("pure", "last") "return said" TAIL

/* What the turn itself did may run again; what it forked may not. */
#define CHILD                                                                                     \
  HEAD "if ctx.task then local said = ctx.task " TOOL("once", "t") " return 1 end " MODEL         \
      TOOL("idempotent", "i") "ctx.fork { { scope = 'c', task = said } } ctx.join { 'c' } " TOOL( \
          "pure", "last") "return said" TAIL

static void test_child(void) {
  fake_flow s = {0};
  fake_flow_open(&s, CHILD);
  fake_flow_start(&s, "s");
  fake_flow_ok(&s, "/model/1", first, 5);
  fake_flow_ok(&s, "main/start/tool/1", "1", 0);
  fake_flow_ok(&s, "main.c@start/start/tool/1", "1", 0);
  fake_flow_failed(&s, "main/start/tool/2", CK_E_CREDENTIALS, "no");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "s");
  tap_is_text(s.log.data, "main/start/tool/2\n",
              "a scope below that was forked in the turn counts");
  if (s.count) fake_flow_ok(&s, "main/start/tool/2", "2", 0);
  tap_is_text(fake_flow_result(&s, "s"), "\"first\"", "and it comes to its end: %s", s.result.text);
  fake_flow_close(&s);
}

int main(void) {
  check_replayed(OWN("once"), "main/start/tool/1", "a once tool");
  check_replayed(OWN("reconcilable"), "main/start/tool/1", "a reconcilable one");
  check_asked_anew(OWN("pure"), "main/start/tool/1", "a pure one");
  check_asked_anew(OWN("idempotent"), "main/start/tool/1", "an idempotent one");
  test_child();
  return tap_done();
}
