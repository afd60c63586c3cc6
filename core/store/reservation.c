/* reservation.c - asks the backend, which can tell the workers of a store from each other or not.
 */
#include "core/store/reservation.h"

#include <string.h>

#include "core/store/store_core.h"

bool ck_store_reserve(ck_reservation *out, ck_store *self, ck_lease as_of) {
  const ck_reservation_functions *of = &self->backend.worker.reservation;
  *out = (ck_reservation){0};
  return !of->reserve || of->reserve(&out->ticket, self->backend.self, as_of);
}

/* FNV-1a. */
static void mix(uint64_t *hash, const void *bytes, size_t count) {
  const uint8_t *at = bytes;
  for (size_t i = 0; i < count; i++) *hash = (*hash ^ at[i]) * UINT64_C(1099511628211);
}

int64_t ck_reservation_place(const char *store, ck_lease as_of) {
  uint64_t hash = UINT64_C(14695981039346656037);
  mix(&hash, store, strlen(store));
  mix(&hash, &as_of.session, sizeof as_of.session);
  mix(&hash, &as_of.epoch, sizeof as_of.epoch);
  return (int64_t)(hash >> 2);
}

void ck_store_unreserve(ck_store *self, ck_reservation *what) {
  const ck_reservation_functions *of = &self->backend.worker.reservation;
  if (what->ticket && of->unreserve) of->unreserve(self->backend.self, what->ticket);
  *what = (ck_reservation){0};
}
