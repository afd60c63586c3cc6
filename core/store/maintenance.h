/* maintenance.h - what is done to sessions besides running them: held at rest, pinned, pruned,
 * deleted; and their forks. */
#ifndef CK_STORE_MAINTENANCE_H
#define CK_STORE_MAINTENANCE_H

#include "core/store/store.h"

/* Takes the lock of a session at rest for changes that are no run of it, such as a prune by hand:
 * the lease is that of the epoch `epoch_read`, which stays. CK_E_OWNED, CK_E_NOT_FOUND; CK_E_FENCED
 * when the epoch is another one. */
CK_CHECKED ck_status ck_store_lock_session(ck_lease *out, ck_store *self, const char *session_id,
                                           uint64_t epoch_read, ck_error *err);

/* The forks that were cut from a session, oldest first; not those that were cut from them. */
CK_CHECKED ck_status ck_store_list_forks(ck_store *self, int64_t session, ck_session_visit visit,
                                         void *to, ck_error *err);

/* Deletes all of the leased session, in one power-durable transaction; the lease is void then.
 * CK_E_REFUSED names its forks, unless `detach` lets each have what it inherits first: the
 * transcript up to its cut, and the checkpoints as pruned ones. CK_E_OWNED: a fork is being run.
 * CK_E_REFUSED: a fork stands at an inherited checkpoint, and has none of its own to go on from. */
CK_CHECKED ck_status ck_store_delete_session(ck_store *self, ck_lease lease, bool detach,
                                             ck_error *err);
/* Gives free pages of the file back to the system; *bytes: how much smaller it got. In a store that
 * was made with schema 1 they stay in the file and are used again. Waits for nobody. */
CK_CHECKED ck_status ck_store_vacuum(int64_t *bytes, ck_store *self, ck_error *err);

/* Pins a checkpoint of the leased session, so that it is never pruned, or lifts the pin.
 * Power-durable. CK_E_NOT_FOUND: it is not there, was pruned, or is an inherited one.
 * CK_E_FENCED. */
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
  ck_kept_reason reason;
} ck_kept;

/* What a prune came to. */
typedef struct ck_prune_report {
  int64_t *seqs; /* of those that were dropped, ascending */
  size_t count;
  ck_kept *kept; /* asked for and not dropped, in the order they were asked for */
  size_t kept_count;
  int64_t emptied; /* payloads given back: of those dropped, and of earlier ones that nothing needs
                      any more */
  int64_t bytes;   /* as stored, of those payloads */
  int64_t broken;  /* that stay and cannot be loaded, with or without this prune; 0 when nothing was
                      asked for */
  int64_t hidden;  /* pruned ones whose payload stays, because a checkpoint that is kept loads
                      through it */
} ck_prune_report;
void ck_prune_report_clear(ck_prune_report *self);

/* Drops checkpoints of the leased session, in one power-durable transaction. A dropped one leaves
 * its row as a stub, which keeps the digest chain whole; ck_store_get_state answers CK_E_NOT_FOUND
 * for it from then on. Never dropped: what CK_KEPT_TABLE lists. Payloads on the way from a kept
 * checkpoint back to its keyframe stay, so what could be loaded before and is not dropped loads as
 * before; all of them are read first. The latest resumable one is loaded first, and when that fails
 * (its status), nothing is dropped. CK_E_BUSY: a fork went on from one of them meanwhile. `count`
 * 0: only payloads that are not needed any more are given back. CK_E_FENCED; the failures of
 * ck_store_commit, CK_E_UNKNOWN with its consequences. Caller clears the report. */
CK_CHECKED ck_status ck_store_prune(ck_store *self, ck_lease lease, const int64_t *seqs,
                                    size_t count, ck_prune_report *out, ck_error *err);

/* The same without changing anything: for whom, with which words, and how many bytes. Needs no
 * lease. */
CK_CHECKED ck_status ck_store_plan_prune(ck_store *self, const char *session_id,
                                         const int64_t *seqs, size_t count, ck_prune_report *out,
                                         ck_error *err);

/* What its live owner cannot do just now ("cannot commit: …"), for others to see; NULL: nothing. It
 * is kept beside the store, not in it, and may be lost: for people only. */
void ck_store_set_fault(ck_store *self, ck_lease lease, const char *text);
enum { CK_STORE_FAULT_MAX = 256 };
/* "" when there is none, or no owner. */
void ck_store_get_fault(char out[CK_STORE_FAULT_MAX], ck_store *self, const char *session_id);

/* True while no write is accepted before it is recovered. */
bool ck_store_needs_recovery(ck_store *self);

#endif
