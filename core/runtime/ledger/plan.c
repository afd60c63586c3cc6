/* plan.c - the table of how effects go on. */
#include "core/runtime/ledger/plan.h"

/* ---- sets of values; 0: any ---- */

#define ONE(value) (1u << (value))
#define REPEATABLE (ONE(CK_EFFECT_PURE) | ONE(CK_EFFECT_IDEMPOTENT))
#define PURE ONE(CK_EFFECT_PURE)
#define ANSWERED \
  (ONE(CK_LEDGER_OK) | ONE(CK_LEDGER_ACTED_ON) | ONE(CK_LEDGER_ERROR) | ONE(CK_LEDGER_UNKNOWN))
#define KEPT (ONE(CK_LEDGER_OK) | ONE(CK_LEDGER_ACTED_ON) | ONE(CK_LEDGER_UNKNOWN))
#define CHANGED (ONE(CK_REQUEST_RENAMED) | ONE(CK_REQUEST_OTHER))
#define ALIKE (ONE(CK_REQUEST_SAME) | ONE(CK_REQUEST_RENAMED))
#define LOST_HERE (ONE(CK_ENDING_UNKNOWN) | ONE(CK_ENDING_CUT))
#define UNTOLD (ONE(CK_ENDING_UNTOLD) | ONE(CK_ENDING_UNTOLD_OF_EARLIER))
#define NO ONE(0)
#define YES ONE(1)

typedef struct rule {
  unsigned endings, states, classes, requests;
  unsigned later, acts, called, probes, tries_left; /* NO or YES */
  ck_plan plan;
} rule;

/* The first that fits counts. Those that ended in this process come first. */
/* clang-format off */
static const rule rules[] = {
  /* -- it ended without telling its outcome: a probe may know; what may be repeated is, within its
   *    tries; whoever called it can be told; else it is in doubt -- */
  {.endings = LOST_HERE, .probes = YES, .plan = {CK_PLAN_PROBE}},
  {.endings = ONE(CK_ENDING_CUT), .classes = REPEATABLE, .tries_left = YES, .plan = {CK_PLAN_RUN}},
  {.endings = ONE(CK_ENDING_CUT), .classes = REPEATABLE, .plan = {CK_PLAN_FAIL}},
  {.endings = ONE(CK_ENDING_UNKNOWN), .classes = REPEATABLE, .called = YES, .tries_left = YES,
   .plan = {CK_PLAN_RUN}},
  /* the node's own `retry` asks for it again */
  {.endings = ONE(CK_ENDING_UNKNOWN), .classes = REPEATABLE, .plan = {CK_PLAN_TELL}},
  {.endings = UNTOLD, .classes = REPEATABLE, .tries_left = YES, .plan = {CK_PLAN_RUN}},
  {.endings = UNTOLD, .classes = REPEATABLE, .plan = {CK_PLAN_TELL}},
  {.endings = LOST_HERE | ONE(CK_ENDING_UNTOLD), .called = YES, .plan = {CK_PLAN_TELL}},
  {.endings = LOST_HERE | UNTOLD, .plan = {CK_PLAN_DOUBT}},
  {.endings = ONE(CK_ENDING_CANCELLED), .classes = REPEATABLE, .plan = {CK_PLAN_LEAVE}},
  {.endings = ONE(CK_ENDING_CANCELLED), .plan = {CK_PLAN_DOUBT}},
  {.endings = ONE(CK_ENDING_ABSENT), .tries_left = YES, .plan = {CK_PLAN_RUN}},
  {.endings = ONE(CK_ENDING_ABSENT), .plan = {CK_PLAN_TELL}},

  /* -- it is asked for: nothing stands against it, or a person has decided -- */
  {.states = ONE(CK_LEDGER_NOTHING), .plan = {CK_PLAN_RUN}},
  {.states = ONE(CK_LEDGER_FAILED), .plan = {CK_PLAN_RUN}},
  {.states = ONE(CK_LEDGER_SETTLED), .requests = ALIKE, .plan = {CK_PLAN_RESOLVE}},
  {.states = ONE(CK_LEDGER_LOST) | ONE(CK_LEDGER_RELEASED), .requests = ONE(CK_REQUEST_SAME),
   .plan = {CK_PLAN_RUN}},
  {.states = ONE(CK_LEDGER_LOST) | ONE(CK_LEDGER_RELEASED), .plan = {CK_PLAN_RUN, true}},

  /* -- begun, and no outcome -- */
  {.states = ONE(CK_LEDGER_OPEN), .requests = ONE(CK_REQUEST_SAME), .probes = YES,
   .plan = {CK_PLAN_PROBE}},
  {.states = ONE(CK_LEDGER_OPEN) | ONE(CK_LEDGER_BLOCKED), .classes = REPEATABLE,
   .requests = ONE(CK_REQUEST_SAME), .plan = {CK_PLAN_RUN}},
  {.states = ONE(CK_LEDGER_OPEN) | ONE(CK_LEDGER_BLOCKED), .classes = REPEATABLE,
   .plan = {CK_PLAN_RUN, true}},
  {.states = ONE(CK_LEDGER_OPEN) | ONE(CK_LEDGER_BLOCKED), .requests = ONE(CK_REQUEST_SAME),
   .plan = {CK_PLAN_DOUBT}},
  {.states = ONE(CK_LEDGER_OPEN), .acts = YES, .later = YES, .plan = {CK_PLAN_DOUBT, true}},
  {.states = ONE(CK_LEDGER_BLOCKED), .acts = YES, .later = YES, .plan = {CK_PLAN_BLOCK, true}},
  {.states = ONE(CK_LEDGER_OPEN) | ONE(CK_LEDGER_BLOCKED), .plan = {CK_PLAN_DIVERGE, true}},

  /* -- an outcome: after a failure, an edit, or from an older checkpoint, errors and what is pure
   *    are asked for again; what is not known never, unless it may be repeated -- */
  {.states = ONE(CK_LEDGER_ACTED_ON), .requests = ONE(CK_REQUEST_SAME), .plan = {CK_PLAN_REPLAY}},
  {.states = ONE(CK_LEDGER_ERROR), .later = YES, .plan = {CK_PLAN_RUN}},
  {.states = KEPT, .later = YES, .classes = PURE, .plan = {CK_PLAN_RUN}},
  {.states = ONE(CK_LEDGER_UNKNOWN), .later = YES, .classes = REPEATABLE, .plan = {CK_PLAN_RUN}},
  {.states = ANSWERED, .requests = ONE(CK_REQUEST_SAME), .plan = {CK_PLAN_REPLAY}},
  /* what a person has said was of the request that is recorded */
  {.states = ANSWERED | ONE(CK_LEDGER_SETTLED), .classes = REPEATABLE, .plan = {CK_PLAN_RUN, true}},
  {.states = KEPT, .later = YES, .acts = YES, .requests = ONE(CK_REQUEST_RENAMED),
   .plan = {CK_PLAN_REPLAY}},
  {.states = KEPT | ONE(CK_LEDGER_SETTLED), .later = YES, .acts = YES,
   .plan = {CK_PLAN_BLOCK, true}},
  {.plan = {CK_PLAN_DIVERGE, true}},
};
/* clang-format on */

static bool fits(unsigned set, unsigned value) { return set == 0 || (set & ONE(value)) != 0; }

static bool applies(const rule *self, const ck_ledger_case *of) {
  unsigned endings = self->endings ? self->endings : ONE(CK_ENDING_NONE);
  return fits(endings, of->ending) && fits(self->states, of->state) &&
         fits(self->classes, of->class) && fits(self->requests, of->request) &&
         fits(self->later, of->later) && fits(self->acts, of->acts) &&
         fits(self->called, of->called) && fits(self->probes, of->probes) &&
         fits(self->tries_left, of->tries_left);
}

ck_plan ck_ledger_plan(const ck_ledger_case *of) {
  const rule *self = rules;
  while (!applies(self, of)) self++;
  return self->plan;
}

const char *ck_plan_action_name(ck_plan_action action) {
  static const char *const names[CK_PLAN_ACTION_COUNT] = {
      "run", "replay", "resolve", "probe", "in doubt", "tell", "fail", "block", "diverge", "leave"};
  return names[action];
}
