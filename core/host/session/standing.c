/* standing.c - tells sessions in the queue, and those that wait for a time, from those that a
 * person paused. */
#include "core/host/session/standing.h"

#include <string.h>

#include "core/host/session/queued.h"
#include "core/model/pause_reason.h"

const char *const ck_standing_names[] = {
#define X(name, number, text, resumable) text,
    CK_SESSION_STATUS_TABLE(X)
#undef X
#define X(name, word) word,
        CK_STANDING_TABLE(X)
#undef X
            NULL,
};

const char *ck_standing_name(ck_standing standing) {
  return standing > 0 && standing < CK_STANDING_END ? ck_standing_names[standing - 1] : NULL;
}

ck_standing ck_standing_named(const char *name) {
  for (ck_standing at = 1; name && at < CK_STANDING_END; at++)
    if (strcmp(ck_standing_names[at - 1], name) == 0) return at;
  return 0;
}

ck_session_status ck_standing_status(ck_standing standing) {
  return standing > CK_STANDING_STATUSES_END ? CK_SESSION_PAUSED : (ck_session_status)standing;
}

const char *ck_standing_awaits(ck_standing standing) {
  return standing > CK_STANDING_STATUSES_END ? ck_standing_name(standing) : NULL;
}

static bool begins(const char *text, const char *with) {
  return strncmp(text, with, strlen(with)) == 0;
}

/* Only runs of workers are paused for a time, and only they are put into the queue by that word. */
static bool is_told_by_reason(const char *reason) {
  return strcmp(reason, CK_PAUSE_QUEUED) == 0 || begins(reason, CK_PAUSE_SLEEPING) ||
         begins(reason, CK_PAUSE_RETRYING);
}

static bool goes_on(const ck_session_record *record) {
  int64_t from_ms;
  return record->status == CK_SESSION_PAUSED && ck_pause_reason_goes_on(&from_ms, record->reason);
}

ck_standing ck_standing_of(const ck_session_record *record, bool queued) {
  if (!goes_on(record) || (!queued && !is_told_by_reason(record->reason)))
    return (ck_standing)record->status;
  return begins(record->reason, CK_PAUSE_SLEEPING)   ? CK_STANDING_SLEEPING
         : begins(record->reason, CK_PAUSE_RETRYING) ? CK_STANDING_RETRYING
                                                     : CK_STANDING_QUEUED;
}

ck_status ck_standing_read(ck_standing *out, ck_store *store, const ck_session_record *record,
                           ck_error *err) {
  ck_head head = {0};
  ck_last_run last = {0};
  *out = ck_standing_of(record, false);
  if (!goes_on(record) || is_told_by_reason(record->reason)) return CK_OK;
  ck_status status = ck_store_get_head(&head, store, record->id, err);
  if (status == CK_OK) status = ck_last_run_read(&last, store, &head, err);
  if (status == CK_OK) *out = ck_standing_of(record, ck_queued_of(&last).len > 0);
  ck_last_run_clear(&last);
  ck_head_clear(&head);
  return status;
}
