/* census.c - counts the sessions of a store. */
#include "core/host/worker/census.h"

#include "core/host/session/queued.h"

typedef struct counting {
  ck_census *to;
  ck_store *store;
  int64_t now_ms;
  ck_status status;
  ck_error *err;
} counting;

/* Since it was put there, or since its wait is over. */
static void count_due(counting *self, const ck_session_record *record) {
  int64_t since_ms = ck_queued_from(record);
  if (since_ms < record->updated_ms) since_ms = record->updated_ms;
  if (ck_queued_from(record) > self->now_ms) return;
  self->to->due++;
  int64_t age_ms = self->now_ms - since_ms;
  if (age_ms > self->to->oldest_ms) self->to->oldest_ms = age_ms;
}

/* One that was deleted meanwhile is not counted. */
static bool count_session(void *to, const ck_session_record *record) {
  counting *self = to;
  ck_standing standing = 0;
  ck_error problem = CK_ERROR_INIT;
  ck_status status = ck_standing_read(&standing, self->store, record, &problem);
  if (status == CK_E_NOT_FOUND) return true;
  if (status != CK_OK) self->status = ck_error_set(self->err, status, "%s", problem.text);
  if (status != CK_OK) return false;
  if (standing > 0 && standing < CK_STANDING_END) self->to->sessions[standing]++;
  if (ck_standing_awaits(standing)) count_due(self, record);
  return true;
}

ck_status ck_census_take(ck_census *out, ck_store *store, int64_t now_ms, ck_error *err) {
  counting self = {.to = out, .store = store, .now_ms = now_ms, .err = err};
  *out = (ck_census){0};
  ck_status status = ck_store_list_sessions(store, 0, count_session, &self, err);
  return status == CK_OK ? self.status : status;
}
