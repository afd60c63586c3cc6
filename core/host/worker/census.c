/* census.c - counts the sessions of a store, in groups that stand alike. */
#include "core/host/worker/census.h"

#include "core/host/session/queued.h"
#include "core/store/session_groups.h"
#include "core/store/session_query.h"

typedef struct counting {
  ck_census *to;
  ck_store *store;
  int64_t now_ms;
  bool untold; /* of some their record does not tell whether workers have them */
  ck_status status;
  ck_error *err;
} counting;

/* Since it was put there, or since its wait is over. */
static void count_due(counting *self, const ck_session_record *record, int64_t count) {
  int64_t from_ms = ck_queued_from(record);
  if (from_ms > self->now_ms) return;
  self->to->due += count;
  int64_t age_ms = self->now_ms - (from_ms > record->updated_ms ? from_ms : record->updated_ms);
  if (age_ms > self->to->oldest_ms) self->to->oldest_ms = age_ms;
}

static void count(counting *self, ck_standing standing, const ck_session_record *record,
                  int64_t many) {
  if (standing > 0 && standing < CK_STANDING_END) self->to->sessions[standing] += many;
  if (ck_standing_awaits(standing)) count_due(self, record, many);
}

/* It was answered, or resolved: its last run tells whose it is. */
static bool is_untold(const ck_session_record *record) {
  return ck_standing_of(record, true) != ck_standing_of(record, false);
}

static bool count_group(void *to, const ck_session_group *group) {
  counting *self = to;
  const ck_session_record alike = {
      .status = group->status, .reason = (char *)group->reason, .updated_ms = group->updated_ms};
  if (is_untold(&alike))
    self->untold = true;
  else
    count(self, ck_standing_of(&alike, false), &alike, group->count);
  return true;
}

/* One that was deleted meanwhile is not counted. */
static bool count_untold(void *to, const ck_session_record *record) {
  counting *self = to;
  ck_standing standing = 0;
  ck_error problem = CK_ERROR_INIT;
  if (!is_untold(record)) return true;
  ck_status status = ck_standing_read(&standing, self->store, record, &problem);
  if (status == CK_E_NOT_FOUND) return true;
  if (status != CK_OK) self->status = ck_error_set(self->err, status, "%s", problem.text);
  if (status == CK_OK) count(self, standing, record, 1);
  return status == CK_OK;
}

ck_status ck_census_take(ck_census *out, ck_store *store, int64_t now_ms, ck_error *err) {
  const ck_session_query paused = {.statuses = 1ull << CK_SESSION_PAUSED, .lean = true};
  counting self = {.to = out, .store = store, .now_ms = now_ms, .err = err};
  *out = (ck_census){0};
  ck_status status = ck_store_group_sessions(store, count_group, &self, err);
  if (status == CK_OK && self.untold)
    status = ck_store_find_sessions(store, &paused, count_untold, &self, err);
  return status == CK_OK ? self.status : status;
}
