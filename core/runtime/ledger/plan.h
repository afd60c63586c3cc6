/* plan.h - how an effect goes on: one table over its class, what the ledger holds under its key,
 * and how it ended. Pure: nothing is read and nothing is done here. */
#ifndef CK_RUNTIME_LEDGER_PLAN_H
#define CK_RUNTIME_LEDGER_PLAN_H

#include "core/model/effect.h"

/* What the ledger holds under the effect's key. */
typedef enum {
  CK_LEDGER_NOTHING,  /* neither intent nor outcome */
  CK_LEDGER_OPEN,     /* an intent without outcome */
  CK_LEDGER_BLOCKED,  /* an intent that was never begun: another action was done in its place */
  CK_LEDGER_SETTLED,  /* open, and a person has given its outcome: an answer, done, or abort */
  CK_LEDGER_RELEASED, /* open, and a person wants it run again: retry */
  CK_LEDGER_OK,
  CK_LEDGER_ACTED_ON, /* OK, of a model, and what it called was begun: see ck_ledger_find */
  CK_LEDGER_ERROR,
  CK_LEDGER_UNKNOWN,
  CK_LEDGER_FAILED,
  CK_LEDGER_LOST, /* failed, because its outcome was lost: see ck_ledger_write_unsettled */
  CK_LEDGER_STATE_COUNT
} ck_ledger_state;

/* The request that is asked for, beside the one that is recorded. */
typedef enum {
  CK_REQUEST_SAME,
  CK_REQUEST_RENAMED, /* the same but for the id that a model gave the call */
  CK_REQUEST_OTHER,
  CK_REQUEST_MATCH_COUNT
} ck_request_match;

/* How it ended in this process without telling its outcome. */
typedef enum {
  CK_ENDING_NONE,              /* not at all: it is asked for */
  CK_ENDING_UNKNOWN,           /* ended by a signal, at its time limit, or for its output */
  CK_ENDING_CUT,               /* its service went away after it had the request */
  CK_ENDING_CANCELLED,         /* by this process, and it did not say what it had done */
  CK_ENDING_ABSENT,            /* a probe: it did not happen */
  CK_ENDING_UNTOLD,            /* a probe of one that ended so in this process: it cannot tell */
  CK_ENDING_UNTOLD_OF_EARLIER, /* the same of one that an earlier process had begun */
  CK_ENDING_COUNT
} ck_effect_ending;

typedef struct ck_ledger_case {
  /* of an open intent the recorded one, of an outcome the stricter of that and the declared one: a
   * flow that was edited since cannot make an action harmless */
  ck_effect_class class;
  ck_ledger_state state;
  ck_request_match request;
  ck_effect_ending ending; /* but for NONE the state is OPEN and the request SAME */
  bool later;              /* recorded at an earlier attempt */
  bool acts;               /* a tool, a program or an agent */
  bool called;             /* by a model, which can be told that the outcome is unknown */
  bool probes;             /* its driver can find out */
  bool tries_left;         /* of those that it has in this process, when its endings are unknown */
} ck_ledger_case;

typedef enum {
  CK_PLAN_RUN,
  CK_PLAN_REPLAY,  /* the recorded outcome is its outcome */
  CK_PLAN_RESOLVE, /* what a person said is its outcome */
  CK_PLAN_PROBE,
  CK_PLAN_DOUBT,   /* the session stops, unless a policy or a person settles it */
  CK_PLAN_TELL,    /* "unknown" is its outcome: a model goes on, a node fails */
  CK_PLAN_FAIL,    /* it counts as not carried out: policies decide */
  CK_PLAN_BLOCK,   /* as DOUBT: another action was done in its place */
  CK_PLAN_DIVERGE, /* the flow has changed: the session fails */
  CK_PLAN_LEAVE,   /* its intent stays open: a resume asks for it again */
  CK_PLAN_ACTION_COUNT
} ck_plan_action;
const char *ck_plan_action_name(ck_plan_action action);

typedef struct ck_plan {
  ck_plan_action action;
  bool diverged; /* the other request is noted in the record */
} ck_plan;
ck_plan ck_ledger_plan(const ck_ledger_case *of);

#endif
