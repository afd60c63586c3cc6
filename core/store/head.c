/* head.c - how far a session has come, as its owner wrote it last, compared with what is there; and
 * what its runs executed. */
#include <string.h>

#include "core/store/store_core.h"

ck_status ck_store_core_get_head_row(ck_head_row *out, ck_store *self,
                                     const ck_session_record *record, ck_error *err) {
  *out = (ck_head_row){0};
  if (!self->backend.get_head) return CK_OK;
  ck_status status = self->backend.get_head(out, self->backend.self, record->no, err);
  if (status) ck_error_prefix(err, "session %s", record->id);
  return status;
}

ck_status ck_store_get_about(ck_value **out, ck_store *self, int64_t session, int64_t timeline,
                             ck_error *err) {
  char run[CK_ID_SIZE];
  *out = NULL;
  if (!self->backend.get_about) return CK_OK;
  return self->backend.get_about(out, run, self->backend.self, session, timeline, err);
}
