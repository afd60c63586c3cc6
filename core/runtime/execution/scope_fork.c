/* scope_fork.c - opens child scopes, or goes on with those that an earlier process opened here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/scope_private.h"

static bool is_scope(const char *name) {
  ck_error ignored = CK_ERROR_INIT;
  return strlen(name) <= CK_SCOPE_NAME_MAX && !strpbrk(name, "/@") &&
         ck_state_check_key(name, &ignored) == CK_OK;
}

/* The fork's path, or the flow's own tag: with it the effects of a scope that is forked again get
 * keys of their own. */
static char *make_tag(const ck_runner *self, const ck_flow_child *child) {
  char number[16] = "", *tag = NULL;
  if (self->forks > 1 && !child->tag) snprintf(number, sizeof number, ".%u", self->forks);
  const char *place = child->tag ? child->tag : self->path;
  if (asprintf(&tag, "%s%s%s%s", place, number, self->tag ? "@" : "", self->tag ? self->tag : "") <
      0)
    return NULL;
  return tag;
}

/* The scope goes on at its position, and so do all below it. One that was set aside is open from
 * now on. */
static ck_status reopen(ck_runner *self, const ck_value *saved, ck_error *err) {
  ck_status status = ck_runner_reattach(self, saved, err);
  if (status == CK_OK && self->set_aside) {
    self->set_aside = false;
    self->born = ck_session_next_seq(self->execution->session);
    status = ck_runner_put_position(self, self->cut, err);
  }
  return status == CK_OK ? ck_runner_reopen_below(self, err) : status;
}

static ck_status begin(ck_runner *self, const ck_flow_child *child, ck_error *err) {
  ck_session *session = self->execution->session;
  ck_status status = CK_OK;
  self->tagged = child->tag != NULL;
  self->born = ck_session_next_seq(session);
  self->agent = child->agent ? strdup(child->agent) : NULL;
  if (child->agent && !self->agent) return ck_error_no_memory(err);
  if (status == CK_OK && child->task)
    status = ck_value_copy(&self->task, ck_bytes_text(child->task), err);
  if (status == CK_OK) status = ck_runner_put_position(self, ck_session_last_seq(session), err);
  return status == CK_OK ? ck_runner_open(self, err) : status;
}

/* *saved: NULL, or a saved position that this very fork made. That of another fork is removed; the
 * notes of its agents go to `left`. */
static ck_status take_saved(const ck_value **saved, ck_left_notes *left, const ck_runner *self,
                            const char *tag, const char *scope, ck_error *err) {
  char key[CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "position.%s", scope);
  *saved = ck_session_get(self->execution->session, key);
  if (!*saved) return CK_OK;
  ck_status status = ck_saved_scopes_keep(self->execution, err);
  if (status != CK_OK) return status;
  ck_bytes record = ck_value_bytes(*saved);
  if (ck_json_is_text(ck_json_get(record, "tag"), tag) &&
      ck_json_is_text(ck_json_get(record, "parent"), self->scope))
    return CK_OK;
  *saved = NULL;
  return ck_execution_remove_saved(self->execution, scope, left, err);
}

/* Takes `tag`. What a scope of its name had noted is in its pads from the start. */
static ck_status open_child(ck_runner *self, const ck_flow_child *child, char *tag,
                            ck_left_notes *left, ck_error *err) {
  const ck_value *saved;
  ck_runner *made;
  ck_status status = take_saved(&saved, left, self, tag, child->scope, err);
  if (status == CK_OK) status = ck_runner_new(&made, self->execution, self, child->scope, err);
  if (status == CK_OK && !saved) {
    made->tag = tag;
    status = ck_runner_add_notes(made, left, err);
    return status == CK_OK ? begin(made, child, err) : status;
  }
  if (status == CK_OK) status = reopen(made, saved, err);
  free(tag);
  return status;
}

static ck_status fork_child(ck_runner *self, const ck_flow_child *child, ck_error *err) {
  char *tag = make_tag(self, child);
  ck_left_notes left;
  if (!tag) return ck_error_no_memory(err);
  ck_status status = ck_left_notes_init(&left, err);
  if (status != CK_OK) {
    free(tag);
    return status;
  }
  status = open_child(self, child, tag, &left, err);
  ck_left_notes_clear(&left);
  return status;
}

static ck_status refuse(ck_runner *self, const char *scope, const char *why, ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "scope %s forks scope %.*s%s", self->scope, CK_SCOPE_NAME_MAX, scope,
           why);
  return ck_runner_fail(self, CK_E_FLOW, text, err);
}

static const char *find_problem(const ck_runner *self, const ck_flow_child *child) {
  ck_error ignored = CK_ERROR_INIT;
  if (!is_scope(child->scope))
    return ": a scope's name has 1 to 128 bytes, none of them '/', '@' or a control character";
  if (child->tag && !is_scope(child->tag))
    return ": its tag has 1 to 128 bytes, none of them '/', '@' or a control character";
  if (child->task && ck_json_check(ck_bytes_text(child->task), &ignored) != CK_OK)
    return ": its task is not JSON";
  const ck_runner *there = ck_execution_find(self->execution, child->scope);
  if (there && there->joined)
    return " again: a boundary is needed first, behind the join of the one before";
  return there ? ", which is open already" : NULL;
}

ck_status ck_runner_fork(ck_runner *self, ck_error *err) {
  const ck_flow_yield *yield = &self->yield;
  self->forks++;
  ck_status status = CK_OK;
  self->phase = CK_PHASE_READY;
  for (size_t i = 0; i < yield->child_count && status == CK_OK && self->phase == CK_PHASE_READY;
       i++) {
    const char *problem = find_problem(self, &yield->children[i]);
    status = problem ? refuse(self, yield->children[i].scope, problem, err)
                     : fork_child(self, &yield->children[i], err);
  }
  return status;
}
