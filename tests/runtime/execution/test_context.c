/* test_context.c - resume_context = "tail": an agent goes on with its prompt and its tail, told
 * once, at the same call again. */
#include <stdio.h>
#include <string.h>

#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

static const char flow[] =
    "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
    "local n = ctx.position and ctx.position.n or 0 "
    "if n == 0 then ctx.message('system', 'be kind') ctx.message('user', 'hello') end "
    "while n < 3 do n = n + 1 "
    "  ctx.effect { kind = 'model', class = 'pure', agent = 'ann', request = { model = 'm' } } "
    "  ctx.effect { kind = 'agent', class = 'once', agent = 'bob', request = { process = 'p', "
    "prompt = 'do' .. n } } "
    "  ctx.boundary('loop_iteration', { position = { path = 'n#' .. n, n = n } }) end "
    "return ctx.conversation_length() end }";

static const char reply[] = "{\"role\":\"assistant\",\"content\":\"x\"}";
static const char heading[] = "## Session Context (Resumed)\nThis session was paused and has now "
                              "resumed. Below is a summary of recent activity\n"
                              "you were involved in before the pause.\n";

static size_t count_messages(fake_flow *s) {
  ck_conversation *conversation;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_conversation(&conversation, s->session, "main", &err) == CK_OK,
           "conversation");
  return ck_conversation_count(conversation);
}

static void read_message(ck_buffer *out, fake_flow *s, size_t index) {
  ck_conversation *conversation;
  ck_error err = CK_ERROR_INIT;
  ck_buffer_reset(out);
  tap_must(ck_session_conversation(&conversation, s->session, "main", &err) == CK_OK,
           "conversation");
  ck_json_read_string(
      out, ck_json_get(ck_value_bytes(ck_conversation_get(conversation, index)), "content"));
  ck_buffer_append_char(out, '\0');
}

static void test_tail(void) {
  ck_profile *profile;
  ck_error err = CK_ERROR_INIT;
  ck_buffer text = {0};
  tap_must(ck_profile_new(&profile, "tail", &err) == CK_OK, "profile");
  profile->resume_with_tail = true;
  fake_flow s = {.profile = profile};
  fake_flow_open(&s, flow);
  fake_flow_start(&s, "tail");
  fake_flow_ok(&s, "model/1", reply, 0);
  fake_flow_ok(&s, "agent/1", "\"done\"", 0);
  tap_is_int((int64_t)count_messages(&s), 3, "before it is left: the prompt, a word and an answer");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "tail");
  tap_ok(fake_flow_is_running(&s, "n#1/model/1"), "resumed, it goes on with the second call");
  tap_is_int((int64_t)count_messages(&s), 2, "which has the prompt and the tail");
  read_message(&text, &s, 1);
  tap_ok(strncmp(text.data, heading, strlen(heading)) == 0, "under the exact heading");
  tap_ok(strstr(text.data, " outcome ann: ") != NULL, "with what ann took part in");
  tap_ok(strstr(text.data, "bob") == NULL, "and nothing of bob's");
  fake_flow_ok(&s, "model/1", reply, 0);
  tap_is_int((int64_t)count_messages(&s), 3, "the conversation goes on from there");
  fake_flow_crash(&s);
  fake_flow_resume(&s, "tail");
  tap_ok(!fake_flow_is_running(&s, "model"),
         "killed before its boundary: the call is replayed, for it is the same request again");
  tap_is_int((int64_t)count_messages(&s), 3, "in the same context");
  fake_flow_close(&s);
  ck_buffer_clear(&text);
  ck_profile_free(profile);
}

static char prompt_tail[4096];
static ck_status (*start_plainly)(ck_effect_run **out, void *self, const ck_effect *effect,
                                  ck_effect_sink *sink, ck_error *err);
static ck_status start_and_look(ck_effect_run **out, void *self, const ck_effect *effect,
                                ck_effect_sink *sink, ck_error *err) {
  ck_bytes tail = effect->tail ? ck_value_bytes(effect->tail) : (ck_bytes){0};
  snprintf(prompt_tail, sizeof prompt_tail, "%.*s", (int)tail.len, tail.data ? tail.data : "");
  return start_plainly(out, self, effect, sink, err);
}

/* Without the setting a model keeps its conversation, and a process is told all the same: it has
 * none. */
static void test_process(void) {
  fake_flow s = {0};
  fake_flow_open(&s, flow);
  start_plainly = s.driver.start;
  s.driver.start = start_and_look;
  fake_flow_start(&s, "process");
  fake_flow_ok(&s, "model/1", reply, 0);
  tap_is_text(prompt_tail, "", "a process that was asked nothing before gets no tail");
  fake_flow_ok(&s, "agent/1", "\"done\"", 0);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "process");
  fake_flow_ok(&s, "model/1", reply, 0);
  tap_is_int((int64_t)count_messages(&s), 4, "a model keeps its conversation");
  tap_ok(strstr(prompt_tail, "Session Context (Resumed)") && strstr(prompt_tail, "outcome bob"),
         "a process gets its tail with the first prompt");
  fake_flow_ok(&s, "agent/1", "\"done\"", 0);
  fake_flow_ok(&s, "model/1", reply, 0);
  tap_is_text(prompt_tail, "", "and not again with the second");
  fake_flow_close(&s);
}

int main(void) {
  test_tail();
  test_process();
  return tap_done();
}
