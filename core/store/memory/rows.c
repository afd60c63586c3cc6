/* rows.c - copies rows, each into one allocation. */
#include "core/store/memory/memory.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"

/* ---- rows ---- */

static ck_status push(ck_memory_rows *self, void *row, ck_error *err) {
  void **rows = row ? ck_array_grow(self->rows, self->staged, &self->cap, sizeof *rows) : NULL;
  if (!rows) {
    free(row);
    return ck_error_no_memory(err);
  }
  self->rows = rows;
  self->rows[self->staged++] = row;
  return CK_OK;
}

static void drop(ck_memory_rows *self, size_t keep) {
  while (self->staged > keep) free(self->rows[--self->staged]);
}

static char *put_bytes(char **at, const void *data, size_t len) {
  char *to = *at;
  if (len) memcpy(to, data, len);
  *at += len;
  return to;
}

static const char *put_text(char **at, const char *text) {
  return text ? put_bytes(at, text, strlen(text) + 1) : NULL;
}

static size_t text_size(const char *text) { return text ? strlen(text) + 1 : 0; }

static ck_event_row *copy_event(const ck_event_row *from) {
  ck_event_row *row =
      malloc(sizeof *row + text_size(from->scope) + text_size(from->agent) + from->body.len +
             from->mac.len + from->key_id.len + from->decision.len);
  if (!row) return NULL;
  char *at = (char *)(row + 1);
  *row = *from;
  row->decision.data = put_bytes(&at, from->decision.data, from->decision.len);
  row->scope = put_text(&at, from->scope);
  row->agent = put_text(&at, from->agent);
  row->body.data = put_bytes(&at, from->body.data, from->body.len);
  row->mac.data = put_bytes(&at, from->mac.data, from->mac.len);
  row->key_id.data = put_bytes(&at, from->key_id.data, from->key_id.len);
  return row;
}

ck_checkpoint_row *ck_memory_copy_checkpoint(const ck_checkpoint_row *from) {
  ck_checkpoint_row *row =
      malloc(sizeof *row + from->info.len + from->payload.len + from->mac.len + from->key_id.len);
  if (!row) return NULL;
  char *at = (char *)(row + 1);
  *row = *from;
  row->info.data = put_bytes(&at, from->info.data, from->info.len);
  row->payload.data = put_bytes(&at, from->payload.data, from->payload.len);
  row->mac.data = put_bytes(&at, from->mac.data, from->mac.len);
  row->key_id.data = put_bytes(&at, from->key_id.data, from->key_id.len);
  return row;
}

ck_status ck_memory_push_event(ck_memory_session *self, const ck_event_row *row, ck_error *err) {
  return push(&self->events, copy_event(row), err);
}

ck_status ck_memory_push_checkpoint(ck_memory_session *self, const ck_checkpoint_row *row,
                                    ck_error *err) {
  return push(&self->checkpoints, ck_memory_copy_checkpoint(row), err);
}

void ck_memory_apply_staged(ck_memory_session *self) {
  self->events.count = self->events.staged;
  self->checkpoints.count = self->checkpoints.staged;
}

void ck_memory_drop_staged(ck_memory_session *self) {
  drop(&self->events, self->events.count);
  drop(&self->checkpoints, self->checkpoints.count);
}

/* ---- sessions ---- */

ck_status ck_memory_copy_record(ck_session_record *out, const ck_session_record *from,
                                ck_error *err) {
  ck_session_record record = *from;
  record.input = ck_value_share(from->input);
  record.profile = record.flow = record.failure = record.description = record.node = NULL;
  *out = (ck_session_record){0};
  ck_status status = ck_text_copy(&record.reason, from->reason, err);
  if (!status) status = ck_text_copy(&record.failure, from->failure, err);
  if (!status) status = ck_text_copy(&record.profile, from->profile, err);
  if (!status) status = ck_text_copy(&record.flow, from->flow, err);
  if (!status) status = ck_text_copy(&record.description, from->description, err);
  if (!status) status = ck_text_copy(&record.node, from->node, err);
  if (status)
    ck_session_record_clear(&record);
  else
    *out = record;
  return status;
}

ck_status ck_memory_session_new(ck_memory_session **out, const ck_session_record *record,
                                ck_error *err) {
  *out = NULL;
  ck_memory_session *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  ck_status status = ck_memory_copy_record(&self->record, record, err);
  self->base = record->origin.cut;
  if (status)
    free(self);
  else
    *out = self;
  return status;
}

void ck_memory_session_free(ck_memory_session *self) {
  if (!self) return;
  drop(&self->events, 0);
  drop(&self->checkpoints, 0);
  free(self->events.rows);
  free(self->checkpoints.rows);
  for (size_t i = 0; i < self->timeline_count; i++) ck_value_free(self->abouts[i]);
  free(self->abouts);
  free(self->timelines);
  free(self->pins);
  ck_session_record_clear(&self->record);
  free(self);
}

ck_status ck_memory_push_timeline(ck_memory_session *self, const ck_timeline *timeline,
                                  const ck_value *about, ck_error *err) {
  size_t count = self->timeline_count + 1;
  ck_timeline *timelines = realloc(self->timelines, count * sizeof *timelines);
  if (timelines) self->timelines = timelines;
  ck_value **abouts = timelines ? realloc(self->abouts, count * sizeof *abouts) : NULL;
  if (!abouts) return ck_error_no_memory(err);
  self->abouts = abouts;
  abouts[count - 1] = ck_value_share(about);
  timelines[count - 1] = *timeline;
  self->timeline_count = count;
  return CK_OK;
}
