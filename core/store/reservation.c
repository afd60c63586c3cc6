/* reservation.c - asks the backend, which can tell the workers of a store apart or not. */
#include "core/store/reservation.h"

#include "core/store/store_core.h"

bool ck_store_reserve(ck_reservation *out, ck_store *self, ck_lease as_of) {
  const ck_reservation_functions *of = &self->backend.worker.reservation;
  *out = (ck_reservation){0};
  return !of->reserve || of->reserve(&out->ticket, self->backend.self, as_of);
}

void ck_store_unreserve(ck_store *self, ck_reservation *what) {
  const ck_reservation_functions *of = &self->backend.worker.reservation;
  if (what->ticket && of->unreserve) of->unreserve(self->backend.self, what->ticket);
  *what = (ck_reservation){0};
}
