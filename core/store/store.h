/* store.h - durability: the contract every store keeps. Each promise here is a test in
 * tests/store/.
 *
 * URLs: "sqlite:PATH" or "memory:". A store is thread-safe. Reads see every commit that returned
 * before they began. Writes are serialised: within the process by a mutex, between processes by an
 * exclusive flock on PATH.lock, held for one transaction and never longer than one WAL checkpoint.
 * Waits for it are bounded (10 s, then CK_E_BUSY naming the holder's pid). */
#ifndef CK_STORE_STORE_H
#define CK_STORE_STORE_H

#include "core/model/checkpoint.h"
#include "core/model/event.h"
#include "core/model/session.h"
#include "core/store/store_options.h"

typedef struct ck_store ck_store;

enum { CK_STORE_SCHEMA = 3 };

/* A store of an older schema is migrated by the first opening that writes, in one transaction;
 * CK_E_BUSY names a session that an older program still runs in it, or says that another process
 * has it open. Opened read-only, it is read as it is. On failure nothing is changed, and the text
 * names path and cause: CK_E_NOT_A_STORE, CK_E_NEWER (both schema numbers), CK_E_READ_ONLY,
 * CK_E_FULL, CK_E_IO, CK_E_USAGE (an unknown kind of URL), CK_E_SECRET_MISSING (the store has a
 * key, and none was given), CK_E_OTHER_KEY (it has another key), CK_E_WRONG_KEY (it has none, and
 * one was given), CK_E_UNSUPPORTED (it cannot have a key), CK_E_CORRUPT (its schema was changed;
 * opened to write, also: it is older than its counter knows). */
CK_CHECKED ck_status ck_store_open(ck_store **out, const char *url, const ck_store_options *options,
                                   ck_error *err);
/* Releases the leases still held. */
void ck_store_close(ck_store *self);
const char *ck_store_url(const ck_store *self);
/* PROCESS: committed; survives kill -9 of every process. POWER: fsynced; survives power loss, with
 * all before it. */
typedef enum { CK_DURABLE_PROCESS, CK_DURABLE_POWER } ck_durability;

/* CK_E_NOT_FOUND names the id and the store. Caller clears the record. */
CK_CHECKED ck_status ck_store_get_session(ck_session_record *out, ck_store *self,
                                          const char *session_id, ck_error *err);
/* What a visit is given is borrowed for the call; false stops. */
typedef bool (*ck_session_visit)(void *to, const ck_session_record *record);
/* Newest first. `status` 0: all. */
CK_CHECKED ck_status ck_store_list_sessions(ck_store *self, ck_session_status status,
                                            ck_session_visit visit, void *to, ck_error *err);

/* The id of a session's number, as in ck_origin. CK_E_NOT_FOUND. */
CK_CHECKED ck_status ck_store_get_session_id(char out[CK_ID_SIZE], ck_store *self, int64_t session,
                                             ck_error *err);
/* The state of a session from which a resume starts. Caller clears it with ck_head_clear. */
typedef struct ck_head {
  ck_session_record session;
  int64_t last_seq;       /* of all events, all timelines; 0: none */
  ck_timeline *timelines; /* ascending by no */
  size_t timeline_count;
  bool has_checkpoint;
  /* the latest by seq in the live timeline's view, resumable or not */
  ck_checkpoint_info checkpoint;
  bool has_latest;
  /* the latest by seq of the whole session, also a pruned one: it has the latest totals */
  ck_checkpoint_info latest;
} ck_head;
void ck_head_clear(ck_head *self);
CK_CHECKED ck_status ck_store_get_head(ck_head *out, ck_store *self, const char *session_id,
                                       ck_error *err);

/* The state at the checkpoint `seq`, after its own digest and payload were verified. Eight
 * different answers: CK_E_NOT_FOUND, CK_E_CORRUPT, CK_E_TRUNCATED, CK_E_EMPTY, CK_E_NEWER,
 * CK_E_WRONG_KEY, CK_E_WRONG_SESSION, CK_E_OVERSIZE; each names session, checkpoint id and
 * cause. */
CK_CHECKED ck_status ck_store_get_state(ck_state **out, ck_store *self, int64_t session,
                                        int64_t seq, ck_error *err);
/* By id (of that session), or by seq when `id` is NULL. A pruned one is found too. */
CK_CHECKED ck_status ck_store_get_checkpoint(ck_checkpoint_info *out, ck_store *self,
                                             int64_t session, const char *id, int64_t seq,
                                             ck_error *err);
typedef bool (*ck_checkpoint_visit)(void *to, const ck_checkpoint_info *checkpoint);
/* Ascending by seq, all timelines, inherited ones too; pruned ones are left out. */
CK_CHECKED ck_status ck_store_list_checkpoints(ck_store *self, int64_t session,
                                               ck_checkpoint_visit visit, void *to, ck_error *err);

/* Which events to read. Zero-initialised: all of the session, inherited ones too, ascending. */
typedef struct ck_event_query {
  int64_t session;
  const ck_view *view; /* NULL: every timeline */
  int64_t after;       /* only seq > after */
  int64_t until;       /* only seq <= until; 0: no bound */
  uint64_t kinds;      /* bit 1 << kind; 0: all kinds */
  const char *scope;   /* NULL: all */
  const char *agent;   /* NULL: all */
  uint64_t others;     /* with `agent`: also events of these kinds (bit 1 << kind), of any agent */
  uint64_t nobodys;    /* with `agent`: also events of these kinds that name nobody */
  size_t last;         /* only the last N that match, visited ascending nevertheless; 0: all */
  bool backward;       /* descending by seq; visit returns false to stop; `last` is 0 then */
} ck_event_query;
typedef bool (*ck_event_visit)(void *to, const ck_event *event);
CK_CHECKED ck_status ck_store_read_events(ck_store *self, const ck_event_query *query,
                                          ck_event_visit visit, void *to, ck_error *err);

/* ---- within ckrun ---- */

/* The right to write one session: captured once at acquisition, never re-read. */
typedef struct ck_lease {
  int64_t session; /* ck_session_record.no */
  uint64_t epoch;
} ck_lease;

/* A change to the session's row, atomic with the events of its batch. */
typedef struct ck_session_update {
  ck_session_status status;
  const char *reason;  /* NULL clears it */
  const char *failure; /* name of the status that the session failed with; NULL clears it */
  const char *node;    /* where the flow stands, for people; NULL clears it */
} ck_session_update;

/* The part of a commit that belongs to one session. Everything is borrowed. */
typedef struct ck_batch {
  ck_lease lease;
  /* seqs ascending without a gap, the first one after the last committed */
  ck_event *const *events;
  size_t event_count;
  const struct ck_prepared_event *prepared; /* of the events (prepared.h), or NULL */
  /* NULL, or its seq is that of one of the events (its boundary event) */
  const ck_checkpoint *checkpoint;
  const ck_session_update *update; /* NULL: unchanged */
  ck_durability durability;
  /* out: CK_OK; CK_E_FENCED (the epoch has moved on: this batch alone was dropped); CK_E_RANGE
   * (seqs do not follow: dropped); CK_E_NOT_FOUND (no such session or parent); CK_E_CORRUPT (an
   * update of a row that is not what was written: dropped) */
  ck_status status;
  int64_t stored_bytes; /* out: bytes of rows as stored, payload and bodies after compression */
} ck_batch;

/* One transaction for all batches, at the strongest durability among them. A failure of the
 * transaction fails all of it: CK_E_FULL, CK_E_IO, CK_E_BUSY: nothing was written. CK_E_UNKNOWN:
 * the sync failed and the rows may exist or not: ck_store_recover must succeed before any other
 * write is accepted: until then writes answer CK_E_UNKNOWN, and after a recover that failed its
 * status (CK_E_FULL, CK_E_IO, …), and the text names the cause. Per-batch answers are in
 * batch->status; the call then returns CK_OK. */
CK_CHECKED ck_status ck_store_commit(ck_store *self, ck_batch *batches, size_t count,
                                     ck_error *err);
/* Reopens, forces the WAL into the database, syncs. Afterwards ck_store_get_head shows what is
 * stored, and the next checkpoint of every session is a keyframe. */
CK_CHECKED ck_status ck_store_recover(ck_store *self, ck_error *err);
/* Makes everything committed so far power-durable. */
CK_CHECKED ck_status ck_store_sync(ck_store *self, ck_error *err);
/* For a writer without work: makes a WAL checkpoint if it pays. Never waits for a reader. */
CK_CHECKED ck_status ck_store_idle(ck_store *self, ck_error *err);

/* The beginning of a run, written in one transaction with the acquisition. Borrowed. */
typedef struct ck_opening {
  const ck_timeline *timeline; /* the new live timeline */
  ck_event *const *events;     /* its first events */
  size_t event_count;
  const ck_checkpoint *checkpoint; /* NULL, or its seq is that of one of the events: an edit */
  const ck_session_update *update; /* NULL: running, without a reason */
  /* bytes: under this lease, shorter bodies and payloads are not compressed; 0: the store's
   * default (512) */
  size_t compress_from;
  ck_restarts restarts;        /* kept in the record; of a new session, zeros */
  const ck_value *about;       /* a JSON object for ck_store_get_about; NULL */
  bool unsealed;               /* what is written under this lease is signed only (rekey.h) */
  const struct ck_blob *blobs; /* kept for the session, as by ck_store_put_blobs */
  size_t blob_count;
} ck_opening;

/* Creates the session `record` (id, profile, flow, input, run, created_ms, origin are read;
 * epoch becomes 1, status running) with its first timeline and takes its lock. With an origin it
 * is a fork: its timeline and its seqs follow the inherited ones, and it begins with a
 * checkpoint that continues the one at the cut. CK_E_EXISTS: the id is taken; nothing was
 * changed. Power-durable. */
CK_CHECKED ck_status ck_store_create_session(ck_lease *out, ck_store *self,
                                             const ck_session_record *record,
                                             const ck_opening *opening, ck_error *err);
/* Takes the session's lock (CK_E_OWNED naming pid and host of the live owner; nothing was touched),
 * then in one power-durable transaction: the epoch moves from `epoch_read` to epoch_read + 1
 * (CK_E_FENCED when it is not `epoch_read` any more), status running, reason cleared, the new
 * timeline live, the opening events appended. CK_E_RANGE: other events or timelines were written
 * meanwhile. */
CK_CHECKED ck_status ck_store_acquire(ck_lease *out, ck_store *self, const char *session_id,
                                      uint64_t epoch_read, const ck_opening *opening,
                                      ck_error *err);
/* CK_OK when no live process holds the session's lock (a hint: it can change at once); CK_E_OWNED
 * as above. */
CK_CHECKED ck_status ck_store_check_owner(ck_store *self, const char *session_id, ck_error *err);
/* Releases the session's lock; the epoch stays. */
void ck_store_release(ck_store *self, ck_lease lease);

/* CK_E_USAGE: "sqlite:PATH" with what SQLite's own tools take for a store in memory or for a URI,
 * and would be a file of that name. */
CK_CHECKED ck_status ck_store_check_url(const char *url, ck_error *err);
/* 32 bytes for fingerprints in placeholders, derived from the store's key; NULL: it has none.
 * Borrowed. */
const uint8_t *ck_store_fingerprint_key(const ck_store *self);

/* What the run of a timeline executed: {flow?, policies?, …}; NULL in *out: not known. The caller
 * frees it. `timeline` is one of the session's own. CK_E_CORRUPT. */
CK_CHECKED ck_status ck_store_get_about(ck_value **out, ck_store *self, int64_t session,
                                        int64_t timeline, ck_error *err);

#endif
