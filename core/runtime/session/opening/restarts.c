/* restarts.c - counts how often in a row a session died soon after it was resumed, without
 * progress. */
#include "core/runtime/session/opening/restarts.h"

#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/session/opening/resume.h"
#include "core/runtime/session/session_private.h"

static bool take_seq(void *to, const ck_event *event) {
  int64_t *seq = to;
  ck_bytes body = ck_value_bytes(event->body);
  bool kept = ck_json_get(body, "checkpoint").len > 0;
  bool edit = ck_json_is_text(ck_json_get(body, "kind"), "edit");
  if (event->kind == CK_EVENT_BOUNDARY && (!kept || edit)) return true;
  if (ck_ledger_is_unsettled(body)) return true;
  *seq = event->seq;
  return false;
}

bool ck_session_is_failing(const ck_session_record *record) {
  return record->status == CK_SESSION_FAILING && record->restarts.count > CK_RESTARTS_MAX;
}

/* Progress is a new outcome, or a new checkpoint: what a resume itself writes is none, and neither
 * is a boundary without a checkpoint, which the next resume reaches once more. */
ck_status ck_session_count_restart(ck_restarts *out, ck_session *self, const ck_head *head,
                                   ck_error *err) {
  const ck_session_record *record = &head->session;
  ck_clock *clock = &self->runtime->clock;
  *out = (ck_restarts){.count = 1, .at_ms = clock->wall_ms(clock->self)};
  ck_event_query query = {.session = record->no,
                          .backward = true,
                          .kinds = 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_BOUNDARY};
  ck_status status =
      ck_store_read_events(self->runtime->store, &query, take_seq, &out->progress_seq, err);
  bool died = record->status == CK_SESSION_RUNNING && record->restarts.count > 0;
  bool pardoned = record->status == CK_SESSION_FAILING && record->restarts.count > 0;
  bool soon = out->at_ms - record->restarts.at_ms <= CK_RESTART_SOON_MS;
  if ((died || pardoned) && soon && record->restarts.progress_seq == out->progress_seq)
    out->count = record->restarts.count + died;
  return status;
}
