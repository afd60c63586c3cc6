/* lapse.h - stores whose leases end by themselves: how a process that cannot renew one learns it in
 * time, and stops before another may take the session; and who holds one. */
#ifndef CK_STORE_LAPSE_H
#define CK_STORE_LAPSE_H

#include "core/store/store.h"

/* `call`, on a thread of the store's own, when a lease of this handle can no longer be counted on:
 * what is done under it must be stopped at once. NULL ends that, and waits for a call that is under
 * way. Leases that last as long as their process call nobody. */
typedef void (*ck_lapse_call)(void *to);
/* Its leases end by themselves: it is a server's, and its connection can be lost and made anew. */
bool ck_store_has_lapses(const ck_store *self);
void ck_store_watch_lapse(ck_store *self, ck_lapse_call call, void *to);
/* CK_E_LAPSED from that moment on: nothing is begun or written under the lease any more, whatever
 * the store would say. Any thread; asks no server. */
CK_CHECKED ck_status ck_store_check_lapse(ck_store *self, ck_lease lease, ck_error *err);
/* The process of this machine that holds the session's lease; 0: nobody, or one elsewhere. */
CK_CHECKED ck_status ck_store_find_holder(long *pid, ck_store *self, const char *session_id,
                                          ck_error *err);

/* The run that had this lease stopped since it lapsed: it did not die, and does not count among the
 * session's restarts (ck_restarts), however often the session was taken over since, and also where
 * it is failing by now: then it may be gone on with. For whoever saw it end, once; also through a
 * handle that only reads. */
CK_CHECKED ck_status ck_store_put_lapse(ck_store *self, ck_lease of, ck_error *err);

/* All of them, of a backend. */
typedef struct ck_lapse_functions {
  void (*watch)(void *self, ck_lapse_call call, void *to);
  CK_CHECKED ck_status (*check)(void *self, ck_lease lease, ck_error *err);
  CK_CHECKED ck_status (*find_holder)(long *pid, void *self, const char *session_id, ck_error *err);
  CK_CHECKED ck_status (*put)(void *self, ck_lease of, ck_error *err);
} ck_lapse_functions;

#endif
