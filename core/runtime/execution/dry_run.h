/* dry_run.h - what a resume would do: all of it but the acquisition, so that nothing is
 * written. */
#ifndef CK_RUNTIME_EXECUTION_DRY_RUN_H
#define CK_RUNTIME_EXECUTION_DRY_RUN_H

#include "core/runtime/budget/dimension.h"
#include "core/runtime/session/session.h"

/* X(enumerator, name): what becomes of an effect behind the checkpoint, when the flow asks for it
 * as it did. */
/* clang-format off */
#define CK_DRY_RUN_PLAN_TABLE(X) \
  X(CK_DRY_RUN_REPLAY, "replay")     /* its outcome is there */ \
  X(CK_DRY_RUN_ANEW, "run anew")     /* its outcome is there, but the attempt has risen */ \
  X(CK_DRY_RUN_AGAIN, "run again")   /* it was begun and may be repeated */ \
  X(CK_DRY_RUN_PROBE, "probe")       /* it was begun: a probe is asked whether it happened */ \
  X(CK_DRY_RUN_DOUBT, "in doubt")    /* it was begun, and may not be repeated */ \
  X(CK_DRY_RUN_REDO, "do again")     /* as in doubt, but a policy has it done again */ \
  X(CK_DRY_RUN_TELL, "tell")         /* as in doubt, but a policy has it told as unknown */ \
  X(CK_DRY_RUN_QUESTION, "wait")     /* a person was asked, and has not answered */ \
  X(CK_DRY_RUN_DENIED, "denied")     /* it would begin, but a policy or a person denies it */ \
  X(CK_DRY_RUN_ASKED, "ask")         /* it would begin once a person has allowed it */ \
  /* a person was asked whether it may begin, and has allowed it, or nobody asks any more */ \
  X(CK_DRY_RUN_BEGIN, "begin")
/* clang-format on */
typedef enum {
#define X(name, text) name,
  CK_DRY_RUN_PLAN_TABLE(X)
#undef X
      CK_DRY_RUN_COUNT
} ck_dry_run_plan;
const char *ck_dry_run_plan_name(ck_dry_run_plan what);

/* Borrowed for the call. */
typedef struct ck_dry_run_effect {
  ck_dry_run_plan what;
  const char *key, *name; /* name: of the tool; NULL */
  const char *policy;     /* whose answer that is, of what is in doubt, denied or asked about;
                           * NULL: nobody's */
  /* denied: why; ask, wait: the question; replay: the question that was answered; NULL: neither */
  const char *words;
  const char *by;      /* who allowed it, in words; NULL: nobody was to */
  const char *failure; /* of a policy that was asked; or why it will not be run though it would be:
                        * what is masked is in its request. NULL: neither */
  /* ask: an answer that does not count for it, see core/model/dropped_answer.h; NULL: none */
  const ck_value *dropped;
  ck_effect_kind kind;
  ck_effect_class class;
  int64_t cost_micros;    /* of the recorded outcome; 0: none; -1: not known */
  int64_t reserve_micros; /* the most it may cost, as its intent says; 0: free; -1: not known */
} ck_dry_run_effect;
/* "in doubt"; "would be done again, by policy \"x\"". */
void ck_dry_run_describe(ck_buffer *out, const ck_dry_run_effect *effect);
/* Who is told: of each effect, and of each limit that is used up, or leaves too little for
 * the call that it stopped (NULL: of none): at it the session would stop again. */
typedef struct ck_dry_run_visitor {
  void (*effect)(void *to, const ck_dry_run_effect *effect);
  void (*limit)(void *to, const ck_limit_hit *hit);
  void *to;
} ck_dry_run_visitor;

typedef struct ck_dry_run {
  uint32_t attempt;
  bool failing; /* the session is failing, or would be marked so, unless the resume is a retry */
  ck_resume_rules rules; /* none is left to its default; its texts are NULL */
  /* what a person would be asked before it, and by which policies: "a, b"; "": nothing */
  char question[CK_ERROR_TEXT_MAX], asked_by[CK_ERROR_TEXT_MAX];
  char dropped[CK_ERROR_TEXT_MAX]; /* an answer that does not count for it, in words; "": none */
  struct {
    int64_t spent, limit; /* as they count after the rules; limit -1: none */
  } constraints[CK_DIMENSION_COUNT];
} ck_dry_run;
/* Answers as ck_session_resume would, but that secret references need not be filled, and neither an
 * owner nor deaths in a row stand against it. */
CK_CHECKED ck_status ck_session_dry_run(ck_dry_run *out, ck_runtime *runtime, const char *id,
                                        const ck_resume_options *options,
                                        const ck_dry_run_visitor *visitor, ck_error *err);
/* "continue"; of a dry run's rules. NULL: there is no rule for it. */
const char *ck_dry_run_rule(const ck_dry_run *self, ck_dimension dimension);

#endif
