/* archive.c - keeps a session in a file of its own. */
#include "core/host/run/archive.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/own_file.h"
#include "core/host/run/spills.h"
#include "core/store/backup.h"

ck_status ck_archive_check(ck_archive *self, const char *option, const char *file, ck_error *err) {
  *self = (ck_archive){.option = option, .file = file};
  ck_status status = file ? ck_store_location_check_file(&self->path, file, err) : CK_OK;
  if (status != CK_OK) ck_error_prefix(err, "%s", self->option);
  return status;
}

ck_status ck_archive_check_place(const ck_archive *self, ck_error *err) {
  ck_status status = self->file ? ck_own_file_check_written(self->path, err) : CK_OK;
  if (status != CK_OK) ck_error_prefix(err, "%s", self->option);
  return status;
}

ck_status ck_archive_copy_spills(const char *url, ck_store *store, const char *session,
                                 const char *path, ck_error *err) {
  ck_shelf shelf;
  char *to = NULL;
  ck_status status = ck_spills_open(&shelf, url, store, err);
  if (status == CK_OK && asprintf(&to, "%s.spill", path) < 0) {
    to = NULL;
    status = ck_error_no_memory(err);
  }
  if (status == CK_OK) status = ck_spills_copy(&shelf, session, to, err);
  ck_shelf_close(&shelf);
  free(to);
  return status;
}

typedef struct writing {
  ck_store *store;
  const char *session;
} writing;

/* What its results name is all there by now: nobody runs it. */
static ck_status copy_spills(void *to, const char *path, ck_error *err) {
  const writing *self = to;
  return ck_archive_copy_spills(ck_store_url(self->store), self->store, self->session, path, err);
}

ck_status ck_archive_write(ck_archive *self, ck_store *store, const char *session, ck_error *err) {
  writing with = {store, session};
  ck_backup_report report;
  ck_backup_order order = {
      .file = self->path, .session = session, .before = copy_spills, .to = &with};
  ck_status status = ck_store_backup(&report, store, &order, err);
  if (status == CK_OK) self->bytes = report.bytes;
  return status;
}
