/* reservation_place.h - where the backends of a store keep the reservation of a session. */
#ifndef CK_STORE_FORMAT_RESERVATION_PLACE_H
#define CK_STORE_FORMAT_RESERVATION_PLACE_H

#include "core/store/backend.h"

/* A number for the session as it stood, of a store of that name: from 0, and no larger than 2^62.
 * To it the time is added, in steps of CK_RESERVATION_MS. Two sessions may meet at a number: then
 * one of them is begun a little later. */
int64_t ck_reservation_place(const char *store, ck_lease as_of);

#endif
