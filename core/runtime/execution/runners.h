/* runners.h - the coroutines of a session: by scope, in families, and in the order of their turns.
 *
 * No function here looks at more coroutines than it is about, so a session may have any number of
 * them. One that can move is due. The due take their turns in the order in which they became so:
 * none waits for more than one turn of each other. */
#ifndef CK_RUNTIME_EXECUTION_RUNNERS_H
#define CK_RUNTIME_EXECUTION_RUNNERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/map.h"

typedef struct ck_execution ck_execution;
typedef struct ck_runner ck_runner;

/* Zero-initialise. */
typedef struct ck_runners {
  ck_runner *first, *last; /* all, by place.next: the main one first, parents before children */
  ck_map by_scope;
  ck_runner *due, *last_due;       /* by place.next_due */
  ck_runner *saving, *last_saving; /* wait for a ticket, by place.next_saving, tickets ascending */
  size_t restless;                 /* those that do not rest, see ck_runner_rests */
} ck_runners;

/* Of one coroutine. */
typedef struct ck_place {
  ck_runner *next, *previous;
  ck_runner *child, *last_child; /* by next_sibling */
  ck_runner *next_sibling, *previous_sibling;
  ck_runner *next_due, *previous_due, *next_saving, *previous_saving;
  bool is_due, is_saving, is_restless;
  bool over;            /* ended, with all below it */
  size_t open_children; /* that are not over */
  uint64_t ticket;      /* that it waits for */
} ck_place;

/* The last of its parent's children; due. */
CK_CHECKED ck_status ck_runners_add(ck_runner *runner, ck_error *err);
/* Its children are gone already. */
void ck_runners_remove(ck_runner *runner);
/* It can move, or it may be that it can. Nothing happens when it is due already. */
void ck_runner_wake(ck_runner *self);
/* The one whose turn it is, which is not due any more; NULL: none is. */
ck_runner *ck_runners_take_due(ck_runners *self);
/* Behind a turn of it that did not end it: whether it rests, and which ticket it waits for. */
void ck_runner_settle(ck_runner *self);
/* Wakes those whose tickets are durable. */
CK_CHECKED ck_status ck_runners_wake_saved(ck_execution *execution, ck_error *err);
/* Its phase is CK_PHASE_ENDED from now on. A join that waited for it is due, once all below it has
 * ended, too. */
void ck_runner_set_ended(ck_runner *self);

#endif
