/* maintenance.c - prunes and pins that another process requests of a running session. */
#include "core/runtime/session/maintenance.h"

#include <stdlib.h>

#include "core/runtime/session/prune.h"
#include "core/runtime/session/session_private.h"
#include "core/store/maintenance.h"

static bool read_number(int64_t *out, const char *text) {
  char *end;
  if (*text < '0' || *text > '9') return false;
  *out = strtoll(text, &end, 10);
  return !*end && *out < INT64_MAX;
}

static ck_status prune(ck_session *self, const char *text, ck_error *err) {
  int64_t keep = -1;
  if (text && !read_number(&keep, text))
    return ck_error_set(err, CK_E_USAGE, "a prune that keeps '%.40s': not a number", text);
  return ck_session_prune_to(self, keep, err);
}

/* A checkpoint that is announced may still be on its way to the store. */
static ck_status pin(ck_session *self, const char *text, ck_error *err) {
  int64_t seq;
  bool lifts = text && *text == '-';
  if (!text || !read_number(&seq, text + lifts))
    return ck_error_set(err, CK_E_USAGE, "a pin at '%.40s': not a seq", text ? text : "");
  ck_status status = ck_session_flush(self, CK_DURABLE_PROCESS, err);
  return status == CK_OK ? ck_store_pin(self->runtime->store, self->lease, seq, !lifts, err)
                         : status;
}

ck_status ck_session_serve_maintenance(ck_session *self, const ck_session_request *request,
                                       ck_error *err) {
  if (request->kind == CK_REQUEST_PRUNE) return prune(self, request->text, err);
  if (request->kind == CK_REQUEST_PIN) return pin(self, request->text, err);
  return ck_error_set(err, CK_E_UNSUPPORTED, "this version does not serve such a request");
}
