/* effect.c - names kinds, classes and statuses of effects; makes outcomes; counts money. */
#include "core/model/effect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"

#define X(name, text) [name] = text,
static const char *const kind_names[CK_EFFECT_KIND_COUNT] = {CK_EFFECT_KIND_TABLE(X)};
static const char *const class_names[CK_EFFECT_CLASS_COUNT] = {CK_EFFECT_CLASS_TABLE(X)};
static const char *const outcome_names[CK_OUTCOME_COUNT] = {CK_OUTCOME_TABLE(X)};
#undef X

/* The index of `name`; `count` when it is not among them. */
static size_t find_name(const char *const *names, size_t count, const char *name) {
  size_t at = 0;
  while (at < count && !(name && strcmp(names[at], name) == 0)) at++;
  return at;
}

const char *ck_effect_kind_name(ck_effect_kind kind) {
  return (size_t)kind < CK_EFFECT_KIND_COUNT ? kind_names[kind] : NULL;
}

bool ck_effect_class_repeats(ck_effect_class class) {
  return class == CK_EFFECT_PURE || class == CK_EFFECT_IDEMPOTENT;
}

const char *ck_effect_class_name(ck_effect_class class) {
  return (size_t) class < CK_EFFECT_CLASS_COUNT ? class_names[class] : NULL;
}

bool ck_effect_is_tool_call(const ck_effect *effect) {
  bool list = false;
  if (effect->kind != CK_EFFECT_TOOL) return false;
  ck_json_read_bool(&list, ck_json_get(effect->request, "list"));
  return !list;
}

bool ck_effect_asks_leave(const ck_effect *effect) {
  return effect->kind == CK_EFFECT_MODEL || effect->kind == CK_EFFECT_EXEC ||
         effect->kind == CK_EFFECT_AGENT || effect->kind == CK_EFFECT_AGENT_TOOL ||
         ck_effect_is_tool_call(effect);
}

ck_status ck_effect_write_asked(ck_value **out, ck_bytes request, const char *model,
                                ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_put_members(&w, request, "model");
  ck_json_member_text(&w, "model", model);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

bool ck_effect_is_aside(const ck_effect *effect) {
  bool model = effect->kind == CK_EFFECT_MODEL;
  return (model || effect->kind == CK_EFFECT_ASK) &&
         ck_json_get(effect->request, model ? "messages" : "quiet").len > 0;
}

bool ck_effect_is_turn_of(const ck_effect *effect, const char *agent) {
  const char *first = effect->payers ? effect->payers[0] : NULL;
  return effect->kind == CK_EFFECT_MODEL && agent && first && strcmp(first, agent) == 0 &&
         !ck_effect_is_aside(effect);
}

const char *ck_outcome_status_name(ck_outcome_status status) {
  return (size_t)status < CK_OUTCOME_COUNT ? outcome_names[status] : NULL;
}

bool ck_effect_kind_of(ck_effect_kind *out, const char *name) {
  size_t at = find_name(kind_names, CK_EFFECT_KIND_COUNT, name);
  bool found = at < CK_EFFECT_KIND_COUNT;
  *out = found ? (ck_effect_kind)at : 0;
  return found;
}

bool ck_effect_class_of(ck_effect_class *out, const char *name) {
  size_t at = find_name(class_names, CK_EFFECT_CLASS_COUNT, name);
  bool found = at < CK_EFFECT_CLASS_COUNT;
  *out = found ? (ck_effect_class)at : 0;
  return found;
}

bool ck_outcome_status_of(ck_outcome_status *out, const char *name) {
  size_t at = find_name(outcome_names, CK_OUTCOME_COUNT, name);
  bool found = at < CK_OUTCOME_COUNT;
  *out = found ? (ck_outcome_status)at : 0;
  return found;
}

ck_status ck_outcome_new(ck_outcome **out, ck_outcome_status status, const ck_value *result,
                         const char *error, ck_error *err) {
  *out = NULL;
  ck_outcome *self = calloc(1, sizeof *self);
  char *text = self && error ? strdup(error) : NULL;
  if (!self || (error && !text)) {
    free(self);
    return ck_error_no_memory(err);
  }
  self->status = status;
  self->error_status = status == CK_OUTCOME_FAILED ? CK_E_FAILED : CK_OK;
  self->error = text;
  self->result = ck_value_share(result);
  *out = self;
  return CK_OK;
}

void ck_outcome_count_reserve(ck_outcome *self, int64_t reserve) {
  if (self->cost_micros == 0 && !self->cost_known && reserve > 0)
    self->cost_micros = self->reserved_micros = reserve;
}

int64_t ck_micros_add(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void ck_micros_write(char out[CK_MICROS_TEXT_SIZE], int64_t micros) {
  uint64_t amount = micros < 0 ? 0 - (uint64_t)micros : (uint64_t)micros;
  int len = snprintf(out, CK_MICROS_TEXT_SIZE, "%s%" PRIu64 ".%06" PRIu64, micros < 0 ? "-" : "",
                     amount / 1000000, amount % 1000000);
  for (int left = 4; left > 0 && out[len - 1] == '0'; left--) out[--len] = '\0';
}

void ck_outcome_free(ck_outcome *self) {
  if (!self) return;
  ck_value_free(self->result);
  ck_value_free(self->denied);
  ck_value_free(self->failure);
  ck_value_free(self->untrusted);
  free(self->error);
  free(self->cut);
  free(self->refusal);
  free(self->response_model);
  free(self->note);
  free(self);
}

static void set_text(char **to, const char *text) {
  ck_error ignored = CK_ERROR_INIT;
  if (ck_text_replace(to, text, &ignored) != CK_OK) return;
}

void ck_outcome_set_cut(ck_outcome *self, const char *cut) {
  if (self) set_text(&self->cut, cut);
}

void ck_outcome_set_refusal(ck_outcome *self, const char *refusal) {
  if (self) set_text(&self->refusal, refusal);
}

void ck_outcome_set_response_model(ck_outcome *self, const char *model) {
  if (self) set_text(&self->response_model, model);
}

void ck_outcome_add_note(ck_outcome *self, const char *text) {
  ck_buffer note = {0};
  if (!self) return;
  ck_buffer_append_format(&note, "%s%s%s", self->note ? self->note : "", self->note ? "; " : "",
                          text);
  char *joined = ck_buffer_take(&note);
  if (!joined) return;
  free(self->note);
  self->note = joined;
}

ck_status ck_effect_check_answer(ck_bytes request, ck_bytes answer, ck_error *err) {
  ck_bytes options = ck_json_get(request, "options");
  if (ck_json_type_of(options) != CK_JSON_ARRAY || ck_json_count(options) == 0) return CK_OK;
  ck_buffer list = {0}, given = {0};
  bool among = false;
  if (!ck_json_read_string(&given, answer)) ck_buffer_append_bytes(&given, answer);
  ck_buffer_append_char(&given, '\0');
  for (ck_json_iterator it = ck_json_iterate(options); ck_json_next(&it);) {
    among |= !given.failed && ck_json_is_text(it.value, given.data);
    if (list.len) ck_buffer_append_text(&list, ", ");
    ck_json_read_string(&list, it.value);
  }
  ck_buffer_append_char(&list, '\0');
  ck_status status = ck_buffer_check(&given, err);
  if (status == CK_OK) status = ck_buffer_check(&list, err);
  if (status == CK_OK && !among)
    status =
        ck_error_set(err, CK_E_REFUSED, "'%.200s' is none of the answers that can be given: %s",
                     given.data, list.data);
  ck_buffer_clear(&given);
  ck_buffer_clear(&list);
  return status;
}
