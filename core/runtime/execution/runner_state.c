/* runner_state.c - what a runner has asked for and written since its last boundary. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/call_private.h"

ck_status ck_runner_use(bool *fresh, ck_state *names, const char *name, ck_error *err) {
  ck_value *mark;
  *fresh = ck_state_get(names, name) == NULL;
  if (!*fresh) return CK_OK;
  ck_status status = ck_value_copy(&mark, ck_bytes_text("1"), err);
  if (status != CK_OK) return status;
  status = ck_state_put(names, name, mark, err);
  ck_value_free(mark);
  return status;
}

void ck_runner_name(char out[CK_STATE_KEY_MAX], const ck_runner *self) {
  snprintf(out, CK_STATE_KEY_MAX, "%s%s%s", self->scope, self->tag ? "@" : "",
           self->tag ? self->tag : "");
}

const char *ck_runner_node(const ck_runner *self) {
  for (const ck_runner *at = self; at; at = at->parent)
    if (at->node) return at->node;
  return NULL;
}

int ck_runner_agents_above(const ck_runner *self) {
  const char *below = self->agent;
  int count = 0;
  for (const ck_runner *at = self->parent; at; at = at->parent) {
    if (!at->agent) continue;
    count += below && strcmp(below, at->agent) != 0;
    below = at->agent;
  }
  return count;
}

bool ck_runner_rests(const ck_runner *self) {
  if (self->phase != CK_PHASE_CALLS) return self->phase >= CK_PHASE_JOIN;
  bool held = false;
  for (size_t i = 0; i < self->call_count; i++) {
    ck_call_phase phase = self->calls[i]->phase;
    if (self->calls[i]->action) continue; /* the call of its agent tells */
    if (phase == CK_CALL_INTENT || phase == CK_CALL_DRIVER || phase == CK_CALL_ROOM ||
        phase == CK_CALL_PASSED || phase == CK_CALL_FAILED)
      return false;
    held |= phase != CK_CALL_DONE;
  }
  return held;
}

bool ck_runner_join_is_over(const ck_runner *self) {
  const ck_joining *joining = &self->joining;
  return joining->open == 0 || (joining->any && joining->open < joining->wanted);
}

void ck_runner_free_outcomes(ck_outcome *outcome) {
  while (outcome) {
    ck_outcome *next = outcome->next;
    ck_outcome_free(outcome);
    outcome = next;
  }
}

/* ---- its writes ---- */

void ck_runner_drop_changes(ck_runner *self) {
  for (size_t i = 0; i < self->change_count; i++) {
    free(self->changes[i].key);
    ck_value_free(self->changes[i].value);
  }
  free(self->changes);
  self->changes = NULL;
  self->change_count = 0;
}

ck_status ck_runner_buffer_changes(ck_runner *self, ck_error *err) {
  const ck_flow_yield *yield = &self->yield;
  if (yield->change_count == 0) return CK_OK;
  ck_change *changes =
      realloc(self->changes, (self->change_count + yield->change_count) * sizeof *changes);
  if (!changes) return ck_error_no_memory(err);
  self->changes = changes;
  for (size_t i = 0; i < yield->change_count; i++) {
    ck_change *change = &changes[self->change_count];
    change->key = strdup(yield->changes[i].key);
    if (!change->key) return ck_error_no_memory(err);
    change->value = ck_value_share(yield->changes[i].value);
    self->change_count++;
  }
  return CK_OK;
}

/* A forked scope's write goes to its overlay, where a removal is a null: the key may well be there
 * below. */
static ck_status write_overlay(ck_runner *self, const char *key, const ck_value *given,
                               ck_error *err) {
  char whole[CK_STATE_KEY_MAX + 1];
  int len = snprintf(whole, sizeof whole, "%s%s", self->overlays[0], key);
  if (len < 0 || len > CK_STATE_KEY_MAX)
    return ck_error_set(err, CK_E_RANGE, "the key %.64s… is too long for a write of scope %s", key,
                        self->scope);
  ck_value *value = given ? ck_value_share(given) : NULL;
  ck_status status = value ? CK_OK : ck_value_copy(&value, ck_bytes_text("null"), err);
  if (status == CK_OK) status = ck_session_put(self->execution->session, whole, value, err);
  if (status == CK_OK) status = ck_state_put(self->written, key, value, err);
  ck_value_free(value);
  return status;
}

ck_status ck_runner_write(ck_runner *self, const char *key, const ck_value *value, ck_error *err) {
  return self->parent ? write_overlay(self, key, value, err)
                      : ck_session_put(self->execution->session, key, value, err);
}

ck_status ck_runner_apply_changes(ck_runner *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->change_count && status == CK_OK; i++) {
    const ck_change *change = &self->changes[i];
    status = ck_runner_write(self, change->key, change->value, err);
  }
  ck_runner_drop_changes(self);
  return status;
}
