/* pending_call.h - effects that a service carries out: a ring of them, each with one outcome that
 * comes later, whatever happens. */
#ifndef CK_EFFECT_PENDING_CALL_H
#define CK_EFFECT_PENDING_CALL_H

#include "core/effect/loop.h"
#include "core/model/driver.h"

/* The first member of the driver's struct ck_effect_run. */
typedef struct ck_pending_call {
  struct ck_pending_calls *ring;
  const ck_effect *effect;
  ck_effect_sink *sink;
  bool sent;   /* the service has it, so that it may have taken effect */
  bool probes; /* it only asks whether the effect happened: nobody can tell without an answer */
  int64_t cost_micros; /* of an end without an answer; see ck_outcome */
  ck_outcome *outcome; /* the sink gets it with the loop's next turn; NULL: it is under way */
  ck_outcome *spare;   /* for the case that there is no memory for the true one */
  ck_loop_task task;
  struct ck_pending_call *next, *previous;
} ck_pending_call;

typedef struct ck_pending_calls {
  ck_loop *loop;
  size_t size;                       /* of the driver's struct ck_effect_run */
  void (*clear)(ck_effect_run *run); /* releases what it holds besides */
  ck_pending_call end;               /* of the ring */
} ck_pending_calls;

void ck_pending_calls_init(ck_pending_calls *out, ck_loop *loop, size_t size,
                           void (*clear)(ck_effect_run *run));
/* The one after `run`, NULL: the first. NULL at the end. */
ck_effect_run *ck_pending_calls_next(const ck_pending_calls *self, const ck_effect_run *run);
/* Frees all of them; nothing is delivered. */
void ck_pending_calls_clear(ck_pending_calls *self);

/* A run that is zero but for its errand, at the ring's end. */
CK_CHECKED ck_status ck_pending_call_new(ck_effect_run **out, ck_pending_calls *ring,
                                         const ck_effect *effect, ck_effect_sink *sink,
                                         ck_error *err);
/* True when nothing but an answer tells what came of it, and it may not simply be done again; also
 * of a probe. */
bool ck_pending_call_is_in_doubt(const ck_pending_call *self);

/* ---- its end; each delivers later, so it can be called at any time ---- */

/* Takes `outcome`; NULL: there was no memory for it. */
void ck_pending_call_deliver(ck_pending_call *self, ck_outcome *outcome);
/* An outcome without a result: FAILED of `class`, or ERROR. */
void ck_pending_call_end(ck_pending_call *self, ck_outcome_status status, ck_status class,
                         const char *why);
/* There will be no answer: UNKNOWN when it is in doubt, ABSENT when it was cancelled
 * (CK_E_INTERRUPTED) and never sent, else FAILED. */
void ck_pending_call_lose(ck_pending_call *self, ck_status class, const char *why);

#endif
