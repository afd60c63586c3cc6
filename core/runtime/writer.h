/* writer.h - one thread that commits for all sessions of the process: a bounded queue, one transaction per round. */
#ifndef CK_RUNTIME_WRITER_H
#define CK_RUNTIME_WRITER_H

#include "core/base/waker.h"
#include "core/store/upkeep.h"

typedef struct ck_writer ck_writer;
/* One session's line into the writer; used by one thread at a time. */
typedef struct ck_channel ck_channel;

enum { CK_WRITER_QUEUE_MAX = 4096 }; /* jobs; a fuller queue makes ck_channel_put wait */

/* Borrows `store`. Starts the thread. */
CK_CHECKED ck_status ck_writer_new(ck_writer **out, ck_store *store, ck_error *err);
/* Commits all that is queued, then ends the thread. */
void ck_writer_free(ck_writer *self);

/* `waker` (borrowed, may be NULL) is woken when anything of this channel was acknowledged or failed. */
CK_CHECKED ck_status ck_channel_new(ck_channel **out, ck_writer *writer, ck_lease lease, ck_waker *waker, ck_error *err);
/* Waits for what is queued, then frees. */
void ck_channel_free(ck_channel *self);

/* What is committed together. The channel takes everything (the array, the events, the checkpoint), also on failure. */
typedef struct ck_job {
  ck_event **events; /* malloc'd array */
  size_t event_count;
  ck_checkpoint *checkpoint;
  bool has_update;
  ck_session_status update_status;
  char *update_reason; /* malloc'd; NULL */
  const char *update_failure; /* name of a status; NULL */
  ck_durability durability;
  bool waited; /* the caller goes on with ck_channel_wait or ck_channel_check: the writer thread need not be woken for it */
} ck_job;

/* Queues; `*ticket` names the job (ascending per channel, from 1). After a failed job every later one fails the same way. */
CK_CHECKED ck_status ck_channel_put(uint64_t *ticket, ck_channel *self, ck_job *job, ck_error *err);
/* CK_OK: committed at its durability. CK_E_PENDING: not yet. Otherwise why the channel failed; sticky. */
CK_CHECKED ck_status ck_channel_check(ck_channel *self, uint64_t ticket, ck_error *err);
/* Waits until nothing of the channel is queued, then prunes (store.h) while no round is under way. A failure of the prune
 * is not one of the channel, whose own is answered first. */
CK_CHECKED ck_status ck_channel_prune(ck_channel *self, const int64_t *seqs, size_t count, ck_prune_report *out, ck_error *err);
/* CK_OK while the channel works, and for NULL: a session that is not open yet; otherwise why it failed. */
CK_CHECKED ck_status ck_channel_failure(ck_channel *self, ck_error *err);
/* As ck_channel_check, but waits. */
CK_CHECKED ck_status ck_channel_wait(ck_channel *self, uint64_t ticket, ck_error *err);
/* Ticket of the last job put; 0: none. */
uint64_t ck_channel_last(const ck_channel *self);
/* Moving average of what a durable commit with a checkpoint costs, microseconds; 0: none yet. Thread-safe. */
int64_t ck_writer_checkpoint_cost_us(const ck_writer *self);
/* Bytes of rows stored through this channel so far. */
int64_t ck_channel_stored_bytes(ck_channel *self);

#endif
