/* worker.c - what workers and leases ask of a store is not sealed: it is passed on as it is. */
#include "core/store/sealed/sealed.h"

#define INNER(self) (((const ck_sealed *)(self))->inner)

static bool reserve(int64_t *ticket, void *to, ck_lease as_of) {
  return INNER(to).worker.reservation.reserve(ticket, INNER(to).self, as_of);
}

static void unreserve(void *to, int64_t ticket) {
  INNER(to).worker.reservation.unreserve(INNER(to).self, ticket);
}

static void put_refusal(void *to, const char *session_id, const char *text) {
  INNER(to).worker.refusals.put(INNER(to).self, session_id, text);
}

static void get_refusals(char out[CK_REFUSALS_SIZE], void *to, const char *session_id) {
  INNER(to).worker.refusals.get(out, INNER(to).self, session_id);
}

static void watch_lapse(void *to, ck_lapse_call call, void *of) {
  INNER(to).lapse.watch(INNER(to).self, call, of);
}

static ck_status check_lapse(void *to, ck_lease lease, ck_error *err) {
  return INNER(to).lapse.check(INNER(to).self, lease, err);
}

static ck_status find_holder(long *pid, void *to, const char *session_id, ck_error *err) {
  return INNER(to).lapse.find_holder(pid, INNER(to).self, session_id, err);
}

static ck_status put_lapse(void *to, ck_lease of, ck_error *err) {
  return INNER(to).lapse.put(INNER(to).self, of, err);
}

void ck_sealed_add_worker(ck_backend *out) {
  const ck_backend *inner = &INNER(out->self);
  if (inner->worker.reservation.reserve)
    out->worker.reservation = (ck_reservation_functions){reserve, unreserve};
  if (inner->worker.refusals.put)
    out->worker.refusals = (ck_refusal_functions){put_refusal, get_refusals};
  if (inner->lapse.check)
    out->lapse = (ck_lapse_functions){watch_lapse, check_lapse, find_holder, put_lapse};
}
