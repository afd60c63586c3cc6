/* lock.h - the lock files: the store's lock, held for one transaction, and a session's lock, held
 * for a run.
 *
 * Both are flocks on files beside the store, which the kernel releases when their holder dies,
 * however it dies. Files are 0600, opened with O_CLOEXEC and O_NOFOLLOW; a pid or host that is
 * shown is never trusted. */
#ifndef CK_STORE_SQLITE_LOCK_H
#define CK_STORE_SQLITE_LOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

enum { CK_LOCK_WAIT_MS = 10000 };

/* The writers' lock of a store: STORE.lock. One thread at a time. */
typedef struct ck_lock ck_lock;

/* Creates the file when it does not exist. CK_E_READ_ONLY, CK_E_FULL, CK_E_IO. */
CK_CHECKED ck_status ck_lock_open(ck_lock **out, const char *store_path, ck_error *err);
void ck_lock_close(ck_lock *self);
/* Waits at most `wait_ms`; then CK_E_BUSY naming the holder's pid. */
CK_CHECKED ck_status ck_lock_acquire(ck_lock *self, int64_t wait_ms, ck_error *err);
void ck_lock_release(ck_lock *self);
/* A single try, which waits for nobody. True: the lock is held, for the next ck_lock_acquire to
 * take over; ck_lock_disclaim releases it if there was none. */
bool ck_lock_claim(ck_lock *self);
void ck_lock_disclaim(ck_lock *self);
/* Of the open file, for the mark in it (mark.h). */
int ck_lock_fd(const ck_lock *self);

/* The lock of one session: STORE.sessions/ID.lock, with "pid host" of its owner and, on the next
 * line, the owner's fault. The file is removed when the lock is closed. */
typedef struct ck_session_lock ck_session_lock;

/* Makes STORE.sessions, unless it is there. CK_E_IO when a link or another file has its name;
 * CK_E_READ_ONLY, CK_E_FULL. */
CK_CHECKED ck_status ck_session_lock_make_folder(const char *store_path, ck_error *err);

/* CK_E_OWNED names pid and host of the live owner. Never waits for a live owner; waits a few
 * seconds at most for a child that a killed owner had just forked, which shares the lock until it
 * dies as well. */
CK_CHECKED ck_status ck_session_lock_open(ck_session_lock **out, const char *store_path,
                                          const char *session_id, ck_error *err);
void ck_session_lock_close(ck_session_lock *self);
/* CK_OK when no process holds the lock, else CK_E_OWNED; waits as above. Takes no lock and creates
 * no file. */
CK_CHECKED ck_status ck_session_lock_check(const char *store_path, const char *session_id,
                                           ck_error *err);

/* Publishes the owner's present fault; NULL: none. For people only: on a failing disk this may fail
 * as well. */
void ck_session_lock_set_fault(ck_session_lock *self, const char *text);
/* "" when no process holds the lock, or its owner published none. At most `size` bytes. */
void ck_session_lock_get_fault(char *out, size_t size, const char *store_path,
                               const char *session_id);

/* The pid of the holder, from the kernel; 0: none, or one that this machine cannot see. */
long ck_session_lock_holder(const char *store_path, const char *session_id);

#endif
