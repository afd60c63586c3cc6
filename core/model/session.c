/* session.c - names session statuses, clears a session's row. */
#include "core/model/session.h"

#include <stdlib.h>
#include <string.h>

const char *ck_session_status_name(ck_session_status status) {
  switch (status) {
#define X(name, number, text, resumable) \
  case name:                             \
    return text;
    CK_SESSION_STATUS_TABLE(X)
#undef X
  }
  return NULL;
}

ck_session_status ck_session_status_of(const char *name) {
  if (!name) return 0;
#define X(status, number, text, resumable) \
  if (strcmp(name, text) == 0) return status;
  CK_SESSION_STATUS_TABLE(X)
#undef X
  return 0;
}

bool ck_session_status_resumable(ck_session_status status) {
  switch (status) {
#define X(name, number, text, resumable) \
  case name:                             \
    return resumable;
    CK_SESSION_STATUS_TABLE(X)
#undef X
  }
  return false;
}

void ck_session_record_clear(ck_session_record *self) {
  free(self->reason);
  free(self->failure);
  free(self->description);
  free(self->node);
  free(self->profile);
  free(self->flow);
  ck_value_free(self->input);
  *self = (ck_session_record){0};
}

const char *ck_session_flow_name(const ck_session_record *self) {
  const char *slash = self->flow ? strrchr(self->flow, '/') : NULL;
  return slash ? slash + 1 : self->flow;
}
