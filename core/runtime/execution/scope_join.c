/* scope_join.c - waits for child scopes and hands their results, errors and writes to the parent.
 *
 * The order in which children end is not the same twice, so what a join_any gave is an outcome in
 * the ledger. */
#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/execution/scope_private.h"

/* The child of this name; NULL when it was not forked here, or was joined before. */
static ck_runner *find_child(const ck_runner *self, const char *scope) {
  ck_runner *child = ck_execution_find(self->execution, scope);
  return child && child->parent == self && !child->joined ? child : NULL;
}

ck_status ck_runner_begin_join(ck_runner *self, ck_error *err) {
  const ck_flow_yield *yield = &self->yield;
  char text[CK_ERROR_TEXT_MAX];
  self->joins++;
  self->phase = CK_PHASE_JOIN;
  for (size_t i = 0; i < yield->child_count; i++) {
    const char *scope = yield->children[i].scope;
    if (find_child(self, scope)) continue;
    snprintf(text, sizeof text,
             "scope %s joins scope %.*s, which it has not forked, or has joined before",
             self->scope, CK_SCOPE_NAME_MAX, scope);
    return ck_runner_fail(self, CK_E_FLOW, text, err);
  }
  return CK_OK;
}

static void name_join(char *out, size_t size, const ck_runner *self) {
  char name[CK_STATE_KEY_MAX];
  ck_runner_name(name, self);
  snprintf(out, size, "%s/%s/join/%u", name, self->path, self->joins);
}

static bool lists(ck_bytes list, const char *scope) {
  ck_json_iterator it = ck_json_iterate(list);
  while (ck_json_next(&it))
    if (ck_json_is_text(it.value, scope)) return true;
  return false;
}

/* The scopes that an earlier process got from this join_any: a JSON list; empty: it got none, or
 * others on another way here. */
static ck_bytes find_given(const ck_runner *self, const char *key) {
  const ck_flow_yield *yield = &self->yield;
  const ck_ledger_entry *entry =
      yield->join_any ? ck_ledger_get(self->execution->session->ledger, key) : NULL;
  ck_bytes given = entry && entry->outcome ? ck_json_get(ck_value_bytes(entry->outcome), "result")
                                           : (ck_bytes){0};
  for (size_t i = 0; i < yield->child_count; i++)
    if (lists(given, yield->children[i].scope)) return given;
  return (ck_bytes){0};
}

/* With all below it: calls that were cancelled when it failed must have been delivered. */
static bool has_ended(const ck_runner *self) {
  const ck_execution *execution = self->execution;
  bool ended = self->phase == CK_PHASE_ENDED;
  for (size_t i = 0; i < execution->runner_count && ended; i++)
    if (execution->runners[i]->parent == self) ended = has_ended(execution->runners[i]);
  return ended;
}

/* Whether the join is over, and which scopes it gives. */
static bool is_due(const ck_runner *self, ck_bytes given, bool *selected) {
  const ck_flow_yield *yield = &self->yield;
  size_t ended = 0, wanted = 0;
  for (size_t i = 0; i < yield->child_count; i++) {
    const ck_runner *child = find_child(self, yield->children[i].scope);
    bool is_wanted = given.len == 0 || lists(given, child->scope);
    selected[i] = is_wanted && has_ended(child);
    wanted += is_wanted;
    ended += selected[i];
  }
  return ended == wanted || (yield->join_any && given.len == 0 && ended > 0);
}

static void write_child(ck_json_writer *w, const ck_runner *child, const ck_state_entry *entries,
                        size_t count) {
  ck_json_name(w, child->scope);
  ck_json_begin(w, '{');
  if (child->result) ck_json_member_raw(w, "result", ck_value_bytes(child->result));
  ck_json_member_text(w, "error", child->error);
  if (child->error) ck_json_member_text(w, "status", ck_status_name(child->error_status));
  if (child->unknown) ck_json_member_bool(w, "unknown", true);
  ck_json_name(w, "writes");
  ck_json_begin(w, '{');
  for (size_t i = 0; i < count; i++)
    ck_json_member_raw(w, entries[i].key, ck_value_bytes(entries[i].value));
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}

static ck_status make_outcome(ck_outcome **out, ck_runner *self, const bool *selected,
                              ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_status status = CK_OK;
  ck_value *result = NULL;
  *out = NULL;
  ck_json_begin(&w, '{');
  for (size_t i = 0; i < self->yield.child_count && status == CK_OK; i++) {
    ck_state_entry *entries;
    size_t count;
    ck_runner *child = find_child(self, self->yield.children[i].scope);
    if (!selected[i] || !child) continue;
    status = ck_state_list(&entries, &count, child->written, err);
    if (status != CK_OK) break;
    write_child(&w, child, entries, count);
    free(entries);
    child->joined = true;
    self->unknown |= child->unknown;
  }
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(&result, &buffer, err);
  if (status == CK_OK) status = ck_outcome_new(out, CK_OUTCOME_OK, result, NULL, err);
  ck_value_free(result);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status record_given(ck_runner *self, const char *key, const bool *selected,
                              ck_error *err) {
  ck_session *session = self->execution->session;
  ck_effect effect = {.scope = self->scope,
                      .key = key,
                      .attempt = session->timeline.attempt,
                      .kind = CK_EFFECT_ASK};
  ck_outcome given = {.status = CK_OUTCOME_ENDED};
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *body = NULL;
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->yield.child_count; i++)
    if (selected[i]) ck_json_put_text(&w, self->yield.children[i].scope);
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(&given.result, &buffer, err);
  if (status == CK_OK)
    status = ck_ledger_write_outcome(&body, &effect, &given, "", "join", NULL, err);
  if (status == CK_OK) status = ck_session_record_outcome(session, &effect, body, &given.seq, err);
  ck_value_free(given.result);
  ck_value_free(body);
  ck_buffer_clear(&buffer);
  return status;
}

ck_status ck_runner_join(bool *moved, ck_runner *self, ck_error *err) {
  char key[2 * CK_STATE_KEY_MAX];
  bool *selected = calloc(self->yield.child_count + 1, sizeof *selected);
  if (!selected) return ck_error_no_memory(err);
  name_join(key, sizeof key, self);
  ck_bytes given = find_given(self, key);
  ck_status status = CK_OK;
  *moved = is_due(self, given, selected);
  if (*moved && self->yield.join_any && given.len == 0)
    status = record_given(self, key, selected, err);
  if (*moved && status == CK_OK) status = make_outcome(&self->outcome, self, selected, err);
  if (*moved && status == CK_OK) self->phase = CK_PHASE_READY;
  free(selected);
  return status;
}
