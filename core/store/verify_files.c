/* verify_files.c - whether the files that a session's runs executed are still kept. */
#include "core/store/blob.h"
#include "core/store/verify_walk.h"

typedef struct acting {
  int64_t timeline;
  bool found;
} acting;

static bool find_act(void *to, const ck_event *event) {
  acting *self = to;
  self->found = event->timeline == self->timeline;
  return false;
}

/* A run's files are kept before its first effect and its first boundary; one that was killed before
 * may lack them. */
static ck_status has_acted(bool *out, const ck_verify *self, const ck_timeline *timeline) {
  acting act = {.timeline = timeline->no};
  ck_event_query query = {.session = self->record.no,
                          .after = timeline->begin - 1,
                          .kinds = UINT64_C(1) << CK_EVENT_INTENT | UINT64_C(1)
                                                                        << CK_EVENT_BOUNDARY};
  ck_status status = ck_store_read_events(self->store, &query, find_act, &act, self->err);
  *out = act.found;
  return status;
}

/* One that is kept for other sessions alone goes with them. */
static ck_status check_use(ck_verify *self, const ck_timeline *timeline, const ck_digest *digest,
                           ck_bytes name) {
  const ck_backend *backend = &self->store->backend;
  bool used = true;
  if (!backend->uses_blob) return CK_OK;
  ck_status status = backend->uses_blob(&used, backend->self, self->record.no, digest, self->err);
  if (!status && !used)
    ck_verify_add_finding(self, timeline->begin, CK_E_CORRUPT,
                          "a file that its run %s executed is kept, but for it no more: %.*s",
                          timeline->run, (int)(name.len < 200 ? name.len : 200), name.data);
  return status;
}

/* What is kept under the digest is compared with it for the whole store, not here. */
static ck_status check_file(ck_verify *self, const ck_timeline *timeline, ck_bytes file) {
  ck_digest digest;
  ck_buffer text = {0};
  ck_error found = CK_ERROR_INIT;
  ck_bytes hex = ck_json_get(file, "digest"), name = ck_json_get(file, "file");
  if (ck_json_type_of(ck_json_get(file, "withheld")) == CK_JSON_TRUE) return CK_OK;
  if (ck_json_type_of(hex) != CK_JSON_STRING || hex.len != CK_DIGEST_HEX_SIZE + 1 ||
      !ck_digest_read_hex(&digest, (ck_bytes){hex.data + 1, hex.len - 2}))
    return CK_OK;
  ck_status status = ck_store_get_blob(&text, self->store, &digest, &found);
  ck_buffer_clear(&text);
  if (status == CK_E_NOT_FOUND)
    ck_verify_add_finding(self, timeline->begin, CK_E_NOT_FOUND,
                          "a file that its run %s executed is not kept any more: %.*s",
                          timeline->run, (int)(name.len < 200 ? name.len : 200), name.data);
  if (status == CK_OK) return check_use(self, timeline, &digest, name);
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(self->err) : CK_OK;
}

static ck_status check_run(ck_verify *self, const ck_timeline *timeline) {
  ck_value *about = NULL;
  ck_error found = CK_ERROR_INIT;
  bool acted = false;
  ck_status status = ck_store_get_about(&about, self->store, self->record.no, timeline->no, &found);
  if (status) return ck_verify_add_error(self, timeline->begin, status, &found);
  if (about) status = has_acted(&acted, self, timeline);
  ck_bytes files = about ? ck_json_get(ck_value_bytes(about), "files") : (ck_bytes){0};
  for (ck_json_iterator it = ck_json_iterate(files); acted && !status && ck_json_next(&it);)
    status = check_file(self, timeline, it.value);
  ck_value_free(about);
  return status;
}

ck_status ck_verify_files(ck_verify *self) {
  ck_status status = CK_OK;
  if (!ck_backend_can(&self->store->backend, CK_BACKEND_BLOB)) return CK_OK;
  for (size_t i = 0; i < self->timeline_count && !status; i++)
    if (!self->timelines[i].session) status = check_run(self, &self->timelines[i]);
  return status;
}
