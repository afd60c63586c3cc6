/* postgres.h - the PostgreSQL backend: its state, its transactions, and the functions that its
 * files share. Private to core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_POSTGRES_H
#define CK_STORE_POSTGRES_POSTGRES_H

#include <pthread.h>

#include "core/store/backend.h"
#include "core/store/postgres/parts.h"
#include "core/store/postgres/query.h"

enum { CK_POSTGRES_OWNER_SIZE = 320 };

/* A lease of this handle. `writer` is its number in the lease's row, which each statement that
 * writes the session compares. */
typedef struct ck_postgres_owned {
  ck_lease lease;
  int64_t writer;
  int64_t next;       /* the number that it is being given; 0: none */
  int64_t checkpoint; /* the last one that was committed under it; 0: none */
  int64_t renewed_us; /* ck_postgres_now_us when its last renewal that was answered was sent */
  bool lapsed, told;  /* it could not be renewed; that was told */
  struct ck_postgres_owned *next_owned;
} ck_postgres_owned;

typedef struct ck_postgres {
  ck_postgres_url url;
  const ck_libpq *pq;
  bool read_only;
  _Atomic bool replicated; /* power-durable is: applied at a synchronous standby, too */
  bool has_outputs;        /* it has the table of long outputs */
  bool met; /* the store is there, and each server of it is noted when it is met (link.c) */
  uint8_t fingerprint_key[32];
  ck_buffer key_entry;                             /* as it was read or written last */
  int64_t rekeyed_event[2], rekeyed_checkpoint[2]; /* rows up to which the key was changed */
  char owner[CK_POSTGRES_OWNER_SIZE];              /* this handle, in the rows of leases */

  /* Under the mutex of the store core. */
  ck_postgres_connection *writer; /* NULL: none, or lost */
  bool unknown;                   /* a commit had no answer: nothing is written before a recover */
  /* Of the thread that waits for news. */
  ck_postgres_connection *listener; /* NULL: none, or lost */
  bool unheard;                     /* it is new, and may have missed something */
  int64_t listen_from_s;            /* monotonic: not before it is tried again */

  ck_postgres_connection *snapshot; /* in a transaction, through which all is read; NULL: none */

  pthread_mutex_t mutex; /* of all below */
  ck_postgres_connection *pool;
  int pool_count;
  ck_postgres_owned *owned;
  pthread_cond_t changed; /* for the threads that renew leases and watch them */
  pthread_t renewer, guard;
  bool renews, guarded, ends;
  ck_postgres_connection *open; /* all of the handle */
  bool given_up; /* no lease of it could be renewed: while it has them, nothing is asked */

  pthread_mutex_t telling; /* of both below, and held while it is called */
  ck_lapse_call lapse;
  void *lapse_to;
} ck_postgres;

/* ---- pool.c: reading ---- */
/* Runs a reading query on a connection of its own, a second time when the server has gone. Clears
 * the query; *out is the caller's. */
CK_CHECKED ck_status ck_postgres_read(PGresult **out, ck_postgres *self, ck_postgres_query *query,
                                      const char *doing, ck_error *err);
CK_CHECKED ck_status ck_postgres_take(ck_postgres_connection **out, ck_postgres *self,
                                      ck_error *err);
/* NULL is fine; one that is lost is closed. */
void ck_postgres_give(ck_postgres *self, ck_postgres_connection *connection);
void ck_postgres_close_pool(ck_postgres *self);

/* ---- link.c ---- */
/* As ck_postgres_connect. CK_E_LAPSED: the server was given up. */
CK_CHECKED ck_status ck_postgres_link(ck_postgres_connection **out, ck_postgres *self,
                                      bool read_only, ck_error *err);
/* Notes in the store which server it is, and since when, unless that is known: before a session can
 * be taken over behind a failover. */
CK_CHECKED ck_status ck_postgres_meet(ck_postgres *self, ck_postgres_connection *by, ck_error *err);
/* Disconnects. NULL is fine. */
void ck_postgres_unlink(ck_postgres *self, ck_postgres_connection *connection);
/* Whoever waits for the server on a connection of this handle waits no longer, and nobody connects
 * any more. With the mutex. */
void ck_postgres_cut_off(ck_postgres *self);

/* ---- write.c: transactions of the writer ---- */
/* CK_E_READ_ONLY, CK_E_UNKNOWN (a recovery is due), or no connection: nothing was begun. */
CK_CHECKED ck_status ck_postgres_check_writer(ck_postgres *self, ck_error *err);
CK_CHECKED ck_status ck_postgres_begin(ck_postgres *self, ck_durability durability, ck_error *err);
/* Of synchronous_commit. */
const char *ck_postgres_level(const ck_postgres *self, ck_durability durability);
/* Power-durable, and no other transaction of the store is open until its end. */
CK_CHECKED ck_status ck_postgres_begin_alone(ck_postgres *self, ck_error *err);
/* Commits when `status` is CK_OK, else rolls back. Returns `status`, or the failure of the commit:
 * CK_E_UNKNOWN when it had no answer. */
CK_CHECKED ck_status ck_postgres_end(ck_postgres *self, ck_status status, ck_error *err);
/* Within a transaction: CK_E_FENCED, CK_E_NOT_FOUND; locks the lease's row. */
CK_CHECKED ck_status ck_postgres_check_lease(ck_postgres *self, ck_lease lease, ck_error *err);
/* No answer to a commit, or one that says that its standby may not have it. */
ck_status ck_postgres_unknown(ck_postgres *self, ck_error *err);
CK_CHECKED ck_status ck_postgres_recover(void *self, ck_error *err);
/* For people and workers, beside what is stored: in a transaction of a reader's connection that
 * waits for no disk. Clears the query. */
CK_CHECKED ck_status ck_postgres_note(ck_postgres *self, ck_postgres_query *query,
                                      const char *doing, ck_error *err);

/* ---- commit.c ---- */
CK_CHECKED ck_status ck_postgres_commit(void *self, ck_row_batch *batches, size_t count,
                                        ck_durability durability, ck_error *err);
/* What a commit writes, within a transaction, as the holder of `writer`; *fits: the session was at
 * `last_seq`. */
CK_CHECKED ck_status ck_postgres_append(bool *fits, ck_postgres *self, const ck_row_batch *batch,
                                        int64_t writer, int64_t last_seq, ck_error *err);

/* ---- commit_bind.c ---- */
/* The columns of its events, an array each; those of a checkpoint behind its session. */
void ck_postgres_bind_events(ck_postgres_query *query, const ck_row_batch *batch);
void ck_postgres_bind_checkpoint(ck_postgres_query *query, const ck_checkpoint_row *row);

/* ---- lease.c ---- */
void ck_postgres_name_owner(char out[CK_POSTGRES_OWNER_SIZE]);
/* CK_E_OWNED, of a row of CK_POSTGRES_LOCK or CK_POSTGRES_OWNER. */
CK_CHECKED ck_status ck_postgres_check_free(const ck_postgres *self, const ck_postgres_row *row,
                                            const char *session_id, ck_error *err);
/* Of such a row: the process of this machine that has the lease; 0: none. */
long ck_postgres_holder_here(const ck_postgres_row *row);
/* Before the row is written, so that a lease that was taken is always kept: with a number, freed by
 * who does not keep it. Renewal begins. */
CK_CHECKED ck_status ck_postgres_reserve(ck_postgres_owned **out, ck_postgres *self, ck_error *err);
/* Takes `owned`. */
void ck_postgres_keep(ck_postgres *self, ck_postgres_owned *owned, ck_lease lease);
/* True: it had lapsed. */
bool ck_postgres_drop(ck_postgres *self, ck_lease lease);
/* Its number in the row; 0: the lease is not held here. */
int64_t ck_postgres_writer_of(ck_postgres *self, ck_lease lease);
/* In a transaction of the writer: all leases get another number, so that what a lost connection had
 * sent is not written any more. Behind it: that is so. */
CK_CHECKED ck_status ck_postgres_refence(ck_postgres *self, ck_error *err);
void ck_postgres_note_refenced(ck_postgres *self);
/* The threads of leases end, and all leases are forgotten. */
void ck_postgres_end_renewal(ck_postgres *self);

/* ---- owned.c ---- */
/* Goes on while the machine sleeps. */
int64_t ck_postgres_now_us(void);
/* With the mutex; NULL: it is not held here. */
ck_postgres_owned *ck_postgres_find_owned(const ck_postgres *self, ck_lease lease);
/* The moment in `ms`, for pthread_cond_timedwait with the handle's condition. */
void ck_postgres_wait_until(struct timespec *next, int64_t ms);
/* As pthread_create; no signal comes to it. */
int ck_postgres_begin_thread(pthread_t *out, void *(*call)(void *to), void *to);

/* ---- guard.c ---- */
CK_CHECKED ck_status ck_postgres_begin_guard(ck_postgres *self, ck_error *err);
/* With the mutex. */
bool ck_postgres_has_lapsed(const ck_postgres *self, ck_postgres_owned *of);
/* By an answer to what was sent at `sent_us`, which renewed it. */
void ck_postgres_note_renewed(ck_postgres *self, ck_lease lease, int64_t sent_us);
/* The same by a commit with a checkpoint at `checkpoint`; 0: without one. */
void ck_postgres_note_commit(ck_postgres *self, ck_lease lease, int64_t checkpoint,
                             int64_t sent_us);
/* A copy; all zero: it is not held here. CK_E_LAPSED. */
CK_CHECKED ck_status ck_postgres_get_owned(ck_postgres_owned *out, ck_postgres *self,
                                           ck_lease lease);
/* As ck_store_check_lapse. */
CK_CHECKED ck_status ck_postgres_check_lapse(void *self, ck_lease lease, ck_error *err);

/* ---- session.c, rows.c, key.c ---- */
CK_CHECKED ck_status ck_postgres_put_timeline(ck_postgres *self, int64_t session,
                                              const ck_timeline *timeline, ck_bytes about,
                                              ck_error *err);
ck_event_row ck_postgres_event_row(const ck_postgres_row *row);
ck_checkpoint_row ck_postgres_checkpoint_row(const ck_postgres_row *row);
bool ck_postgres_take_blob(ck_blob_row *out, const ck_postgres_row *row);
/* CK_E_OTHER_KEY. In a transaction. */
CK_CHECKED ck_status ck_postgres_check_key(ck_postgres *self, ck_error *err);

/* ---- take_rows.c ---- */
typedef ck_status (*ck_postgres_fill)(void *to, const ck_copy_sink *sink, ck_error *err);
/* In a transaction of the writer, in which all is read meanwhile. */
CK_CHECKED ck_status ck_postgres_take_rows(ck_postgres *self, ck_postgres_fill fill, void *to,
                                           ck_error *err);
CK_CHECKED ck_status ck_postgres_take_back(void *self, ck_postgres_fill fill, void *to,
                                           ck_error *err);

/* ---- notify.c ---- */
/* Best effort, on the writer's connection: a session was given back. */
void ck_postgres_notify(ck_postgres *self);
/* The connection that waits for news; NULL: it cannot be had for now. */
ck_postgres_connection *ck_postgres_listener(ck_postgres *self);

/* ---- schema.c ---- */
/* Makes the store where there is none and `create` allows it, or checks the one that is there. */
CK_CHECKED ck_status ck_postgres_open_schema(ck_postgres *self, ck_postgres_connection *by,
                                             bool create, ck_error *err);

#endif
