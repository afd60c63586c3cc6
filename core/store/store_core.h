/* store_core.h - the store core: the inside of a ck_store, shared by the files that implement
 * store.h over a backend.
 *
 * store.c opens, closes and leases; commit.c writes; state.c loads states; prune.c drops
 * checkpoints; head.c compares a session with its head; delete.c deletes sessions; read.c and
 * events.c list; lineage.c finds what a fork inherits; verify*.c check; rekey.c changes the key.
 * Writing happens under `mutex`, one call at a time; reading takes no lock here. */
#ifndef CK_STORE_STORE_CORE_H
#define CK_STORE_STORE_CORE_H

#include <pthread.h>

#include "core/store/format/arena.h"
#include "core/store/backend.h"
#include "core/store/format/chain.h"
#include "core/store/format/compress.h"
#include "core/store/kept_state.h"
#include "core/store/maintenance.h"
#include "core/store/rollback.h"
#include "core/store/payload_seqs.h"

/* A lease of this store, and the chain that the session's next checkpoint continues. */
typedef struct ck_held_lease {
  ck_lease lease;
  ck_chain *chain;
  size_t compress_from; /* as ck_opening */
  bool unsealed;        /* as ck_opening */
  /* The session's last event: as committed, and with what the present commit adds. 0: not known. */
  int64_t tip_seq, next_seq;
  ck_digest tip, next;
  ck_session_status status; /* as the run set it last; 0: not known */
  int64_t head_ms;          /* when it was last said how far the session has come */
  ck_status failed;         /* within one commit: the failure of an earlier batch of the session */
  ck_payload_seqs with_payload;
} ck_held_lease;

enum { CK_STORE_CORE_NAMES = 64 };
typedef struct ck_store_core_name {
  int64_t no; /* 0: free */
  char id[CK_ID_SIZE];
} ck_store_core_name;

struct ck_store {
  ck_backend backend;
  char *url;
  bool read_only;
  bool has_key;
  ck_rollback rollback;                 /* its counter */
  ck_error set_back;                    /* it is older than that knows; CK_OK: it is not */
  uint8_t fingerprint_key[CK_KEY_SIZE]; /* of a store with a key */
  pthread_mutex_t mutex;
  /* Under the mutex. */
  bool unknown; /* no write before a recover, because of `cause` */
  ck_error cause;
  ck_held_lease *held; /* ascending by session */
  size_t held_count, held_cap;
  ck_arena arena;  /* rows and stored bytes of one round */
  ck_buffer plain; /* payload of one checkpoint */
  ck_buffer space; /* body of one stored event */
  ck_compress compress;
  /* A cache of sessions' ids by number, for messages and for payloads, which name their session. */
  pthread_mutex_t names_mutex;
  ck_store_core_name names[CK_STORE_CORE_NAMES];
  ck_kept_state kept_state;
};

/* By the URL's scheme. CK_E_USAGE. */
CK_CHECKED ck_status ck_store_core_open_backend(ck_backend *out, const char *url,
                                                const ck_store_options *options, ck_error *err);
/* Locks for a write. On failure nothing is locked: CK_E_READ_ONLY, or the status and text of the
 * failure that must be recovered from first. */
CK_CHECKED ck_status ck_store_core_begin_write(ck_store *self, ck_error *err);
/* Unlocks and returns `status`. CK_E_UNKNOWN is kept with its cause `err` until a recover, and
 * drops all chains. */
ck_status ck_store_core_end_write(ck_store *self, ck_status status, const ck_error *err);
/* NULL when the lease is not held. */
ck_held_lease *ck_store_core_get_lease(ck_store *self, int64_t session);
/* The same with the epoch compared; CK_E_FENCED when this lease is not held. */
CK_CHECKED ck_status ck_store_core_check_lease(const ck_held_lease **out, ck_store *self,
                                               ck_lease lease, ck_error *err);
/* Forgets a lease whose lock the backend has released. */
void ck_store_core_drop_lease(ck_store *self, int64_t session);

/* ---- watch.c: the store is compared with its counter, which follows it from now on ---- */
CK_CHECKED ck_status ck_store_core_watch(ck_store *self, const ck_store_options *options,
                                         ck_error *err);

/* ---- head.c ---- */
CK_CHECKED ck_status ck_store_core_get_head_row(ck_head_row *out, ck_store *self,
                                                const ck_session_record *record, ck_error *err);

/* ---- lineage.c: a session's own rows and those it inherits ---- */

/* A part of a session's transcript: after < seq <= until of `session`. */
typedef struct ck_store_core_part {
  int64_t session;
  int64_t after;
  int64_t until; /* 0: no bound; the last part, the session's own */
} ck_store_core_part;
typedef struct ck_store_core_lineage {
  ck_store_core_part *parts; /* ascending */
  size_t count;
  ck_store_core_part own; /* the only one of a session that is no fork */
} ck_store_core_lineage;
CK_CHECKED ck_status ck_store_core_get_lineage(ck_store_core_lineage *out, ck_store *self,
                                               int64_t session, ck_error *err);
void ck_store_core_lineage_clear(ck_store_core_lineage *self);
/* The session that has the row with this seq: `session`, or one it inherits from. */
CK_CHECKED ck_status ck_store_core_get_owner(int64_t *out, ck_store *self, int64_t session,
                                             int64_t seq, ck_error *err);
/* Inherited ones too, ascending by no; *out malloc'd. */
CK_CHECKED ck_status ck_store_core_list_timelines(ck_timeline **out, size_t *count, ck_store *self,
                                                  int64_t session, ck_error *err);
/* Of all events, inherited ones too. CK_E_CORRUPT: a number that no session can reach. */
CK_CHECKED ck_status ck_store_core_get_last_seq(int64_t *out, ck_store *self, int64_t session,
                                                ck_error *err);
/* The same three for whoever has read the session's row, and with it its origin, and checked that:
 * each look at an origin reads the whole row again, with an input of any size. CK_E_CORRUPT: no
 * session can have it. */
CK_CHECKED ck_status ck_store_core_check_origin(ck_origin origin, int64_t session, const char *id,
                                                ck_error *err);
CK_CHECKED ck_status ck_store_core_follow_origin(ck_store_core_lineage *out, ck_store *self,
                                                 int64_t session, ck_origin origin, ck_error *err);
CK_CHECKED ck_status ck_store_core_join_timelines(ck_timeline **out, size_t *count, ck_store *self,
                                                  int64_t session, ck_origin origin, ck_error *err);
CK_CHECKED ck_status ck_store_core_find_last_seq(int64_t *out, ck_store *self, int64_t session,
                                                 ck_origin origin, ck_error *err);

void ck_store_core_put_name(ck_store *self, int64_t no, const char *id);
/* CK_E_NOT_FOUND. */
CK_CHECKED ck_status ck_store_core_get_name(char out[CK_ID_SIZE], ck_store *self, int64_t no,
                                            ck_error *err);

/* Rows of blobs, which are borrowed; in the arena. CK_E_UNSUPPORTED, CK_E_OVERSIZE. */
CK_CHECKED ck_status ck_store_core_encode_blobs(const ck_blob_row **out, ck_store *self,
                                                const struct ck_blob *list, size_t count,
                                                ck_error *err);
/* The rows of an opening, its checkpoint chained to the session's last one; in the arena. `chain`
 * is new; `epoch` is the run's. `record`: the session is being created; NULL: it exists. */
CK_CHECKED ck_status ck_store_core_encode_opening(ck_row_opening *out, ck_store *self,
                                                  ck_chain *chain, uint64_t epoch,
                                                  const ck_session_record *record,
                                                  const ck_opening *opening, ck_error *err);
/* What to load of a checkpoint, verified; NULL: not needed. */
typedef struct ck_load_request {
  ck_state **state;
  /* the same, in the form that can be patched (format/state_rebuild.h) */
  struct ck_state_rebuild **rebuild;
  ck_digest *digest;
  struct ck_chain_base *base;
  bool pruned; /* a pruned checkpoint is loaded as well, when its payload is still there */
} ck_load_request;
CK_CHECKED ck_status ck_store_core_load(const ck_load_request *out, ck_store *self, int64_t session,
                                        int64_t seq, ck_error *err);

/* Seqs of the session's own pinned checkpoints, ascending; *out malloc'd. */
CK_CHECKED ck_status ck_store_core_list_pins(int64_t **out, size_t *count, ck_store *self,
                                             int64_t session, ck_error *err);
/* The digest of the checkpoint `seq`, from its row alone; zeros for seq 0. CK_E_NOT_FOUND. */
/* What is told of a row; caller clears. CK_E_CORRUPT. */
CK_CHECKED ck_status ck_store_core_make_info(ck_checkpoint_info *out, const ck_checkpoint_row *row,
                                             ck_error *err);
CK_CHECKED ck_status ck_store_core_get_digest(ck_digest *out, ck_store *self, int64_t session,
                                              int64_t seq, ck_error *err);
/* The seq of the last checkpoint by seq, on any timeline; 0: none. Of a fork that has none of its
 * own, its cut. */
CK_CHECKED ck_status ck_store_core_get_last(int64_t *out, ck_store *self, int64_t session,
                                            ck_error *err);

#endif
