/* saving_fixture.h - a session whose store fails when a test says so, and what of it is in the
 * store. */
#ifndef CK_TESTS_RUNTIME_SESSION_SAVING_FIXTURE_H
#define CK_TESTS_RUNTIME_SESSION_SAVING_FIXTURE_H

#include "core/runtime/session/session.h"

extern int64_t saving_now_us; /* the session's monotonic clock */

/* One session; every boundary is checkpointed, and the policy asks to wait for it. */
typedef struct saving_fixture {
  char url[512], id[32];
  ck_profile *profile;
  ck_runtime *runtime;
  ck_session *session;
  ck_saved last;
  int64_t number; /* memory.n as put last */
} saving_fixture;

/* A new session in the test's store; `checkpoints` may be unsaved, -1: on_save_failure = "pause".
 * Nothing fails. */
void saving_begin(saving_fixture *self, const char *id, int64_t checkpoints);
void saving_end(saving_fixture *self);
/* The process dies; a new one resumes, and nothing fails any more. */
void saving_die_and_resume(saving_fixture *self);
ck_status saving_put_number(saving_fixture *self, ck_error *err);
/* A boundary behind a number that is put, waited for. */
ck_status saving_step_at(saving_fixture *self, ck_boundary_kind kind, ck_error *err);
ck_status saving_step(saving_fixture *self, ck_error *err);
/* So that a keyframe is worth telling from a delta. */
void saving_put_much(saving_fixture *self);
ck_saving saving_of(saving_fixture *self);
/* True when the session tells of a change. */
bool saving_watch(saving_fixture *self);

typedef struct saving_stored {
  int64_t count, last, keyframes;
  bool chained;
} saving_stored;

/* What is in the store. */
saving_stored saving_look(saving_fixture *self);
/* The last seq; negative: there is a gap. */
int64_t saving_events_in(saving_fixture *self);
int64_t saving_problems_in(saving_fixture *self);
/* memory.n at a checkpoint; -1: it has none. */
int64_t saving_number_in(saving_fixture *self, int64_t checkpoint);

#endif
