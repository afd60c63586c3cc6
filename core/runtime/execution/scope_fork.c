/* scope_fork.c - child scopes: opened by a fork, ended with a result or an error, handed to the
 * parent by a join.
 *
 * A child's key position.<scope> is there from its fork until its parent is past the first boundary
 * behind the join: a resume from any checkpoint in between finds the child where it stood. The
 * order in which children end is not the same twice, so what a join_any gave is an outcome in the
 * ledger. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/call_private.h"
#include "core/runtime/execution/scope_fork_private.h"

enum { SCOPE_MAX = 128 };

/* ---- fork ---- */

static bool is_scope(const char *name) {
  ck_error ignored = CK_ERROR_INIT;
  return strlen(name) <= SCOPE_MAX && !strpbrk(name, "/@") &&
         ck_state_check_key(name, &ignored) == CK_OK;
}

/* The place of the fork, or what the flow calls it: with it the effects of a scope that is forked
 * again get keys of their own. */
static char *make_tag(const ck_runner *self, const ck_flow_child *child) {
  char number[16] = "", *tag = NULL;
  if (self->forks > 1 && !child->tag) snprintf(number, sizeof number, ".%u", self->forks);
  const char *place = child->tag ? child->tag : self->path;
  if (asprintf(&tag, "%s%s%s%s", place, number, self->tag ? "@" : "", self->tag ? self->tag : "") <
      0)
    return NULL;
  return tag;
}

/* It goes on where it stood, and so does all below it. One that failed and was joined is open from
 * now on. */
static ck_status reopen(ck_runner *self, const ck_value *saved, ck_error *err) {
  ck_status status = ck_runner_reattach(self, saved, err);
  if (status == CK_OK && self->set_aside) {
    self->set_aside = false;
    self->born = ck_session_next_seq(self->execution->session);
    status = ck_runner_put_position(self, self->cut, err);
  }
  return status == CK_OK && self->phase != CK_PHASE_ENDED ? ck_runner_reopen_below(self, err)
                                                          : status;
}

static ck_status begin(ck_runner *self, const ck_flow_child *child, ck_error *err) {
  ck_session *session = self->execution->session;
  ck_status status = CK_OK;
  char key[CK_STATE_KEY_MAX];
  self->tagged = child->tag != NULL;
  snprintf(key, sizeof key, "position.%s", self->scope);
  if (ck_session_get(session, key))
    status = ck_execution_remove_saved(self->execution, key, err); /* of another fork */
  self->born = ck_session_next_seq(session);
  self->agent = child->agent ? strdup(child->agent) : NULL;
  if (child->agent && !self->agent) return ck_error_no_memory(err);
  if (status == CK_OK && child->task)
    status = ck_value_copy(&self->task, ck_bytes_text(child->task), err);
  if (status == CK_OK) status = ck_runner_put_position(self, ck_session_last_seq(session), err);
  return status == CK_OK ? ck_runner_open(self, err) : status;
}

/* NULL, or a saved position that this very fork made. */
static const ck_value *find_saved(const ck_runner *self, const char *tag, const char *scope) {
  char key[CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "position.%s", scope);
  const ck_value *saved = ck_session_get(self->execution->session, key);
  if (!saved || !ck_json_is_text(ck_json_get(ck_value_bytes(saved), "tag"), tag)) return NULL;
  return ck_json_is_text(ck_json_get(ck_value_bytes(saved), "parent"), self->scope) ? saved : NULL;
}

static ck_status open_child(ck_runner *self, const ck_flow_child *child, ck_error *err) {
  char *tag = make_tag(self, child);
  if (!tag) return ck_error_no_memory(err);
  const ck_value *saved = find_saved(self, tag, child->scope);
  ck_runner *made;
  ck_status status = ck_runner_new(&made, self->execution, self, child->scope, err);
  if (status == CK_OK && saved) {
    status = reopen(made, saved, err);
  } else if (status == CK_OK) {
    made->tag = tag;
    return begin(made, child, err);
  }
  free(tag);
  return status;
}

static ck_status refuse(ck_runner *self, const char *scope, const char *why, ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "scope %s forks scope %.*s%s", self->scope, SCOPE_MAX, scope, why);
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
                     : open_child(self, &yield->children[i], err);
  }
  return status;
}

/* ---- a scope's end ---- */

static void abandon_children(ck_runner *self) {
  const ck_execution *execution = self->execution;
  for (size_t i = 0; i < execution->runner_count; i++) {
    ck_runner *child = execution->runners[i];
    if (child->parent != self || child->phase == CK_PHASE_ENDED) continue;
    child->abandoned = child->joined = true;
    ck_runner_cancel_calls(child, false);
    abandon_children(child);
  }
}

static const ck_runner *find_open_child(const ck_runner *self) {
  for (size_t i = 0; i < self->execution->runner_count; i++) {
    const ck_runner *child = self->execution->runners[i];
    if (child->parent == self && child->phase != CK_PHASE_ENDED) return child;
  }
  return NULL;
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
  /* What a failed one had joined stays: run again, it joins it once more. */
  if (status == CK_OK && !self->error) status = ck_runner_forget_joined(self, err);
  if (status == CK_OK && !self->error) status = ck_runner_remove_orphans(self, err);
  self->phase = CK_PHASE_ENDED;
  self->end = ck_session_last_seq(self->execution->session);
  /* One that failed is run again from its last boundary: what it did since must be found. */
  int64_t cut = self->error ? self->cut : self->end;
  return status == CK_OK ? ck_runner_put_position(self, cut, err) : status;
}

static ck_status remove_keys(ck_runner *self, ck_error *err) {
  char key[2 * CK_STATE_KEY_MAX];
  ck_session *session = self->execution->session;
  ck_state_entry *entries;
  size_t count;
  snprintf(key, sizeof key, "position.%s", self->scope);
  ck_status status = ck_session_put(session, key, NULL, err);
  if (status == CK_OK) status = ck_state_list(&entries, &count, self->written, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    snprintf(key, sizeof key, "%s%s", self->overlays[0], entries[i].key);
    status = ck_session_put(session, key, NULL, err);
  }
  free(entries);
  return status;
}

void ck_execution_drop(ck_execution *execution, ck_runner *gone) {
  size_t at = 0;
  while (execution->runners[at] != gone) at++;
  memmove(&execution->runners[at], &execution->runners[at + 1],
          (--execution->runner_count - at) * sizeof gone);
  ck_runner_free(gone);
}

static void drop_family(ck_runner *self) {
  const ck_execution *execution = self->execution;
  for (size_t i = execution->runner_count; i-- > 0;) {
    if (execution->runners[i]->parent != self) continue;
    drop_family(execution->runners[i]);
    i = execution->runner_count; /* others have moved */
  }
  ck_execution_drop(self->execution, self);
}

/* It failed, and the flow can call the same work by its tag: what is known of it stays, for a later
 * attempt. */
static ck_status set_aside(ck_runner *self, ck_error *err) {
  self->set_aside = self->execution->has_strays = true;
  ck_status status = ck_runner_put_position(self, self->cut, err);
  if (status == CK_OK) drop_family(self);
  return status;
}

/* Its children go with it, joined or not: all have ended. What is saved of them in the state of an
 * earlier process goes too. */
static ck_status forget(ck_runner *self, ck_error *err) {
  ck_execution *execution = self->execution;
  char key[CK_STATE_KEY_MAX];
  ck_status status = CK_OK;
  for (size_t i = execution->runner_count; i-- > 0 && status == CK_OK;) {
    if (execution->runners[i]->parent != self) continue;
    status = forget(execution->runners[i], err);
    i = execution->runner_count; /* others have moved */
  }
  snprintf(key, sizeof key, "position.%s", self->scope);
  if (status == CK_OK && execution->has_strays)
    status = ck_execution_remove_saved(execution, key, err);
  if (status == CK_OK) status = remove_keys(self, err);
  if (status == CK_OK) ck_execution_drop(execution, self);
  return status;
}

ck_status ck_runner_forget_joined(ck_runner *self, ck_error *err) {
  const ck_execution *execution = self->execution;
  ck_status status = CK_OK;
  for (size_t i = execution->runner_count; i-- > 0 && status == CK_OK;) {
    ck_runner *child = execution->runners[i];
    if (child->parent != self || !child->joined || child->phase != CK_PHASE_ENDED) continue;
    status = child->error && child->tagged ? set_aside(child, err) : forget(child, err);
    i = execution->runner_count; /* its own children are gone as well */
  }
  return status;
}

/* ---- join ---- */

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
             self->scope, SCOPE_MAX, scope);
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

/* What an earlier process was given at this place: a JSON list of scopes; empty: nothing was, or
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

/* With all below it: what was cancelled when it failed must have been delivered. */
static bool has_ended(const ck_runner *self) {
  const ck_execution *execution = self->execution;
  bool ended = self->phase == CK_PHASE_ENDED;
  for (size_t i = 0; i < execution->runner_count && ended; i++)
    if (execution->runners[i]->parent == self) ended = has_ended(execution->runners[i]);
  return ended;
}

/* Whether it is over, and with whom. */
static bool is_due(const ck_runner *self, ck_bytes given, bool *chosen) {
  const ck_flow_yield *yield = &self->yield;
  size_t ended = 0, wanted = 0;
  for (size_t i = 0; i < yield->child_count; i++) {
    const ck_runner *child = find_child(self, yield->children[i].scope);
    bool is_wanted = given.len == 0 || lists(given, child->scope);
    chosen[i] = is_wanted && has_ended(child);
    wanted += is_wanted;
    ended += chosen[i];
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
  ck_json_name(w, "writes");
  ck_json_begin(w, '{');
  for (size_t i = 0; i < count; i++)
    ck_json_member_raw(w, entries[i].key, ck_value_bytes(entries[i].value));
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}

static ck_status make_outcome(ck_outcome **out, ck_runner *self, const bool *chosen,
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
    if (!chosen[i] || !child) continue;
    status = ck_state_list(&entries, &count, child->written, err);
    if (status != CK_OK) break;
    write_child(&w, child, entries, count);
    free(entries);
    child->joined = true;
  }
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(&result, &buffer, err);
  if (status == CK_OK) status = ck_outcome_new(out, CK_OUTCOME_OK, result, NULL, err);
  ck_value_free(result);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status record_given(ck_runner *self, const char *key, const bool *chosen, ck_error *err) {
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
    if (chosen[i]) ck_json_put_text(&w, self->yield.children[i].scope);
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
  bool *chosen = calloc(self->yield.child_count + 1, sizeof *chosen);
  if (!chosen) return ck_error_no_memory(err);
  name_join(key, sizeof key, self);
  ck_bytes given = find_given(self, key);
  ck_status status = CK_OK;
  *moved = is_due(self, given, chosen);
  if (*moved && self->yield.join_any && given.len == 0)
    status = record_given(self, key, chosen, err);
  if (*moved && status == CK_OK) status = make_outcome(&self->outcome, self, chosen, err);
  if (*moved && status == CK_OK) self->phase = CK_PHASE_READY;
  free(chosen);
  return status;
}
