/* test_masked_call.c - a tool call whose arguments came back from the store masked is not made:
 * whoever asked for it is told, and nothing is started; nor is a program on a person's word. */
#include <string.h>

#include "tests/runtime/execution/limits_fixture.h"
#include "tests/tap.h"

#define CALL(arguments)                                                            \
  HEAD "local one = ctx.effect { kind = 'tool', class = 'once', request = { name " \
       "= 'pay', arguments = { card = " arguments " } } } return one.error or one.result" TAIL

/* A person is asked, and what is answered goes to a program. */
#define PROGRAM(class, mask)                                                                   \
  HEAD "local said = ctx.effect { kind = 'ask', class = 'idempotent', request = { question = " \
       "'Who?' } } local one = ctx.effect { kind = 'exec', class = '" class                    \
      "', request = { argv = { 'pay', " mask " } } } return one.error or 'ran'" TAIL

static void try(const char *text, const char *name, const char *want) {
  fake_flow s = {0};
  fake_flow_open(&s, text);
  fake_flow_start(&s, name);
  fake_flow_ok(&s, "ask/", "\"it is [redacted:policy:000000000000]\"", 0);
  bool runs = fake_flow_is_running(&s, "exec/");
  if (runs) fake_flow_ok(&s, "exec/", "{\"exit\":0}", 0);
  const char *result = fake_flow_result(&s, name);
  tap_ok(want ? !runs && strstr(result, want) : runs, "%s: %s", name, result);
  fake_flow_close(&s);
}

static void test_programs(void) {
  const char *why = "what a person said of main/start/ask/1";
  try(PROGRAM("once", "said.result"), "once", why);
  try(PROGRAM("idempotent", "'for ' .. said.result"), "idempotent", why);
  try(PROGRAM("pure", "said.result"), "pure", NULL);
  try(PROGRAM("once", "'[redacted:card:000000000000]'"), "other", NULL);
}

/* The answer was given to a run that died. */
static void test_later_run(void) {
  fake_flow s = {0};
  fake_flow_open(&s, HEAD
                 "local said = ctx.effect { kind = 'ask', class = 'idempotent', request = { "
                 "question = 'Who?' } } ctx.effect { kind = 'sleep', class = 'idempotent', request "
                 "= { ms = 5 } } local one = ctx.effect { kind = 'exec', class = 'once', request = "
                 "{ argv = { said.result } } } return one.error or 'ran'" TAIL);
  fake_flow_start(&s, "later");
  fake_flow_ok(&s, "ask/", "\"[redacted:policy:000000000000]\"", 0);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "later");
  fake_flow_ok(&s, "sleep/", "null", 0);
  tap_ok(!fake_flow_is_running(&s, "exec/"), "behind a crash it is not run either");
  fake_flow_close(&s);
}

int main(void) {
  fake_flow masked = {0}, whole = {0};
  test_programs();
  test_later_run();
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
