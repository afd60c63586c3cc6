/* ask.h - asks one hook of one policy and reads its answer. */
#ifndef CK_LUA_POLICY_ASK_H
#define CK_LUA_POLICY_ASK_H

#include "lua/policy/answer.h"
#include "lua/policy/load.h"

/* One call of one hook: its arguments, then its answer. */
typedef struct asking {
  policy_hook hook;
  loaded_policy *policy; /* defines the hook */
  size_t place;          /* of the policy in the list */
  const void *subject;   /* the struct of its view; prune: ck_history; migrate: ck_value */
  const char *agent;     /* tail */
  const ck_boundary *at; /* permit */
  int from, to;          /* migrate */
  const ck_checkpoint_info *const *by_id; /* prune */
  ck_view_counts counts;                  /* checkpoint */
  bool answered; /* the hook itself did not fail; its answer may be none that it can give */
  /* The answer, by hook. */
  ck_answer_checkpoint decision;
  /* checkpoint: the reasons so far; resume: a refusal, or a question; redact: a reference, or the
   * value with other texts; permit: why, or the question */
  ck_buffer *text;
  ck_prune_plan *plan;
  int planned; /* as ck_answer_read_plan gives it */
  ck_resume_rules *rules;
  ck_redact_verdict verdict;
  ck_value *document; /* owned by the caller; NULL: none */
  int word;           /* on_failure, in_doubt, permit: the number of the answer; -1: none */
  int64_t wait_ms;    /* on_failure: before a retry */
  bool truth;         /* tail */
} asking;

/* False when the policy does not define the hook. */
bool ck_policy_has(const loaded_policy *policy, policy_hook hook);
/* An error's text is `policy "name", hook: file:line: message`. */
CK_CHECKED ck_status ck_policy_ask(asking *of, ck_error *err);

#endif
