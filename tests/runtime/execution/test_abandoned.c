/* test_abandoned.c - scopes whose parent fails without them: what they still do is known and paid,
 * and nothing of them stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/history/resolve.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define HEAD "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
#define TAIL " end }"
#define TOOL(n) \
  "ctx.effect { kind = 'tool', class = 'once', request = { name = '" n "', arguments = {} } }"
#define AGAIN(n) \
  "ctx.effect { kind = 'tool', class = 'idempotent', request = { name = '" n "', arguments = {} } }"
#define MODEL "ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } } "

static const char reply[] = "{\"role\":\"assistant\",\"content\":\"x\"}";

/* Keys of the state that only an open scope may have; the main one aside. */
static int count_keys(fake_flow *s) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t count;
  int found = 0;
  tap_must(ck_state_list(&entries, &count, ck_session_state(s->session), &err) == CK_OK, "%s",
           err.text);
  for (size_t i = 0; i < count; i++) {
    bool of_scope = strncmp(entries[i].key, "branch.", 7) == 0 ||
                    (strncmp(entries[i].key, "position.", 9) == 0 &&
                     strcmp(entries[i].key, "position.main") != 0);
    if (of_scope) tap_diag("%s", entries[i].key);
    found += of_scope;
  }
  free(entries);
  return found;
}

/* The child fails while what it forked still works; the main coroutine goes on, and asks the child
 * once more. `tag`: of the fork. */
#define FAILING(tag)                                                                               \
  HEAD                                                                                             \
      "if ctx.task == 'g' then ctx.memory.g = 1 ctx.boundary('step_complete', { position = { "     \
      "path = 'g' } }) " TOOL(                                                                     \
          "g") " return 1 end "                                                                    \
               "if ctx.task == 'c' then ctx.fork { { scope = 'g', task = 'g' } } " TOOL(           \
                   "c") " error('bad', 0) end "                                                    \
                        "local at = ctx.position and ctx.position.path "                           \
                        "if not at then ctx.fork { { scope = 'c', task = 'c'" tag " } } "          \
                        "  ctx.join { 'c' } ctx.boundary('step_complete', { position = { path = "  \
                        "'p' } }) end "                                                            \
                        "if at ~= 'q' then " MODEL                                                 \
                        " ctx.boundary('step_complete', { position = { path = 'q' } }) end " MODEL \
                        "return 'end'" TAIL

static void check_late(const char *flow, const char *what) {
  fake_flow s = {0};
  fake_flow_open(&s, flow);
  fake_flow_start(&s, "late");
  fake_flow_ok(&s, "/start/tool/1", "1", 0);
  tap_is_int((int64_t)s.count, 1, "%s: its parent has failed, and what it does is cancelled", what);
  fake_flow_ok(&s, "/g/tool/1", "1", 7);
  tap_is_int(ck_session_totals(s.session)->cost_micros, 7,
             "%s: what it delivers all the same is paid", what);
  fake_flow_ok(&s, "main/p/model/1", reply, 0);
  fake_flow_ok(&s, "main/q/model/1", reply, 0);
  tap_is_text(fake_flow_result(&s, "late"), "\"end\"", "%s: the others go on to the end", what);
  fake_flow_close(&s);
}

typedef struct doubts {
  int count;
  char key[CK_STATE_KEY_MAX]; /* of the last one */
} doubts;

static void count_doubts(void *to, const ck_open_effect *effect) {
  doubts *self = to;
  self->count++;
  snprintf(self->key, sizeof self->key, "%s", effect->key);
}

/* A doubt that lies behind the checkpoint, of a scope that nobody goes on with, is listed; so a
 * word on it is taken. */
static void test_doubt_left(void) {
  fake_flow s = {0};
  ck_error err = CK_ERROR_INIT;
  doubts listed = {0};
  fake_flow_open(&s, FAILING(""));
  fake_flow_start(&s, "left");
  fake_flow_ok(&s, "/start/tool/1", "1", 0);
  fake_flow_deliver_cancelled(&s);
  fake_flow_ok(&s, "main/p/model/1", reply, 0);
  fake_flow_crash(&s);
  tap_is_status(ck_session_list_doubts(s.runtime, "left", count_doubts, &listed, &err), CK_OK, &err,
                "doubts are listed");
  tap_is_int(listed.count, 1, "an abandoned scope's is");
  tap_is_status(ck_session_resolve(s.runtime, "left", listed.key, "abort", NULL, &err), CK_OK, &err,
                "it can be settled");
  listed.count = 0;
  tap_is_status(ck_session_list_doubts(s.runtime, "left", count_doubts, &listed, &err), CK_OK, &err,
                "doubts are listed again");
  tap_is_int(listed.count, 0, "and is not listed any more");
  fake_flow_resume(&s, "left");
  fake_flow_ok(&s, "main/q/model/1", reply, 0);
  tap_is_text(fake_flow_result(&s, "left"), "\"end\"", "the session goes on to its end");
  fake_flow_close(&s);
}

static void test_nothing_stays(void) {
  fake_flow s = {0};
  fake_flow_open(&s, FAILING(""));
  fake_flow_start(&s, "stays");
  fake_flow_ok(&s, "c@start/start/tool/1", "1", 0);
  fake_flow_ok(&s, "g@start@start/g/tool/1", "1", 7);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "stays");
  fake_flow_ok(&s, "main/p/model/1", reply, 0);
  fake_flow_ok(&s, "main/q/model/1", reply, 0);
  tap_is_text(fake_flow_result(&s, "stays"), "\"end\"", "resumed, it ends");
  tap_is_int(count_keys(&s), 0, "and no key of a scope is left");
  fake_flow_close(&s);
}

/* All fails; a later attempt does not run again what was done. */
static const char fails_up[] = HEAD "if ctx.task == 'g' then return " TOOL(
    "g") ".result end "
         "if ctx.task == 'c' then ctx.fork { { scope = 'g', task = 'g' } } " TOOL(
             "c") " "
                  "  if " MODEL ".result.content ~= 'good' then error('bad', 0) end return "
                  "ctx.join { 'g' }.g.result end "
                  "ctx.fork { { scope = 'c', task = 'c' } } local r = ctx.join { 'c' }.c if "
                  "r.error then error(r.error, 0) end return r.result" TAIL;

static void test_later_attempt(void) {
  fake_flow s = {0};
  fake_flow_open(&s, fails_up);
  fake_flow_start(&s, "up");
  fake_flow_ok(&s, "c@start/start/tool/1", "1", 0);
  fake_flow_ok(&s, "c@start/start/model/1", reply, 5);
  tap_is_int(s.status, CK_E_PENDING, "the session does not end before the cancelled effect has");
  fake_flow_ok(&s, "g@start@start/start/tool/1", "\"G\"", 7);
  tap_is_int(s.result.status, CK_SESSION_FAILED, "then it fails");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "up");
  tap_ok(!strstr(s.log.data ? s.log.data : "", "tool"), "a later attempt runs no tool again");
  tap_ok(s.status == CK_E_PENDING, "and nothing is in doubt: %s", s.result.text);
  if (s.status == CK_E_PENDING)
    fake_flow_ok(&s, "c@start/start/model/1", "{\"role\":\"assistant\",\"content\":\"good\"}", 5);
  tap_is_text(fake_flow_result(&s, "up"), "\"G\"", "it comes to the end");
  tap_is_int(ck_session_totals(s.session)->cost_micros, 17, "all is paid once");
  fake_flow_close(&s);
}

/* A scope that was joined before its parent failed is not run again, and its conversation is what
 * it was. */
static const char joined_then_fails[] =
    HEAD "if ctx.task == 'g' then ctx.message('user', 'q') " MODEL
         " return ctx.conversation_length() end "
         "if ctx.task == 'b' then if not ctx.position then " TOOL(
             "b") " ctx.boundary('step_complete', { position = { path = 'b' } }) end "
                  "return " TOOL("b2") ".result end "
                                       "if ctx.task == 'c' then ctx.fork { { scope = 'g', task "
                                       "= 'g' } } local n = ctx.join { 'g' }.g.result "
                                       "  if " MODEL ".result.content ~= 'good' then "
                                       "error('bad', 0) end return n end "
                                       "ctx.fork { { scope = 'b', task = 'b' }, { scope = 'c', "
                                       "task = 'c' } } "
                                       "local r = ctx.join { 'b', 'c' } if r.c.error then "
                                       "error(r.c.error, 0) end return r.c.result" TAIL;

static void test_joined_before(void) {
  fake_flow s = {0};
  fake_flow_open(&s, joined_then_fails);
  fake_flow_start(&s, "joined");
  fake_flow_ok(&s, "g@start@start/start/model/1", reply, 5);
  fake_flow_ok(&s, "c@start/start/model/1", reply, 5);
  fake_flow_ok(&s, "b@start/start/tool/1", "1", 0);
  fake_flow_ok(&s, "b@start/b/tool/1", "1", 0);
  tap_is_int(s.result.status, CK_SESSION_FAILED, "it fails");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "joined");
  if (fake_flow_is_running(&s, "g@start@start/start/model/1"))
    fake_flow_ok(&s, "g@start@start/start/model/1", reply, 5);
  fake_flow_ok(&s, "c@start/start/model/1", "{\"role\":\"assistant\",\"content\":\"good\"}", 5);
  tap_is_text(fake_flow_result(&s, "joined"), "2",
              "a scope joined by one that failed has the conversation it had");
  fake_flow_close(&s);
}

/* A scope that was forked since the last boundary of its parent stands where its own children are
 * open: they are open again. */
static const char grandchildren[] = HEAD "if ctx.task == 'g' then return " AGAIN(
    "g") ".result end "
         "if ctx.task == 'c' then if not ctx.position then ctx.fork { { scope = 'g', task = 'g' } "
         "} "
         "  ctx.boundary('step_complete', { position = { path = 'b' } }) end return ctx.join { 'g' "
         "}.g.result end "
         "ctx.fork { { scope = 'c', task = 'c' } } return ctx.join { 'c' }.c.result" TAIL;

static void test_grandchildren(void) {
  fake_flow s = {0};
  fake_flow_open(&s, grandchildren);
  fake_flow_start(&s, "grand");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "grand");
  if (s.count > 0) fake_flow_ok(&s, "g@start@start/start/tool/1", "7", 0);
  tap_is_text(fake_flow_result(&s, "grand"), "7",
              "scopes below a scope that is found again are found again: %s", s.result.text);
  fake_flow_close(&s);
}

/* One that has ended and was never joined goes with its parent. */
static const char never_joined[] = HEAD
    "if ctx.task == 'g' then ctx.memory.g = 1 return 1 end "
    "if ctx.task == 'c' then ctx.fork { { scope = 'g', task = 'g' } } " AGAIN(
        "c") " error('bad', 0) end "
             "local n = ctx.position and ctx.position.n or 1 "
             "while n < 3 do ctx.fork { { scope = 'c', task = 'c' } } ctx.join { 'c' } n = n + 1 "
             "  ctx.boundary('step_complete', { position = { path = 'n' .. n, n = n } }) end "
             "return n" TAIL;

static void check_never_joined(bool crashes) {
  fake_flow s = {0};
  fake_flow_open(&s, never_joined);
  fake_flow_start(&s, "never");
  fake_flow_ok(&s, "c@start/start/tool/1", "1", 0);
  if (crashes) {
    fake_flow_crash(&s);
    fake_flow_resume(&s, "never");
  }
  fake_flow_ok(&s, "c@n2/start/tool/1", "1", 0);
  tap_is_text(fake_flow_result(&s, "never"), "3",
              "what was not joined does not stand in the way of the next");
  tap_is_int(count_keys(&s), 0, "and leaves no key");
  fake_flow_close(&s);
}

int main(void) {
  check_late(FAILING(""), "a scope");
  check_late(FAILING(", tag = 't'"), "one with a tag");
  test_nothing_stays();
  test_later_attempt();
  test_joined_before();
  test_grandchildren();
  check_never_joined(false);
  check_never_joined(true);
  test_doubt_left();
  return tap_done();
}
