/* waker.h - lets any thread wake the loop thread: an eventfd that a poll loop can watch. */
#ifndef CK_BASE_WAKER_H
#define CK_BASE_WAKER_H

#include "core/base/error.h"

typedef struct ck_waker ck_waker;

/* Readable while a wake is outstanding. Borrowed. */
int ck_waker_fd(const ck_waker *self);
/* Call it first, then check for work: a wake that comes meanwhile may be merged with the cleared
 * ones. */
void ck_waker_clear(ck_waker *self);

/* ---- within ckrun ---- */

CK_CHECKED ck_status ck_waker_open(ck_waker **out, ck_error *err);
void ck_waker_close(ck_waker *self);
/* Thread-safe, never blocks; wakes before a clear count once. NULL is fine. */
void ck_waker_wake(ck_waker *self);

#endif
