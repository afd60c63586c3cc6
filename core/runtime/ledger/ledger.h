/* ledger.h - the index over intents and outcomes: what was done, what may have been done, what must
 * not be done again.
 *
 * Bodies of the events it reads (all keys are JSON members):
 *   intent      {key, attempt, kind, class, digest, reserve?, for?, request}
 *   outcome     {key, attempt, kind, status, via ("runtime": it was never begun), digest, list? (of
 *               what a server offers), message? | result?, error?, cause? (of a failed one: its
 *               class), for?, cost?, input_tokens?, output_tokens?}
 *   resolution  {key, verdict, result?}
 * `digest` is the first half of BLAKE2b-256 over the redacted request and the conversation sent
 * with it, in hex. An outcome that produced a message (model, tool, ask) holds the message; its
 * result is read from there. */
#ifndef CK_RUNTIME_LEDGER_LEDGER_H
#define CK_RUNTIME_LEDGER_LEDGER_H

#include "core/model/conversation.h"
#include "core/model/event.h"
#include "core/model/session.h"

enum { CK_REQUEST_DIGEST_SIZE = 33 }; /* 32 hex digits and a NUL */

typedef struct ck_ledger ck_ledger;

/* What a person said of an effect in doubt. */
typedef enum { CK_VERDICT_NONE, CK_VERDICT_DONE, CK_VERDICT_RETRY, CK_VERDICT_ABORT } ck_verdict;
ck_verdict ck_verdict_of(const char *name); /* NONE when there is none */

/* What is known of one key. Values borrowed from the ledger. */
typedef struct ck_ledger_entry {
  const char *key;
  bool open;    /* the last intent has no outcome */
  bool blocked; /* the last intent was never begun: see ck_ledger_write_blocked */
  ck_effect_kind kind;
  ck_effect_class class; /* as declared at the last intent */
  uint32_t intent_attempt, outcome_attempt;
  char intent_digest[CK_REQUEST_DIGEST_SIZE], outcome_digest[CK_REQUEST_DIGEST_SIZE];
  const char *scope, *agent; /* agent: of the last intent; NULL */
  const ck_value *intent;    /* body; NULL: none seen */
  const ck_value *outcome;   /* body of the last outcome; NULL: none */
  int64_t intent_seq, outcome_seq;
  ck_verdict verdict;         /* said after the last intent */
  const ck_value *resolution; /* body; NULL */
} ck_ledger_entry;

CK_CHECKED ck_status ck_ledger_new(ck_ledger **out, ck_error *err);
void ck_ledger_free(ck_ledger *self);
/* Folds one event, in order of seq; other kinds are passed over. CK_E_CORRUPT when a body lacks
 * what it must have. */
CK_CHECKED ck_status ck_ledger_apply(ck_ledger *self, const ck_event *event, ck_error *err);
/* The same as a visitor of ck_store_read_events; stops at the first failure, which is in
 * `status`. */
typedef struct ck_ledger_fold {
  ck_ledger *ledger;
  ck_status status;
  ck_error *err;
} ck_ledger_fold;
bool ck_ledger_fold_event(void *to, const ck_event *event);
/* Borrowed; NULL: nothing is known of this key. */
const ck_ledger_entry *ck_ledger_get(const ck_ledger *self, const char *key);
/* In no order; NULL past the end. */
const ck_ledger_entry *ck_ledger_at(const ck_ledger *self, size_t index);

/* What to do about an effect that is asked for. */
typedef enum {
  CK_LEDGER_RUN,      /* nothing stands against it */
  CK_LEDGER_REPLAY,   /* the recorded outcome is its outcome */
  CK_LEDGER_RESOLVED, /* a person said what its outcome is */
  CK_LEDGER_DOUBT,    /* intent without outcome, and it may not simply run again */
  CK_LEDGER_DIVERGED  /* recorded with another request, and it may not simply run again */
} ck_ledger_answer;
typedef struct ck_ledger_case {
  ck_ledger_answer answer;
  bool repeated; /* RUN: although an intent or an outcome is recorded */
  bool diverged; /* RUN or DIVERGED: the recorded request digest differs */
} ck_ledger_case;
/* The rules of DESIGN 7. `entry` may be NULL. */
ck_ledger_case ck_ledger_decide(const ck_ledger_entry *entry, const ck_effect *effect,
                                const char *digest);

/* The same for what this ledger knows of the effect's key, with one rule more: a model's answer
 * with tool calls that was acted on, so that something which may not simply run again was begun
 * behind it in the same turn, is not asked for anew at a later attempt, as long as the request is
 * the same. Another answer would call something else in the place of what was called. */
ck_ledger_case ck_ledger_decide_known(const ck_ledger *self, const ck_effect *effect,
                                      const char *digest);

/* Digest of what is asked: the (redacted) request and, for a model, the conversation. */
void ck_request_digest(char out[CK_REQUEST_DIGEST_SIZE], const ck_effect *effect,
                       ck_bytes redacted_request);

/* The bodies. */
CK_CHECKED ck_status ck_ledger_write_intent(ck_value **out, const ck_effect *effect,
                                            const char *digest, ck_bytes request, ck_error *err);
/* Of an action in whose place another one was carried out before the session went back. Until a
 * policy or a person says so it is not begun: nobody can know whether it is to be done beside the
 * other, or stands for it. */
CK_CHECKED ck_status ck_ledger_write_blocked(ck_value **out, const ck_effect *effect,
                                             const char *digest, ck_bytes request, ck_error *err);
CK_CHECKED ck_status ck_ledger_write_outcome(ck_value **out, const ck_effect *effect,
                                             const ck_outcome *outcome, const char *digest,
                                             const char *via, const ck_value *message,
                                             ck_error *err);
/* That a call's outcome is lost: it failed, and costs what its intent reserved, for the same
 * payers. */
CK_CHECKED ck_status ck_ledger_write_unsettled(ck_value **out, const ck_ledger_entry *entry,
                                               ck_error *err);
/* An outcome that says no more than that. */
bool ck_ledger_is_unsettled(ck_bytes body);
/* The outcome back from its event's body. */
CK_CHECKED ck_status ck_ledger_read_outcome(ck_outcome **out, const ck_value *body, int64_t seq,
                                            ck_error *err);
/* The status that a JSON string names, as "cause" does; `otherwise` when it names none. */
ck_status ck_ledger_read_status(ck_bytes name, ck_status otherwise);
/* What a resolution by a person amounts to: done (with `result` or null) or abort (an error told to
 * the flow). */
CK_CHECKED ck_status ck_ledger_read_resolution(ck_outcome **out, const ck_ledger_entry *entry,
                                               ck_error *err);
/* Adds what an outcome's body says was spent. */
void ck_totals_add_outcome(ck_totals *totals, const ck_value *body);

#endif
