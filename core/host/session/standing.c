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

/* Only runs of workers are paused for a time, and only they are put into the queue by that word. 0:
 * the reason does not tell. */
static ck_standing find_told(const char *reason) {
  static const struct {
    const char *reason; /* or, where it is not exact, its beginning */
    bool exact;
    ck_standing standing;
  } told[] = {{CK_PAUSE_QUEUED, true, CK_STANDING_QUEUED},
              {CK_PAUSE_SLEEPING, false, CK_STANDING_SLEEPING},
              {CK_PAUSE_RETRYING, false, CK_STANDING_RETRYING}};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    size_t len = strlen(told[i].reason) + told[i].exact;
    if (strncmp(reason, told[i].reason, len) == 0) return told[i].standing;
  }
  return 0;
}

static bool goes_on(const ck_session_record *record) {
  int64_t from_ms;
  return record->status == CK_SESSION_PAUSED && ck_pause_reason_goes_on(&from_ms, record->reason);
}

/* On whether workers have it. */
static bool depends(const ck_session_record *record) {
  return goes_on(record) && !find_told(record->reason);
}

ck_standing ck_standing_of(const ck_session_record *record, bool queued) {
  if (depends(record)) return queued ? CK_STANDING_QUEUED : (ck_standing)record->status;
  return goes_on(record) ? find_told(record->reason) : (ck_standing)record->status;
}

ck_status ck_standing_read_head(ck_standing *out, ck_store *store, const ck_head *head,
                                ck_error *err) {
  const ck_session_record *record = &head->session;
  ck_last_run last = {0};
  *out = ck_standing_of(record, false);
  if (!depends(record)) return CK_OK;
  ck_status status = ck_last_run_read(&last, store, head, err);
  if (status == CK_OK) *out = ck_standing_of(record, ck_queued_of(&last).len > 0);
  ck_last_run_clear(&last);
  return status;
}

ck_status ck_standing_read(ck_standing *out, ck_store *store, const ck_session_record *record,
                           ck_error *err) {
  ck_head head = {0};
  *out = ck_standing_of(record, false);
  if (!depends(record)) return CK_OK;
  ck_status status = ck_store_get_head(&head, store, record->id, err);
  if (status == CK_OK) status = ck_standing_read_head(out, store, &head, err);
  ck_head_clear(&head);
  return status;
}
