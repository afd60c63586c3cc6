/* driver.c - answers effects from a recording. */
#include <stdlib.h>

#include "core/effect/cassette/record.h"
#include "core/effect/reply.h"

typedef struct cassette_driver {
  ck_effect_driver driver;
  const ck_cassette *cassette;
  ck_replies replies;
} cassette_driver;

static bool serves(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_MODEL || effect->kind == CK_EFFECT_ASK ||
         effect->kind == CK_EFFECT_TOOL;
}

/* The recorded result as an error's one line. */
static ck_status make_tool_error(ck_outcome **out, const ck_record *record, ck_error *err) {
  ck_buffer text = {0};
  ck_error line = CK_ERROR_INIT;
  if (!ck_json_read_string(&text, ck_value_bytes(record->value)))
    ck_buffer_append_bytes(&text, ck_value_bytes(record->value));
  ck_error_set(&line, CK_E_FAILED, "%s", text.data ? text.data : "");
  ck_status status = ck_buffer_check(&text, err);
  if (!status) status = ck_outcome_new(out, CK_OUTCOME_ERROR, record->value, line.text, err);
  ck_buffer_clear(&text);
  return status;
}

static ck_status make_recorded(ck_outcome **out, const ck_record *record, ck_error *err) {
  ck_status status = record->is_error
                         ? make_tool_error(out, record, err)
                         : ck_outcome_new(out, CK_OUTCOME_OK, record->value, NULL, err);
  if (!status) (*out)->tools_changed = record->tools_changed;
  if (status || record->kind != CK_EFFECT_MODEL) return status;
  (*out)->cost_micros = record->cost_micros;
  (*out)->reserved_micros = record->reserved_micros;
  (*out)->input_tokens = record->input_tokens;
  (*out)->output_tokens = record->output_tokens;
  (*out)->goes_on = record->goes_on;
  if (record->cut) ck_outcome_set_cut(*out, record->cut);
  if (record->refusal) ck_outcome_set_refusal(*out, record->refusal);
  if (record->note) ck_outcome_add_note(*out, record->note);
  return CK_OK;
}

static ck_status make_outcome(ck_outcome **out, const ck_cassette *cassette,
                              const ck_effect *effect, ck_error *err) {
  const ck_record *record = NULL;
  ck_error diverged = CK_ERROR_INIT;
  ck_status status = ck_cassette_match(&record, cassette, effect, &diverged);
  if (!status)
    return record ? make_recorded(out, record, err)
                  : ck_outcome_new(out, CK_OUTCOME_ENDED, NULL, NULL, err);
  if (status != CK_E_DIVERGED) return ck_error_set(err, status, "%s", diverged.text);
  status = ck_outcome_new(out, CK_OUTCOME_FAILED, NULL, diverged.text, err);
  if (!status) (*out)->error_status = CK_E_DIVERGED;
  return status;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  cassette_driver *self = to;
  ck_outcome *outcome = NULL;
  *out = NULL;
  ck_status status = make_outcome(&outcome, self->cassette, effect, err);
  return status ? status : ck_reply(out, &self->replies, outcome, sink, err);
}

/* An effect without a record did not happen; its start then reports the difference. */
static ck_status probe(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  cassette_driver *self = to;
  ck_outcome *outcome = NULL;
  *out = NULL;
  ck_status status = make_outcome(&outcome, self->cassette, effect, err);
  if (!status && outcome->status != CK_OUTCOME_OK && outcome->status != CK_OUTCOME_ERROR) {
    ck_outcome_free(outcome);
    status = ck_outcome_new(&outcome, CK_OUTCOME_ABSENT, NULL, NULL, err);
  }
  return status ? status : ck_reply(out, &self->replies, outcome, sink, err);
}

/* Nothing to do: the outcome is already on its way. */
static void cancel(void *self, ck_effect_run *run) {
  (void)self;
  (void)run;
}

/* The recorded cost is exact. */
static int64_t reserve(void *to, const ck_effect *effect) {
  const cassette_driver *self = to;
  const ck_recorded_scope *scope = ck_cassette_find(self->cassette, effect->scope);
  if (effect->kind != CK_EFFECT_MODEL || !scope || effect->consumed >= scope->count) return 0;
  const ck_record *record = &scope->records[effect->consumed];
  return record->kind == CK_EFFECT_MODEL && record->cost_micros > 0 ? record->cost_micros : 0;
}

static void free_driver(void *to) {
  cassette_driver *self = to;
  ck_replies_clear(&self->replies);
  free(self);
}

ck_status ck_cassette_driver_new(ck_effect_driver **out, const ck_cassette *cassette, ck_loop *loop,
                                 ck_error *err) {
  *out = NULL;
  cassette_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->cassette = cassette;
  self->replies.loop = loop;
  self->driver = (ck_effect_driver){.name = "cassette",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .probe = probe,
                                    .cancel = cancel,
                                    .reserve = reserve,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
