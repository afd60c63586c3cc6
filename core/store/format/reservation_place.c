/* reservation_place.c - a digest of what is reserved, as a number that locks can have. */
#include "core/store/format/reservation_place.h"

#include <string.h>

#include "core/base/fnv.h"

int64_t ck_reservation_place(const char *store, ck_lease as_of) {
  uint64_t hash = ck_fnv_add(CK_FNV_BEGIN, store, strlen(store));
  hash = ck_fnv_add(hash, &as_of.session, sizeof as_of.session);
  hash = ck_fnv_add(hash, &as_of.epoch, sizeof as_of.epoch);
  return (int64_t)(hash >> 2);
}
