/* ending.c - the run of a session that is over: was it refused, taken by another, or did it end? */
#include "core/host/worker/ending.h"

#include "core/host/session/queued.h"
#include "core/store/lapse.h"

/* The run could not read its store, or not write it: that says nothing of the session. */
static bool is_without_store(const ck_worker_end *end) {
  return !end->killed && end->exit == ck_status_exit(CK_E_IO);
}

/* Nobody has taken it since it was begun here: it is as the run before that has left it. */
static bool is_untouched(const ck_worker_child *child, const ck_session_record *record) {
  return record->epoch < child->epoch;
}

/* It neither went on, nor did somebody else take it: it could not be begun. */
static bool is_refusal(const ck_worker_child *child, const ck_session_record *record) {
  static const ck_status others[] = {CK_E_PAUSED, CK_E_OWNED, CK_E_FENCED, CK_E_INTERRUPTED};
  const ck_worker_end *end = &child->end;
  if (end->killed || end->exit == 0 || is_without_store(end)) return false;
  if (record->status == CK_SESSION_RUNNING && !is_untouched(child, record)) return false;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (end->exit == ck_status_exit(others[i])) return false;
  return ck_queued_is_due(record);
}

/* What it did, it could not write, nor that it ended: its store is full, fails, or is away.
 * Somebody else who had the session would still have it. */
bool ck_worker_has_left(const ck_worker_child *child, const ck_session_record *record,
                        ck_store *store) {
  ck_error owned = CK_ERROR_INIT;
  const ck_worker_end *end = &child->end;
  if (end->killed || end->lapsed || end->exit == 0) return false;
  if (record->status != CK_SESSION_RUNNING)
    return is_without_store(end) && ck_queued_is_due(record);
  if (is_untouched(child, record) && !is_without_store(end)) return false;
  return ck_store_check_owner(store, record->id, &owned) == CK_OK;
}

/* Another worker was there first. */
static bool is_taken(const ck_worker_end *end, const ck_session_record *record) {
  if (end->died || end->exit == 0) return false;
  return record->status == CK_SESSION_RUNNING || record->status == CK_SESSION_COMPLETED;
}

/* Whoever has it by now, its own run stopped before that. */
ck_run_ending ck_worker_ending_of(const ck_worker_child *child, const ck_session_record *record) {
  const ck_worker_end *end = &child->end;
  if (end->lapsed) return CK_RUN_LAPSED;
  return is_refusal(child, record) ? CK_RUN_REFUSED
         : is_taken(end, record)   ? CK_RUN_TAKEN
                                   : CK_RUN_ENDED;
}
