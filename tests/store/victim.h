/* victim.h - a session in memory whose rows a test can reach and damage. */
#ifndef CK_TESTS_STORE_VICTIM_H
#define CK_TESTS_STORE_VICTIM_H

#include "core/store/store_core.h"
#include "core/store/memory/memory.h"
#include "tests/store/history.h"

/* Checkpoints; index of the one that the second timeline continues; index of one that is
 * damaged. */
enum { VICTIM_STEPS = 60, VICTIM_REWOUND = 20, VICTIM_TARGET = 40 };

typedef struct victim {
  ck_store *store;
  history past;
  ck_memory_session *session; /* of the store */
} victim;

/* Two timelines: the second one continues an older checkpoint. A failure ends the program. */
void victim_open(victim *self);
void victim_close(victim *self);
/* The session with index `at` of a store in memory. */
ck_memory_session *victim_session_of(ck_store *store, size_t at);
/* Rows of the store itself. */
ck_checkpoint_row *victim_checkpoint(victim *self, size_t index);
ck_event_row *victim_event(victim *self, int64_t seq);

#endif
