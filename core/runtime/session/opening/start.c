/* start.c - begins a new session: its row, its first timeline and its first event in one
 * transaction. */
#include "core/runtime/session/opening/start.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/runtime/session/opening/amend.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/media.h"
#include "core/runtime/session/opening/opening.h"
#include "core/runtime/session/session_private.h"
#include "core/runtime/session/transcript.h"
#include "core/store/server.h"

/* As it may be written: the host gives the flow the same form, as a resume will. */
static ck_status keep_input(ck_value **out, ck_session *self, const ck_value *input,
                            ck_error *err) {
  ck_status status = ck_session_redact(out, self, CK_EVENT_SESSION_STARTED, NULL, input, err);
  ck_masked_hold(&self->masked);
  return status == CK_OK && !*out ? ck_value_copy(out, ck_bytes_text("{}"), err) : status;
}

static ck_status make_record(ck_session_record *out, ck_session *self,
                             const ck_session_options *options, ck_error *err) {
  ck_clock *clock = &self->runtime->clock;
  int64_t now = clock->wall_ms(clock->self);
  *out = (ck_session_record){.status = CK_SESSION_RUNNING,
                             .created_ms = now,
                             .updated_ms = now,
                             .timeline = 1,
                             .epoch = 1};
  ck_id_make_run(out->run);
  if (options->id) {
    ck_status status = ck_id_check_new("session id", options->id, err);
    if (status != CK_OK) return status;
    strcpy(out->id, options->id);
  } else {
    ck_id_make_session(out->id, out->created_ms);
  }
  ck_status status = options->input ? keep_input(&out->input, self, options->input, err) : CK_OK;
  if (status == CK_OK)
    status = ck_text_copy(&out->profile, options->profile ? options->profile->name : "none", err);
  return status == CK_OK ? ck_text_copy(&out->flow, options->flow, err) : status;
}

static ck_status write_started(ck_value **out, const ck_session_record *record,
                               const char *parent_run, const ck_value *settings, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "run", record->run);
  ck_json_member_text(&w, "parent_run", parent_run);
  ck_json_member_text(&w, "profile", record->profile);
  ck_json_member_text(&w, "flow", record->flow);
  if (record->input) ck_json_member_raw(&w, "input", ck_value_bytes(record->input));
  if (settings) ck_json_member_raw(&w, "settings", ck_value_bytes(settings));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status create(ck_session *self, ck_session_record *record,
                        const ck_session_options *options, ck_error *err) {
  ck_value *body, *settings;
  ck_blob *blobs;
  ck_status status = ck_session_clean_settings(&settings, self, options->settings, err);
  if (status == CK_OK) status = write_started(&body, record, options->parent_run, settings, err);
  ck_value_free(settings);
  if (status != CK_OK) return status;
  status = ck_media_blobs(&blobs, options->media, err);
  if (status != CK_OK) {
    ck_value_free(body);
    return status;
  }
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1};
  memcpy(timeline.run, record->run, sizeof timeline.run);
  snprintf(timeline.parent_run, sizeof timeline.parent_run, "%s",
           options->parent_run ? options->parent_run : "");
  ck_session_set_timeline(self, &timeline);
  ck_session_opening opening = {.kind = CK_EVENT_SESSION_STARTED,
                                .body = body,
                                .at_ms = record->created_ms,
                                .edits = options->edits,
                                .about = options->about,
                                .blobs = blobs,
                                .blob_count = options->media ? options->media->count : 0};
  status = ck_session_create(self, record, &opening, err);
  free(blobs);
  ck_value_free(body);
  ck_session_count_events_from(self, ck_session_last_seq(self));
  return status;
}

ck_status ck_session_start(ck_session **out, ck_runtime *runtime, const ck_session_options *options,
                           ck_error *err) {
  *out = NULL;
  ck_session *self;
  ck_session_record record = {0};
  ck_status status = ck_session_new(&self, runtime, options->profile, options->policies, err);
  if (status != CK_OK) return status;
  if (options->profile && options->profile->replicated)
    status = ck_store_replicate(runtime->store, err);
  if (status == CK_OK) status = make_record(&record, self, options, err);
  if (status == CK_OK) status = ck_session_hold_reserve(self, err);
  if (status == CK_OK) status = ck_session_check_edits(self, options->edits, false, err);
  if (status == CK_OK) status = create(self, &record, options, err);
  if (status == CK_OK) status = ck_session_make_view(self, NULL, 0, err);
  if (status == CK_OK) status = ck_session_open_channel(self, err);
  if (status == CK_OK) status = ck_session_make_edits(self, options->edits, err);
  ck_session_record_clear(&record);
  if (status != CK_OK) {
    ck_session_close(self);
    return status;
  }
  *out = self;
  return CK_OK;
}
