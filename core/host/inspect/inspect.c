/* inspect.c - opens a store, and perhaps one session in it, for commands that only look. */
#include "core/host/inspect/inspect.h"

#include <string.h>

const char *const ck_inspection_statuses[] = {
#define X(name, number, text, resumable) text,
    CK_SESSION_STATUS_TABLE(X)
#undef X
        NULL,
};

const char *const ck_inspection_kinds[] = {
#define X(name, number, text) text,
    CK_EVENT_TABLE(X)
#undef X
        NULL,
};

ck_status ck_inspection_open(ck_inspection *out, const ck_host *host, ck_error *err) {
  memset(out, 0, sizeof *out);
  ck_status status = ck_store_location_find(&out->place, host, err);
  if (status == CK_OK) status = ck_store_location_open_store(&out->store, &out->place, err);
  if (status == CK_E_NOT_FOUND && out->place.assumed) status = CK_OK;
  if (status != CK_OK) ck_inspection_close(out);
  return status;
}

static ck_status open_head(ck_inspection *self, const char *word, ck_error *err) {
  char id[CK_ID_SIZE];
  if (!self->store)
    return ck_error_set(err, CK_E_NOT_FOUND, "no session '%s': there is no store at %s yet", word,
                        self->place.url);
  ck_status status = ck_resolve_session(id, self->store, word, err);
  if (status == CK_OK) status = ck_store_get_head(&self->head, self->store, id, err);
  if (status != CK_OK) return status;
  ck_error owned = CK_ERROR_INIT;
  self->live = self->head.session.status == CK_SESSION_RUNNING &&
               ck_store_check_owner(self->store, id, &owned) == CK_E_OWNED;
  return CK_OK;
}

ck_status ck_inspection_open_session(ck_inspection *out, const ck_host *host, const char *id,
                                     ck_error *err) {
  memset(out, 0, sizeof *out);
  ck_status status = ck_id_check("session", id, err);
  if (status == CK_OK) status = ck_inspection_open(out, host, err);
  if (status == CK_OK) status = open_head(out, id, err);
  if (status != CK_OK) ck_inspection_close(out);
  return status;
}

void ck_inspection_close(ck_inspection *self) {
  ck_head_clear(&self->head);
  ck_store_close(self->store);
  ck_store_location_clear(&self->place);
  memset(self, 0, sizeof *self);
}

void ck_inspection_put_event(ck_document *document, struct cJSON *at, const ck_event *event) {
  ck_document_put_int(document, at, "seq", event->seq);
  ck_document_put_int(document, at, "timeline", event->timeline);
  ck_document_put_text(document, at, "kind", ck_event_kind_name(event->kind));
  ck_document_put_time(document, at, "at", event->at_ms);
  ck_document_put_text(document, at, "scope", event->scope);
  ck_document_put_text(document, at, "agent", event->agent);
  ck_document_put_value(document, at, "body", event->body);
}

void ck_inspection_fill_totals(ck_document *document, struct cJSON *object,
                               const ck_totals *totals) {
  ck_document_put_int(document, object, "cost_micros", totals->cost_micros);
  ck_document_put_int(document, object, "input_tokens", totals->input_tokens);
  ck_document_put_int(document, object, "output_tokens", totals->output_tokens);
  ck_document_put_int(document, object, "model_calls", totals->model_calls);
  ck_document_put_int(document, object, "tool_calls", totals->tool_calls);
  ck_document_put_int(document, object, "unmetered", totals->unmetered);
  ck_document_put_int(document, object, "active_us", totals->active_us);
}

void ck_inspection_put_totals(ck_document *document, struct cJSON *at, const ck_totals *totals) {
  ck_inspection_fill_totals(document, ck_document_put_object(document, at, "totals"), totals);
}

void ck_inspection_put_checkpoint(ck_document *document, struct cJSON *at,
                                  const ck_checkpoint_info *checkpoint) {
  char digest[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(digest, &checkpoint->digest);
  ck_document_put_text(document, at, "id", checkpoint->id);
  ck_document_put_int(document, at, "seq", checkpoint->seq);
  ck_document_put_int(document, at, "parent", checkpoint->parent);
  ck_document_put_int(document, at, "timeline", checkpoint->timeline);
  ck_document_put_text(document, at, "kind", ck_boundary_kind_name(checkpoint->kind));
  ck_document_put_time(document, at, "created", checkpoint->created_ms);
  ck_document_put_bool(document, at, "clean", checkpoint->clean);
  ck_document_put_bool(document, at, "resumable", checkpoint->resumable);
  if (checkpoint->pinned) ck_document_put_bool(document, at, "pinned", true);
  if (checkpoint->session) ck_document_put_bool(document, at, "inherited", true);
  ck_document_put_int(document, at, "keys_changed", checkpoint->changed);
  ck_document_put_int(document, at, "stored_bytes", checkpoint->stored_bytes);
  ck_document_put_int(document, at, "plain_bytes", checkpoint->plain_bytes);
  ck_document_put_bool(document, at, "is_keyframe", checkpoint->keyframe == checkpoint->seq);
  ck_document_put_int(document, at, "keyframe", checkpoint->keyframe);
  ck_document_put_text(document, at, "digest", digest);
  ck_document_put_value(document, at, "info", checkpoint->info);
  ck_inspection_put_totals(document, at, &checkpoint->totals);
}

void ck_inspection_put_record(ck_document *document, struct cJSON *at,
                              const ck_session_record *record, bool live) {
  ck_document_put_text(document, at, "session", record->id);
  ck_document_put_text(document, at, "status", ck_session_status_name(record->status));
  if (record->status == CK_SESSION_RUNNING) ck_document_put_bool(document, at, "live", live);
  ck_document_put_text(document, at, "reason", record->reason);
  ck_document_put_text(document, at, "failure", record->failure);
  ck_document_put_time(document, at, "created", record->created_ms);
  ck_document_put_time(document, at, "updated", record->updated_ms);
  ck_document_put_text(document, at, "profile", record->profile);
  ck_document_put_text(document, at, "flow", record->flow);
  ck_document_put_text(document, at, "run", record->run);
  ck_document_put_int(document, at, "epoch", (int64_t)record->epoch);
  ck_document_put_int(document, at, "timeline", record->timeline);
}
