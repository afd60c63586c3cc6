/* server.c - asks the backend, which is a server or not. */
#include "core/store/server.h"

#include "core/store/store_core.h"

ck_status ck_store_replicate(ck_store *self, ck_error *err) {
  if (self->backend.server.replicate)
    return self->backend.server.replicate(self->backend.self, err);
  return ck_error_set(err, CK_E_UNSUPPORTED,
                      "store %s: durability = \"replicated\" takes a server with a synchronous "
                      "standby, in PostgreSQL; here what is durable is so on its own disk",
                      self->url);
}

ck_status ck_store_examine(ck_store *self, ck_server_visit visit, void *to, ck_error *err) {
  if (!self->backend.server.examine) return CK_OK;
  return self->backend.server.examine(self->backend.self, visit, to, err);
}
