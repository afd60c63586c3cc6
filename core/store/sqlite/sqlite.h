/* sqlite.h - what the files of the SQLite backend share: connections, statements, errors, the WAL.
 * Private to them. */
#ifndef CK_STORE_SQLITE_SQLITE_H
#define CK_STORE_SQLITE_SQLITE_H

#include <pthread.h>
#include <sqlite3.h>

#include "core/store/backend.h"
#include "core/store/sqlite/lock.h"
#include "core/store/sqlite/sql.h"

#define CK_SQLITE_APPLICATION 0x636b726e /* "ckrn" */

enum {
  CK_SQLITE_KEY_SIZE = 32,
  CK_SQLITE_PAGE = 4096,
  CK_WAL_CAP = 8 << 20 /* bytes that the WAL keeps allocated */
};

typedef struct ck_connection {
  sqlite3 *db;
  sqlite3_stmt *statements[CK_SQL_COUNT];
  unsigned generation;
  bool schema_1; /* statements are those of CK_SQL_SCHEMA_1_TABLE */
  struct ck_connection *next;
} ck_connection;

typedef struct ck_owned {
  ck_lease lease;
  bool known; /* where the session stands, while its epoch is the lease's: nobody else writes it
                 then */
  int64_t last_seq, checkpoint; /* checkpoint: seq of one that is there; 0: none is known */
  ck_session_lock *lock;
  struct ck_owned *next;
} ck_owned;

typedef struct ck_sqlite {
  char *path; /* absolute; its folder's symbolic links resolved */
  bool read_only;
  int64_t schema; /* as found; older than CK_STORE_SCHEMA when read_only */
  bool immutable; /* read_only, and the folder cannot hold the shared memory of a WAL */
  uint8_t fingerprint_key[CK_SQLITE_KEY_SIZE];
  ck_buffer key_entry; /* what it says of its key, as it was read or written last */
  const ck_seal *seal; /* NULL: the checks of rows are no signatures */
  int64_t rekeyed_event, rekeyed_checkpoint; /* rows up to which the key was changed */

  /* The writer; under the mutex of store.c. */
  ck_connection *writer; /* NULL when read_only, or after a recovery that failed */
  ck_lock *lock;
  ck_durability level; /* of the transaction */
  int64_t changes;     /* rows changed when the transaction began */
  bool unknown;        /* a sync failed: nothing is written before a recovery */
  int wal_frames;    /* in the WAL after the writer's last commit, with those of other processes */
  int checkpoint_at; /* frames at which the next checkpoint is worth it */
  ck_owned *owned;

  pthread_mutex_t pool_mutex;
  ck_connection *pool; /* reading connections that nobody uses now */
  int pool_count;
  unsigned generation; /* connections of an older one are closed when they come back */
} ck_sqlite;

/* ---- sqlite_connection.c ---- */
/* PROBE: to look at the header only; never reads a page. DRAFT: of a database that nobody else
 * knows. */
typedef enum {
  CK_CONNECTION_WRITE,
  CK_CONNECTION_READ,
  CK_CONNECTION_PROBE,
  CK_CONNECTION_DRAFT
} ck_connection_mode;
CK_CHECKED ck_status ck_connection_open(ck_connection **out, const ck_sqlite *store,
                                        ck_connection_mode mode, ck_error *err);
void ck_connection_close(ck_connection *self);
/* One integer; 0 when there is no row. */
CK_CHECKED ck_status ck_connection_get_int(int64_t *out, const ck_sqlite *store,
                                           ck_connection *self, const char *sql, ck_error *err);
/* "store PATH: cannot DOING: cause"; `code` as SQLite gave it. */
ck_status ck_sqlite_error(const ck_sqlite *store, sqlite3 *db, int code, const char *doing,
                          ck_error *err);
/* errno behind the code; 0: it does not come from the system. */
int ck_sqlite_errno(sqlite3 *db, int code);
bool ck_sqlite_is_sync_error(int extended_code);
/* A reading connection of the pool, or a new one; ck_sqlite_put_reader gives it back. */
CK_CHECKED ck_status ck_sqlite_get_reader(ck_connection **out, ck_sqlite *self, ck_error *err);
void ck_sqlite_put_reader(ck_sqlite *self, ck_connection *reader);
void ck_sqlite_close_readers(ck_sqlite *self);

/* Binds in order; the first failure stays in `code`. Texts and blobs are borrowed until the
 * statement ran. */
typedef struct ck_binder {
  sqlite3_stmt *stmt;
  int at, code;
} ck_binder;
ck_binder ck_binder_of(ck_connection *connection, ck_sql sql);
void ck_bind_int(ck_binder *self, int64_t number);
void ck_bind_text(ck_binder *self, const char *text);   /* NULL: NULL */
void ck_bind_blob(ck_binder *self, ck_bytes bytes);     /* never NULL */
void ck_bind_optional(ck_binder *self, ck_bytes bytes); /* no bytes: NULL */
/* SQLITE_ROW, SQLITE_DONE or an error; after DONE and errors the statement is reset. */
int ck_binder_next(ck_binder *self);
void ck_binder_clear(ck_binder *self);

/* ---- sqlite_check.c ---- */
/* Gives the connection row_check(TABLE, COLUMN, …), which all check columns are made with; with the
 * seal of `store` (NULL: without). */
int ck_sqlite_add_check(sqlite3 *db, const ck_sqlite *store);
CK_CHECKED ck_status ck_sqlite_check(void *self, ck_problem_visit visit, void *to,
                                     int64_t *problems, ck_error *err);

/* ---- sqlite.c ---- */
/* Opens the writer on a store that exists; the caller holds the lock. */
CK_CHECKED ck_status ck_sqlite_open_writer(ck_sqlite *self, ck_error *err);

/* ---- sqlite_migrate.c ---- */
/* Brings a store of an older schema to this one, in one transaction of the writer; the caller holds
 * the lock. */
CK_CHECKED ck_status ck_sqlite_migrate(ck_sqlite *self, ck_error *err);

/* ---- sqlite_file.c ---- */
/* *out: absolute, malloc'd. `create` makes missing folders, 0700. CK_E_USAGE, CK_E_NOT_FOUND,
 * CK_E_READ_ONLY, CK_E_IO. */
CK_CHECKED ck_status ck_sqlite_resolve(char **out, const char *path, bool create, ck_error *err);
/* *fresh: nothing is there yet, or an empty file, and `create` allows to make it. */
CK_CHECKED ck_status ck_sqlite_check_file(bool *fresh, const ck_sqlite *self, bool create,
                                          ck_error *err);
CK_CHECKED ck_status ck_sqlite_check_schema(const ck_sqlite *self, int64_t application,
                                            int64_t schema, ck_error *err);
/* *out: an empty file beside the store, 0600. */
CK_CHECKED ck_status ck_sqlite_make_draft(char **out, const ck_sqlite *self, ck_error *err);
/* When `status` is CK_OK the draft becomes the store, else it goes. Takes `draft`; answers `status`
 * or its own. */
CK_CHECKED ck_status ck_sqlite_end_draft(char *draft, const ck_sqlite *self, ck_status status,
                                         ck_error *err);

/* ---- sqlite_vfs.c ---- */
/* The VFS of writing connections; NULL (SQLite's own) when it cannot be had. */
const char *ck_vfs_name(void);
/* From now on commits to this WAL are written but not synced, or are synced again. No effect on a
 * file of another VFS. */
void ck_vfs_set_lazy(sqlite3_file *file, bool lazy);

/* ---- sqlite_wal.c ---- */
/* The WAL gets its full size before it is needed: writing into a growing file costs twice as much.
 * Under the lock. */
CK_CHECKED ck_status ck_wal_extend(ck_sqlite *self, ck_error *err);
void ck_wal_watch(ck_sqlite *self);
/* A checkpoint when the WAL has outgrown its allocation although the writer is never idle. Under
 * the lock. */
CK_CHECKED ck_status ck_wal_relieve(ck_sqlite *self, ck_error *err);
/* Moves what can be moved now, without waiting for readers. Takes the lock. */
CK_CHECKED ck_status ck_wal_move(ck_sqlite *self, ck_error *err);
/* The writer's commits are not synced from now on, or are again. */
void ck_wal_set_lazy(ck_sqlite *self, bool lazy);
CK_CHECKED ck_status ck_wal_sync(ck_sqlite *self, ck_error *err);
int64_t ck_wal_bytes(const ck_sqlite *self);

/* ---- sqlite_write.c ---- */
/* Takes the lock and begins. CK_E_READ_ONLY, CK_E_UNKNOWN (a recovery is due), CK_E_BUSY,
 * CK_E_IO. */
CK_CHECKED ck_status ck_sqlite_begin(ck_sqlite *self, ck_durability durability, ck_error *err);
/* Commits when `status` is CK_OK, else rolls back; gives the lock back. Answers `status`, or what
 * became of the commit. */
CK_CHECKED ck_status ck_sqlite_end(ck_sqlite *self, ck_status status, ck_error *err);
/* The same for a caller that holds the lock. */
CK_CHECKED ck_status ck_sqlite_begin_locked(ck_sqlite *self, ck_durability durability,
                                            ck_error *err);
CK_CHECKED ck_status ck_sqlite_end_locked(ck_sqlite *self, ck_status status, ck_error *err);
CK_CHECKED ck_status ck_sqlite_put_events(ck_sqlite *self, int64_t session,
                                          const ck_event_row *rows, size_t count, ck_error *err);
CK_CHECKED ck_status ck_sqlite_put_checkpoint(ck_sqlite *self, int64_t session,
                                              const ck_checkpoint_row *row, ck_error *err);
/* Where a session stands, as the transaction sees it. */
typedef struct ck_standing {
  bool found;
  uint64_t epoch;
  int64_t last_seq; /* 0: no events */
  bool has_parent;  /* there is a checkpoint at the seq that was asked for, or none was asked for */
} ck_standing;
/* CK_E_CORRUPT when the session's row is not what was written; it must be there. */
CK_CHECKED ck_status ck_sqlite_check_session(ck_sqlite *self, int64_t session, ck_error *err);
CK_CHECKED ck_status ck_sqlite_get_status(ck_standing *out, ck_sqlite *self, int64_t session,
                                          int64_t parent, ck_error *err);
/* CK_E_FENCED, CK_E_NOT_FOUND: the lease is not the session's, in the transaction. */
CK_CHECKED ck_status ck_sqlite_check_lease(ck_sqlite *self, ck_lease lease, ck_error *err);
/* CK_E_WRONG_KEY: the store's key is another one than when it was opened; in a transaction. */
CK_CHECKED ck_status ck_sqlite_check_key(ck_sqlite *self, ck_error *err);
/* Runs a statement of the writer that gives no rows. */
CK_CHECKED ck_status ck_sqlite_write(ck_sqlite *self, ck_binder *binder, const char *doing,
                                     ck_error *err);

/* Of a row with CK_SQL_EVENT_COLUMNS, CK_SQL_CHECKPOINT_COLUMNS; borrowed from it. */
ck_event_row ck_sqlite_event_row(sqlite3_stmt *stmt);
void ck_sqlite_read_checkpoint(ck_checkpoint_row *out, sqlite3_stmt *stmt);
/* A list of seqs on a connection, malloc'd. */
CK_CHECKED ck_status ck_sqlite_read_bases(int64_t **out, size_t *count, ck_sqlite *self,
                                          ck_connection *connection, int64_t session,
                                          ck_error *err);

/* ---- the backend's functions, as in backend.h ---- */
CK_CHECKED ck_status ck_sqlite_commit(void *self, ck_row_batch *batches, size_t count,
                                      ck_durability durability, ck_error *err);
CK_CHECKED ck_status ck_sqlite_prune(void *self, ck_lease lease, const ck_prune_row *rows,
                                     size_t count, ck_error *err);
CK_CHECKED ck_status ck_sqlite_pin(void *self, ck_lease lease, int64_t seq, bool pinned,
                                   ck_error *err);
CK_CHECKED ck_status ck_sqlite_delete_session(void *self, ck_lease lease,
                                              const ck_dependent_fork *heirs, size_t count,
                                              ck_error *err);
CK_CHECKED ck_status ck_sqlite_vacuum(int64_t *bytes, void *self, ck_error *err);
CK_CHECKED ck_status ck_sqlite_recover(void *self, ck_error *err);
CK_CHECKED ck_status ck_sqlite_sync(void *self, ck_error *err);
CK_CHECKED ck_status ck_sqlite_idle(void *self, ck_error *err);
void ck_sqlite_add_sessions(ck_backend *backend); /* sqlite_session.c: acquisition, ownership */
void ck_sqlite_add_requests(ck_backend *backend); /* sqlite_request.c */
void ck_sqlite_add_facts(ck_backend *backend);    /* sqlite_fact.c */
void ck_sqlite_add_key(ck_backend *backend);      /* sqlite_key.c */
void ck_sqlite_add_rekey(ck_backend *backend);    /* sqlite_rekey.c */
void ck_sqlite_add_reads(ck_backend *backend);    /* sqlite_read.c */
void ck_sqlite_release_all(ck_sqlite *self);
/* Where the session stands is asked again. */
void ck_owned_forget(ck_owned *self);
/* NULL when the lease is not held here. */
ck_owned *ck_sqlite_get_owned(const ck_sqlite *self, ck_lease lease);

#endif
