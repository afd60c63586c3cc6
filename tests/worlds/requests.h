/* requests.h - what other processes ask the run of a world's session for: left in the store, taken
 * once, by the run that they are meant for, and noted. */
#ifndef CK_TESTS_WORLDS_REQUESTS_H
#define CK_TESTS_WORLDS_REQUESTS_H

#include "tests/worlds/world.h"

/* A history begins. */
void requests_begin(void);
/* Another process leaves one for the run that has the session, or, late, for the one that it saw
 * when it came before. `answers`: it is
 * an answer. */
void requests_leave(world *self, ck_runtime *runtime, const ck_head *head, bool answers);
/* Another process has left a pause by ck_request_pause, which tells no id. */
void requests_paused(const ck_head *head);
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
