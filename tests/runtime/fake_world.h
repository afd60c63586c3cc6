/* fake_world.h - a flow engine and a driver for tests: a strand that follows a list of steps, an
 * outside world that counts. */
#ifndef CK_TESTS_RUNTIME_FAKE_WORLD_H
#define CK_TESTS_RUNTIME_FAKE_WORLD_H

#include "core/runtime/execution/execution.h"

/* What one iteration of the scripted flow does: a model call, tools, a boundary; `iterations` of
 * them, then done. */
typedef struct world {
  int iterations;
  int tools;             /* tool calls per iteration */
  ck_effect_class class; /* of the tools */
  const char *salt;      /* goes into each request: change it and digests differ */
  int fail_at;           /* iteration at which the strand raises; 0: never */
  /* The outside world. */
  int ran[64];       /* times tool number n (iteration * tools + index) ran */
  int models;        /* model calls that ran */
  bool happened[64]; /* what a probe finds */
  bool probes;       /* whether the driver can probe */
  int stop_after;    /* the driver stops delivering after so many starts; 0: never */
  int starts;
} world;

/* Both borrow `self`. Completed effects are delivered by world_deliver, never inside start. */
ck_flow_engine world_engine(world *self);
ck_effect_driver world_driver(world *self);
/* Delivers what is under way; false when nothing is (or the world has stopped). */
bool world_deliver(world *self);

#endif
