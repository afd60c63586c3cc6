/* wal.h - the write-ahead log: how much of it stays allocated, when it is moved into the file, when
 * a commit is synced. Private to core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_WAL_H
#define CK_STORE_SQLITE_WAL_H

#include "core/store/sqlite/sqlite.h"

enum { CK_WAL_CAP = 8 << 20 /* bytes that the WAL keeps allocated */ };

/* ---- vfs.c ---- */
/* The VFS of writing connections; NULL (SQLite's own) when it cannot be had. */
const char *ck_vfs_name(void);
/* `lazy`: commits to this WAL are written and not synced from now on; else they are synced again.
 * No effect on a file of another VFS. */
void ck_vfs_set_lazy(sqlite3_file *file, bool lazy);

/* ---- wal.c ---- */
/* Allocates the WAL's full size before it is needed: writing into a growing file costs twice as
 * much. Under the store's lock. */
CK_CHECKED ck_status ck_wal_extend(ck_sqlite *self, ck_error *err);
/* Counts the frames of every commit of the writer. */
void ck_wal_watch(ck_sqlite *self);
/* Makes a WAL checkpoint when the WAL has outgrown its allocation although the writer is never
 * idle. Under the store's lock. */
CK_CHECKED ck_status ck_wal_relieve(ck_sqlite *self, ck_error *err);
/* Moves into the database what can be moved now, without waiting for readers. Takes the lock. */
CK_CHECKED ck_status ck_wal_move(ck_sqlite *self, ck_error *err);
/* ck_vfs_set_lazy for the writer's WAL. */
void ck_wal_set_lazy(ck_sqlite *self, bool lazy);
CK_CHECKED ck_status ck_wal_sync(ck_sqlite *self, ck_error *err);
/* Size of the WAL file; 0: there is none. */
int64_t ck_wal_bytes(const ck_sqlite *self);

#endif
