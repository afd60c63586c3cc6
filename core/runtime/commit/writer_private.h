/* writer_private.h - the fields of the writer and of a channel, for writer.c and channel.c. */
#ifndef CK_RUNTIME_COMMIT_WRITER_PRIVATE_H
#define CK_RUNTIME_COMMIT_WRITER_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/runtime/commit/backlog.h"

enum {
  CK_WRITER_ROUND_MAX = 512,
  CK_WRITER_CROWD = 4,    /* jobs of other sessions at most where nobody prepares its own */
  CK_WRITER_PREPARERS = 4 /* threads at most that prepare their jobs at one time */
};

struct ck_channel {
  ck_writer *writer;
  ck_lease lease;
  ck_waker *waker;
  uint64_t put,
      done; /* tickets; guarded by the writer's mutex. done: up to which the session may go on */
  uint64_t saved;     /* ticket up to which all is in the store, while the backlog is empty */
  size_t outstanding; /* jobs in the ring or in the current round, which point here */
  int64_t stored_bytes;
  ck_error failure; /* status CK_OK while the channel works */
  ck_saving saving;
  ck_backlog backlog; /* of the thread that commits */
};

typedef struct ck_writer_slot {
  ck_channel *channel;
  uint64_t ticket;
  ck_job job;
  ck_status status; /* of the round it was in */
  bool kept;        /* its job waits in the backlog */
  int64_t bytes;    /* ck_job_bytes */
  int64_t stored_bytes;
} ck_writer_slot;

/* `with` is of the thread that has taken it; `taken` is guarded by the mutex. */
typedef struct ck_writer_preparer {
  ck_preparer with;
  bool taken;
} ck_writer_preparer;

struct ck_writer {
  ck_store *store;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t filled, drained, acknowledged;
  ck_writer_slot ring[CK_WRITER_QUEUE_MAX];
  size_t head, count, committed; /* committed: jobs in the round that is under way */
  int64_t bytes;                 /* of the queued jobs */
  bool stopping, sleeping;
  bool committing; /* a round is under way; the fields of the round belong to that thread */
  bool claimed;    /* the round under way has the store already */
  unsigned waiters, unrested;
  ck_writer_preparer preparers[CK_WRITER_PREPARERS];
  ck_writer_slot round[CK_WRITER_ROUND_MAX];
  ck_batch batches[CK_WRITER_ROUND_MAX];
  ck_session_update updates[CK_WRITER_ROUND_MAX];
  _Atomic int64_t checkpoint_cost_us, durable_cost_us; /* moving averages; 0: none yet */
};

/* Commits queued jobs. With the mutex and no round under way; without the mutex afterwards. */
void ck_writer_commit_round(ck_writer *self);
/* With the mutex: whether the writer thread has something to do. */
bool ck_writer_has_work(const ck_writer *self);
/* Without the mutex. Sets job->prepared where that pays, and there is memory for it. */
void ck_channel_prepare(ck_channel *self, ck_job *job);
/* Ends a prune or a rest done alone, with `committing` set: others may commit again. Until then
 * nobody commits: between a failure and its recovery a commit would be refused without having been
 * tried. */
void ck_writer_end_alone(ck_writer *self);

#endif
