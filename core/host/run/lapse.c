/* lapse.c - ends the processes of a run whose lease has lapsed, and tells why it stops. */
#include "core/host/run/lapse.h"

#include "core/effect/process/sweep.h"
#include "core/store/lapse.h"

/* The loop may be waiting for the server. */
static void stop(void *to) {
  const ck_engine *self = to;
  ck_sweep_stop();
  ck_waker_wake(self->runtime->waker);
}

void ck_lapse_begin(ck_engine *self) { ck_store_watch_lapse(self->runtime->store, stop, self); }

void ck_lapse_end(ck_engine *self) {
  if (self->runtime) ck_store_watch_lapse(self->runtime->store, NULL, NULL);
}

ck_status ck_lapse_check(const ck_engine *self, ck_status status, ck_error *err) {
  ck_error lapsed = CK_ERROR_INIT;
  if (ck_session_check_lease(self->session, &lapsed) == CK_OK) return status;
  return ck_error_set(err, CK_E_LAPSED, "%s", lapsed.text);
}
