/* record.c - --record: writes a recording of a run, whatever its end. */
#include "core/host/run/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/host/print/write_file.h"
#include "core/runtime/portable/cassette_export.h"

ck_status ck_record_check(const char *path, ck_error *err) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (!path) return CK_OK;
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  if (!folder) return ck_error_no_memory(err);
  int code = access(folder, W_OK | X_OK) == 0 ? 0 : errno;
  free(folder);
  struct stat found;
  if (!code && stat(path, &found) == 0 && S_ISDIR(found.st_mode)) code = EISDIR;
  if (!code) return CK_OK;
  return ck_error_set(err, CK_E_USAGE, "--record: no file can be made at %s: %s", path,
                      strerror(code));
}

ck_status ck_record_claim(ck_engine *engine, const char *path, ck_error *err) {
  if (!path) return CK_OK;
  ck_status status = ck_own_file_check_written(path, err);
  if (status != CK_OK) return ck_error_prefix(err, "--record");
  status = ck_own_file_add(CK_OWN_TAPE, path, err);
  if (status == CK_OK) engine->record = path;
  return status;
}

static ck_status write_session(const char *path, const ck_engine *engine, ck_error *err) {
  ck_head head = {0};
  ck_buffer text = {0};
  ck_store *store = engine->runtime->store;
  ck_status status = ck_store_get_head(&head, store, ck_session_id(engine->session), err);
  if (status == CK_OK)
    status = ck_cassette_export(&text, store, &head, engine->output->redactor, err);
  if (status == CK_OK) status = ck_write_file(path, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  ck_head_clear(&head);
  return status;
}

ck_status ck_record_write(const ck_engine *engine, ck_status status, ck_error *err) {
  ck_error late = CK_ERROR_INIT;
  const char *path = engine->record;
  if (!path || !engine->session) return status;
  ck_status written = write_session(path, engine, status == CK_OK ? err : &late);
  if (status == CK_OK) return written;
  if (written != CK_OK) ck_output_notice(engine->output, "--record: %s", late.text);
  return status;
}
