/* request.c - what a request holds. */
#include "core/host/ui/private.h"

const char *ck_ui_request_get(const ck_ui_request *self, enum MHD_ValueKind kind,
                              const char *name) {
  return self->server->http.lookup_connection_value(self->connection, kind, name);
}
