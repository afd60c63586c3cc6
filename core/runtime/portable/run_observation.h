/* run_observation.h - what a run did, as its events show it: completed iterations, and what was
 * open or had failed when it stopped. */
#ifndef CK_RUNTIME_PORTABLE_RUN_OBSERVATION_H
#define CK_RUNTIME_PORTABLE_RUN_OBSERVATION_H

#include "core/base/map.h"
#include "core/runtime/ledger/ledger.h"
#include "core/store/store.h"

/* A completed node, step or round, and the outcomes that it came to. */
typedef struct ck_run_unit {
  char *name;          /* of the node; NULL: it has none, as a round */
  char *error;         /* of an optional step that failed; NULL */
  size_t first, count; /* in `said` */
  int64_t state;       /* seq of the first checkpoint from its end on; 0: none */
} ck_run_unit;

/* The outcome that a scope had last within a unit. */
typedef struct ck_run_said {
  const char *scope; /* borrowed from the observation */
  int64_t seq;       /* of the outcome's event */
} ck_run_said;

/* Zero-initialise; ck_run_observation_clear. */
typedef struct ck_run_observation {
  int64_t inherited;  /* completed before, by the run whose checkpoint was imported */
  int64_t iterations; /* completed by the main scope, inherited ones included */
  int64_t boundary;   /* seq of the boundary that the conversation is cut at; 0: none */
  int64_t boundary_ms;
  char *agent;     /* of the main scope, which reached that boundary; NULL: none */
  bool converses;  /* a model answered in the main scope */
  bool stopped_in; /* something had failed, or was open: the fields below */
  bool has_effect;
  ck_effect_kind kind; /* of the effect */
  char *stage;         /* name of its tool, or of the node it is in; NULL */
  ck_status cause;     /* why it failed; CK_OK: it did not, or that is not known */
  ck_run_unit *units;
  size_t unit_count, unit_cap;
  size_t kept_units; /* those whose `state` is known */
  bool walks;        /* the main scope goes from node to node */
  ck_run_said *said;
  size_t said_count, said_cap;
  /* of run_observation.c */
  ck_ledger *ledger;
  ck_map scopes;                /* by name; owned */
  struct ck_run_scope **active; /* those with an outcome since the last unit */
  size_t active_count, active_cap;
  int64_t floor; /* effects up to this seq are over */
  ck_status status;
  ck_error *err;
} ck_run_observation;

void ck_run_observation_clear(ck_run_observation *self);
/* Reads the events in `view`. An iteration is complete when its boundary was reached. What failed
 * comes before what was open, and that before what ended with an error; of several, the last. */
CK_CHECKED ck_status ck_run_observe(ck_run_observation *out, ck_store *store, int64_t session,
                                    const ck_view *view, ck_error *err);
/* True for a failure that another run would meet again: the conversation is too long, the request
 * or the credentials were refused. */
bool ck_run_meets_again(ck_status cause);

#endif
