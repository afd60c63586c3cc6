/* spills_verify.c - checks the files of long outputs that recorded outcomes name. */
#include <string.h>

#include "core/host/run/spill_file.h"
#include "core/host/run/spills.h"
#include "core/host/run/spills_named.h"

typedef struct checking {
  ck_spill_file file; /* without a name */
  const char *session;
  int64_t *unsealed;
  ck_spills_damaged visit;
  void *to;
} checking;

static void check(void *to, const char *name) {
  checking *self = to;
  ck_error found = CK_ERROR_INIT;
  bool sealed;
  ck_spill_file file = self->file;
  file.name = name;
  ck_status status = ck_spill_file_check(&sealed, &file, &found);
  *self->unsealed += status == CK_OK && file.key && !sealed;
  if (status != CK_OK) self->visit(self->to, self->session, status, found.text);
}

ck_status ck_spills_verify(int64_t *unsealed, const ck_shelf *shelf, ck_store *store,
                           const ck_session_record *session, ck_spills_damaged visit, void *to,
                           ck_error *err) {
  checking self = {.file = {.shelf = shelf, .key = ck_store_fingerprint_key(store)},
                   .session = session->id,
                   .unsealed = unsealed,
                   .visit = visit,
                   .to = to};
  ck_spills_unnamed others;
  *unsealed = 0;
  ck_status status = ck_spills_find_named(&others, shelf, store, session, check, &self, err);
  ck_spills_unnamed_clear(&others);
  return status;
}
