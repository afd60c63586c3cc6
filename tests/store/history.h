/* history.h - a session with random changes, and a reference of the state that each
 * checkpoint must hold. */
#ifndef CK_TESTS_HISTORY_H
#define CK_TESTS_HISTORY_H

#include "core/store/maintenance.h"
#include "tests/dice.h"

typedef struct history {
  ck_store *store;
  char id[CK_ID_SIZE];
  ck_lease lease;
  test_dice random;
  int64_t seq, timeline, parent;
  ck_state *state; /* as it is now */
  int64_t *seqs;   /* of the checkpoints */
  ck_state **states;
  size_t count, cap;
  size_t changed_bytes;   /* keys and values of all changes */
  size_t keys, value_max; /* how many keys there are, how long values begin */
  bool grow;              /* values only grow at the end */
} history;

/* For steps of a test that cannot fail: a failure ends the program. */
void history_must(ck_status status, const ck_error *err, const char *what);

/* Makes the session. Ends the program on any failure, like all of these. */
void history_begin(history *self, ck_store *store, const char *id, uint64_t seed);
void history_clear(history *self);

/* One step, ready to be committed: a message, `changes` random changes and a boundary with the
 * checkpoint. The history has not moved yet: history_apply says that it was committed, history_drop
 * that it was not. */
typedef struct history_step {
  ck_event events[2];
  ck_event *pointers[2];
  ck_checkpoint checkpoint;
  ck_batch batch;
  ck_state *state;
} history_step;
void history_prepare(history *self, history_step *step, size_t changes);
void history_apply(history *self, history_step *step);
void history_drop(history_step *step);
/* Prepares, commits and applies; the status of the batch. */
void history_go(history *self, size_t changes);
/* A new run from the checkpoint `index`. */
void history_resume(history *self, size_t index);

/* A fork at the checkpoint `index`, as a history of its own that begins with a checkpoint and is
 * paused. On failure `out` holds nothing. */
CK_CHECKED ck_status history_fork(history *out, const history *of, size_t index, const char *id,
                                  uint64_t seed, ck_error *err);

/* True when both hold the same bytes under the same keys. */
bool history_equal(const ck_state *a, const ck_state *b);
/* Loads the checkpoint `index` and compares. */
bool history_loads(history *self, size_t index);

#endif
