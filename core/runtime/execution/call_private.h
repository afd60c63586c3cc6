/* call_private.h - the effects that a coroutine waits for, from their request to their outcome. */
#ifndef CK_RUNTIME_EXECUTION_CALL_PRIVATE_H
#define CK_RUNTIME_EXECUTION_CALL_PRIVATE_H

#include "core/runtime/execution/runner_private.h"

/* What an effect waits for. */
typedef enum {
  CK_CALL_INTENT, /* its intent to be committed */
  CK_CALL_DRIVER, /* its driver to deliver */
  CK_CALL_PASSED, /* nothing: its model may not be asked, and the next one is, if there is one */
  CK_CALL_ROOM,   /* others under way to end, which hold what it needs of a limit */
  /* a person's answer: its intent stays open, and nothing in this process will close it */
  CK_CALL_WAITING,
  CK_CALL_LEFT,   /* it was cancelled, or cannot be begun: what is known of it is in the ledger */
  CK_CALL_FAILED, /* the coroutine fails of it, once those asked for with it have ended */
  CK_CALL_DONE    /* its outcome is recorded */
} ck_call_phase;

/* The sink given to a driver leads back to its call. */
typedef struct ck_call_sink {
  ck_effect_sink sink;
  ck_call *call;
} ck_call_sink;

typedef struct ck_permit_question ck_permit_question; /* permit_question.h */

/* One effect under way. */
struct ck_call {
  ck_runner *runner;
  ck_call_phase phase;
  ck_effect effect;
  ck_effect_class class; /* that rules what was begun: see ck_ledger_case */
  char key[CK_STATE_KEY_MAX];
  char label[64]; /* for people: a tool's name; "" */
  char digest[CK_REQUEST_DIGEST_SIZE];
  ck_value *request;              /* as the ledger keeps it: redacted */
  const ck_effect_driver *driver; /* NULL: the effect is the flow's own */
  ck_call_sink sink;
  ck_action_question *action; /* an agent wants it, see action.h; NULL: an effect */
  ck_effect_run *run;         /* NULL: its driver has nothing to cancel */
  bool probing, delivered;
  const char **payers;                      /* of the effect */
  ck_value *untrusted, *tail, *interrupted; /* of the effect */
  ck_conversation *messages;                /* of its request, which is aside; NULL: it has none */
  bool tried;                               /* it was begun before, here or in an earlier process */
  bool asks_limit;        /* WAITING for an answer to a limit, not for its own outcome */
  ck_limit_hit hit;       /* that limit */
  unsigned limit_answers; /* answers to limits that this process has carried out */
  bool blocked;           /* in doubt, though never begun: another action was done in its place */
  bool left_open;         /* its driver was asked: it may have cost what it reserved */
  bool begun;             /* this process has recorded its intent */
  bool settled;           /* its driver waits, and what its last try cost is recorded */
  bool again;             /* its next intent is a retry */
  bool in_batch;          /* its message enters the conversation with those of its batch */
  bool counted;           /* it is in the sums of reserves.h, at `counts` */
  ck_reserve_sum counts;  /* without an agent */
  ck_limit_hit fit;       /* effect.fitted: the limit that it was fitted to, as it was then */
  ck_leave leave;         /* the policies' word on it, once `judged` */
  ck_value *place;        /* where it was asked about, if a policy looked; NULL */
  bool judged, permitted; /* permitted: a person allowed it, or it was begun before */
  bool renewed;           /* another model is asked: what was begun says nothing of it */
  ck_error failure;       /* of the model that it is asked for; status CK_OK: none */
  ck_status chain;        /* the failure after which a model of the chain is asked; CK_OK: any */
  size_t begins;          /* with which of its chain: 0, the flow's own */
  ck_permit_question *question; /* that a policy has a person asked; NULL: none */
  unsigned tries;               /* that a policy asked for after a failure */
  /* its own driver while `driver` waits before such a try; NULL: it does not */
  const ck_effect_driver *waits_with;
  int64_t retry_at_ms;    /* wall time of the next such try; 0: none is to come */
  ck_value *dropped;      /* an answer to another question under its key; NULL: none */
  ck_outcome *lost;       /* how it ended here without telling its outcome; NULL: it did not */
  uint64_t ticket;        /* of its intent */
  uint64_t told;          /* the ticket of its updates */
  void (*kept)(void *to); /* its driver waits for that; NULL: it does not */
  void *kept_to;
  int64_t begun_us;    /* monotonic time its driver was started */
  ck_outcome *outcome; /* delivered by the driver, then recorded; given to the coroutine */
};

/* ---- call_state.c ---- */

ck_session *ck_call_session(const ck_call *self);
CK_CHECKED ck_status ck_call_redact_request(ck_call *self, ck_error *err); /* and its label */
/* An effect that only waits, for a time or a person: put off when the session is to end, and never
 * a sign of a fault. */
bool ck_call_waits_only(const ck_effect *effect);
/* Nothing of it is under way: it only waits, also between two tries, and is simply asked for again
 * later. */
bool ck_call_is_idle(const ck_call *self);
/* Whether the driver (NULL: there is none) can probe the outcome of the effect. */
bool ck_driver_probes(const ck_effect_driver *driver, const ck_effect *effect);
/* How durable its intent (`outcome` NULL) or its outcome must be. */
ck_durability ck_call_durability(const ck_effect *effect, const ck_outcome *outcome);
/* The coroutine fails of it; what was asked for together with it is still waited for, and
 * recorded. */
void ck_call_fail(ck_call *self, ck_status cause, const char *text);
/* A question whether it may begin is put, and has no answer yet. */
bool ck_call_asks_leave(const ck_call *self);
void ck_call_free(ck_call *self);
/* Cancels what the runner's drivers still do; `harmless`: only idle ones. */
void ck_runner_cancel_calls(ck_runner *self, bool harmless);
void ck_runner_drop_calls(ck_runner *self);

/* ---- call_record.c ---- */

/* The outcome's event, folded and queued. Takes `outcome`, which becomes self->outcome. */
CK_CHECKED ck_status ck_call_record(ck_call *self, ck_outcome *outcome, const char *via,
                                    ck_error *err);
CK_CHECKED ck_status ck_call_replay(ck_call *self, const ck_ledger_entry *entry, ck_error *err);
CK_CHECKED ck_status ck_call_record_divergence(ck_call *self, const char *recorded, ck_error *err);
/* The message that a done effect adds to the conversation; NULL when it adds none. */
CK_CHECKED ck_status ck_call_make_message(ck_value **out, const ck_call *self, ck_error *err);
void ck_call_notify(const ck_call *self, const char *what);
/* A line for people about the call. */
void ck_call_notify_note(const ck_call *self, const char *text);

/* ---- call_doubt.c ---- */

/* Commits its intent, when its limits allow it. */
CK_CHECKED ck_status ck_call_commit_intent(ck_call *self, ck_error *err);
/* Neither ledger nor driver has its outcome: the policies decide, `otherwise` holds when none has
 * an opinion. */
CK_CHECKED ck_status ck_call_settle_doubt(ck_call *self, ck_doubt_word otherwise, ck_error *err);
/* Makes it again after an ending that told nothing: that attempt is recorded as lost, at its
 * cost or reserve. */
CK_CHECKED ck_status ck_call_run_again(ck_call *self, ck_error *err);
/* Its driver waits before it delivers that a try has failed: this is recorded now, at its known
 * cost. */
CK_CHECKED ck_status ck_call_settle_try(ck_call *self, const ck_outcome *known, ck_error *err);
/* An ending that told nothing becomes its outcome, with what it had written: UNKNOWN, or ERROR
 * where a probe has told that nothing happened. */
CK_CHECKED ck_status ck_call_tell(ck_call *self, ck_outcome_status as, ck_error *err);
/* A person has resolved it: their outcome is recorded. */
CK_CHECKED ck_status ck_call_apply_resolution(ck_call *self, const ck_ledger_entry *entry,
                                              ck_error *err);
CK_CHECKED ck_status ck_call_stop_in_doubt(ck_call *self);
/* The call stays without an outcome, and the session is to end. */
void ck_call_leave(ck_call *self, ck_session_status status, ck_status cause, const char *text);

/* ---- context.c ---- */

/* An outcome NAME below its key, that another resume finds at this very call: JSON that the runtime
 * gave whoever is asked. `said`: the event's member NAME, about the note; NULL: none. NULL in *out:
 * none. */
CK_CHECKED ck_status ck_call_record_note(ck_call *self, const char *name, const ck_value *note,
                                         const ck_value *said, ck_error *err);
CK_CHECKED ck_status ck_call_find_note(ck_outcome **out, const ck_call *self, const char *name,
                                       ck_error *err);

/* Gives an agent the section that it got at this very call in an earlier process; false in
 * *notified when it got none. */
CK_CHECKED ck_status ck_call_restore_notifications(bool *notified, ck_call *self, ck_error *err);
/* Gives an agent its tail where its context is gone. */
CK_CHECKED ck_status ck_call_notify_agent(bool *notified, ck_call *self, ck_error *err);
/* Before an agent's turn begins that was tried before: finds what is known of that try. */
CK_CHECKED ck_status ck_call_find_interrupted(ck_call *self, ck_error *err);

/* ---- call_start.c ---- */
/* The intent is committed, or it is to be probed; _with: its driver gets another in its place. */
CK_CHECKED ck_status ck_call_start(ck_call *self, ck_error *err);
CK_CHECKED ck_status ck_call_start_with(ck_call *self, const ck_effect *effect, ck_error *err);
CK_CHECKED ck_status ck_call_probe(ck_call *self, ck_error *err);
/* ---- call_failure.c ---- */
/* The effect was not carried out, says self->outcome: the policies may have it tried again, at most
 * CK_EFFECT_TRIES times in all. */
CK_CHECKED ck_status ck_call_handle_failure(ck_call *self, ck_error *err);
/* CK_CALL_PASSED: the next model of its chain is asked, or self->failure holds. */
CK_CHECKED ck_status ck_call_ask_further(ck_call *self, ck_error *err);
/* A program that has ended badly, and a model that refuses to answer, are the flow's to handle
 * (false in *handled), unless a policy or a chain says otherwise, or a schema wants an answer. */
CK_CHECKED ck_status ck_call_handle_ended(bool *handled, ck_call *self, ck_error *err);
/* An effect that failed in this attempt fails again; not (false in *failed) where a policy has it
 * retried or the session paused. */
CK_CHECKED ck_status ck_call_fail_again(bool *failed, ck_call *self, const ck_ledger_entry *entry,
                                        ck_error *err);
/* ---- call_ending.c ---- */
/* Carries out what the ledger's table says of an effect that ended without telling its outcome.
 * self->lost is that ending; NULL: an earlier process had begun it. */
CK_CHECKED ck_status ck_call_follow_ending(ck_call *self, ck_effect_ending ending, ck_error *err);
/* self->outcome, from its driver, says that the outcome is unknown. */
CK_CHECKED ck_status ck_call_take_unknown(ck_call *self, ck_error *err);
/* A probe has found the outcome, or that nothing happened, or that it cannot tell. */
CK_CHECKED ck_status ck_call_complete_probe(ck_call *self, ck_error *err);

/* ---- call_run.c ---- */
/* A person's answer to the question it waits for. */
CK_CHECKED ck_status ck_call_answer(ck_call *self, const char *text, ck_error *err);
/* One step of all of them; false in *moved when they wait. */
CK_CHECKED ck_status ck_runner_advance_calls(bool *moved, ck_runner *self, ck_error *err);
/* Nobody waits for them any more: what drivers deliver all the same is recorded; false in *closed
 * when some have not yet. */
CK_CHECKED ck_status ck_runner_close_calls(bool *closed, ck_runner *self, ck_error *err);

/* ---- call.c ---- */
/* The coroutine asked for effects: each is replayed, or its intent is committed, or the session
 * stops. */
CK_CHECKED ck_status ck_runner_begin_calls(ck_runner *self, ck_error *err);

#endif
