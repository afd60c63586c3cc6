/* pending_call.h - effects that an external service carries out: a ring of pending calls, each with
 * one outcome that comes later, in every case. */
#ifndef CK_EFFECT_PENDING_CALL_H
#define CK_EFFECT_PENDING_CALL_H

#include "core/effect/loop.h"
#include "core/model/driver.h"

/* The first member of the driver's struct ck_effect_run. */
typedef struct ck_pending_call {
  struct ck_pending_calls *ring;
  const ck_effect *effect;
  ck_effect_sink *sink;
  bool sent;           /* the service has received it, so that it may have taken effect */
  bool probes;         /* a probe: without an answer the outcome stays unknown */
  int64_t cost_micros; /* of an end without an answer; see ck_outcome */
  ck_outcome *outcome; /* delivered with the loop's next turn; NULL: still pending */
  ck_outcome *spare;   /* delivered when there is no memory for the true outcome */
  ck_loop_task task;
  struct ck_pending_call *next, *previous;
} ck_pending_call;

typedef struct ck_pending_calls {
  ck_loop *loop;
  size_t size;                       /* of the driver's struct ck_effect_run */
  void (*clear)(ck_effect_run *run); /* releases the other members */
  ck_pending_call end;               /* of the ring */
} ck_pending_calls;

void ck_pending_calls_init(ck_pending_calls *out, ck_loop *loop, size_t size,
                           void (*clear)(ck_effect_run *run));
/* The call after `run`, NULL: the first. NULL at the end. */
ck_effect_run *ck_pending_calls_next(const ck_pending_calls *self, const ck_effect_run *run);
/* Frees all of them; nothing is delivered. */
void ck_pending_calls_clear(ck_pending_calls *self);

/* A zeroed run but for its pending call, at the ring's end. */
CK_CHECKED ck_status ck_pending_call_new(ck_effect_run **out, ck_pending_calls *ring,
                                         const ck_effect *effect, ck_effect_sink *sink,
                                         ck_error *err);
/* True when only an answer can tell whether the effect happened, and it may not simply be repeated;
 * also for a probe. */
bool ck_pending_call_is_in_doubt(const ck_pending_call *self);

/* ---- ends; each delivers later, so it can be called at any time ---- */

/* Takes `outcome`; NULL: no memory for it. */
void ck_pending_call_deliver(ck_pending_call *self, ck_outcome *outcome);
/* An outcome without a result: FAILED of `class`, or ERROR. */
void ck_pending_call_end(ck_pending_call *self, ck_outcome_status status, ck_status class,
                         const char *why);
/* No answer will come: UNKNOWN when the call is in doubt, and whatever may be done with it when it
 * was sent and the service went away (CK_E_UNAVAILABLE) or was silent (CK_OK); ABSENT when it was
 * cancelled (CK_E_INTERRUPTED) and never sent; else FAILED. */
void ck_pending_call_lose(ck_pending_call *self, ck_status class, const char *why);

#endif
