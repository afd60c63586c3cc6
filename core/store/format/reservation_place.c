/* reservation_place.c - a digest of what is reserved, as a number that locks can have. */
#include "core/store/format/reservation_place.h"

#include <string.h>

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
