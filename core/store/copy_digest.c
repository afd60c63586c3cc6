/* copy_digest.c - digests of what goes through a sink: of two stores that hold the same they are
 * the same, whatever keeps their rows. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/utf8.h"
#include "core/store/copy_walk.h"
#include "core/store/format/row.h"

static void put_ints(ck_digester *to, const int64_t *numbers, size_t count) {
  for (size_t i = 0; i < count; i++) ck_digester_update_int(to, numbers[i]);
}

/* As a server can keep it, which takes UTF-8 alone: each other byte is U+FFFD. */
static void put_text(ck_digester *to, const char *text) {
  size_t len = text ? strlen(text) : 0, size = 0;
  for (size_t at = 0; at < len;) {
    size_t step = ck_utf8_length(text + at, len - at);
    size += step ? step : 3;
    at += step ? step : 1;
  }
  ck_digester_update_int(to, text ? (int64_t)size : -1);
  for (size_t at = 0; at < len;) {
    size_t step = ck_utf8_length(text + at, len - at);
    ck_digester_update(to, step ? text + at : "\xEF\xBF\xBD", step ? step : 3);
    at += step ? step : 1;
  }
}

static void put_digest(ck_digester *to, const ck_digest *digest) {
  ck_digester_update(to, digest->bytes, sizeof digest->bytes);
}

static void put_value(ck_digester *to, const ck_value *value) {
  ck_digester_update_int(to, value != NULL);
  if (value) ck_digester_update_field(to, ck_value_bytes(value));
}

/* ---- rows ---- */

static ck_status take_session(void *to, const ck_session_record *record, ck_error *err) {
  ck_copy_digest *self = to;
  const char *const texts[] = {record->id,      record->run,  record->reason,      record->failure,
                               record->profile, record->flow, record->description, record->node};
  const int64_t numbers[] = {record->no,
                             record->status,
                             (int64_t)record->epoch,
                             record->timeline,
                             record->created_ms,
                             record->updated_ms,
                             record->origin.session,
                             record->origin.cut,
                             record->restarts.count,
                             record->restarts.at_ms,
                             record->restarts.progress_seq};
  ck_digester_init(&self->now);
  put_ints(&self->now, numbers, sizeof numbers / sizeof *numbers);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) put_text(&self->now, texts[i]);
  put_value(&self->now, record->input);
  self->report.sessions++;
  return self->then ? self->then->session(self->then->self, record, err) : CK_OK;
}

static ck_status take_timeline(void *to, int64_t session, const ck_timeline *timeline,
                               const ck_value *about, ck_error *err) {
  ck_copy_digest *self = to;
  const int64_t numbers[] = {timeline->no,    timeline->parent,     timeline->cut,
                             timeline->begin, timeline->checkpoint, timeline->attempt};
  ck_digester_update_field(&self->now, ck_bytes_text("timeline"));
  put_ints(&self->now, numbers, sizeof numbers / sizeof *numbers);
  put_text(&self->now, timeline->run);
  put_text(&self->now, timeline->parent_run);
  put_value(&self->now, about);
  return self->then ? self->then->timeline(self->then->self, session, timeline, about, err) : CK_OK;
}

static ck_status take_head(void *to, int64_t session, const ck_head_row *row, ck_error *err) {
  ck_copy_digest *self = to;
  const int64_t numbers[] = {(int64_t)row->epoch, row->status, row->seq};
  ck_digester_update_field(&self->now, ck_bytes_text("head"));
  put_ints(&self->now, numbers, sizeof numbers / sizeof *numbers);
  ck_digester_update_field(&self->now, ck_head_row_digest(row));
  ck_digester_update_field(&self->now, ck_head_row_mac(row));
  ck_digester_update_field(&self->now, ck_head_row_key_id(row));
  return self->then ? self->then->head(self->then->self, session, row, err) : CK_OK;
}

static ck_status take_event(void *to, int64_t session, const ck_event_row *row, ck_error *err) {
  ck_copy_digest *self = to;
  const int64_t numbers[] = {row->seq,      row->timeline,  row->kind, row->at_ms,
                             row->encoding, row->plain_len, row->check};
  put_ints(&self->now, numbers, sizeof numbers / sizeof *numbers);
  put_text(&self->now, row->scope);
  put_text(&self->now, row->agent);
  ck_digester_update_field(&self->now, row->body);
  ck_digester_update_field(&self->now, row->mac);
  ck_digester_update_field(&self->now, row->key_id);
  ck_digester_update_field(&self->now, row->decision);
  self->report.events++;
  return self->then ? self->then->event(self->then->self, session, row, err) : CK_OK;
}

static ck_status take_checkpoint(void *to, int64_t session, const ck_checkpoint_row *row,
                                 ck_error *err) {
  ck_copy_digest *self = to;
  int64_t numbers[CK_CHECKPOINT_ROW_INTS];
  ck_checkpoint_row_ints(numbers, row);
  put_ints(&self->now, numbers, CK_CHECKPOINT_ROW_INTS);
  put_text(&self->now, row->id);
  put_digest(&self->now, &row->events_digest);
  put_digest(&self->now, &row->payload_digest);
  put_digest(&self->now, &row->digest);
  ck_digester_update_field(&self->now, row->mac);
  ck_digester_update_field(&self->now, row->key_id);
  ck_digester_update_field(&self->now, row->info);
  ck_digester_update_field(&self->now, row->payload);
  self->report.checkpoints++;
  return self->then ? self->then->checkpoint(self->then->self, session, row, err) : CK_OK;
}

static ck_status take_pin(void *to, int64_t session, int64_t seq, ck_error *err) {
  ck_copy_digest *self = to;
  ck_digester_update_field(&self->now, ck_bytes_text("pin"));
  ck_digester_update_int(&self->now, seq);
  return self->then ? self->then->pin(self->then->self, session, seq, err) : CK_OK;
}

static ck_status take_use(void *to, int64_t session, const ck_digest *name, ck_error *err) {
  ck_copy_digest *self = to;
  ck_digester_update_field(&self->now, ck_bytes_text("use"));
  put_digest(&self->now, name);
  return self->then ? self->then->use(self->then->self, session, name, err) : CK_OK;
}

static ck_status take_request(void *to, const ck_request *request, ck_error *err) {
  ck_copy_digest *self = to;
  ck_digester_update_field(&self->now, ck_bytes_text("request"));
  put_text(&self->now, request->kind);
  put_value(&self->now, request->body);
  self->report.requests++;
  return self->then ? self->then->request(self->then->self, request, err) : CK_OK;
}

static bool grow(ck_copy_digest *self) {
  ck_digest *sessions = ck_array_grow(self->sessions, self->count, &self->cap, sizeof *sessions);
  if (sessions) self->sessions = sessions;
  int64_t *numbers = ck_array_grow(self->numbers, self->count, &self->number_cap, sizeof *numbers);
  if (numbers) self->numbers = numbers;
  return sessions && numbers;
}

static ck_status end_session(void *to, int64_t session, ck_error *err) {
  ck_copy_digest *self = to;
  if (!grow(self)) return ck_error_no_memory(err);
  self->sessions[self->count] = ck_digester_final(&self->now);
  self->numbers[self->count++] = session;
  return self->then ? self->then->end_session(self->then->self, session, err) : CK_OK;
}

static ck_status take_blob(void *to, const ck_blob_row *row, ck_error *err) {
  ck_copy_digest *self = to;
  ck_digester_update_field(&self->files, ck_bytes_text("blob"));
  put_digest(&self->files, &row->name);
  put_text(&self->files, row->kind);
  ck_digester_update_int(&self->files, row->encoding);
  ck_digester_update_int(&self->files, row->plain_len);
  ck_digester_update_field(&self->files, row->body);
  self->report.blobs++;
  return self->then ? self->then->blob(self->then->self, row, err) : CK_OK;
}

static ck_status take_fact(void *to, const ck_fact *fact, ck_error *err) {
  ck_copy_digest *self = to;
  ck_digester_update_field(&self->files, ck_bytes_text("fact"));
  put_text(&self->files, fact->owner);
  put_text(&self->files, fact->key);
  put_value(&self->files, fact->value);
  ck_digester_update_int(&self->files, fact->at_ms);
  self->report.facts++;
  return self->then ? self->then->fact(self->then->self, fact, err) : CK_OK;
}

/* ---- */

void ck_copy_digest_init(ck_copy_digest *self, const ck_copy_sink *then) {
  *self = (ck_copy_digest){.then = then};
  ck_digester_init(&self->files);
}

void ck_copy_digest_clear(ck_copy_digest *self) {
  free(self->sessions);
  free(self->numbers);
  self->sessions = NULL;
  self->numbers = NULL;
}

ck_copy_sink ck_copy_digest_sink(ck_copy_digest *self) {
  return (ck_copy_sink){.self = self,
                        .session = take_session,
                        .timeline = take_timeline,
                        .head = take_head,
                        .event = take_event,
                        .checkpoint = take_checkpoint,
                        .pin = take_pin,
                        .use = take_use,
                        .request = take_request,
                        .end_session = end_session,
                        .blob = take_blob,
                        .fact = take_fact};
}

bool ck_copy_digest_equal(const ck_copy_digest *a, const ck_copy_digest *b, int64_t *session) {
  size_t common = a->count < b->count ? a->count : b->count;
  *session = 0;
  for (size_t i = 0; i < common; i++) {
    if (ck_digest_equal(&a->sessions[i], &b->sessions[i])) continue;
    *session = a->numbers[i] < b->numbers[i] ? a->numbers[i] : b->numbers[i];
    return false;
  }
  const ck_copy_digest *longer = a->count > b->count ? a : b;
  if (longer->count > common) *session = longer->numbers[common];
  ck_digester first = a->files, second = b->files;
  ck_digest x = ck_digester_final(&first), y = ck_digester_final(&second);
  return a->count == b->count && ck_digest_equal(&x, &y);
}
