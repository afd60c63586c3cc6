/* model_fixture.c - opens and closes the parts that a test of the model driver needs. */
#include "tests/effect/model/model_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

static ck_status read_secret(ck_buffer *out, const char *ref, ck_error *err) {
  if (strcmp(ref, "env:KEY") != 0)
    return ck_error_set(err, CK_E_SECRET_MISSING, "%s is not set: set it, then try again", ref);
  ck_buffer_append_text(out, MODEL_SCENE_KEY);
  return ck_buffer_check(out, err);
}

static uint64_t draw_most(void) { return UINT64_MAX; }

void model_fixture_open(model_fixture *self, const char *api, const char *script) {
  *self = (model_fixture){0};
  char url[64];
  setenv("no_proxy", "127.0.0.1", 1);
  model_server_start(&self->server, script);
  tap_must(ck_loop_new(&self->loop, NULL) == CK_OK, "there is a loop");
  tap_must(ck_profile_new(&self->profile, "test", NULL) == CK_OK, "there is a profile");
  tap_must(ck_profile_put_secret(self->profile, "main", "env:KEY", NULL) == CK_OK,
           "there is a secret");
  tap_must(ck_profile_put_model(&self->model, self->profile, "m", NULL) == CK_OK,
           "there is a model");
  tap_must(ck_model_api_of(&self->model->api, api), "there is an API");
  snprintf(url, sizeof url, "http://127.0.0.1:%d%s", self->server.port,
           self->model->api == CK_MODEL_ANTHROPIC ? "" : "/v1");
  self->model->base_url = strdup(url);
  self->model->model = strdup("test-model");
  self->model->key = strdup("main");
  self->model->retries = 2;
  self->model->price = (ck_model_price){3000000, 15000000, 1000000, 4000000, {0}};
  self->options = (ck_model_options){.loop = self->loop,
                                     .profile = self->profile,
                                     .read_secret = read_secret,
                                     .salt = "session",
                                     .retry_base_ms = 1,
                                     .random = draw_most};
  tap_must(ck_conversation_new(&self->conversation, NULL) == CK_OK, "there is a conversation");
  self->effect = (ck_effect){.scope = "main",
                             .key = "main/agent#1/model/1",
                             .attempt = 1,
                             .kind = CK_EFFECT_MODEL,
                             .conversation = self->conversation};
  drive_init(&self->drive, self->loop);
}

void model_fixture_close(model_fixture *self) {
  if (self->driver) self->driver->free(self->driver->self);
  drive_clear(&self->drive);
  ck_conversation_free(self->conversation);
  ck_profile_free(self->profile);
  ck_loop_free(self->loop);
  model_server_stop(&self->server);
}

void model_fixture_append(model_fixture *self, const ck_value *message) {
  tap_must(ck_conversation_append(self->conversation, message, NULL) == CK_OK,
           "the message is appended");
}

/* Takes `message`. */
static void append_own(model_fixture *self, ck_value *message) {
  tap_must(message != NULL, "there is a message");
  model_fixture_append(self, message);
  ck_value_free(message);
}

void model_fixture_add(model_fixture *self, const char *role, const char *text) {
  ck_value *message = NULL;
  ck_buffer json = {0};
  ck_json_append_string(&json, ck_bytes_text(text));
  bool system = strcmp(role, "system") == 0;
  ck_status status = system ? ck_message_system(&message, ck_bytes_text(text), NULL)
                            : ck_message_user(&message, ck_buffer_bytes(&json), NULL);
  ck_buffer_clear(&json);
  tap_must(status == CK_OK, "%s says something", role);
  append_own(self, message);
}

void model_fixture_result(model_fixture *self, const char *call_id, const char *content) {
  ck_value *message = NULL;
  ck_status status = ck_message_tool(&message, call_id, "find", ck_bytes_text(content), NULL);
  tap_must(status == CK_OK, "there is a result");
  append_own(self, message);
}

ck_status model_fixture_begin(model_fixture *self, ck_effect_run **run, const char *request) {
  if (!self->driver)
    tap_must(ck_model_driver_new(&self->driver, &self->options, NULL) == CK_OK,
             "there is a driver");
  self->effect.request = ck_bytes_text(request);
  return drive_begin(run, &self->drive, self->driver, &self->effect, false);
}

static ck_outcome *call_once(model_fixture *self, const char *request) {
  ck_effect_run *run;
  tap_must(model_fixture_begin(self, &run, request) == CK_OK, "the call begins");
  drive_wait(&self->drive);
  tap_must(self->drive.delivered == 1 && !self->drive.too_early,
           "done is called once, and not from within start");
  return self->drive.outcome;
}

/* As the runtime does: a lost attempt is counted, and the next one is a run of its own. */
const ck_outcome *model_fixture_call(model_fixture *self, const char *request) {
  ck_outcome lost = {0};
  ck_buffer update = {0};
  self->effect.lost = 0;
  ck_outcome *outcome = call_once(self, request);
  int updates = self->drive.updates;
  while (outcome->status == CK_OUTCOME_UNKNOWN) {
    self->effect.lost += outcome->attempts;
    tap_must(self->effect.lost < self->driver->tries(self->driver->self, &self->effect),
             "another attempt is one of the tries");
    lost.cost_micros += outcome->cost_micros;
    lost.input_tokens += outcome->input_tokens;
    lost.output_tokens += outcome->output_tokens;
    ck_buffer_reset(&update);
    ck_buffer_append_bytes(&update, ck_buffer_bytes(&self->drive.update));
    outcome = call_once(self, request);
    updates += self->drive.updates;
  }
  if (self->drive.updates == 0)
    ck_buffer_append_bytes(&self->drive.update, ck_buffer_bytes(&update));
  ck_buffer_clear(&update);
  self->drive.updates = updates;
  outcome->cost_micros += lost.cost_micros;
  outcome->input_tokens += lost.input_tokens;
  outcome->output_tokens += lost.output_tokens;
  return outcome;
}
