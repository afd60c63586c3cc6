/* backlog.h - what a session has recorded and its store would not take: kept in order, tried again
 * before anything newer.
 *
 * With on_save_failure = "continue" a session goes on while saving fails (disk full, I/O error,
 * lock not to be had). These invariants hold meanwhile, and after a crash in the midst of it:
 *
 * - Nothing is shown as saved that is not. What was acknowledged before stays; nothing newer is
 * acknowledged.
 *
 * - Nothing is done twice that must not be, and no money is spent that is not on disk first. So
 * these may not wait: the intent of an effect that costs money or is of class once or reconcilable;
 * the outcome of an effect that costs money, is of class once, or is a person's answer; a pause, an
 * end, an edit, a user_checkpoint. When the store does not take one of these either, the session
 * pauses (exit 74), as it does with on_save_failure = "pause".
 *
 * - These may wait: events, the intents and outcomes of effects that are free and pure or
 * idempotent, and checkpoints, also sync ones. At most unsaved.checkpoints of them, for at most
 * unsaved.time_s seconds (both of the profile), and at most CK_BACKLOG_BYTES_MAX: then the session
 * pauses all the same.
 *
 * - It catches up before anything else is written, in one transaction and in order, so that a store
 * never has a gap. The first of the checkpoints is a keyframe on the last one that is on disk; the
 * others follow it.
 *
 * - After a crash the session goes on from what the store holds: all before the first failure,
 * nothing after it. What is lost can be done again for nothing.
 *
 * - Nothing is pruned meanwhile: the last checkpoints on disk are all that a resume can go back
 * to. */
#ifndef CK_RUNTIME_COMMIT_BACKLOG_H
#define CK_RUNTIME_COMMIT_BACKLOG_H

#include "core/runtime/commit/channel.h"

#define CK_BACKLOG_BYTES_MAX ((int64_t)64 << 20)

/* Zero-initialise; set the limits. Used by one thread at a time: the one that commits. */
typedef struct ck_backlog {
  ck_unsaved_limits limits; /* zero: nothing is kept back */
  ck_job *jobs;
  size_t count, cap;
  int64_t checkpoints, events, bytes;
  int64_t since_us;     /* when the first of them was queued */
  uint64_t last, saved; /* tickets: of the last job kept back; up to which it has caught up */
  int64_t times, late;  /* so far: how often saving began to fail, how many checkpoints came late */
  int64_t stored_bytes; /* of rows, so far */
  bool reported;        /* other processes can see that it is not empty: the store has the fault */
  /* some of it may be in the store: a commit's sync failed, and so did the recovery */
  bool uncertain;
  ck_error cause; /* of the last try */
} ck_backlog;
void ck_backlog_clear(ck_backlog *self);

/* True when a failure with this status may pass by itself. */
bool ck_backlog_bears(ck_status status);
/* Takes the job (which is empty afterwards) when it may wait and the limits allow; false otherwise,
 * and nothing has changed. */
bool ck_backlog_keep(ck_backlog *self, ck_job *job, uint64_t ticket, const ck_error *cause);
/* Commits all of it. CK_OK: it is empty. Otherwise its `cause` says why not; CK_E_FENCED and the
 * like will not pass. */
CK_CHECKED ck_status ck_backlog_retry(ck_backlog *self, ck_store *store, ck_lease lease);
/* Lets other processes see whether anything waits, when that has changed. */
void ck_backlog_notify(ck_backlog *self, ck_store *store, ck_lease lease);
/* Appends to a failure that ends the session how much is lost because it waits. */
void ck_backlog_append_loss(ck_error *to, const ck_backlog *self);

/* In a recovered store: whether the job's events are in it. CK_E_FENCED: the lease's epoch has
 * passed, and nothing of this run counts any more. */
CK_CHECKED ck_status ck_backlog_find(bool *out, ck_store *store, ck_lease lease, const ck_job *job,
                                     ck_error *err);

#endif
