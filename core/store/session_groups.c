/* session_groups.c - asks the backend for groups, or counts what it lists. */
#include "core/store/session_groups.h"

#include "core/store/store_core.h"

typedef struct counting {
  ck_session_group_visit visit;
  void *to;
} counting;

static bool count_one(void *to, const ck_session_record *record) {
  const counting *self = to;
  bool paused = record->status == CK_SESSION_PAUSED;
  return self->visit(self->to, &(ck_session_group){.status = record->status,
                                                   .reason = paused ? record->reason : NULL,
                                                   .count = 1,
                                                   .updated_ms = record->updated_ms});
}

ck_status ck_store_group_sessions(ck_store *self, ck_session_group_visit visit, void *to,
                                  ck_error *err) {
  const ck_backend *backend = &self->backend;
  const ck_session_query all = {.lean = true};
  counting each = {visit, to};
  if (backend->worker.group) return backend->worker.group(backend->self, visit, to, err);
  return ck_store_find_sessions(self, &all, count_one, &each, err);
}
