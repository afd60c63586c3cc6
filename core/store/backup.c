/* backup.c - asks the backend for a copy of its store, and to take one back. */
#include "core/store/backup.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/store/copy.h"
#include "core/store/store_core.h"
#include "core/store/take_back.h"

/* Of a store that is no file: row by row. */
static ck_status copy(ck_backup_report *out, ck_store *self, const ck_backup_order *order,
                      ck_error *err) {
  char *url = NULL;
  ck_copy_report report;
  struct stat found;
  if (asprintf(&url, "sqlite:%s", order->file) < 0) return ck_error_no_memory(err);
  ck_copy_order copied = {.to = url,
                          .session = order->session,
                          .live = true,
                          .is_new = true,
                          .before = order->before,
                          .before_to = order->to};
  ck_status status = ck_store_copy(&report, self, &copied, err);
  free(url);
  if (status != CK_OK) return status;
  out->sessions = report.sessions;
  if (stat(order->file, &found) == 0) out->bytes = found.st_size;
  return CK_OK;
}

ck_status ck_store_backup(ck_backup_report *out, ck_store *self, const ck_backup_order *order,
                          ck_error *err) {
  *out = (ck_backup_report){0};
  const ck_backend *backend = &self->backend;
  if (!ck_backend_can(backend, CK_BACKEND_BACKUP) && ck_store_can_copy(self))
    return copy(out, self, order, err);
  ck_status status = ck_backend_require(&self->backend, CK_BACKEND_BACKUP, self->url, err);
  return status == CK_OK ? self->backend.backup(out, self->backend.self, order, err) : status;
}

ck_status ck_store_restore(ck_store *self, const char *path, ck_restored_visit visit, void *to,
                           ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  if (ck_take_back_can(self))
    return ck_store_core_end_write(self, ck_take_back(self, path, visit, to, err), err);
  status = ck_backend_require(&self->backend, CK_BACKEND_BACKUP, self->url, err);
  if (!status) status = self->backend.restore(self->backend.self, path, visit, to, err);
  return ck_store_core_end_write(self, status, err);
}
