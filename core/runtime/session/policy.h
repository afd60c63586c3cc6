/* policy.h - contract with a policy engine: judgement over boundaries, histories, effects.
 *
 * Every hook fills *out also when it fails: with the fail-closed answer. A NULL hook means "no
 * opinion" and gets the neutral answer of ck_policy_always. Loop thread only. */
#ifndef CK_RUNTIME_SESSION_POLICY_H
#define CK_RUNTIME_SESSION_POLICY_H

#include "core/model/answers.h"
#include "core/base/placeholder.h"
#include "core/model/boundary.h"
#include "core/model/changed_keys.h"
#include "core/model/checkpoint.h"
#include "core/model/effect.h"
#include "core/model/event.h"
#include "core/model/verdict.h"

typedef struct ck_decision {
  bool take;
  bool sync;          /* the flow waits until it is durable */
  ck_value *reasons;  /* JSON array of {policy, version, reason}; NULL: none given. Owned */
  ck_answers answers; /* who said what; without hook and time, which are the caller's to fill */
} ck_decision;
void ck_decision_clear(ck_decision *self);

/* prune: chooses checkpoints of a history (ascending). `drop` and `keep` are flags by index,
 * caller's memory, false on entry. */
typedef struct ck_history {
  const ck_checkpoint_info *checkpoints;
  size_t count;
  int64_t now_ms;
} ck_history;
typedef struct ck_prune_plan {
  bool *drop, *keep;
  uint64_t *dropped_by, *kept_by; /* by index likewise: bit i is policy i; NULL: nobody wants it */
  ck_answers answers; /* who said what; without hook and time, which are the caller's to fill */
} ck_prune_plan;

/* redact: an item on its way to a sink. */
typedef struct ck_item {
  const char *key;    /* NULL: an event's body */
  ck_event_kind kind; /* of the event; a key has none */
  const char *agent;  /* of the event; NULL: nobody, or a key */
  const ck_value *value;
  const ck_fingerprint_key *fingerprint; /* for masks of parts; NULL: they have none */
} ck_item;
typedef struct ck_redaction {
  ck_redact_verdict verdict;
  char *ref;          /* REF: "env:NAME". Owned */
  ck_value *value;    /* REPLACE: the item's value with other texts in it. Owned */
  ck_answers answers; /* who said what; without hook and time, which are the caller's to fill */
} ck_redaction;

/* resume: what happens to each dimension. */
typedef struct ck_resume_case {
  const ck_session_record *session;
  const ck_checkpoint_info *checkpoint; /* NULL: from the first event */
  const ck_totals *totals;
  int64_t now_ms;
  struct {
    int64_t spent_micros, limit_micros; /* before the rules; limit -1: none */
  } budget;
  const ck_value *seen; /* what the host knows of it, see ck_resume_options; NULL: nothing */
} ck_resume_case;
typedef struct ck_resume_rules {
  ck_rule budget, time, rounds, tokens, tool_calls, model_calls;
  char *refusal; /* not NULL: the resume is refused, and why. Owned */
  /* whose the refusal, or the first rule to refuse, is; NULL: the profile's. Borrowed from the
   * engine */
  const char *refused_by;
  /* a person decides, whose question it is: "a, b"; NULL: nobody asks, or it is refused. Owned */
  char *question, *asked_by;
  /* what each policy answered, by name: a JSON array of {policy, answer, rules?}; NULL: nobody was
   * asked. Owned */
  char *answers;
  ck_rule said[6]; /* by the policy that answered last, in the order of the rules above */
} ck_resume_rules;
void ck_resume_rules_clear(ck_resume_rules *self);

/* on_failure and in_doubt. */
typedef struct ck_failure {
  const char *node, *agent; /* NULL: none */
  const char *key, *tool;   /* tool: NULL: it is no call of one */
  ck_effect_kind kind;
  ck_status status;
  const char *error;
  uint32_t attempt, tries; /* tries: of the effect at once, this one included */
  int64_t retry_after_ms;  /* that its service asks to wait; 0: it does not say */
} ck_failure;
/* `*out` comes in as the answer without an opinion, and stays so when no policy has one. */
typedef enum {
  CK_FAILURE_PAUSE,
  CK_FAILURE_RETRY,
  CK_FAILURE_FAIL,
  CK_FAILURE_FALLBACK, /* the next model of the profile's chain is asked; none: no opinion */
  CK_FAILURE_LEAVE     /* to the flow: a program that ended badly is an outcome */
} ck_failure_word;
typedef struct ck_failure_answer {
  ck_failure_word word;
  int64_t wait_ms;    /* RETRY: before it */
  const char *policy; /* who says so; NULL: nobody. Borrowed from the engine */
  ck_answers answers; /* who said what; without hook and time, which are the caller's to fill */
} ck_failure_answer;
typedef enum { CK_DOUBT_STOP, CK_DOUBT_RERUN, CK_DOUBT_TELL } ck_doubt_word;
typedef struct ck_doubt_answer {
  ck_doubt_word word;
  const char *policy; /* who says so; NULL: nobody. Borrowed from the engine */
  ck_answers answers; /* who said what; without hook and time, which are the caller's to fill */
} ck_doubt_answer;

/* permit: whether an effect may begin. */
typedef enum {
  CK_LEAVE_ALLOW,
  CK_LEAVE_ASK, /* a person decides */
  CK_LEAVE_DENY
} ck_leave_word;
typedef struct ck_leave {
  ck_leave_word word;
  bool approved;      /* ALLOW: a policy says so, and not only that it has no opinion */
  char *policies;     /* whose word it is, separated by ", "; NULL: ALLOW. Owned */
  char *text;         /* ASK: the question; DENY: why; NULL: ALLOW. Owned */
  ck_answers answers; /* who said what; without hook and time, which are the caller's to fill */
} ck_leave;
void ck_leave_clear(ck_leave *self);

typedef struct ck_policy_engine ck_policy_engine;
struct ck_policy_engine {
  void *self;
  /* The calls that its policies name by their options, so that they are asked before these: a JSON
   * array of {agent? (whose policy it is), classes?, risky?}. NULL: none. The engine's own */
  const ck_value *named;
  CK_CHECKED ck_status (*checkpoint)(ck_decision *out, void *self, const ck_boundary *at,
                                     ck_error *err);
  CK_CHECKED ck_status (*prune)(ck_prune_plan *out, void *self, const ck_history *history,
                                ck_error *err);
  CK_CHECKED ck_status (*redact)(ck_redaction *out, void *self, const ck_item *item, ck_error *err);
  CK_CHECKED ck_status (*resume)(ck_resume_rules *out, void *self, const ck_resume_case *of,
                                 ck_error *err);
  CK_CHECKED ck_status (*tail)(bool *out, ck_answers *said, void *self, const ck_event *event,
                               const char *agent, ck_error *err);
  CK_CHECKED ck_status (*on_failure)(ck_failure_answer *out, void *self, const ck_failure *failure,
                                     ck_error *err);
  CK_CHECKED ck_status (*in_doubt)(ck_doubt_answer *out, void *self, const ck_effect *effect,
                                   ck_error *err);
  /* `at` is where the effect would begin: between boundaries, so it has no kind. */
  CK_CHECKED ck_status (*permit)(ck_leave *out, void *self, const ck_effect *effect,
                                 const ck_boundary *at, ck_error *err);
  CK_CHECKED ck_status (*migrate)(ck_value **out, void *self, const ck_value *doc, int from, int to,
                                  ck_error *err);
  /* Fields of views ("effect.request"; "at.since" with all below it) that the questions from now on
   * cannot tell as they were: `*read`, NULL at first, becomes the one that a policy looks at first.
   * `fields` ends with NULL, and is borrowed; NULL: none any more. NULL hook: it cannot tell */
  void (*watch)(void *self, const char *const *fields, const char **read);
  void (*free)(void *self);
};

/* Of a session that names none: a sync checkpoint at every boundary, stop when in doubt. */
extern const ck_policy_engine ck_policy_always;

#endif
