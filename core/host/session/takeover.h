/* takeover.h - ends a stopped process that holds a session, so that another can resume it. */
#ifndef CK_HOST_SESSION_TAKEOVER_H
#define CK_HOST_SESSION_TAKEOVER_H

#include "core/store/store.h"

/* The process that holds the session's lock, when it may be ended: the kernel names it as the
 * holder, or the lease in a store of many machines does, and it is one of this machine; it belongs
 * to this user, and it is stopped (SIGSTOP, SIGTSTP). `*pid` 0: no process holds the lock; what one
 * left behind that has just ended is waited for, a few seconds. CK_E_OWNED says why it may not be
 * ended, by pid and host. */
CK_CHECKED ck_status ck_takeover_check(long *pid, ck_store *store, const char *store_url,
                                       const char *session, ck_error *err);
/* Checks again, ends that process through a pidfd, and waits until it is gone. CK_E_OWNED: another
 * process holds the session now. */
CK_CHECKED ck_status ck_takeover_end(ck_store *store, const char *store_url, const char *session,
                                     long pid, ck_error *err);

#endif
