/* report.c - adds a rewind's report to every conversation that the rewind cuts.
 *
 * A scope that had a position or a message at the checkpoint, and has got more since, loses that:
 * the report tells it the result. One that was asked for the first time behind the checkpoint
 * starts anew and gets no report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/runtime/history/history_edit_private.h"
#include "core/runtime/history/pending_calls.h"
#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/tail/actors.h"

typedef struct receiver {
  char *scope;
  bool receives;
} receiver;

typedef struct receivers {
  const ck_history_edit *edit;
  const char *wanted; /* only that scope; NULL */
  receiver *list;
  size_t count, receiving;
  ck_status status;
  ck_error *err;
} receivers;

static const ck_value *position_of(const ck_history_edit *self, const char *scope) {
  char key[CK_STATE_KEY_MAX];
  snprintf(key, sizeof key, "position.%s", scope);
  return ck_session_get(self->session, key);
}

/* ---- the receivers ---- */

/* Whether the scope had begun at the checkpoint. */
static ck_status has_begun(bool *out, const ck_history_edit *self, const char *name,
                           ck_error *err) {
  ck_scope *scope;
  *out = position_of(self, name) != NULL;
  ck_status status = *out ? CK_OK : ck_scope_new(&scope, name, err);
  if (*out || status != CK_OK) return status;
  status = ck_scope_fold(scope, self->runtime->store, self->head.session.no, &self->session->view,
                         self->from.seq, err);
  *out = ck_conversation_count(ck_scope_conversation(scope)) > 0;
  ck_scope_free(scope);
  return status;
}

static ck_status add(receivers *self, const char *scope) {
  bool receives;
  ck_status status = has_begun(&receives, self->edit, scope, self->err);
  if (status != CK_OK) return status;
  receiver *list = reallocarray(self->list, self->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(self->err);
  self->list = list;
  list[self->count] = (receiver){.scope = strdup(scope), .receives = receives};
  if (!list[self->count].scope) return ck_error_no_memory(self->err);
  self->count++;
  self->receiving += receives;
  return CK_OK;
}

/* The outcome that a replay refers to is not read: a scope without messages has no conversation
 * there. */
static bool has_message(const ck_event *event) {
  return event->kind != CK_EVENT_OUTCOME ||
         ck_json_type_of(ck_json_get(ck_value_bytes(event->body), "message")) != CK_JSON_NONE;
}

static bool add_scope(void *to, const ck_event *event) {
  receivers *self = to;
  if (!has_message(event)) return true;
  for (size_t i = 0; i < self->count; i++)
    if (strcmp(self->list[i].scope, event->scope) == 0) return true;
  self->status = add(self, event->scope);
  return self->status == CK_OK;
}

/* Adds the scopes with messages behind the checkpoint on the timeline that is left. */
static ck_status find_cut_scopes(receivers *self) {
  ck_view view;
  const ck_head *head = &self->edit->head;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, self->err);
  ck_event_query query = {.session = head->session.no,
                          .view = &view,
                          .after = self->edit->from.seq,
                          .kinds = 1ull << CK_EVENT_MESSAGE | 1ull << CK_EVENT_OUTCOME |
                                   1ull << CK_EVENT_REPLAY | 1ull << CK_EVENT_REWIND};
  if (status == CK_OK)
    status = ck_store_read_events(self->edit->runtime->store, &query, add_scope, self, self->err);
  if (status == CK_OK) status = self->status;
  ck_view_clear(&view);
  return status == CK_OK && self->receiving == 0 ? add(self, "main") : status;
}

static ck_status refuse(const receivers *self) {
  const ck_history_edit *edit = self->edit;
  return ck_error_set(self->err, CK_E_NOT_FOUND, "session %s has no scope '%s' at checkpoint %s",
                      edit->head.session.id, self->wanted, edit->from.id);
}

static ck_status find(receivers *self) {
  if (!self->wanted) return find_cut_scopes(self);
  ck_status status = add(self, self->wanted);
  return status == CK_OK && self->receiving == 0 ? refuse(self) : status;
}

/* ---- the report ---- */

/* The body of a message's event. */
static ck_status write_message(ck_value **out, const ck_value *message, bool report,
                               ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "message", ck_value_bytes(message));
  if (report) ck_json_member_bool(&w, "report", true);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status write_report(ck_value **out, const char *report, ck_error *err) {
  ck_value *text = NULL, *message = NULL;
  ck_status status = ck_value_text(&text, ck_bytes_text(report), err);
  if (status == CK_OK) status = ck_message_report(&message, ck_value_bytes(text), err);
  if (status == CK_OK) status = write_message(out, message, true, err);
  ck_value_free(text);
  ck_value_free(message);
  return status;
}

/* ---- calls that are pending at the checkpoint ---- */

static ck_status write_answer(ck_value **out, ck_bytes call, ck_error *err) {
  static const char text[] =
      "\"The session went back to before this call: what follows says how to go on.\"";
  ck_bytes id_json = ck_json_get(call, "id");
  bool has_id = ck_json_type_of(id_json) == CK_JSON_STRING;
  char *name = ck_json_dup_string(ck_json_get(call, "tool"));
  char *id = has_id ? ck_json_dup_string(id_json) : NULL;
  ck_value *message = NULL;
  ck_status status = name && (id || !has_id) ? CK_OK : ck_error_no_memory(err);
  if (status == CK_OK) status = ck_message_tool(&message, id, name, ck_bytes_text(text), err);
  if (status == CK_OK) status = write_message(out, message, false, err);
  ck_value_free(message);
  free(name);
  free(id);
  return status;
}

/* Models take nothing between calls and their answers: each is answered, and not made. */
static ck_status answer_calls(const ck_history_edit *self, const char *scope, const char *agent,
                              const ck_value *position, ck_error *err) {
  ck_json_iterator it = ck_json_iterate(ck_pending_calls_of(ck_value_bytes(position)));
  ck_status status = CK_OK;
  while (status == CK_OK && ck_json_next(&it)) {
    ck_value *body = NULL;
    status = write_answer(&body, it.value, err);
    if (status == CK_OK)
      status = ck_session_append(self->session, CK_EVENT_MESSAGE, scope, agent, body, err);
    ck_value_free(body);
  }
  return status;
}

/* The members of an object but those that `without` names (NULL-terminated), into an open one. */
static void copy_members(ck_json_writer *w, ck_bytes object, const char *const *without) {
  ck_buffer name = {0};
  for (ck_json_iterator it = ck_json_iterate(object); ck_json_next(&it);) {
    bool left_out = false;
    ck_buffer_reset(&name);
    ck_json_read_string(&name, it.name);
    ck_buffer_append_char(&name, '\0');
    if (name.failed) break;
    for (const char *const *one = without; *one; one++)
      left_out = left_out || strcmp(name.data, *one) == 0;
    if (!left_out) ck_json_member_raw(w, name.data, it.value);
  }
  if (name.failed) w->out->failed = true;
  ck_buffer_clear(&name);
}

/* The report ends an exploration that a model had begun: where it goes on there is no mark. Calls
 * that were pending have been answered: the model is asked what now. */
static void write_place(ck_json_writer *w, ck_bytes record) {
  static const char *const marks[] = {"mark", "guards", NULL}, *const pending[] = {"mark", "guards",
                                                                                   "next", "calls",
                                                                                   NULL};
  ck_bytes at = ck_json_get(record, "at");
  bool calls = ck_pending_calls_of(record).len > 0;
  if (ck_json_type_of(at) != CK_JSON_OBJECT) return;
  ck_json_name(w, "at");
  ck_json_begin(w, '{');
  copy_members(w, at, calls ? pending : marks);
  if (calls) ck_json_member_text(w, "next", "model");
  ck_json_end(w, '}');
}

/* The scope's conversation is kept up to its cut, and from there the report alone. */
static ck_status keep_report(const ck_history_edit *self, const char *scope,
                             const ck_value *position, ck_error *err) {
  static const char *const moves[] = {"at", "said", NULL};
  char key[CK_STATE_KEY_MAX];
  ck_buffer buffer = {0};
  ck_value *moved = NULL;
  ck_json_writer w = {.out = &buffer};
  ck_bytes record = ck_value_bytes(position);
  snprintf(key, sizeof key, "position.%s", scope);
  ck_json_begin(&w, '{');
  copy_members(&w, record, moves);
  write_place(&w, record);
  ck_json_member_int(&w, "said", ck_session_last_seq(self->session));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&moved, &buffer, err);
  if (status == CK_OK) status = ck_session_put(self->session, key, moved, err);
  ck_value_free(moved);
  ck_buffer_clear(&buffer);
  return status;
}

/* Who the report is for: the agent of the scope, or the only one that has acted in it. */
static ck_status find_agent(char **out, const ck_history_edit *self, const char *scope,
                            const ck_value *position, ck_error *err) {
  ck_actors actors = {0};
  *out = position ? ck_json_dup_string(ck_json_get(ck_value_bytes(position), "agent")) : NULL;
  if (*out) return CK_OK;
  ck_status status = ck_actors_add(&actors, scope, err);
  if (status == CK_OK)
    status =
        ck_actors_read(&actors, self->runtime->store, self->head.session.no, NULL, 0, NULL, err);
  const char *agent = ck_actors_get(&actors, scope);
  if (status == CK_OK) status = ck_text_copy(out, agent, err);
  ck_actors_clear(&actors);
  return status;
}

static ck_status add_report(const ck_history_edit *self, const char *scope, const ck_value *report,
                            ck_error *err) {
  const ck_value *position = position_of(self, scope);
  char *agent;
  ck_status status = find_agent(&agent, self, scope, position, err);
  if (status == CK_OK && position) status = answer_calls(self, scope, agent, position, err);
  if (status == CK_OK)
    status = ck_session_append(self->session, CK_EVENT_MESSAGE, scope, agent, report, err);
  if (status == CK_OK && position) status = keep_report(self, scope, position, err);
  free(agent);
  return status;
}

static void append_name(ck_history_edit_result *out, const char *scope) {
  size_t used = strlen(out->reported);
  snprintf(out->reported + used, sizeof out->reported - used, "%s%s", used ? " " : "", scope);
}

ck_status ck_history_edit_add_report(ck_history_edit_result *out, ck_history_edit *self,
                                     const ck_history_edit_options *options, ck_error *err) {
  ck_value *report = NULL;
  receivers all = {.edit = self, .wanted = options->scope, .err = err};
  ck_status status = find(&all);
  if (status == CK_OK) status = write_report(&report, options->report, err);
  for (size_t i = 0; i < all.count && status == CK_OK; i++) {
    bool only_main = all.receiving == 0 && i + 1 == all.count;
    if (!all.list[i].receives && !only_main) continue;
    status = add_report(self, all.list[i].scope, report, err);
    append_name(out, all.list[i].scope);
  }
  for (size_t i = 0; i < all.count; i++) free(all.list[i].scope);
  free(all.list);
  ck_value_free(report);
  return status;
}
