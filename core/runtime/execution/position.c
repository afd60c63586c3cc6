/* position.c - a scope's position, as a key of the state. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/sources.h"
#include "core/runtime/execution/scope_private.h"

/* The main scope keeps its cut: when an edit takes its end back, it goes on from there. Its result
 * is a key of its own: rules that mask what is in it must not reach the position. */
static void write_main(ck_json_writer *w, const ck_runner *self) {
  if (self->phase != CK_PHASE_ENDED) return;
  ck_json_member_bool(w, "done", true);
  ck_json_member_int(w, "end", self->end);
}

static void write_fork(ck_json_writer *w, const ck_runner *self) {
  ck_json_member_text(w, "parent", self->parent->scope);
  ck_json_member_text(w, "tag", self->tag);
  ck_json_member_int(w, "born", self->born);
  ck_json_member_text(w, "agent", self->agent);
  if (self->tagged) ck_json_member_bool(w, "tagged", true);
  if (self->set_aside) ck_json_member_bool(w, "aside", true);
  if (self->unknown) ck_json_member_bool(w, "unknown", true);
  if (self->refused) ck_json_member_bool(w, "refused", true);
  if (self->task) ck_json_member_raw(w, "task", ck_value_bytes(self->task));
  if (self->phase != CK_PHASE_ENDED) return;
  ck_json_member_bool(w, "done", true);
  if (self->result) ck_json_member_raw(w, "result", ck_value_bytes(self->result));
  if (!self->error) return;
  ck_json_member_text(w, "error", self->error);
  ck_json_member_int(w, "end", self->end);
  ck_json_member_text(w, "status", ck_status_name(self->error_status));
  ck_json_member_int(w, "attempt", self->execution->session->timeline.attempt);
}

ck_status ck_runner_put_position(ck_runner *self, int64_t cut, ck_error *err) {
  if (cut != self->cut) self->report_seq = 0;
  self->cut = cut;
  char key[CK_STATE_KEY_MAX];
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "cut", cut);
  if (self->report_seq > cut) ck_json_member_int(&w, "said", self->report_seq);
  if (self->position) ck_json_member_raw(&w, "at", ck_value_bytes(self->position));
  if (self->counts) ck_json_member_raw(&w, "counts", ck_value_bytes(self->counts));
  ck_json_member_text(&w, "node", self->node);
  ck_sources_write(&w, ck_sources_bytes(self->joined_untrusted));
  if (self->parent)
    write_fork(&w, self);
  else
    write_main(&w, self);
  ck_json_end(&w, '}');
  ck_value *value = NULL;
  snprintf(key, sizeof key, "position.%s", self->scope);
  ck_status status = ck_value_from(&value, &buffer, err);
  if (status == CK_OK) status = ck_session_put(self->execution->session, key, value, err);
  ck_value_free(value);
  ck_buffer_clear(&buffer);
  return status;
}

/* The value of a member, copied; NULL when there is none. */
static ck_status take_value(ck_value **out, ck_bytes record, const char *name, ck_error *err) {
  ck_bytes value = ck_json_get(record, name);
  ck_value_free(*out);
  *out = NULL;
  return ck_json_type_of(value) == CK_JSON_NONE ? CK_OK : ck_value_copy(out, value, err);
}

static ck_status take_text(char **out, ck_bytes record, const char *name, ck_error *err) {
  ck_bytes value = ck_json_get(record, name);
  free(*out);
  *out = NULL;
  if (ck_json_type_of(value) != CK_JSON_STRING) return CK_OK;
  *out = ck_json_dup_string(value);
  return *out ? CK_OK : ck_error_no_memory(err);
}

/* A scope that ended with an error has ended for the attempt it failed in; a later attempt runs it
 * again. */
static bool holds(const ck_runner *self, ck_bytes record) {
  int64_t attempt = 0;
  bool done = false;
  ck_json_read_bool(&done, ck_json_get(record, "done"));
  ck_json_read_int(&attempt, ck_json_get(record, "attempt"));
  bool failed = ck_json_type_of(ck_json_get(record, "error")) != CK_JSON_NONE;
  return done && (!failed || attempt >= (int64_t)self->execution->session->timeline.attempt);
}

/* What was done is known by the position alone: without it all would be done again. */
static ck_status check_record(const ck_runner *self, ck_bytes record, ck_error *err) {
  if (ck_json_type_of(record) == CK_JSON_OBJECT) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "the position of scope %s is %.*s, so nothing tells what it has done: a "
                      "policy's redact masked it; let it leave keys that begin with \"position.\" "
                      "as they are, and go on from an older checkpoint",
                      self->scope, record.len < 80 ? (int)record.len : 80, record.data);
}

ck_status ck_runner_take_position(ck_runner *self, bool *done, const ck_value *saved,
                                  ck_error *err) {
  ck_bytes record = ck_value_bytes(saved);
  *done = false;
  ck_status status = check_record(self, record, err);
  if (status != CK_OK) return status;
  *done = holds(self, record);
  ck_json_read_int(&self->born, ck_json_get(record, "born"));
  ck_json_read_int(&self->cut, ck_json_get(record, "cut"));
  ck_json_read_int(&self->report_seq, ck_json_get(record, "said"));
  ck_json_read_int(&self->end, ck_json_get(record, "end"));
  ck_json_read_bool(&self->tagged, ck_json_get(record, "tagged"));
  ck_json_read_bool(&self->set_aside, ck_json_get(record, "aside"));
  ck_json_read_bool(&self->unknown, ck_json_get(record, "unknown"));
  ck_json_read_bool(&self->refused, ck_json_get(record, "refused"));
  status = take_value(&self->position, record, "at", err);
  if (status == CK_OK) status = take_value(&self->counts, record, "counts", err);
  if (status == CK_OK) status = take_value(&self->task, record, "task", err);
  if (status == CK_OK) status = take_value(&self->joined_untrusted, record, CK_SOURCES_MEMBER, err);
  if (status == CK_OK) status = take_text(&self->tag, record, "tag", err);
  if (status == CK_OK) status = take_text(&self->agent, record, "agent", err);
  if (status == CK_OK) status = take_text(&self->node, record, "node", err);
  if (status != CK_OK || !*done) return status;
  status = take_value(&self->result, record, "result", err);
  if (status == CK_OK) status = take_text(&self->error, record, "error", err);
  self->error_status =
      self->error ? ck_ledger_read_status(ck_json_get(record, "status"), CK_E_FAILED) : CK_OK;
  return status;
}

ck_status ck_runner_read_path(ck_runner *self, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = CK_OK;
  if (!self->position)
    ck_buffer_append_text(&text, CK_FLOW_START);
  else if (!ck_json_read_string(&text, ck_json_get(ck_value_bytes(self->position), "path")))
    status = ck_error_set(err, CK_E_TYPE, "a position of scope %s has no \"path\"", self->scope);
  if (status == CK_OK && text.len >= sizeof self->path)
    status = ck_error_set(err, CK_E_RANGE, "a position's path of scope %s is longer than %zu bytes",
                          self->scope, sizeof self->path - 1);
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  ck_error unfit = CK_ERROR_INIT;
  if (status == CK_OK && ck_state_check_key(text.data, &unfit) != CK_OK)
    status = ck_error_set(err, CK_E_FLOW,
                          "a position's path of scope %s is empty or has control characters",
                          self->scope);
  if (status == CK_OK) snprintf(self->path, sizeof self->path, "%s", text.data);
  ck_buffer_clear(&text);
  memset(self->ordinals, 0, sizeof self->ordinals);
  self->pauses = self->forks = self->joins = 0;
  ck_state_free(self->used);
  self->used = NULL;
  return status == CK_OK ? ck_state_new(&self->used, err) : status;
}

/* ---- what is counted at one path ----
 *
 * A BEFORE_CALL stays at its path: what was counted there before it goes on behind it, also in
 * another process. */

static uint32_t *count_at(ck_runner *self, size_t index) {
  uint32_t *const others[] = {&self->pauses, &self->forks, &self->joins};
  return index < CK_EFFECT_KIND_COUNT ? &self->ordinals[index]
                                      : others[index - CK_EFFECT_KIND_COUNT];
}

static const char *count_name(size_t index) {
  static const char *const others[] = {"pauses", "forks", "joins"};
  return index < CK_EFFECT_KIND_COUNT ? ck_effect_kind_name((ck_effect_kind)index)
                                      : others[index - CK_EFFECT_KIND_COUNT];
}

enum { COUNTS = CK_EFFECT_KIND_COUNT + 3 };

ck_status ck_runner_keep_counts(ck_runner *self, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  for (size_t i = 0; i < COUNTS; i++)
    if (*count_at(self, i)) ck_json_member_int(&w, count_name(i), *count_at(self, i));
  ck_json_end(&w, '}');
  ck_value_free(self->counts);
  self->counts = NULL;
  ck_status status = ck_value_from(&self->counts, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

void ck_runner_restore_counts(ck_runner *self) {
  ck_bytes counts = self->counts ? ck_value_bytes(self->counts) : (ck_bytes){0};
  for (size_t i = 0; i < COUNTS; i++) {
    int64_t count;
    if (ck_json_read_int(&count, ck_json_get(counts, count_name(i))) && count > 0)
      *count_at(self, i) = (uint32_t)count;
  }
}
