/* acp_fixture.c - the tests' agent, a sink that keeps its updates, a rule and a session. */
#include "tests/effect/acp/acp_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static ck_loop *loop;
static char agent_path[1024];

void acp_fixture_init(ck_loop *with) {
  const char *build = getenv("CKRUN_BUILD");
  loop = with;
  snprintf(agent_path, sizeof agent_path, "%s/tests/effect/acp/tool_acp_agent",
           build ? build : "build/release");
  if (access(agent_path, X_OK)) tap_skip_all("%s is not built", agent_path);
}

static void on_update(ck_effect_sink *sink, ck_bytes chunk) {
  acp_fixture *self = (acp_fixture *)(void *)sink;
  ck_buffer_append_bytes(&self->updates, chunk);
  ck_buffer_append_char(&self->updates, '\n');
}

static ck_permit permit(void *to, const char *kind, ck_bytes request) {
  acp_fixture *self = to;
  (void)request;
  snprintf(self->kind, sizeof self->kind, "%s", kind);
  return self->rule;
}

static void say(void *to) {
  acp_fixture *self = to;
  self->answered(self->to, self->word, true, "because");
}

static ck_status ask(ck_action_question **out, ck_effect_sink *sink, const ck_action *action,
                     ck_error *err) {
  acp_fixture *self = (acp_fixture *)(void *)sink;
  (void)err;
  snprintf(self->question, sizeof self->question, "%.*s", (int)action->request.len,
           action->request.data);
  self->asked++;
  self->answered = action->answered;
  self->to = action->to;
  *out = (ck_action_question *)(void *)self;
  if (!self->silent) ck_loop_defer(loop, &self->task, say, self);
  return CK_OK;
}

static void drop(ck_effect_sink *sink, ck_action_question *question) {
  ((acp_fixture *)(void *)sink)->dropped++;
  (void)question;
}

void acp_fixture_ask_session(acp_fixture *self) {
  self->rule = CK_PERMIT_ASK;
  self->drive.sink.permit = ask;
  self->drive.sink.forget = drop;
}

void acp_fixture_begin(acp_fixture *self, const char *mode) {
  *self = (acp_fixture){.argv = {agent_path, mode}};
  self->process = (ck_process){.name = "coder", .argv = self->argv};
  self->options =
      (ck_acp_options){.service = {.loop = loop, .kill_ms = ACP_SCENE_SHORT_MS, .version = "1.2.3"},
                       .agents = &self->process,
                       .agent_count = 1,
                       .permit = permit,
                       .to = self};
  drive_init(&self->drive, loop);
  self->drive.sink.update = on_update;
}

void acp_fixture_open_driver(acp_fixture *self) {
  tap_must(ck_acp_driver_new(&self->driver, &self->options, NULL) == CK_OK, "there is a driver");
}

void acp_fixture_open(acp_fixture *self, const char *mode) {
  acp_fixture_begin(self, mode);
  acp_fixture_open_driver(self);
}

void acp_fixture_set(acp_fixture *self, ck_effect_class class, const char *prompt,
                     const char *session) {
  ck_buffer_reset(&self->request);
  ck_buffer_reset(&self->updates);
  ck_json_writer w = {.out = &self->request};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "process", "coder");
  ck_json_member_text(&w, "prompt", prompt);
  ck_json_member_text(&w, "session", session);
  ck_json_end(&w, '}');
  self->effect = (ck_effect){.scope = "main",
                             .key = "main/start/agent/1",
                             .attempt = 1,
                             .kind = CK_EFFECT_AGENT,
                             .class = class,
                             .request = ck_buffer_bytes(&self->request)};
}

const ck_outcome *acp_fixture_prompt(acp_fixture *self, const char *prompt, const char *session) {
  acp_fixture_set(self, CK_EFFECT_ONCE, prompt, session);
  return drive_effect(&self->drive, self->driver, &self->effect, false);
}

void acp_fixture_close(acp_fixture *self) {
  if (self->driver) self->driver->free(self->driver->self);
  ck_loop_withdraw(&self->task);
  drive_clear(&self->drive);
  ck_buffer_clear(&self->request);
  ck_buffer_clear(&self->updates);
}

/* A member of the result as text; lives until the next call. */
const char *acp_fixture_result(const ck_outcome *outcome, const char *member) {
  static ck_buffer text;
  ck_buffer_reset(&text);
  ck_bytes value =
      outcome->result ? ck_json_get(ck_value_bytes(outcome->result), member) : (ck_bytes){0};
  if (!ck_json_read_string(&text, value)) ck_buffer_append_bytes(&text, value);
  ck_buffer_append_text(&text, "");
  return text.data ? text.data : "";
}
