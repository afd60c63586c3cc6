/* start.c - begins a new session: its row, its first timeline and its first event in one
 * transaction. */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/session_private.h"

static ck_status copy_text(char **out, const char *text, ck_error *err) {
  *out = text ? strdup(text) : NULL;
  return text && !*out ? ck_error_no_memory(err) : CK_OK;
}

/* What may be written of it: the host gives the flow the same form, as a resume will. */
static ck_status keep_input(ck_session *self, const ck_value *input, ck_error *err) {
  ck_status status =
      ck_redactor_apply(&self->record.input, self->redactor, CK_SINK_EVENT, NULL, input, err);
  if (status == CK_OK && !self->record.input)
    status = ck_value_copy(&self->record.input, ck_bytes_text("{}"), err);
  return status;
}

static ck_status fill_record(ck_session *self, const ck_session_options *options, ck_error *err) {
  ck_session_record *record = &self->record;
  ck_clock *clock = &self->runtime->clock;
  record->status = CK_SESSION_RUNNING;
  record->created_ms = record->updated_ms = clock->wall_ms(clock->self);
  record->timeline = 1;
  record->epoch = 1;
  ck_id_make_run(record->run);
  if (options->id) {
    ck_status status = ck_id_check("session id", options->id, err);
    if (status != CK_OK) return status;
    strcpy(record->id, options->id);
  } else {
    ck_id_make_session(record->id, record->created_ms);
  }
  ck_status status = options->input ? keep_input(self, options->input, err) : CK_OK;
  if (status == CK_OK)
    status = copy_text(&record->profile, options->profile ? options->profile->name : "none", err);
  return status == CK_OK ? copy_text(&record->flow, options->flow, err) : status;
}

static ck_status write_started(ck_value **out, const ck_session_record *record, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "run", record->run);
  ck_json_member_text(&w, "profile", record->profile);
  ck_json_member_text(&w, "flow", record->flow);
  if (record->input) ck_json_member_raw(&w, "input", ck_value_bytes(record->input));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status create(ck_session *self, const ck_state_edits *edits, ck_error *err) {
  size_t count = 1 + (edits ? edits->count : 0);
  ck_value *body = NULL;
  ck_event **events = calloc(count, sizeof *events);
  ck_status status = events ? write_started(&body, &self->record, err) : ck_error_no_memory(err);
  ck_event first = {.seq = 1,
                    .timeline = 1,
                    .kind = CK_EVENT_SESSION_STARTED,
                    .at_ms = self->record.created_ms,
                    .scope = "main",
                    .body = body};
  if (status == CK_OK) status = ck_session_make_opening(events, &first, edits, err);
  self->timeline = (ck_timeline){.no = 1, .begin = 1, .attempt = 1};
  memcpy(self->timeline.run, self->record.run, sizeof self->timeline.run);
  ck_opening opening = {.timeline = &self->timeline,
                        .events = events,
                        .event_count = count,
                        .compress_from = ck_session_compress_from(self),
                        .unsealed = self->profile && self->profile->encrypt == CK_ENCRYPT_NEVER};
  if (status == CK_OK)
    status =
        ck_store_create_session(&self->lease, self->runtime->store, &self->record, &opening, err);
  for (size_t i = 0; events && i < count; i++) ck_event_free(events[i]);
  free(events);
  ck_value_free(body);
  self->record.no = self->lease.session;
  self->next_seq = 1 + (int64_t)count;
  self->since.seq = (int64_t)count;
  return status;
}

ck_status ck_session_start(ck_session **out, ck_runtime *runtime, const ck_session_options *options,
                           ck_error *err) {
  *out = NULL;
  ck_session *self;
  ck_status status = ck_session_new(&self, runtime, options->profile, options->policies, err);
  if (status != CK_OK) return status;
  status = fill_record(self, options, err);
  if (status == CK_OK) status = ck_session_check_edits(self, options->edits, err);
  if (status == CK_OK) status = create(self, options->edits, err);
  if (status == CK_OK) status = ck_view_make(&self->view, &self->timeline, 1, 1, err);
  if (status == CK_OK) status = ck_session_open_channel(self, err);
  if (status == CK_OK) status = ck_session_make_edits(self, options->edits, err);
  if (status != CK_OK) {
    ck_session_close(self);
    return status;
  }
  *out = self;
  return CK_OK;
}
