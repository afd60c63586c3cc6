/* runner_open.c - makes a runner, opens its coroutine at its position, frees both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/call_private.h"
#include "core/runtime/execution/scope_private.h"

static ck_status make_overlays(ck_runner *self, ck_error *err) {
  size_t count = 0;
  while (self->parent->overlays && self->parent->overlays[count]) count++;
  self->overlays = calloc(count + 2, sizeof *self->overlays);
  if (!self->overlays || asprintf(&self->overlays[0], "branch.%s/", self->scope) < 0)
    return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++)
    if (!(self->overlays[i + 1] = strdup(self->parent->overlays[i])))
      return ck_error_no_memory(err);
  return CK_OK;
}

ck_status ck_runner_new(ck_runner **out, ck_execution *execution, ck_runner *parent,
                        const char *scope, ck_error *err) {
  *out = NULL;
  ck_runner *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->execution = execution;
  self->parent = parent;
  self->depth = parent ? parent->depth + 1 : 0;
  self->scope = strdup(scope);
  ck_status status = self->scope ? CK_OK : ck_error_no_memory(err);
  if (status == CK_OK) status = ck_state_new(&self->written, err);
  if (status == CK_OK && parent) status = make_overlays(self, err);
  if (status == CK_OK) status = ck_runners_add(self, err);
  if (status != CK_OK)
    ck_runner_free(self);
  else
    *out = self;
  return status;
}

/* A flow sees its user's input; the rest of the session's input is for a resume. */
static ck_status copy_input(ck_value **out, const ck_value *given, ck_error *err) {
  ck_bytes input = given ? ck_json_get(ck_value_bytes(given), "input") : (ck_bytes){0};
  *out = NULL;
  return input.len ? ck_value_copy(out, input, err) : CK_OK;
}

/* The main scope's position in the state. A forked scope got its own from its fork. */
static ck_status restore_main(bool *done, ck_runner *self, ck_error *err) {
  ck_session *session = self->execution->session;
  const ck_value *saved = ck_session_get(session, "position.main");
  *done = false;
  if (saved) return ck_runner_take_position(self, done, saved, err);
  return ck_runner_put_position(self, session->cut ? session->cut : ck_session_last_seq(session),
                                err);
}

static ck_status open_coroutine(ck_runner *self, ck_error *err) {
  const ck_execution_options *options = &self->execution->options;
  ck_session *session = self->execution->session;
  ck_conversation *conversation;
  ck_value *input;
  bool fresh;
  ck_status status = ck_session_conversation(&conversation, session, self->scope, err);
  if (status == CK_OK) status = ck_runner_read_path(self, err);
  if (status == CK_OK) ck_runner_restore_counts(self);
  if (status == CK_OK) status = ck_name_set_add(&fresh, &self->paths, self->path, err);
  if (status == CK_OK) status = copy_input(&input, ck_session_get_record(session)->input, err);
  if (status != CK_OK) return status;
  ck_coroutine_options with = {.scope = self->scope,
                               .position = self->position,
                               .state = ck_session_state(session),
                               .conversation = conversation,
                               .task = self->task,
                               .overlays = (const char *const *)self->overlays,
                               .input = input,
                               .options = self->execution->flow_options,
                               .recorded_prompt = options->recorded_prompt};
  self->boundary_us = ck_execution_now_us(self->execution);
  status = options->engine->open(&self->coroutine, options->flow, &with, err);
  ck_value_free(input);
  return status;
}

/* What the flow did behind its last boundary is in the state of its end, and is not done again. */
ck_status ck_runner_open(ck_runner *self, ck_error *err) {
  bool done = false;
  ck_status status = self->parent ? CK_OK : restore_main(&done, self, err);
  if (status != CK_OK) return status;
  if (!done) return open_coroutine(self, err);
  const ck_value *result = ck_session_get(self->execution->session, CK_SESSION_RESULT_KEY);
  if (result) self->result = ck_value_share(result);
  ck_execution_complete(self->execution);
  return CK_OK;
}

void ck_runner_free(ck_runner *self) {
  if (!self) return;
  ck_runner_drop_calls(self);
  if (self->coroutine) self->execution->options.engine->close(self->coroutine);
  for (char **overlay = self->overlays; overlay && *overlay; overlay++) free(*overlay);
  free(self->overlays);
  ck_runner_drop_changes(self);
  ck_runner_free_outcomes(self->outcome);
  ck_value_free(self->joined_untrusted);
  ck_value_free(self->context);
  ck_value_free(self->position);
  ck_value_free(self->counts);
  ck_value_free(self->task);
  ck_value_free(self->result);
  ck_state_free(self->used);
  ck_name_set_clear(&self->paths);
  ck_state_free(self->written);
  ck_runner_clear_failures(self);
  free(self->error);
  free(self->agent);
  free(self->node);
  free(self->tag);
  free(self->scope);
  free(self);
}

/* Its calls are cancelled while it is still known: a driver may deliver at once. */
void ck_runner_drop(ck_runner *self) {
  ck_runner_drop_calls(self);
  ck_runners_remove(self);
  ck_runner_free(self);
}
