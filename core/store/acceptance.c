/* acceptance.c - a store is taken as it is: its inventory is made anew, above its counter. */
#include "core/store/acceptance.h"

#include "core/store/store_core.h"

static ck_status accept(ck_acceptance *out, ck_store *self, ck_error *err) {
  const ck_inventory_functions *inventory = &self->backend.inventory;
  void *backend = self->backend.self;
  out->known = self->rollback.generation;
  if (inventory->get_generation(&out->before, backend, err) != CK_OK) out->before = 0;
  ck_status status = inventory->check(backend, NULL, NULL, &out->differences, err);
  out->is_needless = !status && !out->differences && !self->set_back.status;
  out->generation = out->before;
  if (status || out->is_needless) return status;
  status = inventory->accept(backend, out->known, err);
  if (!status) self->set_back = (ck_error)CK_ERROR_INIT;
  return status ? status : inventory->get_generation(&out->generation, backend, err);
}

ck_status ck_store_accept_rollback(ck_acceptance *out, ck_store *self, ck_error *err) {
  *out = (ck_acceptance){0};
  ck_status status = ck_store_core_begin_write(self, err);
  if (status) return status;
  status = ck_backend_require(&self->backend, CK_BACKEND_INVENTORY, self->url, err);
  if (!status) status = accept(out, self, err);
  return ck_store_core_end_write(self, status, err);
}
