/* maintenance.h - changes of sessions that are no runs: locking one at rest, pins, pruning,
 * deleting; and the lists of forks. */
#ifndef CK_STORE_MAINTENANCE_H
#define CK_STORE_MAINTENANCE_H

#include "core/store/store.h"

/* Takes the lock of a session at rest, for a change by a person such as a prune. The lease has
 * the epoch `epoch_read`, which stays the session's. CK_E_OWNED, CK_E_NOT_FOUND; CK_E_FENCED
 * when the session has another epoch; CK_E_UNSUPPORTED, as of all functions here, when the
 * backend cannot. */
CK_CHECKED ck_status ck_store_lock_session(ck_lease *out, ck_store *self, const char *session_id,
                                           uint64_t epoch_read, ck_error *err);

/* The direct forks of a session, oldest first. */
CK_CHECKED ck_status ck_store_list_forks(ck_store *self, int64_t session, ck_session_visit visit,
                                         void *to, ck_error *err);

/* Deletes the leased session with all its rows, in one power-durable transaction; the lease is void
 * then. CK_E_REFUSED names its forks, unless `detach`: then what each fork inherits is first copied
 * to it, the transcript up to its cut, and the checkpoints as pruned ones. CK_E_OWNED: a fork is
 * being run. CK_E_REFUSED: a fork's current checkpoint is inherited, and it has none of its own to
 * continue. */
CK_CHECKED ck_status ck_store_delete_session(ck_store *self, ck_lease lease, bool detach,
                                             ck_error *err);
/* Returns free pages of the file to the file system; *bytes: by how much the file shrank. In a
 * store that was made with schema 1 they stay in the file and are reused. Never waits for a
 * reader. */
CK_CHECKED ck_status ck_store_vacuum(int64_t *bytes, ck_store *self, ck_error *err);
/* What is overwritten in the file is in the log as it was: moves the log into the file and cuts it,
 * behind a change that takes something away. CK_E_BUSY: another process reads, and needs it. */
CK_CHECKED ck_status ck_store_clear_log(ck_store *self, ck_error *err);

/* Pins a checkpoint of the leased session, so that it is never pruned, or removes the pin.
 * Power-durable. CK_E_NOT_FOUND: it does not exist, was pruned, or is inherited. CK_E_FENCED. */
CK_CHECKED ck_status ck_store_pin(ck_store *self, ck_lease lease, int64_t seq, bool pinned,
                                  ck_error *err);

/* X(enumerator, text): why a checkpoint was not dropped. */
/* clang-format off */
#define CK_KEPT_TABLE(X) \
  X(CK_KEPT_HEAD, "the session stands at it") \
  X(CK_KEPT_LATEST, "the latest resumable one") \
  X(CK_KEPT_PINNED, "pinned") \
  X(CK_KEPT_FORK, "a fork goes on from it") \
  X(CK_KEPT_TIMELINE, "a timeline begins at it") \
  X(CK_KEPT_UNREADABLE, "it cannot be read") \
  X(CK_KEPT_GONE, "not there, or pruned before")
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CK_KEPT_TABLE(X)
#undef X
} ck_kept_reason;
const char *ck_kept_reason_text(ck_kept_reason reason);
typedef struct ck_kept {
  int64_t seq;
  char id[CK_ID_SIZE]; /* "" with CK_KEPT_GONE */
  ck_kept_reason reason;
} ck_kept;

/* The result of a prune. */
typedef struct ck_prune_report {
  int64_t *seqs; /* of the dropped checkpoints, ascending */
  char (*ids)[CK_ID_SIZE];
  size_t count;
  ck_kept *kept; /* requested and not dropped, in the order of the request */
  size_t kept_count;
  /* number of payloads freed: of dropped checkpoints, and of earlier dropped ones that nothing
   * needs any more */
  int64_t emptied;
  int64_t bytes; /* as stored, of the freed payloads */
  /* kept ones that cannot be loaded, with or without this prune; 0 when nothing was requested */
  int64_t broken;
  int64_t hidden; /* pruned ones whose payload stays, because a kept checkpoint loads through it */
  int64_t before; /* the session's own that there were, pruned ones left out */
  int64_t more;   /* of a page: how many were asked to go beside those that were looked at */
} ck_prune_report;
void ck_prune_report_clear(ck_prune_report *self);

/* Drops checkpoints of the leased session, in one power-durable transaction. A dropped one leaves
 * its row as a stub, which keeps the digest chain whole; ck_store_get_state answers CK_E_NOT_FOUND
 * for it from then on. Never dropped: what CK_KEPT_TABLE lists. Payloads on the way from a kept
 * checkpoint back to its keyframe stay, so each kept checkpoint that could be loaded before still
 * can; all payloads are read first. The latest resumable one is loaded first, and when that fails
 * (its status), nothing is dropped. CK_E_BUSY: a fork has meanwhile continued one of them. `count`
 * 0: only payloads that are not needed any more are freed. CK_E_FENCED; the failures of
 * ck_store_commit, CK_E_UNKNOWN with its consequences. Caller clears the report. */
CK_CHECKED ck_status ck_store_prune(ck_store *self, ck_lease lease, const int64_t *seqs,
                                    size_t count, ck_prune_report *out, ck_error *err);

/* The same, and drops also checkpoints at which timelines begin: for a session that keeps one. */
CK_CHECKED ck_status ck_store_prune_bases(ck_store *self, ck_lease lease, const int64_t *seqs,
                                          size_t count, ck_prune_report *out, ck_error *err);

/* The same, and of the session's own that were not pruned before all are asked to go but the latest
 * `keep`. */
CK_CHECKED ck_status ck_store_prune_to(ck_store *self, ck_lease lease, int64_t keep,
                                       ck_prune_report *out, ck_error *err);

/* The report that ck_store_prune would give; changes nothing and needs no lease. */
CK_CHECKED ck_status ck_store_plan_prune(ck_store *self, const char *session_id,
                                         const int64_t *seqs, size_t count, ck_prune_report *out,
                                         ck_error *err);

CK_CHECKED ck_status ck_store_plan_prune_to(ck_store *self, const char *session_id, int64_t keep,
                                            ck_prune_report *out, ck_error *err);

/* A page of that: of those that are asked to go the oldest `limit` alone are looked at, and only
 * their payloads read. Nothing is said of payloads that would be freed, of hidden and broken
 * ones. */
CK_CHECKED ck_status ck_store_plan_prune_page(ck_store *self, const char *session_id, int64_t keep,
                                              int64_t limit, ck_prune_report *out, ck_error *err);

/* Seqs of the session's own checkpoints that are pinned, or that forks go on from, and of no
 * others; in no order, malloc'd. */
CK_CHECKED ck_status ck_store_list_kept(int64_t **out, size_t *count, ck_store *self,
                                        int64_t session, ck_error *err);

/* Publishes the present fault of the session's live owner ("cannot commit: …") to other processes;
 * NULL: none. Kept beside the store, not in it, and may be lost: for people only. */
void ck_store_set_fault(ck_store *self, ck_lease lease, const char *text);
enum { CK_STORE_FAULT_MAX = 256 };
/* "" when there is none, or no owner. */
void ck_store_get_fault(char out[CK_STORE_FAULT_MAX], ck_store *self, const char *session_id);

/* True: the store is this process's for the next write, which waits for no other process; only of
 * stores with a lock between processes. Never waits itself. ck_store_disclaim, behind that write or
 * instead of it, gives back what was not used. */
bool ck_store_claim(ck_store *self);
void ck_store_disclaim(ck_store *self);

/* True: a commit of `checkpoint`, the session's next one, handles what it changes alone. False: it
 * may have to load the state, or to write all of it; or nobody can tell without waiting. */
bool ck_store_adds(ck_store *self, ck_lease lease, const ck_checkpoint *checkpoint);

/* True while writes are refused until ck_store_recover has succeeded. */
bool ck_store_needs_recovery(ck_store *self);

#endif
