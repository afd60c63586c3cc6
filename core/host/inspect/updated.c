/* updated.c - when something last happened in a session. */
#include "core/host/inspect/updated.h"

static bool take_time(void *to, const ck_event *event) {
  ck_session_record *record = to;
  if (event->at_ms > record->updated_ms) record->updated_ms = event->at_ms;
  return false;
}

ck_status ck_updated_read(ck_session_record *record, ck_store *store, ck_error *err) {
  if (record->status != CK_SESSION_RUNNING) return CK_OK;
  ck_event_query query = {.session = record->no, .backward = true};
  return ck_store_read_events(store, &query, take_time, record, err);
}
