/* lock_holder.h - who holds a lock of a store, for people. */
#ifndef CK_STORE_SQLITE_LOCK_HOLDER_H
#define CK_STORE_SQLITE_LOCK_HOLDER_H

#include <sqlite3.h>

struct ck_sqlite;

enum {
  CK_LOCK_HOLDER_SIZE = 256,
  CK_LOCK_HOLDER_TOLD_MS = 1000, /* somebody who waits is told after so long */
};

/* The pid of the process that has the flock of an open file, from the kernel; 0: none, or one that
 * this machine cannot see. */
long ck_lock_holder_find(int fd);
/* That of another program that has one of SQLite's locks to write. */
long ck_lock_holder_find_writer(const char *store_path);
/* "process 12 (ckrun sessions prune), begun 3 min ago, which runs session trip", as far as this
 * process may know. Of a command's words only ckrun's own are told. */
void ck_lock_holder_describe(char out[CK_LOCK_HOLDER_SIZE], const char *store_path, long pid);
/* The connection waits up to CK_LOCK_WAIT_MS for another program's lock; after a second it tells
 * for whose. Borrows the store. */
int ck_lock_holder_wait(sqlite3 *db, const struct ck_sqlite *store);

#endif
