/* completion.c - what a client may put into the address of a resource: ids of sessions, and the
 * words for checkpoints. */
#include <stdlib.h>
#include <string.h>

#include "core/host/inspect/inspect.h"
#include "core/host/mcp/failure.h"
#include "core/host/mcp/request.h"
#include "core/store/session_query.h"

enum { VALUES_MAX = 100 }; /* the protocol's */

typedef struct completing {
  ck_store *store;
  const ck_session_filter *filter;
  const char *begun; /* what the client has of it */
  ck_json_writer *w;
  size_t count;
  bool more;
} completing;

static bool put(completing *self, const char *value) {
  if (strncmp(value, self->begun, strlen(self->begun)) != 0) return true;
  self->more = self->count == VALUES_MAX;
  if (!self->more) ck_json_put_text(self->w, value);
  self->count += !self->more;
  return !self->more;
}

static bool take_session(void *to, const ck_session_record *record) {
  completing *self = to;
  return !ck_session_filter_has(self->filter, self->store, record) || put(self, record->id);
}

static ck_status put_sessions(completing *self, ck_mcp_request *request) {
  ck_inspection inspection;
  ck_session_query all = {0};
  ck_status status = ck_inspection_open(&inspection, request->mcp->host, request->err);
  self->store = inspection.store;
  if (status == CK_OK && self->store)
    status = ck_store_find_sessions(self->store, &all, take_session, self, request->err);
  ck_inspection_close(&inspection);
  return status;
}

static int refuse(ck_mcp_request *self, const char *text) {
  ck_error_set(self->err, CK_E_USAGE, "%s", text);
  return CK_RPC_INVALID_PARAMS;
}

static ck_status put_values(completing *self, ck_mcp_request *request, ck_bytes name) {
  ck_status status = CK_OK;
  ck_json_name(self->w, "values");
  ck_json_begin(self->w, '[');
  if (ck_json_is_text(name, "session")) status = put_sessions(self, request);
  if (ck_json_is_text(name, "checkpoint") && put(self, "first")) put(self, "latest");
  ck_json_end(self->w, ']');
  ck_json_member_bool(self->w, "hasMore", self->more);
  return status;
}

/* The error may name a session of somebody else. */
static int fail(ck_mcp_request *self, ck_status status) {
  ck_error_set(self->err, status, "the list of sessions cannot be read: %s",
               ck_status_text(status));
  return CK_RPC_INTERNAL_ERROR;
}

int ck_mcp_complete(ck_mcp_request *self) {
  ck_bytes ref = ck_json_get(self->params, "ref"), argument = ck_json_get(self->params, "argument");
  if (!ck_json_is_text(ck_json_get(ref, "type"), "ref/resource") ||
      !ck_mcp_is_template(ck_json_get(ref, "uri")))
    return refuse(self,
                  "ref must be {type: \"ref/resource\", uri: TEMPLATE}, with a uriTemplate of "
                  "resources/templates/list");
  char *begun = ck_json_dup_string(ck_json_get(argument, "value"));
  if (!begun || ck_json_type_of(ck_json_get(argument, "name")) != CK_JSON_STRING) {
    free(begun);
    return refuse(self, "argument must be {name, value}, two texts");
  }
  completing work = {.filter = self->mcp->host->filter, .begun = begun, .w = &self->w};
  ck_json_name(&self->w, "completion");
  ck_json_begin(&self->w, '{');
  ck_status status = put_values(&work, self, ck_json_get(argument, "name"));
  ck_json_end(&self->w, '}');
  free(begun);
  return status == CK_OK ? 0 : fail(self, status);
}
