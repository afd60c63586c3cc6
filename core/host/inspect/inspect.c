/* inspect.c - opens a store, and perhaps one session in it, for commands that only read. */
#include "core/host/inspect/inspect.h"

#include <string.h>

#include "core/host/inspect/updated.h"

const char *const ck_inspection_kinds[] = {
#define X(name, number, text) text,
    CK_EVENT_TABLE(X)
#undef X
        NULL,
};

ck_status ck_inspection_open(ck_inspection *out, const ck_host *host, ck_error *err) {
  memset(out, 0, sizeof *out);
  ck_status status = ck_store_location_find(&out->location, host, err);
  if (status == CK_OK) status = ck_store_location_open_store(&out->store, &out->location, err);
  if (status == CK_E_NOT_FOUND && out->location.assumed) status = CK_OK;
  if (status != CK_OK) ck_inspection_close(out);
  return status;
}

static ck_status open_head(ck_inspection *self, const ck_host *host, const char *word,
                           ck_error *err) {
  char id[CK_ID_SIZE];
  if (!self->store)
    return ck_error_set(err, CK_E_NOT_FOUND, "no session '%s': there is no store at %s yet", word,
                        self->location.url);
  ck_status status = ck_resolve_session_within(id, self->store, host->filter, word, err);
  if (status == CK_OK) status = ck_store_get_head(&self->head, self->store, id, err);
  if (status == CK_OK) status = ck_updated_read(&self->head.session, self->store, err);
  if (status != CK_OK) return status;
  ck_error owned = CK_ERROR_INIT;
  self->live = self->head.session.status == CK_SESSION_RUNNING &&
               ck_store_check_owner(self->store, id, &owned) == CK_E_OWNED;
  return CK_OK;
}

ck_status ck_inspection_open_session(ck_inspection *out, const ck_host *host, const char *id,
                                     ck_error *err) {
  memset(out, 0, sizeof *out);
  ck_status status = ck_session_word_check(id, err);
  if (status == CK_OK) status = ck_inspection_open(out, host, err);
  if (status == CK_OK) status = open_head(out, host, id, err);
  if (status != CK_OK) ck_inspection_close(out);
  return status;
}

void ck_inspection_close(ck_inspection *self) {
  ck_head_clear(&self->head);
  ck_store_close(self->store);
  ck_store_location_clear(&self->location);
  memset(self, 0, sizeof *self);
}
