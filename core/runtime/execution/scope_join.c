/* scope_join.c - waits for child scopes and hands their results, errors and writes to the parent.
 *
 * The order in which children end is not the same twice, so what a join_any gave is an outcome in
 * the ledger. */
#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/execution/scope_private.h"
#include "core/runtime/execution/untrusted.h"

/* The child of this name; NULL when it was not forked here, or was joined before. */
static ck_runner *find_child(const ck_runner *self, const char *scope) {
  ck_runner *child = ck_execution_find(self->execution, scope);
  return child && child->parent == self && !child->joined ? child : NULL;
}

/* ---- which scopes it waits for ---- */

static ck_status refuse(ck_runner *self, const char *scope, ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text,
           "scope %s joins scope %.*s, which it has not forked, or has joined before", self->scope,
           CK_SCOPE_NAME_MAX, scope);
  return ck_runner_fail(self, CK_E_FLOW, text, err);
}

static void mark_all(const ck_runner *self, ck_join_part part) {
  for (size_t i = 0; i < self->yield.child_count; i++) {
    ck_runner *child = find_child(self, self->yield.children[i].scope);
    if (child) child->join_part = part;
  }
}

static void name_join(char *out, size_t size, const ck_runner *self) {
  char name[CK_STATE_KEY_MAX];
  ck_runner_name(name, self);
  snprintf(out, size, "%s/%s/join/%u", name, self->path, self->joins);
}

/* What an earlier process got from this join_any: a JSON list of scopes; empty: nothing. */
static ck_bytes find_given(const ck_runner *self) {
  char key[2 * CK_STATE_KEY_MAX];
  name_join(key, sizeof key, self);
  const ck_ledger_entry *entry =
      self->yield.join_any ? ck_ledger_get(self->execution->session->ledger, key) : NULL;
  return entry && entry->outcome ? ck_json_get(ck_value_bytes(entry->outcome), "result")
                                 : (ck_bytes){0};
}

/* Of the scopes that are named, those that are given; false in *any when there is none: the earlier
 * process came here on another way. */
static ck_status want_given(bool *any, const ck_runner *self, ck_bytes given, ck_error *err) {
  ck_json_iterator it = ck_json_iterate(given);
  *any = false;
  while (ck_json_next(&it)) {
    char *scope = ck_json_dup_string(it.value);
    if (!scope) return ck_error_no_memory(err);
    ck_runner *child = find_child(self, scope);
    free(scope);
    if (!child || child->join_part == CK_JOIN_NOTHING) continue;
    child->join_part = CK_JOIN_WANTED;
    *any = true;
  }
  return CK_OK;
}

static void count_wanted(ck_runner *self) {
  self->joining.wanted = self->joining.open = 0;
  for (size_t i = 0; i < self->yield.child_count; i++) {
    const ck_runner *child = find_child(self, self->yield.children[i].scope);
    if (child->join_part != CK_JOIN_WANTED) continue;
    self->joining.wanted++;
    self->joining.open += !child->place.over;
  }
}

ck_status ck_runner_begin_join(ck_runner *self, ck_error *err) {
  const ck_flow_yield *yield = &self->yield;
  bool given;
  self->joins++;
  self->phase = CK_PHASE_JOIN;
  for (size_t i = 0; i < yield->child_count; i++)
    if (!find_child(self, yield->children[i].scope))
      return refuse(self, yield->children[i].scope, err);
  mark_all(self, CK_JOIN_NAMED);
  ck_status status = want_given(&given, self, find_given(self), err);
  if (status != CK_OK) return status;
  if (!given) mark_all(self, CK_JOIN_WANTED);
  self->joining.any = yield->join_any && !given;
  count_wanted(self);
  return CK_OK;
}

/* Wanted, and ended with all below it: calls that were cancelled when it failed have been
 * delivered. */
static bool is_given(const ck_runner *child) {
  return child && child->join_part == CK_JOIN_WANTED && child->place.over;
}

/* ---- what it gives ---- */

static void write_child(ck_json_writer *w, const ck_runner *child, const ck_state_entry *entries,
                        size_t count) {
  ck_json_name(w, child->scope);
  ck_json_begin(w, '{');
  if (child->result) ck_json_member_raw(w, "result", ck_value_bytes(child->result));
  ck_json_member_text(w, "error", child->error);
  if (child->error) ck_json_member_text(w, "status", ck_status_name(child->error_status));
  if (child->unknown) ck_json_member_bool(w, "unknown", true);
  if (child->refused) ck_json_member_bool(w, "refused", true);
  ck_json_name(w, "writes");
  ck_json_begin(w, '{');
  for (size_t i = 0; i < count; i++)
    ck_json_member_raw(w, entries[i].key, ck_value_bytes(entries[i].value));
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}

static ck_status make_outcome(ck_outcome **out, const ck_runner *self, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_status status = CK_OK;
  ck_value *result = NULL;
  *out = NULL;
  ck_json_begin(&w, '{');
  for (size_t i = 0; i < self->yield.child_count && status == CK_OK; i++) {
    ck_state_entry *entries;
    size_t count;
    const ck_runner *child = find_child(self, self->yield.children[i].scope);
    if (!is_given(child)) continue;
    status = ck_state_list(&entries, &count, child->written, err);
    if (status != CK_OK) break;
    write_child(&w, child, entries, count);
    free(entries);
  }
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(&result, &buffer, err);
  if (status == CK_OK) status = ck_outcome_new(out, CK_OUTCOME_OK, result, NULL, err);
  ck_value_free(result);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status record_given(const ck_runner *self, ck_error *err) {
  char key[2 * CK_STATE_KEY_MAX];
  ck_session *session = self->execution->session;
  ck_effect effect = {.scope = self->scope,
                      .key = key,
                      .attempt = session->timeline.attempt,
                      .kind = CK_EFFECT_ASK};
  ck_outcome given = {.status = CK_OUTCOME_ENDED};
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *body = NULL;
  name_join(key, sizeof key, self);
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->yield.child_count; i++)
    if (is_given(find_child(self, self->yield.children[i].scope)))
      ck_json_put_text(&w, self->yield.children[i].scope);
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

static ck_status mark_joined(ck_runner *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->yield.child_count && status == CK_OK; i++) {
    ck_runner *child = find_child(self, self->yield.children[i].scope);
    if (!child) continue;
    child->joined = is_given(child);
    if (child->joined) self->unknown |= child->unknown, self->refused |= child->refused;
    if (child->joined) status = ck_untrusted_join(self, child, err);
    child->join_part = CK_JOIN_NOTHING;
  }
  return status;
}

ck_status ck_runner_join(bool *moved, ck_runner *self, ck_error *err) {
  *moved = ck_runner_join_is_over(self);
  if (!*moved) return CK_OK;
  ck_status status = self->joining.any ? record_given(self, err) : CK_OK;
  if (status == CK_OK) status = make_outcome(&self->outcome, self, err);
  if (status == CK_OK) status = mark_joined(self, err);
  if (status != CK_OK) return status;
  self->phase = CK_PHASE_READY;
  return CK_OK;
}
