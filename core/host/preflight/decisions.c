/* decisions.c - how many decisions of the session so far would be others under the policies as they
 * are now: to checkpoint, and the answers to other hooks. */
#include "core/host/preflight/preflight.h"

#include "core/host/session/next_command.h"
#include "core/host/simulate/rerun_sum.h"
#include "core/runtime/simulation/simulate.h"
#include "lua/policy/policy.h"

/* A run's options can set a limit: that of each run counts. */
static ck_status count(ck_preflight *self, ck_recording *recording, const ck_engine *engine,
                       const ck_policy_engine *policies, ck_error *err) {
  ck_simulation simulation;
  ck_shown_as as = ck_shown_as_profile(engine->profile);
  as.limit_micros = CK_SIMULATE_AS_RECORDED;
  ck_status status = ck_recording_read_texts(recording, engine->runtime->store, &as, err);
  if (status == CK_OK) status = ck_simulate(&simulation, recording, policies, &as, NULL, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < simulation.decision_count; i++) {
    const ck_simulated_decision *decision = &simulation.decisions[i];
    self->decisions.other += decision->taken != recording->boundaries[decision->boundary].taken;
  }
  self->decisions.all = (int64_t)simulation.decision_count;
  ck_simulation_clear(&simulation);
  return CK_OK;
}

static ck_status count_answers(ck_preflight *self, ck_store *store, const ck_profile *profile,
                               ck_rerun_hook hook, ck_error *err) {
  ck_hook_rerun made;
  ck_rerun_sum sum = {0};
  ck_status status = ck_rerun_profile(&made, store, self->head.session.id, hook, profile, err);
  if (status != CK_OK) return status;
  status = ck_rerun_sum_add(&sum, &made, err);
  self->decisions.hooks[hook].asked = sum.asked;
  self->decisions.hooks[hook].other = sum.otherwise;
  self->decisions.hooks[hook].untold = sum.untold;
  ck_rerun_sum_clear(&sum);
  ck_hook_rerun_clear(&made);
  return status;
}

/* Those of the resume itself are not asked: a policy can remember what it was asked. */
ck_status ck_preflight_compare_decisions(ck_preflight *self, const ck_engine *engine,
                                         ck_error *err) {
  ck_policy_engine fresh;
  ck_recording *recording = NULL;
  if (!self->decisions.changed || !self->options.dry_run || !engine->profile ||
      !self->launch.profile)
    return CK_OK;
  ck_status status = ck_policy_engine_open(&fresh, engine->profile, err);
  if (status != CK_OK) return status;
  status = ck_recording_read(&recording, engine->runtime->store, self->head.session.id, err);
  if (status == CK_OK) status = count(self, recording, engine, &fresh, err);
  for (int i = 0; status == CK_OK && i < CK_RERUN_HOOK_COUNT; i++)
    status = count_answers(self, engine->runtime->store, engine->profile, (ck_rerun_hook)i, err);
  self->decisions.known = status == CK_OK;
  ck_recording_free(recording);
  fresh.free(fresh.self);
  return status;
}

void ck_preflight_append_decisions(ck_buffer *out, const ck_preflight *self) {
  ck_buffer_append_format(out, "ckrun policy explain %s", self->head.session.id);
  ck_next_command_append_option(out, "--rerun", self->launch.profile);
}

void ck_preflight_append_answers(ck_buffer *out, const ck_preflight *self, ck_rerun_hook hook) {
  ck_buffer_append_format(out, "ckrun policy simulate %s --hook %s --list", self->head.session.id,
                          ck_rerun_hook_name(hook));
  ck_next_command_append_option(out, "--profile", self->launch.profile);
}

/* ---- output ---- */

static void put_command(ck_document *document, struct cJSON *at, ck_buffer *command) {
  document->failed |= command->failed;
  ck_document_put_text(document, at, "command", command->data);
  ck_buffer_clear(command);
}

static void put_hooks(ck_document *document, struct cJSON *at, const ck_preflight *self) {
  struct cJSON *list = NULL;
  for (int i = 0; i < CK_RERUN_HOOK_COUNT; i++) {
    ck_rerun_hook hook = (ck_rerun_hook)i;
    ck_buffer command = {0};
    if (!self->decisions.hooks[i].asked) continue;
    if (!list) list = ck_document_put_array(document, at, "hooks");
    struct cJSON *row = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, row, "hook", ck_rerun_hook_name(hook));
    ck_document_put_int(document, row, "asked", self->decisions.hooks[i].asked);
    ck_document_put_int(document, row, "other", self->decisions.hooks[i].other);
    ck_document_put_int(document, row, "untold", self->decisions.hooks[i].untold);
    ck_preflight_append_answers(&command, self, hook);
    put_command(document, row, &command);
  }
}

void ck_preflight_put_decisions(ck_document *document, const ck_preflight *self) {
  struct cJSON *at = ck_document_put_object(document, NULL, "decisions");
  ck_buffer command = {0};
  ck_preflight_append_decisions(&command, self);
  ck_document_put_int(document, at, "boundaries", self->decisions.all);
  ck_document_put_int(document, at, "other", self->decisions.other);
  put_command(document, at, &command);
  put_hooks(document, at, self);
}

static void put_row(ck_table *table, ck_buffer *text) {
  table->text.failed |= text->failed;
  ck_table_put_word(table, "decisions");
  ck_table_put_text(table, ck_buffer_bytes(text));
  ck_buffer_clear(text);
}

/* Of the other hooks those alone that would answer otherwise. */
void ck_preflight_put_decision_rows(ck_table *table, const ck_preflight *self) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, "%lld of %lld would be others under the policies as they are now",
                          (long long)self->decisions.other, (long long)self->decisions.all);
  if (self->decisions.other) {
    ck_buffer_append_text(&text, ": ");
    ck_preflight_append_decisions(&text, self);
  }
  put_row(table, &text);
  for (int i = 0; i < CK_RERUN_HOOK_COUNT; i++) {
    if (!self->decisions.hooks[i].other) continue;
    ck_buffer_append_format(
        &text, "%s: %lld of %lld answers would be others: ", ck_rerun_hook_name((ck_rerun_hook)i),
        (long long)self->decisions.hooks[i].other, (long long)self->decisions.hooks[i].asked);
    ck_preflight_append_answers(&text, self, (ck_rerun_hook)i);
    put_row(table, &text);
  }
}
