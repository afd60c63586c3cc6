/* requests.h - what other processes ask a world's session for: left in the store, taken by its runs
 * until it is over, and noted once. */
#ifndef CK_TESTS_WORLDS_REQUESTS_H
#define CK_TESTS_WORLDS_REQUESTS_H

#include "tests/worlds/world.h"

/* A history begins. */
void requests_begin(void);
/* Another process leaves one, when the run has the session that it sees, or, late, that it saw when
 * it came before. `answers`: it is
 * an answer. */
void requests_leave(world *self, ck_runtime *runtime, const ck_head *head, bool answers);
/* Another process has left a pause by ck_request_pause, which tells no id. */
void requests_paused(const ck_head *head);
/* A run has begun. */
void requests_run_begun(world *self, const world_process *process);
/* As what a session is found whose last run has died: whether it had come to rest. */
void requests_found(ck_session_status status);
/* What was left may be gone. */
void requests_lost_power(void);
/* The run takes all that wait, and does what they say. */
void requests_take(world *self, world_process *process);
/* The run has come to a boundary. */
void requests_boundary(const world_process *process, const ck_saved *saved);
/* The run has ended, and everything it wrote is durable. */
void requests_run_ended(const world_process *process);
/* Whether a run was asked to cancel the session. */
bool requests_may_cancel(void);
/* At the end: an event of the session; then what they all have said. */
void requests_check_event(world_model *model, const ck_event *event);
void requests_check_end(world_model *model);

#endif
