/* channel.h - one session's line into the writer: its jobs, its failure, how saving gets on. */
#ifndef CK_RUNTIME_COMMIT_CHANNEL_H
#define CK_RUNTIME_COMMIT_CHANNEL_H

#include "core/base/waker.h"
#include "core/runtime/commit/job.h"
#include "core/runtime/commit/unsaved.h"
#include "core/runtime/commit/writer.h"
#include "core/store/maintenance.h"

/* Used by one thread at a time. */
typedef struct ck_channel ck_channel;

/* `waker` (borrowed, may be NULL) is woken when any job of this channel was acknowledged or
 * failed. */
CK_CHECKED ck_status ck_channel_new(ck_channel **out, ck_writer *writer, ck_lease lease,
                                    ck_waker *waker, ck_error *err);
/* Waits until its queued jobs are dealt with, then frees. */
void ck_channel_free(ck_channel *self);

/* How far a session may run ahead of a store that takes nothing. */
typedef struct ck_unsaved_limits {
  int64_t checkpoints; /* 0: not at all */
  int64_t time_us;     /* from the first that failed */
} ck_unsaved_limits;
/* Before the first job. Without limits nothing may wait. */
void ck_channel_allow_unsaved(ck_channel *self, const ck_unsaved_limits *limits);

void ck_channel_get_saving(ck_saving *out, ck_channel *self);
/* True when the job is not in the store, though the session may go on from it. */
bool ck_channel_is_unsaved(ck_channel *self, uint64_t ticket);

/* Queues a job; `*ticket` names it (ascending per channel, from 1). After a failed job every later
 * one fails the same way; one that may wait (see backlog.h) has not failed, and is tried again
 * before every later one. */
CK_CHECKED ck_status ck_channel_put(uint64_t *ticket, ck_channel *self, ck_job *job, ck_error *err);
/* CK_OK: committed at its durability, or waiting where it may. CK_E_PENDING: not yet. Otherwise why
 * the channel failed; sticky. */
CK_CHECKED ck_status ck_channel_check(ck_channel *self, uint64_t ticket, ck_error *err);
/* The same, but the writer thread is not woken for a job that was queued as one that is waited
 * for: one of the others must follow. */
CK_CHECKED ck_status ck_channel_peek(ck_channel *self, uint64_t ticket, ck_error *err);
/* As ck_channel_check, for a thread with nothing else to do: commits the job itself when nobody has
 * to be waited for but the disk, whose commits have taken no longer than 5 ms in the mean. More
 * than 8 MiB, as of a state (`state_bytes`: the session's) that is written as a whole, are left to
 * the writer. */
CK_CHECKED ck_status ck_channel_commit(ck_channel *self, uint64_t ticket, size_t state_bytes,
                                       ck_error *err);
/* Which checkpoints go. */
typedef struct ck_pruning {
  const int64_t *seqs;
  size_t count;
  bool bases; /* also those at which timelines begin: ck_store_prune_bases */
} ck_pruning;
/* Waits until nothing of the channel is queued, then prunes (ck_store_prune) while no round is
 * under way. A failure of the prune is not one of the channel, whose own is answered first. */
CK_CHECKED ck_status ck_channel_prune(ck_channel *self, const ck_pruning *what,
                                      ck_prune_report *out, ck_error *err);
/* CK_OK while the channel works, and for NULL: a session that is not open yet; otherwise why it
 * failed. */
CK_CHECKED ck_status ck_channel_failure(ck_channel *self, ck_error *err);
/* As ck_channel_check, but waits. */
CK_CHECKED ck_status ck_channel_wait(ck_channel *self, uint64_t ticket, ck_error *err);
/* Ticket of the last job put; 0: none. */
uint64_t ck_channel_last(const ck_channel *self);
/* Bytes of rows stored through this channel so far. */
int64_t ck_channel_stored_bytes(ck_channel *self);

#endif
