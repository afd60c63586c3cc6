/* sqlite.h - the SQLite backend: its state, its transactions, what its files share. Private to
 * core/store/sqlite/; see also connection.h, reader.h, wal.h, lock.h. */
#ifndef CK_STORE_SQLITE_SQLITE_H
#define CK_STORE_SQLITE_SQLITE_H

#include <pthread.h>

#include "core/store/backend.h"
#include "core/store/sqlite/lock.h"
#include "core/store/sqlite/connection.h"
#include "core/store/sqlite/inventory.h"
#include "core/store/sqlite/mark.h"

#define CK_SQLITE_APPLICATION 0x636b726e /* "ckrn" */

enum { CK_SQLITE_KEY_SIZE = 32, CK_SQLITE_PAGE = 4096 /* bytes */ };

/* A lease of this handle, with the lock file that it holds. */
typedef struct ck_owned {
  ck_lease lease;
  /* of the next two: while the session's epoch is the lease's nobody else writes it */
  bool known;
  int64_t last_seq, checkpoint; /* checkpoint: seq of one that exists; 0: none is known */
  int64_t uncounted;            /* checkpoints that it has written; see counted.h */
  ck_session_lock *lock;
  struct ck_owned *next;
} ck_owned;

/* Which file a path named when it was opened. */
typedef struct ck_place {
  uint64_t device, inode; /* 0: unknown */
  int64_t size;           /* bytes */
} ck_place;
enum { CK_PLACE_DATABASE, CK_PLACE_LOG, CK_PLACES };

typedef struct ck_sqlite {
  char *path; /* absolute; its folder's symbolic links resolved */
  char *wal_path;
  bool read_only;
  ck_mark mark;   /* as it was found */
  int64_t schema; /* as found; older than CK_STORE_SCHEMA when read_only */
  bool immutable; /* read_only, and the folder cannot hold the shared memory of a WAL */
  bool alone;     /* the same, and there is a WAL: each connection keeps its index to itself */
  uint8_t fingerprint_key[CK_SQLITE_KEY_SIZE];
  ck_buffer key_entry; /* the entry about its key, as it was read or written last */
  const ck_seal *seal; /* NULL: the checks of rows are no signatures */
  bool signs;          /* the entry about its key says that it has an inventory */
  int64_t rekeyed_event, rekeyed_checkpoint; /* rows up to which the key was changed */

  /* The writer; under the mutex of the store core. */
  ck_connection *writer; /* NULL when read_only, or after a recovery that failed */
  ck_lock *lock;
  ck_durability level; /* of the transaction */
  int64_t changes;     /* rows changed when the transaction began; -1: it writes without */
  ck_signing signing;
  bool used;         /* something was committed since the log was folded */
  uint64_t use;      /* the number that the writer's first page has (binding.h); 0: unknown */
  bool unknown;      /* a sync failed: nothing is written before a recovery */
  int wal_frames;    /* in the WAL after the writer's last commit, other processes' included */
  int checkpoint_at; /* number of frames from which the next WAL checkpoint pays */
  ck_owned *owned;
  bool listed;                /* as this process's own file (core/base/own_file.h) */
  ck_mark_memory last_mark;   /* as the writer knows it */
  ck_place places[CK_PLACES]; /* of the writer's files; none: not open yet */
  uint8_t salt[CK_SALT_SIZE]; /* of the log then */
  pthread_mutex_t pool_mutex;
  ck_connection *pool;      /* idle reading connections */
  ck_connection *snapshot;  /* in a transaction, through which all is read; NULL: none */
  int pool_count, reserved; /* reserved: the file of reservations; -1: not open yet */
  unsigned generation;      /* connections of an older one are closed when they are returned */
} ck_sqlite;

/* ---- check.c ---- */
/* Registers the SQL functions row_check(TABLE, COLUMN, …), from which all check columns are
 * computed, and row_check_grown, the same without the NULLs at the end, on a connection; keyed with
 * the seal of `store` (NULL: without). */
int ck_sqlite_add_check(sqlite3 *db, const ck_sqlite *store);
CK_CHECKED ck_status ck_sqlite_check(void *self, ck_problem_visit visit, void *to,
                                     int64_t *problems, ck_error *err);

/* ---- sqlite.c ---- */
/* Opens the writer on a store that exists; the caller holds the lock. */
CK_CHECKED ck_status ck_sqlite_open_writer(ck_sqlite *self, ck_error *err);

/* ---- tables.c ---- */
/* CK_E_CORRUPT: the tables, indexes and the rest of the schema are not those of ckrun, as found. */
CK_CHECKED ck_status ck_sqlite_check_tables(ck_sqlite *self, ck_connection *by, ck_error *err);
CK_CHECKED ck_status ck_sqlite_compare_tables(int64_t *problems, ck_sqlite *self, ck_connection *by,
                                              ck_problem_visit visit, void *to, ck_error *err);

/* ---- migrate.c ---- */
/* Brings a store of an older schema to this one, in one transaction of the writer; the caller holds
 * the lock. */
CK_CHECKED ck_status ck_sqlite_migrate(ck_sqlite *self, ck_error *err);

/* ---- file.c ---- */
/* *out: absolute, malloc'd. `create` makes missing folders, 0700. CK_E_USAGE, CK_E_NOT_FOUND,
 * CK_E_READ_ONLY, CK_E_IO. */
CK_CHECKED ck_status ck_sqlite_resolve(char **out, const char *path, bool create, ck_error *err);
/* *fresh: nothing is there yet, or an empty file, and `create` allows to make it. */
CK_CHECKED ck_status ck_sqlite_check_file(bool *fresh, ck_sqlite *self, bool create, ck_error *err);
CK_CHECKED ck_status ck_sqlite_check_schema(const ck_sqlite *self, int64_t application,
                                            int64_t schema, ck_error *err);
/* *out: an empty file beside the store, 0600. */
CK_CHECKED ck_status ck_sqlite_make_draft(char **out, const ck_sqlite *self, ck_error *err);
/* When `status` is CK_OK the draft is renamed to the store, else it is deleted. Takes `draft`;
 * returns `status`, or the failure to rename. */
CK_CHECKED ck_status ck_sqlite_end_draft(char *draft, const ck_sqlite *self, ck_status status,
                                         ck_error *err);

/* "store PATH: cannot DOING: cause" of errno. */
ck_status ck_sqlite_path_error(ck_error *err, const char *doing, const char *path);
/* Syncs the folder of `path`, which is absolute. */
CK_CHECKED ck_status ck_sqlite_sync_folder(const char *path, ck_error *err);

/* ---- write.c: transactions of the writer ---- */
/* Takes the store's lock and begins. CK_E_READ_ONLY, CK_E_UNKNOWN (a recovery is due), CK_E_BUSY,
 * CK_E_IO. */
CK_CHECKED ck_status ck_sqlite_begin(ck_sqlite *self, ck_durability durability, ck_error *err);
/* Commits when `status` is CK_OK, else rolls back; releases the lock. Returns `status`, or the
 * failure of the commit. */
CK_CHECKED ck_status ck_sqlite_end(ck_sqlite *self, ck_status status, ck_error *err);
/* The same for a caller that holds the lock. */
CK_CHECKED ck_status ck_sqlite_begin_locked(ck_sqlite *self, ck_durability durability,
                                            ck_error *err);
CK_CHECKED ck_status ck_sqlite_end_locked(ck_sqlite *self, ck_status status, ck_error *err);
/* In a transaction whose statements change no row, and write nevertheless: of the schema, of free
 * pages. */
void ck_sqlite_note_change(ck_sqlite *self);
CK_CHECKED ck_status ck_sqlite_put_events(ck_sqlite *self, int64_t session,
                                          const ck_event_row *rows, size_t count, ck_error *err);
CK_CHECKED ck_status ck_sqlite_put_checkpoint(ck_sqlite *self, int64_t session,
                                              const ck_checkpoint_row *row, ck_error *err);
/* In a transaction of the session's owner. */
CK_CHECKED ck_status ck_sqlite_put_head(ck_sqlite *self, int64_t session, const ck_head_row *row,
                                        ck_error *err);
/* A session as the transaction sees it. */
typedef struct ck_sqlite_position {
  bool found;
  uint64_t epoch;
  int64_t last_seq; /* 0: no events */
  bool has_parent;  /* a checkpoint exists at the given seq, or none was asked for (0) */
} ck_sqlite_position;
CK_CHECKED ck_status ck_sqlite_get_position(ck_sqlite_position *out, ck_sqlite *self,
                                            int64_t session, int64_t parent, ck_error *err);
/* CK_E_CORRUPT when the session's row is not what was written; the session must exist. */
CK_CHECKED ck_status ck_sqlite_check_session(ck_sqlite *self, int64_t session, ck_error *err);
/* CK_E_FENCED, CK_E_NOT_FOUND: the lease is not the session's. In a transaction. */
CK_CHECKED ck_status ck_sqlite_check_lease(ck_sqlite *self, ck_lease lease, ck_error *err);
/* CK_E_OTHER_KEY: the store's key was changed since the store was opened. In a transaction. */
CK_CHECKED ck_status ck_sqlite_check_key(ck_sqlite *self, ck_error *err);
/* The same as a reading connection sees it, in its transaction. */
CK_CHECKED ck_status ck_sqlite_check_key_by(ck_sqlite *self, ck_connection *reader, ck_error *err);
/* Runs a statement of the writer that gives no rows. */
CK_CHECKED ck_status ck_sqlite_write(ck_sqlite *self, ck_binder *binder, const char *doing,
                                     ck_error *err);
/* The same, of one that writes one row. CK_E_CORRUPT: it has not. */
CK_CHECKED ck_status ck_sqlite_write_row(ck_sqlite *self, ck_binder *binder, const char *doing,
                                         ck_error *err);

/* ---- the backend's functions, as in backend.h ---- */
CK_CHECKED ck_status ck_sqlite_commit(void *self, ck_row_batch *batches, size_t count,
                                      ck_durability durability, ck_error *err);
CK_CHECKED ck_status ck_sqlite_prune(void *self, ck_lease lease, const ck_prune_row *rows,
                                     size_t count, ck_error *err);
CK_CHECKED ck_status ck_sqlite_pin(void *self, ck_lease lease, int64_t seq, bool pinned,
                                   ck_error *err);
CK_CHECKED ck_status ck_sqlite_delete_session(void *self, ck_lease lease,
                                              const ck_dependent_fork *forks, size_t count,
                                              ck_error *err);
CK_CHECKED ck_status ck_sqlite_vacuum(int64_t *bytes, void *self, ck_error *err);
CK_CHECKED ck_status ck_sqlite_backup(ck_backup_report *out, void *self,
                                      const ck_backup_order *order, ck_error *err);
CK_CHECKED ck_status ck_sqlite_recover(void *self, ck_error *err);
CK_CHECKED ck_status ck_sqlite_sync(void *self, ck_error *err);
CK_CHECKED ck_status ck_sqlite_idle(void *self, ck_error *err);
bool ck_sqlite_claim(void *self, bool on);
void ck_sqlite_add_sessions(ck_backend *backend); /* session.c: acquisition, ownership */
void ck_sqlite_add_requests(ck_backend *backend); /* request.c */
void ck_sqlite_add_facts(ck_backend *backend);    /* fact.c */
void ck_sqlite_add_blobs(ck_backend *backend);    /* blob.c */
void ck_sqlite_add_key(ck_backend *backend);      /* key.c */
void ck_sqlite_add_rekey(ck_backend *backend);    /* rekey.c */
void ck_sqlite_add_scrub(ck_backend *backend);    /* scrub_note.c */
void ck_sqlite_add_reads(ck_backend *backend);    /* read.c: sessions, timelines, pins */
void ck_sqlite_add_heads(ck_backend *backend);    /* head.c: heads, what runs executed */
void ck_sqlite_add_rows(ck_backend *backend);     /* rows.c: events, checkpoints, figures */

/* ---- session.c: the leases of this handle ---- */
void ck_sqlite_release_all(ck_sqlite *self);
/* The session's position is read from the store again. */
void ck_owned_forget(ck_owned *self);
/* NULL when the lease is not held here. */
ck_owned *ck_sqlite_get_owned(const ck_sqlite *self, ck_lease lease);

#endif
