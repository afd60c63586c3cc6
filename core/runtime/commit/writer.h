/* writer.h - one thread that commits for all sessions of the process: a bounded queue, one
 * transaction per round. */
#ifndef CK_RUNTIME_COMMIT_WRITER_H
#define CK_RUNTIME_COMMIT_WRITER_H

#include "core/store/store.h"

typedef struct ck_writer ck_writer;

/* Jobs, and bytes of the events and values in them; a fuller queue makes ck_channel_put wait. One
 * job may be longer, if it is alone. */
enum { CK_WRITER_QUEUE_MAX = 4096, CK_WRITER_BYTES_MAX = 16 << 20 };

/* Borrows `store`. Starts the thread. */
CK_CHECKED ck_status ck_writer_new(ck_writer **out, ck_store *store, ck_error *err);
/* Commits all queued jobs, then ends the thread. */
void ck_writer_free(ck_writer *self);
/* Moving average of what a durable commit with a checkpoint costs, microseconds; 0: none yet.
 * Thread-safe. */
int64_t ck_writer_checkpoint_cost_us(const ck_writer *self);

#endif
