/* wal.h - the write-ahead log: how much of it stays allocated, when it is moved into the file, when
 * a commit is synced. Private to core/store/sqlite/. */
#ifndef CK_STORE_SQLITE_WAL_H
#define CK_STORE_SQLITE_WAL_H

#include "core/store/sqlite/sqlite.h"
#include "core/store/sqlite/wal_scan.h"

enum { CK_WAL_CAP = 8 << 20 /* bytes that the WAL keeps allocated */ };

/* ---- vfs.c ---- */
/* The VFS of writing connections; NULL (SQLite's own) when it cannot be had. */
const char *ck_vfs_name(void);
/* `lazy`: commits to this WAL are written and not synced from now on; else they are synced again.
 * No effect on a file of another VFS. */
void ck_vfs_set_lazy(sqlite3_file *file, bool lazy);
/* What is done when SQLite empties this WAL after a checkpoint: first `before` (its failure is the
 * checkpoint's), then the header is zeroed in place; `cut`: the file is truncated instead. NULL:
 * truncated as SQLite asks for. */
typedef int (*ck_vfs_before)(void *to, const uint8_t salt[CK_SALT_SIZE]);
void ck_vfs_set_emptying(sqlite3_file *file, ck_vfs_before before, void *to, bool cut);

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
/* The open WAL of the writer; NULL: none. */
sqlite3_file *ck_wal_file(const ck_sqlite *self);
/* What a code of a call on the log means; a failed sync asks for a recovery. */
ck_status ck_wal_error(ck_sqlite *self, int code, const char *doing, ck_error *err);

/* ---- fold.c: what is known of the log, and moving it into the file when the store rests ---- */
/* Number of valid frames and salt as SQLite's index has them; false: a connection has not read yet,
 * or the index is being changed. */
typedef struct ck_wal_index {
  uint32_t frames;
  uint32_t moved; /* of them are in the database */
  uint8_t salt[CK_SALT_SIZE];
} ck_wal_index;
bool ck_wal_get_index(ck_wal_index *out, sqlite3 *db);
/* Marks what the log holds as synced. After a sync, under the store's lock. */
void ck_wal_note_synced(ck_sqlite *self);
/* Signs a file at rest as in use, with a new number, and lets the writer forget a first page with
 * another one, so that what it commits has this number too: a checkpoint of any program may write
 * that over the file's. Before a transaction, under the store's lock. */
CK_CHECKED ck_status ck_wal_begin_use(ck_sqlite *self, ck_error *err);
/* Puts the first page into a log that begins. In a transaction that writes. */
CK_CHECKED ck_status ck_wal_sign(ck_sqlite *self, ck_error *err);
/* Moves everything into the database and leaves an empty log, if nobody reads at this moment;
 * `cut`: nor keeps its blocks. *folded: it is so. Under the store's lock. */
CK_CHECKED ck_status ck_wal_fold(bool *folded, ck_sqlite *self, bool cut, ck_error *err);
/* The same for a store at rest, if this handle has committed anything and the lock can be had soon.
 * Takes the lock. */
void ck_wal_rest(ck_sqlite *self);

/* ---- damage.c: a log that holds less than was synced, or is not the database's ---- */
/* Before a connection reads: a log that is gone although it held commits, or is of another file, is
 * CK_E_CORRUPT; one that was folded is made empty again. Keeps the mark for
 * ck_damage_check_index. */
CK_CHECKED ck_status ck_damage_check_files(ck_sqlite *self, ck_error *err);
/* Before a store is made: CK_E_CORRUPT when the log of one that is gone lies there. */
CK_CHECKED ck_status ck_damage_check_missing(ck_sqlite *self, ck_error *err);
/* When `db` has read: CK_E_CORRUPT, the log ends before what the mark says. */
CK_CHECKED ck_status ck_damage_check_index(ck_sqlite *self, sqlite3 *db, ck_error *err);

/* ---- place.c ---- */
/* Remembers which files the writer has open; ck_place_check compares them with what is at their
 * paths. CK_E_IO names what was removed, renamed or replaced. */
void ck_place_note(ck_sqlite *self);
CK_CHECKED ck_status ck_place_check(const ck_sqlite *self, ck_error *err);
/* And by the writer, under the store's lock: none of them was cut short or overwritten. */
CK_CHECKED ck_status ck_place_check_whole(ck_sqlite *self, ck_error *err);

#endif
