/* effect.h - an outward action of a flow, and its outcome. driver.h: what carries it out. */
#ifndef CK_MODEL_EFFECT_H
#define CK_MODEL_EFFECT_H

#include "core/base/digest.h"
#include "core/model/effect_class.h"
#include "core/model/value.h"

/* The messages of one scope, in order, with a digest that grows by one message at a time. */
typedef struct ck_conversation ck_conversation;

/* What leaves a model's answer less room than was asked for. */
typedef enum { CK_FIT_NONE, CK_FIT_MICROS, CK_FIT_TOKENS } ck_fit;

/* An action as a driver is given it. Everything is borrowed and lives until the sink's `done` was
 * called. */
typedef struct ck_effect {
  const char *scope; /* "main" */
  /* scope/position/kind/ordinal, such as "main/agent#3/tool/1": the place, never a call id */
  const char *key;
  uint32_t attempt; /* from 1 */
  ck_effect_kind kind;
  ck_effect_class class;
  /* a call of a tool that the flow carries out itself (a function, a delegation): no driver has it,
   * it counts against the limits, and its outcome says no more than that it was called */
  bool own;
  const char *agent; /* the agent that acts; NULL */
  /* under which its flow declares that what it gives is not to be trusted, where that is no name of
   * a tool or process; NULL */
  const char *source;
  /* JSON array: the sources that are not trusted whose content it may be made of, see sources.h; no
   * bytes: none */
  ck_bytes untrusted;
  /* the agents whose budgets bear the cost: `agent` and those above it; NULL-terminated; NULL:
   * nobody */
  const char *const *payers;
  int depth; /* of `agent`: so many agents are above it, one that stands there twice counts twice */
  /* JSON object by kind. As sent; the ledger keeps the digest of the redacted form.
   *   model: {model, tools?: [NAME | {name, description?, parameters?}], response_schema?,
   *          options…?}, or {model, messages: [MESSAGE], asked_by?: SERVER, options…?}: aside,
   *          of messages of its own
   *   tool:  {name, call_id?, index (from 0), arguments, server?},
   *          or {server, list: true}: the list of the server's tools; input?: {of, responses}:
   *          what an outcome `wants` was this, and is answered so
   *   exec:  {argv, env?, cwd?, input?, timeout_ms?, output_max?}
   *   agent: {process, prompt, session?}
   *   agent_tool: {name (the kind: "edit"), process, title?, arguments?, options?}
   *   sleep: {ms}
   *   ask:   {question?, options?: [TEXT], quiet?: the answer is no message, form?: the JSON
   *          Schema of what is asked for}
   *   read:  {what: "clock" | "random" | "file", path?}, {what: "fact", owner, key, value?} */
  ck_bytes request;
  /* agent effects: a JSON string that a process without its former memory gets before the
   * prompt; NULL: none. No part of the request */
  const ck_value *tail;
  /* agent effects: what is known of an earlier try of the same turn, the JSON object of
   * core/runtime/ledger/interrupted.h; NULL: nothing. No part of the request */
  const ck_value *interrupted;
  const ck_conversation *conversation; /* model effects: the messages to send; NULL otherwise */
  /* outcomes of models, tools and asks (ok, error or unknown, whoever gave them) in the
   * scope's view so far: a recording's cursor */
  uint64_t consumed;
  /* model effects: that of the profile which is asked in the place of the request's; NULL: the
   * request's. No part of the request */
  const char *model;
  /* the request's model has a chain that remembers who answered: that model failed then (wall
   * time); 0: it has not. No part of the request */
  bool remembered;
  int64_t failed_ms;
  bool tried;             /* it was begun before, and is begun again all the same */
  unsigned lost;          /* attempts made of it in this process whose outcome is unknown */
  int64_t reserve_micros; /* most it can cost, micro-dollars; 0 free; or a CK_RESERVE_ */
  int64_t reserve_tokens; /* most tokens that it can take; -1: not known */
  int64_t output_max;     /* most tokens of its answer, to keep within limits; 0: as requested */
  ck_fit fitted;          /* what makes output_max less than what it would otherwise be */
  int64_t unfitted;       /* fitted: what it would reserve otherwise, of money or of tokens */
  int64_t deadline_ms;    /* monotonic; 0 none */
  /* wall time of its first intent, also of an earlier run: the start of a sleep */
  int64_t begun_ms;
} ck_effect;

/* Nobody knows what it costs: and its owner says that this is well, or has not said so. */
enum { CK_RESERVE_UNMETERED = -1, CK_RESERVE_UNPRICED = -2 };

/* True for a call of a tool. Listing a server's tools is none and is not counted. */
bool ck_effect_is_tool_call(const ck_effect *effect);
/* True for what policies and people are asked about before it begins. */
bool ck_effect_asks_leave(const ck_effect *effect);
/* The request as the model that is asked in the place of its own has it: with its name. */
CK_CHECKED ck_status ck_effect_write_asked(ck_value **out, ck_bytes request, const char *model,
                                           ck_error *err);
/* True for what has no part in the conversation: a model's call with messages of its own, a quiet
 * question. Its outcome has no message. */
bool ck_effect_is_aside(const ck_effect *effect);
/* True for a call whose answer is a turn of `agent` (NULL: of nobody): its model's, which it makes
 * itself, and not aside. */
bool ck_effect_is_turn_of(const ck_effect *effect, const char *agent);

/* X(enumerator, name on disk). */
/* clang-format off */
#define CK_OUTCOME_TABLE(X) \
  X(CK_OUTCOME_OK, "ok") \
  /* it ran and failed; `result` has the cause, which of a tool is given to the model */ \
  X(CK_OUTCOME_ERROR, "error") \
  /* it could not be carried out; the session fails or pauses; not recorded as done */ \
  X(CK_OUTCOME_FAILED, "failed") \
  X(CK_OUTCOME_ENDED, "ended") /* the recording is at its end: the flow ends well */ \
  X(CK_OUTCOME_ABSENT, "absent") /* of a probe, or of a cancelled effect: it never happened */ \
  /* it had begun, and how it ended does not tell what it did: `result` is what it had written, */ \
  /* CK_E_UNAVAILABLE that its service went away, CK_E_INTERRUPTED that it was cancelled. */ \
  /* core/runtime/ledger/plan.h: what becomes of it; recorded, it is what the flow gets */ \
  X(CK_OUTCOME_UNKNOWN, "unknown")
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CK_OUTCOME_TABLE(X)
#undef X
      CK_OUTCOME_COUNT
} ck_outcome_status;
const char *ck_outcome_status_name(ck_outcome_status status);
bool ck_outcome_status_of(ck_outcome_status *out, const char *name);

/* The result of an effect. Owned by its holder; ck_outcome_free. */
typedef struct ck_outcome {
  ck_outcome_status status;
  /* model: the message, verbatim; tool, exec: a JSON string or any JSON; ask: a JSON string; may
   * be NULL */
  ck_value *result;
  ck_status error_status;  /* FAILED, UNKNOWN: the class */
  char *error;             /* ERROR, FAILED, UNKNOWN: as of ck_error; owned */
  int64_t cost_micros;     /* -1: no price known (unmetered) */
  bool cost_known;         /* that is all of it, also when it is 0: no reserve counts for it */
  int64_t reserved_micros; /* the part of it that is an estimate: nothing tells what it is */
  unsigned attempts;       /* UNKNOWN: that the driver made of it; 0: one */
  int64_t retry_after_ms;  /* FAILED: that the service asks to wait; 0: it does not say */
  bool final;              /* UNKNOWN, recorded: as it was begun, it must not be repeated */
  bool to_person;          /* UNKNOWN: a person decides, also where a model could be told */
  /* OK, of a tool: it has not ended, and goes on when it is called again with what `result` names:
   * {requests: {NAME: {method, params}}, …} */
  bool wants;
  /* of a tool: since its server's tools were listed last they have changed, it says */
  bool tools_changed;
  bool refused; /* recorded: denied by a person, or by a policy and no call of a tool */
  int64_t input_tokens, output_tokens;
  int64_t cache_read_tokens, cache_write_tokens; /* model: those of the input tokens */
  const char *api; /* model: the API that was asked, as profiles name it; static; NULL: none */
  /* model, OK: the answer ends before its end: the provider's word for that ("length", …), or the
   * limit that left it no more ("budget", "tokens"); owned; NULL */
  char *cut;
  bool cut_at_maximum; /* for the maximum of tokens that was asked for */
  /* model: it refuses to answer, or its provider keeps the answer back: why, in their words; owned;
   * NULL. OK, or FAILED with CK_E_REFUSAL where that is no answer that the flow can take */
  char *refusal;
  char
      *response_model; /* model: what answered, as its API calls it; owned; NULL: it does not say */
  bool goes_on;        /* model, OK: its turn has not ended, and goes on when it is asked again */
  /* ERROR: it was not begun: {by: "policy" | "person", policies, reason?, question?, class,
   * request}; owned; NULL */
  ck_value *denied;
  /* of what on_failure was asked about, what it was shown besides, how long its retry waits, and
   * whose word it is: {node?, try, retry_after?, wait?, until? (wall time, when another try is to
   * follow), policy?}, times in milliseconds; owned; NULL */
  ck_value *failure;
  ck_value *untrusted; /* sources.h: of all that it may hold; owned; NULL: none */
  char *note;          /* OK: what is not as it should be, one line for people; owned; NULL */
  ck_bytes by;         /* of a person's word: who gave it, see person.h; borrowed; no bytes */
  int64_t seq;         /* of its event, once recorded; 0 before */
  /* of effects that were requested together: the next one's outcome, in the order of the
   * requests; NULL. ck_outcome_free frees one */
  struct ck_outcome *next;
} ck_outcome;
/* Shares `result` (a reference of its own); `error` is copied. */
CK_CHECKED ck_status ck_outcome_new(ck_outcome **out, ck_outcome_status status,
                                    const ck_value *result, const char *error, ck_error *err);
void ck_outcome_free(ck_outcome *self);
/* They copy; want of memory loses the words, never the outcome. A note is added behind "; ". */
void ck_outcome_set_cut(ck_outcome *self, const char *cut);
void ck_outcome_set_refusal(ck_outcome *self, const char *refusal);
void ck_outcome_set_response_model(ck_outcome *self, const char *model);
void ck_outcome_add_note(ck_outcome *self, const char *text);
/* Counts it at `reserve` (micro-dollars; none below 1) when it does not tell what it cost: when
 * that is 0, and not known to be all. */
void ck_outcome_count_reserve(ck_outcome *self, int64_t reserve);
/* The sum of two amounts from 0; the greatest number where that is greater. */
int64_t ck_micros_add(int64_t a, int64_t b);
enum { CK_MICROS_TEXT_SIZE = 24 };
/* Micro-dollars as dollars, exactly: "0.00", "-1.25", "0.000123": at least cents, as many digits as
 * needed. What is rounded contradicts itself ("$0.36 of $0.36 spent" and not at its limit). */
void ck_micros_write(char out[CK_MICROS_TEXT_SIZE], int64_t micros);

/* Checks `answer` (JSON) against the options of a question's `request`. CK_E_REFUSED names the
 * options: there are some, and the answer is none of these texts. */
CK_CHECKED ck_status ck_effect_check_answer(ck_bytes request, ck_bytes answer, ck_error *err);

enum { CK_EFFECT_TRIES = 3 }; /* in all, of an effect that is asked for again at once */

#endif
