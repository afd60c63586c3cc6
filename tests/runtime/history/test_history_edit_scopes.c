/* test_history_edit_scopes.c - a rewind by hand to where other scopes than the main one stood: all
 * go on, and nothing is done twice. */
#include <string.h>

#include "core/runtime/history/rewind.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

#define TOOL(n) \
  "ctx.effect { kind = 'tool', class = 'once', request = { name = '" n "', arguments = {} } }"
#define AGAIN(n) \
  "ctx.effect { kind = 'tool', class = 'idempotent', request = { name = '" n "', arguments = {} } }"

/* The child's boundary is the only checkpoint: the main coroutine's own cut lies before all that it
 * has done. */
static const char open_child[] =
    "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
    "if ctx.task then "
    "  if not ctx.position then " TOOL(
        "c") " ctx.boundary('tool_round', { position = { path = 'b' } }) end "
             "return " AGAIN("d") ".result end "
                                  "if ctx.conversation_length() == 0 then "
                                  "ctx.message('system', 'be brief') end "
                                  "ctx.effect { kind = 'model', class = 'pure', request = "
                                  "{ model = 'm' } } " TOOL(
                                      "m") " ctx.fork { { scope = 'c', task = 1 } } "
                                           "return { ctx.conversation_length(), ctx.join "
                                           "{ 'c' }.c.result } end }";

static void rewind_to_latest(fake_flow *s, const char *report) {
  ck_error err = CK_ERROR_INIT;
  ck_history_edit_result made;
  ck_history_edit_options how = {.report = report};
  tap_must(ck_session_rewind(&made, s->runtime, "s", &how, &err) == CK_OK, "rewind: %s", err.text);
}

static void says(fake_flow *s, const char *const *texts, const char *what) {
  ck_error err = CK_ERROR_INIT;
  ck_conversation *conversation;
  tap_must(ck_session_conversation(&conversation, s->session, "main", &err) == CK_OK,
           "conversation: %s", err.text);
  size_t count = 0;
  for (; texts[count] && count < ck_conversation_count(conversation); count++)
    tap_is_bytes(ck_value_bytes(ck_conversation_get(conversation, count)),
                 ck_bytes_text(texts[count]), "%s: message %zu", what, count + 1);
  tap_ok(!texts[count] && count == ck_conversation_count(conversation), "%s: that is all", what);
}

#define SYSTEM "{\"role\":\"system\",\"content\":\"be brief\"}"
#define USER(text) "{\"role\":\"user\",\"content\":\"" text "\"}"
#define REPORT(text) USER("<rewind-report>\\n" text "\\n</rewind-report>")

static void open_fixture(fake_flow *s) {
  fake_flow_open(s, open_child);
  fake_flow_start(s, "s");
  fake_flow_ok(s, "main/start/model/1", "{\"role\":\"assistant\",\"content\":\"first\"}", 5);
  fake_flow_ok(s, "main/start/tool/1", "1", 0);
  fake_flow_ok(s, "c@start/start/tool/1", "1", 0);
  fake_flow_crash(s);
}

static void go_on(fake_flow *s, const char *reply, const char *result) {
  tap_ok(!strstr(s->log.data, "tool"), "no tool is run before the model has answered anew");
  fake_flow_ok(s, "main/start/model/1", reply, 5);
  tap_ok(!strstr(s->log.data, "main/start/tool/1"),
         "what the main coroutine did behind its cut is not done again");
  tap_ok(!strstr(s->log.data, "c@start/start/tool/1"),
         "nor what the child did before the checkpoint");
  tap_ok(fake_flow_is_running(s, "c@start/b/tool/1"), "the child goes on where it stood: %s",
         s->result.text);
  if (fake_flow_is_running(s, "c@start/b/tool/1")) fake_flow_ok(s, "c@start/b/tool/1", "7", 0);
  tap_is_text(fake_flow_result(s, "s"), result, "and all comes to its end");
}

static void test_open_scope(void) {
  fake_flow s = {0};
  open_fixture(&s);
  rewind_to_latest(&s, "found");
  fake_flow_resume(&s, "s");
  says(&s, (const char *[]){SYSTEM, REPORT("found"), NULL},
       "the report comes behind the prompt, and what was said since the cut is not there");
  go_on(&s, "{\"role\":\"assistant\",\"content\":\"again\"}", "[4,7]");
  fake_flow_close(&s);
}

static void test_twice(void) {
  fake_flow s = {0};
  open_fixture(&s);
  rewind_to_latest(&s, "found");
  fake_flow_resume(&s, "s");
  fake_flow_crash(&s);
  rewind_to_latest(&s, "once more");
  fake_flow_resume(&s, "s");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "s");
  says(&s, (const char *[]){SYSTEM, REPORT("found"), REPORT("once more"), NULL},
       "a second report comes behind the first, also after a crash");
  go_on(&s, "{\"role\":\"assistant\",\"content\":\"again\"}", "[5,7]");
  fake_flow_close(&s);
}

int main(void) {
  test_open_scope();
  test_twice();
  return tap_done();
}
