/* amend.c - makes a person's edits of a session's state, and finds those that a crash left unmade.
 */
#include "core/runtime/session/opening/amend.h"

#include "core/runtime/session/secret.h"
#include "core/runtime/session/session_private.h"

enum { NAMED_KEYS = 5 };

ck_status ck_session_check_edits(ck_session *self, const ck_state_edits *edits, bool dry_run,
                                 ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; edits && i < edits->count && status == CK_OK; i++)
    status = (dry_run ? ck_state_edit_check_policies : ck_state_edit_check)(&edits->items[i],
                                                                            self->redactor, err);
  return status;
}

static ck_status put_secret(ck_session *self, const ck_state_edit *edit, ck_error *err) {
  ck_buffer secret = {0};
  ck_value *value = NULL;
  ck_status status = ck_secret_read(&secret, edit->ref, err);
  if (status == CK_OK) status = ck_value_secret(&value, ck_buffer_bytes(&secret), err);
  if (status == CK_OK) status = ck_session_put_reference(self, edit->key, value, edit->ref, err);
  ck_value_free(value);
  ck_secret_wipe(&secret);
  return status;
}

/* "memory.topic, memory.n": which keys, not their values. */
static void name_keys(ck_buffer *out, const ck_state_edits *edits) {
  for (size_t i = 0; i < edits->count && i < NAMED_KEYS; i++)
    ck_buffer_append_format(out, "%s%s", i ? ", " : "", edits->items[i].key);
  if (edits->count > NAMED_KEYS)
    ck_buffer_append_format(out, " and %zu more", edits->count - NAMED_KEYS);
}

static ck_status mark_edits(ck_session *self, const ck_state_edits *edits, ck_error *err) {
  ck_saved saved;
  ck_buffer keys = {0};
  name_keys(&keys, edits);
  ck_status status = ck_buffer_check(&keys, err);
  if (status == CK_OK)
    status = ck_session_boundary(
        &saved, self, &(ck_boundary){.kind = CK_BOUNDARY_EDIT, .reason = keys.data}, err);
  ck_buffer_clear(&keys);
  return status == CK_OK ? ck_session_wait(self, saved.ticket, err) : status;
}

ck_status ck_session_make_edits(ck_session *self, const ck_state_edits *edits, ck_error *err) {
  ck_status status = CK_OK;
  if (!edits || edits->count == 0) return CK_OK;
  for (size_t i = 0; i < edits->count && status == CK_OK; i++) {
    const ck_state_edit *edit = &edits->items[i];
    status =
        edit->ref ? put_secret(self, edit, err) : ck_session_put(self, edit->key, edit->value, err);
  }
  return status == CK_OK ? mark_edits(self, edits, err) : status;
}

ck_status ck_session_take_end_back(ck_session *self, ck_error *err) {
  static const char key[] = "position.main";
  static const char *const kept[] = {"cut", "said", "at", "node"};
  const ck_value *position = ck_state_get(self->state, key);
  ck_bytes record = position ? ck_value_bytes(position) : (ck_bytes){0};
  if (ck_json_get(record, "done").len == 0) return CK_OK;
  ck_buffer buffer = {0};
  ck_value *value = NULL;
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    ck_bytes member = ck_json_get(record, kept[i]);
    if (member.len) ck_json_member_raw(&w, kept[i], member);
  }
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&value, &buffer, err);
  if (status == CK_OK) status = ck_session_put(self, key, value, err);
  if (status == CK_OK && ck_session_get(self, CK_SESSION_RESULT_KEY))
    status = ck_session_put(self, CK_SESSION_RESULT_KEY, NULL, err);
  ck_value_free(value);
  ck_buffer_clear(&buffer);
  return status;
}

typedef struct finding {
  ck_state_edits *to;
  int64_t next; /* seq: an opening's edits follow each other; later ones were made by the run */
  ck_status status;
  ck_error *err;
} finding;

static bool take_edit(void *to, const ck_event *event) {
  finding *self = to;
  if (event->seq != self->next) return false;
  self->next++;
  self->status = ck_state_edits_read(self->to, event->body, self->err);
  return self->status == CK_OK;
}

ck_status ck_session_find_edits(ck_state_edits *out, ck_session *self, const ck_head *head,
                                int64_t from, ck_error *err) {
  const ck_timeline *live = NULL;
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].no == head->session.timeline) live = &head->timelines[i];
  bool kept = live && head->has_checkpoint && head->checkpoint.seq >= live->begin;
  if (!live || kept || live->checkpoint != from) return CK_OK;
  finding f = {.to = out, .next = live->begin + 1, .status = CK_OK, .err = err};
  ck_event_query query = {
      .session = head->session.no, .after = live->begin, .kinds = UINT64_C(1) << CK_EVENT_EDIT};
  ck_status status = ck_store_read_events(self->runtime->store, &query, take_edit, &f, err);
  return status == CK_OK ? f.status : status;
}
