/* scope_end.c - a scope ends, with a result or an error, and is forgotten once its parent is past
 * the join.
 *
 * A child's key position.<scope> is there from its fork until its parent is past the first boundary
 * behind the join: a resume from any checkpoint in between finds the child at its position. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/call_private.h"
#include "core/runtime/execution/scope_private.h"

/* ---- forgotten ---- */

static void drop_family(ck_runner *self) {
  while (self->place.last_child) drop_family(self->place.last_child);
  ck_runner_drop(self);
}

static ck_status save_family(ck_runner *self, ck_error *err) {
  ck_status status = ck_saved_scopes_add(&self->execution->saved, self->scope, self->parent->scope,
                                         &self->written, err);
  for (ck_runner *child = self->place.child; child && status == CK_OK;
       child = child->place.next_sibling)
    status = save_family(child, err);
  return status;
}

/* A scope that failed and can be forked again by its tag: its position stays, for a later
 * attempt. */
static ck_status set_aside(ck_runner *self, ck_error *err) {
  self->set_aside = true;
  ck_status status = ck_saved_scopes_keep(self->execution, err);
  if (status == CK_OK) status = ck_runner_put_position(self, self->cut, err);
  if (status == CK_OK) status = save_family(self, err);
  if (status == CK_OK) drop_family(self);
  return status;
}

/* Its children go with it, joined or not: all have ended. Their positions in the state of an
 * earlier process go, too. */
static ck_status forget(ck_runner *self, ck_error *err) {
  ck_status status = CK_OK;
  while (self->place.last_child && status == CK_OK) status = forget(self->place.last_child, err);
  if (status == CK_OK) status = ck_runner_remove_orphans(self, err);
  if (status == CK_OK)
    status = ck_execution_remove_keys(self->execution, self->scope, self->written, err);
  if (status == CK_OK) ck_runner_drop(self);
  return status;
}

ck_status ck_runner_forget_joined(ck_runner *self, ck_error *err) {
  ck_status status = CK_OK;
  for (ck_runner *child = self->place.last_child, *before; child && status == CK_OK;
       child = before) {
    before = child->place.previous_sibling;
    if (!child->joined || child->phase != CK_PHASE_ENDED) continue;
    status = child->error && child->tagged ? set_aside(child, err) : forget(child, err);
  }
  return status;
}

/* ---- ended ---- */

static void abandon_children(ck_runner *self) {
  for (ck_runner *child = self->place.child; child; child = child->place.next_sibling) {
    if (child->phase == CK_PHASE_ENDED) continue;
    child->abandoned = child->joined = true;
    ck_runner_cancel_calls(child, false);
    ck_runner_wake(child);
    abandon_children(child);
  }
}

static const ck_runner *find_open_child(const ck_runner *self) {
  const ck_runner *child = self->place.child;
  while (child && child->phase == CK_PHASE_ENDED) child = child->place.next_sibling;
  return child;
}

ck_status ck_runner_end(ck_runner *self, ck_error *err) {
  const ck_runner *open = self->error ? NULL : find_open_child(self);
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "scope %s ended while its scope %s was open: it must be joined",
           self->scope, open ? open->scope : "");
  if (open) return ck_runner_fail(self, CK_E_FLOW, text, err);
  if (self->error) abandon_children(self);
  if (self->error) ck_runner_drop_changes(self);
  ck_status status = ck_runner_apply_changes(self, err);
  /* Scopes that a failed one had joined stay: run again, it joins them once more. */
  if (status == CK_OK && !self->error) status = ck_runner_forget_joined(self, err);
  if (status == CK_OK && !self->error) status = ck_runner_remove_orphans(self, err);
  ck_runner_set_ended(self);
  self->end = ck_session_last_seq(self->execution->session);
  /* One that failed is run again from its last boundary: its events since then must be found. */
  int64_t cut = self->error ? self->cut : self->end;
  return status == CK_OK ? ck_runner_put_position(self, cut, err) : status;
}

/* ---- failed ---- */

/* The failure that `text` passes on: of the scope that the flow blames, else the newest whose words
 * it has. NULL: the runner's own. */
static const ck_ending *find_passed_on(const ck_runner *self, const char *text) {
  const char *blamed = self->yield.blamed;
  for (const ck_failed_scope *one = self->failures; one; one = one->next)
    if (blamed ? strcmp(one->scope, blamed) == 0 : strstr(text, one->how.text) != NULL)
      return &one->how;
  return NULL;
}

/* Class and node of what was passed on are those of its scope, which may be gone by now. */
static void trace(ck_ending *out, const ck_runner *self, ck_status cause, const char *text) {
  const ck_ending *passed_on = cause == CK_E_FLOW ? find_passed_on(self, text) : NULL;
  const char *node = passed_on ? passed_on->node : ck_runner_node(self);
  ck_ending traced = {.status = CK_SESSION_FAILED, .cause = passed_on ? passed_on->cause : cause};
  snprintf(traced.text, sizeof traced.text, "%s", text);
  snprintf(traced.node, sizeof traced.node, "%s", node ? node : "");
  *out = traced;
}

ck_status ck_runner_fail(ck_runner *self, ck_status cause, const char *text, ck_error *err) {
  ck_execution *execution = self->execution;
  ck_ending failure;
  trace(&failure, self, cause, text);
  if (!self->parent) {
    self->phase = CK_PHASE_REST;
    ck_execution_end_at(execution, failure.node, CK_SESSION_FAILED, failure.cause, text);
    return CK_OK;
  }
  self->error = strdup(text);
  self->error_status = failure.cause;
  if (!self->error) return ck_error_no_memory(err);
  ck_status status = ck_runner_keep_failure(self->parent, self->scope, &failure, err);
  if (status == CK_OK)
    status = ck_session_count_failure(execution->session, *failure.node ? failure.node : NULL, err);
  return status == CK_OK ? ck_runner_end(self, err) : status;
}
