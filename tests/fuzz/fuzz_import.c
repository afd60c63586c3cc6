/* fuzz_import.c - a session of another program: whatever its file holds, the sessions that come of
 * it are whole, and what could not be read is told. */
#include "core/runtime/portable/import.h"
#include "core/store/sqlite/foreign.h"
#include "lua/import/import.h"
#include "tests/fuzz/fuzz.h"

typedef struct import {
  ck_store *store;
  ck_redactor *redactor;
  ck_import *session;
  char name[CK_IMPORT_FORMAT_SIZE];
  const char *path;
} import;

static ck_status end_session(import *self, ck_error *err) {
  ck_import_report report;
  if (!self->session) return CK_OK;
  ck_status status = ck_import_end(&report, self->session, self->store, self->redactor, err);
  ck_import_free(self->session);
  self->session = NULL;
  return status == CK_E_EXISTS ? CK_OK : status;
}

static ck_status put(void *to, const ck_import_fact *fact, ck_error *err) {
  import *self = to;
  char id[CK_ID_SIZE];
  if (fact->kind != CK_IMPORT_SESSION)
    return self->session ? ck_import_apply(self->session, fact, err) : CK_OK;
  ck_status status = end_session(self, err);
  if (status != CK_OK) return status;
  ck_import_origin origin = {.format = self->name, .path = self->path, .session = fact};
  ck_import_make_id(id, self->name, fact->id);
  return ck_import_begin(&self->session, id, &origin, err);
}

static void problem(void *to, const char *path, int64_t line, const char *text, bool lost) {
  (void)to, (void)path, (void)line, (void)lost;
  fuzz_must(text && *text, "a problem has a text");
}

void fuzz_import(ck_bytes input) {
  static ck_redactor *redactor;
  ck_error err = CK_ERROR_INIT;
  ck_store_options options = {.create = true};
  if (!redactor) fuzz_must(ck_redactor_new(&redactor, &err) == CK_OK, "%s", err.text);
import self = {.redactor = redactor, .path = fuzz_file(input, "session.jsonl") };
  fuzz_must(ck_store_open(&self.store, "memory:", &options, &err) == CK_OK, "%s", err.text);
  ck_import_sink sink = {
      .self = &self, .put = put, .problem = problem, .read_tables = ck_foreign_read};
  ck_status status = ck_import_read_file(self.name, self.path, NULL, &sink, &err);
  if (status == CK_OK) status = end_session(&self, &err);
  fuzz_must(status == CK_OK || *err.text, "a refusal says why");
  ck_import_free(self.session);
  ck_store_close(self.store);
}
