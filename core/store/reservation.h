/* reservation.h - which of several workers begins a session: a word among them, so that none starts
 * a program for what another one is just starting a program for. It protects nothing: that a
 * session has one writer is its lease's doing. */
#ifndef CK_STORE_RESERVATION_H
#define CK_STORE_RESERVATION_H

#include "core/store/store.h"

/* One whose process stands still, or whose program does not come to take the session, keeps the
 * others away for this time at least, and twice as long at most. */
enum { CK_RESERVATION_MS = 10000 };

/* The session as it stood: whoever has taken it since is kept away by no reservation of before. */
typedef struct ck_reservation {
  int64_t ticket; /* the backend's; 0: nothing was reserved */
} ck_reservation;

/* False: another process has it reserved. True also where the store cannot tell. Lasts as said
 * above, until it is given back, and no longer than its process and its connection. One thread. */
bool ck_store_reserve(ck_reservation *out, ck_store *self, ck_lease as_of);
void ck_store_unreserve(ck_store *self, ck_reservation *what);

/* ---- for backends ---- */

/* All of them, of a backend; NULL: it tells nothing. */
typedef struct ck_reservation_functions {
  bool (*reserve)(int64_t *ticket, void *self, ck_lease as_of);
  void (*unreserve)(void *self, int64_t ticket);
} ck_reservation_functions;

#endif
