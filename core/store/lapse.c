/* lapse.c - asks the backend, whose leases end by themselves or not. */
#include "core/store/lapse.h"

#include "core/store/store_core.h"

bool ck_store_has_lapses(const ck_store *self) { return self->backend.lapse.check != NULL; }

void ck_store_watch_lapse(ck_store *self, ck_lapse_call call, void *to) {
  if (self->backend.lapse.watch) self->backend.lapse.watch(self->backend.self, call, to);
}

ck_status ck_store_check_lapse(ck_store *self, ck_lease lease, ck_error *err) {
  if (!self->backend.lapse.check) return CK_OK;
  return self->backend.lapse.check(self->backend.self, lease, err);
}

ck_status ck_store_find_holder(long *pid, ck_store *self, const char *session_id, ck_error *err) {
  *pid = 0;
  if (!self->backend.lapse.find_holder) return CK_OK;
  return self->backend.lapse.find_holder(pid, self->backend.self, session_id, err);
}

ck_status ck_store_put_lapse(ck_store *self, ck_lease of, ck_error *err) {
  return self->backend.lapse.put ? self->backend.lapse.put(self->backend.self, of, err) : CK_OK;
}
