/* scope_reopen.c - child scopes of an earlier process: opened again, or put away when the flow has
 * gone past them without them.
 *
 * A scope that was forked before its parent's last boundary is open when the parent goes on; one
 * that was forked behind it is found by the fork when the parent comes there again. After a failure
 * the parent may come elsewhere: a scope that it has not forked by its next boundary is an
 * orphan. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/model/sources.h"
#include "core/runtime/execution/scope_private.h"
#include "core/runtime/execution/untrusted.h"

static const ck_value *get_position(const ck_execution *self, const char *scope) {
  char key[2 * CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "position.%s", scope);
  return ck_session_get(self->session, key);
}

/* The scope's writes are its overlay in the state. */
static void take_overlay(ck_runner *self) {
  ck_state *written = ck_saved_scopes_take(&self->execution->saved, self->scope);
  if (!written) return;
  ck_state_free(self->written);
  self->written = written;
}

/* Its error is passed on by its parent, when it may be gone. */
static ck_status remember_failure(const ck_runner *self, ck_error *err) {
  const char *node = ck_runner_node(self);
  ck_ending failure = {.status = CK_SESSION_FAILED, .cause = self->error_status};
  snprintf(failure.text, sizeof failure.text, "%s", self->error);
  snprintf(failure.node, sizeof failure.node, "%s", node ? node : "");
  return ck_runner_keep_failure(self->parent, self->scope, &failure, err);
}

ck_status ck_runner_reattach(ck_runner *self, const ck_value *saved, ck_error *err) {
  bool done;
  take_overlay(self);
  ck_status status = ck_runner_take_position(self, &done, saved, err);
  if (status != CK_OK) return status;
  if (!done) return ck_runner_open(self, err);
  ck_runner_set_ended(self);
  return self->error ? remember_failure(self, err) : CK_OK;
}

/* ---- after a resume ---- */

static bool is_aside(const ck_value *position) {
  bool aside = false;
  ck_json_read_bool(&aside, ck_json_get(ck_value_bytes(position), "aside"));
  return aside;
}

static bool is_open_in(const ck_runner *parent, const ck_value *position) {
  int64_t born = 0;
  ck_json_read_int(&born, ck_json_get(ck_value_bytes(position), "born"));
  return !is_aside(position) && born <= parent->cut;
}

ck_status ck_runner_reopen_below(ck_runner *self, ck_error *err) {
  ck_execution *execution = self->execution;
  ck_saved_scope *child = ck_saved_scopes_first(&execution->saved, self->scope), *next;
  ck_status status = CK_OK;
  if (self->phase == CK_PHASE_ENDED) return CK_OK;
  for (; child && status == CK_OK; child = next) {
    const ck_value *position = get_position(execution, child->scope);
    ck_runner *made;
    next = child->next;
    if (!is_open_in(self, position)) continue;
    status = ck_runner_new(&made, execution, self, child->scope, err);
    if (status == CK_OK) status = ck_runner_reattach(made, position, err);
    if (status == CK_OK) status = ck_runner_reopen_below(made, err);
  }
  return status;
}

ck_status ck_execution_reopen(ck_execution *self, ck_error *err) {
  if (self->session->cut == 0) return CK_OK;
  ck_status status = ck_saved_scopes_keep(self, err);
  return status == CK_OK ? ck_runner_reopen_below(self->runners.first, err) : status;
}

/* ---- orphans ---- */

ck_status ck_execution_remove_keys(ck_execution *self, const char *scope, const ck_state *written,
                                   ck_error *err) {
  char key[2 * CK_STATE_KEY_MAX];
  ck_state_entry *entries = NULL;
  size_t count = 0;
  snprintf(key, sizeof key, "position.%s", scope);
  ck_status status = ck_session_put(self->session, key, NULL, err);
  if (status == CK_OK && written) status = ck_state_list(&entries, &count, written, err);
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    snprintf(key, sizeof key, "branch.%s/%s", scope, entries[i].key);
    status = ck_session_put(self->session, key, NULL, err);
  }
  free(entries);
  return status;
}

static ck_status remove_below(ck_execution *self, const char *parent, ck_left_notes *left,
                              ck_error *err) {
  ck_status status = CK_OK;
  ck_saved_scope *child;
  while (status == CK_OK && (child = ck_saved_scopes_first(&self->saved, parent)))
    status = ck_execution_remove_saved(self, child->scope, left, err);
  return status;
}

/* What a scope noted, and then what those below it added to that; `had` was in its context. */
static ck_status collect_notes(ck_execution *self, const char *scope, const ck_state *written,
                               const ck_value *had, ck_left_notes *left, ck_error *err) {
  ck_left_notes own;
  ck_status status = ck_left_notes_init(&own, err);
  if (status != CK_OK) return status;
  status = ck_scope_notes_add(own.pads, written, err);
  if (status == CK_OK && ck_state_count(own.pads) > 0)
    status = ck_sources_add(&own.untrusted, ck_sources_bytes(had), err);
  if (status == CK_OK) status = remove_below(self, scope, &own, err);
  if (status == CK_OK) status = ck_scope_notes_add(left->pads, own.pads, err);
  if (status == CK_OK)
    status = ck_sources_add(&left->untrusted, ck_sources_bytes(own.untrusted), err);
  ck_left_notes_clear(&own);
  return status;
}

/* The scope's conversation stays, up to the cut in its position: it is folded while that is known,
 * and what it has of untrusted sources with it. */
ck_status ck_execution_remove_saved(ck_execution *self, const char *scope, ck_left_notes *left,
                                    ck_error *err) {
  ck_value *had = NULL;
  char *name = strdup(scope); /* it may be the index's own */
  if (!name) return ck_error_no_memory(err);
  ck_state *written = ck_saved_scopes_take(&self->saved, name);
  ck_status status = ck_untrusted_add_saved(&had, self->session, name, err);
  if (status == CK_OK) status = ck_execution_remove_keys(self, name, written, err);
  if (status == CK_OK) status = collect_notes(self, name, written, had, left, err);
  ck_state_free(written);
  ck_value_free(had);
  free(name);
  return status;
}

/* `scope` NULL: all below the runner's. Its position is that of this boundary already. */
static ck_status remove_and_keep_notes(ck_runner *self, const char *scope, ck_error *err) {
  ck_left_notes left;
  ck_status status = ck_left_notes_init(&left, err);
  if (status != CK_OK) return status;
  status = scope ? ck_execution_remove_saved(self->execution, scope, &left, err)
                 : remove_below(self->execution, self->scope, &left, err);
  if (status == CK_OK) status = ck_runner_add_notes(self, &left, err);
  if (status == CK_OK && left.untrusted) status = ck_runner_put_position(self, self->cut, err);
  ck_left_notes_clear(&left);
  return status;
}

ck_status ck_runner_remove_orphans(ck_runner *self, ck_error *err) {
  return ck_saved_scopes_first(&self->execution->saved, self->scope)
             ? remove_and_keep_notes(self, NULL, err)
             : CK_OK;
}

/* A scope with a tag may be forked again under it, at another position. */
static ck_status put_away(ck_runner *parent, const char *scope, const ck_value *saved,
                          ck_error *err) {
  ck_execution *execution = parent->execution;
  bool tagged = false, done;
  ck_json_read_bool(&tagged, ck_json_get(ck_value_bytes(saved), "tagged"));
  if (!tagged) return remove_and_keep_notes(parent, scope, err);
  ck_runner *made;
  ck_status status = ck_runner_new(&made, execution, parent, scope, err);
  if (status != CK_OK) return status;
  status = ck_runner_take_position(made, &done, saved, err);
  made->set_aside = true;
  if (done) ck_runner_set_ended(made);
  if (status == CK_OK) status = ck_runner_put_position(made, made->cut, err);
  ck_runner_drop(made);
  return status;
}

bool ck_runner_awaits_fork(const ck_runner *self) {
  const ck_execution *execution = self->execution;
  const ck_saved_scope *child = ck_saved_scopes_first(&execution->saved, self->scope);
  while (child && is_aside(get_position(execution, child->scope))) child = child->next;
  return child != NULL;
}

ck_status ck_runner_settle_orphans(ck_runner *self, ck_error *err) {
  ck_execution *execution = self->execution;
  ck_saved_scope *child = ck_saved_scopes_first(&execution->saved, self->scope), *next;
  ck_status status = CK_OK;
  if (!execution->saved.is_kept || self->orphans_settled) return CK_OK;
  self->orphans_settled = true;
  for (; child && status == CK_OK; child = next) {
    const ck_value *saved = get_position(execution, child->scope);
    next = child->next;
    if (!is_aside(saved)) status = put_away(self, child->scope, saved, err);
  }
  return status;
}
