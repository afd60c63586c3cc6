/* replication.c - asks the backend, which has another server to write to or not. */
#include "core/store/replication.h"

#include "core/store/store_core.h"

ck_status ck_store_replicate(ck_store *self, ck_error *err) {
  if (self->backend.replicate) return self->backend.replicate(self->backend.self, err);
  return ck_error_set(err, CK_E_UNSUPPORTED,
                      "store %s: durability = \"replicated\" takes a server with a synchronous "
                      "standby, in PostgreSQL; here what is durable is so on its own disk",
                      self->url);
}
