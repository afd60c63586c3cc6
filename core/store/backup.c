/* backup.c - asks the backend for a copy of its store, and to take one back. */
#include "core/store/backup.h"

#include "core/store/store_core.h"

ck_status ck_store_backup(ck_backup_report *out, ck_store *self, const ck_backup_order *order,
                          ck_error *err) {
  *out = (ck_backup_report){0};
  ck_status status = ck_backend_require(&self->backend, CK_BACKEND_BACKUP, self->url, err);
  return status == CK_OK ? self->backend.backup(out, self->backend.self, order, err) : status;
}

ck_status ck_store_restore(ck_store *self, const char *path, ck_restored_visit visit, void *to,
                           ck_error *err) {
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_backend_require(&self->backend, CK_BACKEND_BACKUP, self->url, err);
  if (!status) status = self->backend.restore(self->backend.self, path, visit, to, err);
  return ck_store_core_end_write(self, status, err);
}
