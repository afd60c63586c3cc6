/* settled.c - finds an effect of a session that a run elsewhere would repeat unasked. */
#include "core/runtime/history/settled.h"

#include "core/runtime/ledger/ledger.h"

/* On any branch: a run that comes to it again knows of it. */
static bool is_unsettled(const ck_ledger_entry *entry) {
  return entry->open && entry->kind != CK_EFFECT_ASK && !ck_effect_class_repeats(entry->class) &&
         entry->verdict != CK_VERDICT_RETRY;
}

static const ck_ledger_entry *find_unsettled(const ck_ledger *ledger) {
  const ck_ledger_entry *entry;
  for (size_t i = 0; (entry = ck_ledger_at(ledger, i)) != NULL; i++)
    if (is_unsettled(entry)) return entry;
  return NULL;
}

static ck_status refuse(const ck_ledger_entry *entry, const char *id, bool live, ck_error *err) {
  const char *class = ck_effect_class_name(entry->class);
  if (entry->verdict != CK_VERDICT_NONE)
    return ck_error_set(err, CK_E_IN_DOUBT,
                        "session %s: what became of effect %s (%s) was said, and no run has "
                        "recorded it: another run would do it again; first 'ckrun resume %s'",
                        id, entry->key, class, id);
  if (live)
    return ck_error_set(err, CK_E_IN_DOUBT,
                        "session %s: effect %s (%s) is under way: another run would do it again; "
                        "wait for its end, or stop the session with 'ckrun pause %s'",
                        id, entry->key, class, id);
  return ck_error_set(err, CK_E_IN_DOUBT,
                      "session %s: effect %s (%s) was begun and its outcome is not known: another "
                      "run would do it again; see 'ckrun resolve %s'",
                      id, entry->key, class, id);
}

ck_status ck_session_check_settled(ck_store *store, const ck_head *head, bool live, ck_error *err) {
  ck_ledger *ledger = NULL;
  ck_event_query query = {
      .session = head->session.no,
      .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_RESOLUTION};
  if (!ck_session_status_resumable(head->session.status)) return CK_OK;
  ck_status status = ck_ledger_new(&ledger, err);
  ck_ledger_fold fold = {.ledger = ledger, .status = CK_OK, .err = err};
  if (status == CK_OK)
    status = ck_store_read_events(store, &query, ck_ledger_fold_event, &fold, err);
  if (status == CK_OK) status = fold.status;
  const ck_ledger_entry *found = status == CK_OK ? find_unsettled(ledger) : NULL;
  if (found) status = refuse(found, head->session.id, live, err);
  ck_ledger_free(ledger);
  return status;
}
