/* test_rewind_scopes.c - a rewind by hand of a session with several scopes: its report reaches
 * those that it cuts, once, and behind their prompt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/history/rewind.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

/* Two scopes, each of which has a prompt and rounds of a model call and a tool that is done
 * once. */
static const char flow[] =
    "local flow = require 'ck.flow' return flow.custom { name = 'two', run = function(ctx) "
    "if ctx.task then "
    "  if ctx.conversation_length() == 0 then ctx.message('system', 'you are ' .. ctx.task) end "
    "  for i = (ctx.position and ctx.position.n or 0) + 1, 3 do "
    "    ctx.effect { kind = 'model', class = 'pure', request = { model = 'm' } } "
    "    ctx.effect { kind = 'tool', class = 'once', request = { name = 't', arguments = {} } } "
    "    ctx.boundary('tool_round', { position = { path = 'n#' .. i, n = i } }) "
    "  end return ctx.conversation_length() end "
    "ctx.message('user', 'go') "
    "ctx.fork { { scope = 'a', task = 'a', agent = 'ann' }, { scope = 'b', task = 'b' } } "
    "local ended = ctx.join { 'a', 'b' } return { ended.a.result, ended.b.result } end }";

static const char reply[] = "{\"role\":\"assistant\",\"content\":\"x\"}";

static ck_error err;

static void must(ck_status status, const char *what) {
  tap_must(status == CK_OK, "%s: %s", what, err.text);
}

static bool take_id(void *to, const ck_checkpoint_info *checkpoint) {
  char(*ids)[CK_ID_SIZE] = to;
  for (int i = 0; i < 4; i++) {
    if (ids[i][0]) continue;
    memcpy(ids[i], checkpoint->id, CK_ID_SIZE);
    break;
  }
  return true;
}

static void round_of(fake_flow *s, const char *scope) {
  char part[32];
  snprintf(part, sizeof part, "%s@start/", scope);
  fake_flow_ok(s, part, reply, 0);
  fake_flow_ok(s, part, "1", 0);
}

/* A round of a, one of b, each with its checkpoint; then another one of each. */
static void begin(fake_flow *s, char ids[4][CK_ID_SIZE]) {
  memset(ids, 0, 4 * CK_ID_SIZE);
  fake_flow_open(s, flow);
  fake_flow_start(s, "s");
  round_of(s, "a");
  round_of(s, "b");
  must(ck_store_list_checkpoints(s->runtime->store, ck_session_get_record(s->session)->no, take_id,
                                 ids, &err),
       "checkpoints");
  round_of(s, "a");
  round_of(s, "b");
  fake_flow_crash(s);
}

/* The scope's messages in short: s for the prompt, R the report, u another user's, x the model's, t
 * a tool's. */
static const char *said(fake_flow *s, const char *scope) {
  static char text[64];
  ck_conversation *conversation;
  must(ck_session_conversation(&conversation, s->session, scope, &err), "conversation");
  size_t count = ck_conversation_count(conversation);
  text[0] = 0;
  for (size_t i = 0; i < count && i < sizeof text - 1; i++) {
    ck_bytes message = ck_value_bytes(ck_conversation_get(conversation, i)),
             role = ck_json_get(message, "role");
    bool report = ck_json_is_text(ck_json_get(message, "content"),
                                  "<rewind-report>\nfound\n</rewind-report>");
    text[i] = report ? 'R' : ck_json_is_text(role, "assistant") ? 'x' : role.data[1];
    text[i + 1] = 0;
  }
  return text;
}

static ck_status go_back(ck_history_edit_result *out, fake_flow *s, const char *checkpoint,
                         const char *scope, ck_error *failure) {
  ck_history_edit_options options = {.checkpoint = checkpoint, .report = "found", .scope = scope};
  return ck_session_rewind(out, s->runtime, "s", &options, failure);
}

static void test_each_that_is_cut(void) {
  fake_flow s = {0};
  char ids[4][CK_ID_SIZE];
  ck_history_edit_result made;
  begin(&s, ids);
  must(go_back(&made, &s, ids[1], NULL, &err), "rewind");
  tap_is_text(made.reported, "main.a main.b",
              "each scope with more messages since gets the report, the main one has none");
  fake_flow_resume(&s, "s");
  tap_is_text(said(&s, "main.a"), "sxtR", "the report ends the conversation of the one");
  tap_is_text(said(&s, "main.b"), "sxtR", "and of the other");
  tap_is_text(said(&s, "main"), "u", "not of the main one");
  fake_flow_ok(&s, "a@start/n#1/model", reply, 0);
  tap_ok(fake_flow_is_running(&s, "a@start/n#2/model"),
         "what was done once is replayed, and its round ends");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "s");
  tap_is_text(said(&s, "main.a"), "sxtRxt",
              "after a crash behind a boundary it stands where it stood");
  tap_is_text(said(&s, "main.b"), "sxtR", "after one before a boundary too");
  fake_flow_ok(&s, "b@start/n#1/model", reply, 0);
  for (int i = 0; i < 2; i++)
    fake_flow_ok(&s, "@start/n#2/model", reply, 0), fake_flow_ok(&s, "@start/n#2/tool", "1", 0);
  tap_is_text(fake_flow_result(&s, "s"), "[8,8]", "both end: a prompt, three rounds, a report");
  fake_flow_close(&s);
}

static void test_behind_the_prompt(void) {
  fake_flow s = {0};
  char ids[4][CK_ID_SIZE];
  ck_history_edit_result made;
  begin(&s, ids);
  must(go_back(&made, &s, ids[0], NULL, &err), "rewind");
  tap_is_text(made.reported, "main.b main.a", "a scope at its beginning gets it, too");
  fake_flow_resume(&s, "s");
  tap_is_text(said(&s, "main.a"), "sxtR", "the one that had said something by then");
  tap_is_text(said(&s, "main.b"), "sR", "the other one behind its prompt, of which there is one");
  fake_flow_close(&s);
}

static void test_one_alone(void) {
  fake_flow s = {0};
  char ids[4][CK_ID_SIZE];
  ck_history_edit_result made;
  ck_error failure = CK_ERROR_INIT;
  begin(&s, ids);
  tap_is_status(go_back(&made, &s, ids[1], "c", &failure), CK_E_NOT_FOUND, &failure,
                "a scope that was not there");
  tap_ok(strstr(failure.text, "no scope 'c' at checkpoint") != NULL, "is named");
  must(go_back(&made, &s, ids[1], "main.b", &err), "rewind");
  tap_is_text(made.reported, "main.b", "a scope that is named gets it alone");
  memcpy(ids[0], made.checkpoint, CK_ID_SIZE);
  must(go_back(&made, &s, ids[0], "main.b", &err), "rewind");
  fake_flow_resume(&s, "s");
  tap_is_text(said(&s, "main.a"), "sxt", "not the other");
  tap_is_text(said(&s, "main.b"), "sxtRR", "behind the report, it can get another");
  fake_flow_crash(&s);
  must(ck_session_undo(&made, s.runtime, "s", &err), "undo");
  must(ck_session_undo(&made, s.runtime, "s", &err), "undo");
  fake_flow_close(&s);
}

static void test_undone(void) {
  fake_flow s = {0};
  char ids[4][CK_ID_SIZE];
  ck_history_edit_result made;
  begin(&s, ids);
  must(go_back(&made, &s, ids[0], NULL, &err), "rewind");
  must(ck_session_undo(&made, s.runtime, "s", &err), "undo");
  fake_flow_resume(&s, "s");
  tap_is_text(said(&s, "main.a"), "sxtxt", "undone, nobody has a report");
  tap_is_text(said(&s, "main.b"), "sxtxt", "nor was the other");
  fake_flow_close(&s);
}

int main(void) {
  test_each_that_is_cut();
  test_behind_the_prompt();
  test_one_alone();
  test_undone();
  return tap_done();
}
