/* ledger.h - the index over intents and outcomes: what was done, what may have been done, what must
 * not be done again. */
#ifndef CK_RUNTIME_LEDGER_LEDGER_H
#define CK_RUNTIME_LEDGER_LEDGER_H

#include "core/model/conversation.h"
#include "core/model/event.h"
#include "core/model/session.h"
#include "core/runtime/ledger/plan.h"
#include "core/runtime/ledger/request_digest.h"

typedef struct ck_ledger ck_ledger;

/* A person's verdict on an effect in doubt. */
typedef enum { CK_VERDICT_NONE, CK_VERDICT_DONE, CK_VERDICT_RETRY, CK_VERDICT_ABORT } ck_verdict;
ck_verdict ck_verdict_of(const char *name); /* NONE when there is none */

/* The state of one key. Values borrowed from the ledger. */
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
  const ck_value *displaced; /* of a blocked one: the body of the last intent before it; NULL */
  int64_t intent_seq, outcome_seq;
  int64_t troubles;   /* how often it failed, or was lost and begun again, whatever came then, in
                       * the ledger's lineage */
  ck_verdict verdict; /* given after the last intent */
  const ck_value *resolution; /* body; NULL */
} ck_ledger_entry;

CK_CHECKED ck_status ck_ledger_new(ck_ledger **out, ck_error *err);
void ck_ledger_free(ck_ledger *self);
/* Of what went wrong, only that counts from here on which lies in `view`, or was met in `attempt`:
 * what a person has left behind by going back does not. `view` is borrowed. */
void ck_ledger_set_lineage(ck_ledger *self, const ck_view *view, uint32_t attempt);
/* The effect failed in the lineage before, or is open there: to begin it now is to try it again. */
bool ck_ledger_went_wrong(const ck_ledger *self, const ck_ledger_entry *entry);
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
/* Borrowed; NULL: the key has neither intent nor outcome. */
const ck_ledger_entry *ck_ledger_get(const ck_ledger *self, const char *key);
/* An effect that is asked for. */
typedef struct ck_ledger_request {
  uint32_t attempt;
  const char *digest;
  ck_bytes request; /* as the ledger keeps it: redacted */
  bool by_model;    /* the id that the model gave its call does not count */
} ck_ledger_request;
/* At a later attempt each outcome that stands (of what must not be repeated, ok or unknown) is
 * found again, whatever was asked for under the same key since: the key's entry becomes that of the
 * same action, else, when the last request left none (it was not begun, or failed), the one before
 * it. For ck_ledger_get and ck_ledger_find of this effect. */
void ck_ledger_recall(ck_ledger *self, const char *key, const ck_ledger_request *asked);
/* In no order; NULL past the end. */
const ck_ledger_entry *ck_ledger_at(const ck_ledger *self, size_t index);

/* The case of an effect that is asked for, for ck_ledger_plan: without a probe, with tries left.
 * `entry` may be NULL. */
ck_ledger_case ck_ledger_find_entry(const ck_ledger_entry *entry, const ck_effect *effect,
                                    const char *digest);
/* The same for what this ledger knows of the effect's key. It also sees whether a model's answer
 * with tool calls was acted on: whether something which may not simply run again was begun behind
 * it in the same turn. Another answer would call something else in the place of what was called. */
ck_ledger_case ck_ledger_find(const ck_ledger *self, const ck_effect *effect, const char *digest);

#endif
