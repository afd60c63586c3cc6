/* opening.c - opens a run: announces it in the transaction that makes or acquires its session. */
#include "core/runtime/session/opening/opening.h"

#include <stdlib.h>
#include <string.h>

#include "core/redact/options.h"
#include "core/runtime/session/session_private.h"

void ck_session_set_timeline(ck_session *self, const ck_timeline *timeline) {
  self->timeline = *timeline;
  ck_session_set_next_seq(self, timeline->begin);
}

ck_status ck_session_make_view(ck_session *self, const ck_timeline *before, size_t count,
                               ck_error *err) {
  ck_timeline *all = malloc((count + 1) * sizeof *all);
  if (!all) return ck_error_no_memory(err);
  if (count) memcpy(all, before, count * sizeof *all);
  all[count] = self->timeline;
  ck_status status = ck_view_make(&self->view, all, count + 1, self->timeline.no, err);
  free(all);
  return status;
}

/* `out` holds 1 + edits->count events, all NULL on failure; free each. */
static ck_status make_events(ck_event **out, ck_session *self, const ck_event *first,
                             const ck_state_edits *edits, ck_error *err) {
  size_t count = edits ? edits->count : 0;
  ck_status status = ck_session_make_event(&out[0], self, first, err);
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    ck_event event = *first;
    event.kind = CK_EVENT_EDIT;
    event.seq = first->seq + 1 + (int64_t)i;
    status = ck_state_edit_write(&event.body, &edits->items[i], err);
    if (status != CK_OK) break;
    status = ck_event_new(&out[i + 1], &event, err);
    ck_value_free(event.body);
  }
  return status;
}

/* `head` NULL: the row of self->record is made. */
static ck_status open_with(ck_session *self, const ck_head *head, const ck_opening *opening,
                           ck_error *err) {
  ck_store *store = self->runtime->store;
  if (!head) return ck_store_create_session(&self->lease, store, &self->record, opening, err);
  return ck_store_acquire(&self->lease, store, head->session.id, head->session.epoch, opening, err);
}

static ck_status open_run(ck_session *self, const ck_head *head, const ck_session_opening *given,
                          ck_error *err) {
  size_t count = 1 + (given->edits ? given->edits->count : 0);
  ck_event **events = calloc(count, sizeof *events);
  if (!events) return ck_error_no_memory(err);
  ck_event first = {.seq = self->timeline.begin,
                    .timeline = self->timeline.no,
                    .kind = given->kind,
                    .at_ms = given->at_ms,
                    .scope = "main",
                    .body = given->body};
  ck_opening opening = {.timeline = &self->timeline,
                        .events = events,
                        .event_count = count,
                        .restarts = given->restarts,
                        .update = given->update,
                        .about = given->about,
                        .blobs = given->blobs,
                        .blob_count = given->blob_count,
                        .compress_from = ck_session_compress_from(self),
                        .unsealed = self->profile && self->profile->encrypt == CK_ENCRYPT_NEVER};
  ck_status status = make_events(events, self, &first, given->edits, err);
  if (status == CK_OK) status = open_with(self, head, &opening, err);
  for (size_t i = 0; i < count; i++) {
    if (status == CK_OK) ck_session_take_sums(self, events[i]);
    ck_event_free(events[i]);
  }
  free(events);
  ck_session_set_next_seq(self, self->timeline.begin + (int64_t)count);
  return status;
}

static ck_status clean_policy(ck_json_writer *w, ck_session *self, ck_bytes options,
                              ck_error *err) {
  ck_value *given, *kept = NULL;
  ck_status status = ck_value_copy(&given, options, err);
  if (status == CK_OK) status = ck_redactor_apply_options(&kept, self->redactor, given, err);
  if (kept) ck_json_put_raw(w, ck_value_bytes(kept));
  ck_value_free(kept);
  ck_value_free(given);
  return status;
}

/* What was set of each policy, as the policies have it. */
static ck_status clean_options(ck_value **out, ck_session *self, ck_bytes settings, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_status status = CK_OK;
  ck_json_begin(&w, '{');
  for (ck_json_iterator it = ck_json_iterate(settings); status == CK_OK && ck_json_next(&it);) {
    bool plain = !ck_bytes_equal(it.name, ck_bytes_text("\"options\""));
    ck_json_raw_name(&w, it.name);
    if (plain) ck_json_put_raw(&w, it.value);
    if (plain) continue;
    ck_json_begin(&w, '{');
    for (ck_json_iterator of = ck_json_iterate(it.value); status == CK_OK && ck_json_next(&of);) {
      ck_json_raw_name(&w, of.name);
      status = clean_policy(&w, self, of.value, err);
    }
    ck_json_end(&w, '}');
  }
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_session_clean_settings(ck_value **out, ck_session *self, const ck_value *settings,
                                    ck_error *err) {
  ck_value *ruled = NULL;
  *out = NULL;
  if (!settings) return CK_OK;
  ck_status status =
      ck_redactor_apply(&ruled, self->redactor, CK_SINK_REQUEST, NULL, settings, err);
  bool options = ruled && ck_json_get(ck_value_bytes(ruled), "options").len;
  if (status == CK_OK && options)
    status = clean_options(out, self, ck_value_bytes(ruled), err);
  else if (status == CK_OK)
    *out = ck_value_share(ruled);
  ck_value_free(ruled);
  return status;
}

ck_status ck_session_create(ck_session *self, ck_session_record *record,
                            const ck_session_opening *opening, ck_error *err) {
  self->record = *record;
  *record = (ck_session_record){0};
  ck_status status = open_run(self, NULL, opening, err);
  self->record.no = self->lease.session;
  return status;
}

ck_status ck_session_acquire(ck_session *self, const ck_head *head,
                             const ck_session_opening *opening, ck_error *err) {
  return open_run(self, head, opening, err);
}

void ck_session_adopt_record(ck_session *self, ck_head *head, const ck_restarts *restarts) {
  self->record = head->session;
  head->session = (ck_session_record){0};
  self->record.status = CK_SESSION_RUNNING;
  self->record.timeline = self->timeline.no;
  self->record.epoch = self->lease.epoch;
  self->record.restarts = *restarts;
  memcpy(self->record.run, self->timeline.run, sizeof self->record.run);
}

ck_status ck_session_write_gathered(ck_session *self, const ck_head *head,
                                    const ck_session_record *record,
                                    const ck_checkpoint *checkpoint,
                                    const ck_session_update *update, ck_error *err) {
  ck_store *store = self->runtime->store;
  ck_opening opening = {.timeline = &self->timeline,
                        .events = self->transcript.pending,
                        .event_count = self->transcript.count,
                        .checkpoint = checkpoint,
                        .update = update};
  if (record) return ck_store_create_session(&self->lease, store, record, &opening, err);
  return ck_store_acquire(&self->lease, store, head->session.id, head->session.epoch, &opening,
                          err);
}

void ck_session_set_number(ck_session *self, int64_t number) { self->record.no = number; }
