/* hook_rerun.h - asks a hook again at every place of a recorded session where it was asked live, or
 * would have been: with the view that the session tells, beside what was answered then.
 *
 * What a view shows and the session does not tell is watched: where a policy looks at it, there is
 * no answer now, and its name stands in the place of one. A policy that looks at nothing of the
 * sort answers what it would have answered live. */
#ifndef CK_RUNTIME_SIMULATION_HOOK_RERUN_H
#define CK_RUNTIME_SIMULATION_HOOK_RERUN_H

#include "core/model/profile.h"
#include "core/runtime/session/policy.h"
#include "core/store/store.h"

/* X(enumerator, name, what it is asked about). */
/* clang-format off */
#define CK_RERUN_HOOK_TABLE(X) \
  X(CK_RERUN_RESUME, "resume", "resumes") \
  X(CK_RERUN_TAIL, "tail", "events of tails") \
  X(CK_RERUN_IN_DOUBT, "in_doubt", "effects in doubt") \
  X(CK_RERUN_PERMIT, "permit", "effects before they begin") \
  X(CK_RERUN_ON_FAILURE, "on_failure", "failures of effects") \
  X(CK_RERUN_PRUNE, "prune", "checkpoints that go, then or now")
/* clang-format on */
typedef enum {
#define X(name, text, about) name,
  CK_RERUN_HOOK_TABLE(X)
#undef X
      CK_RERUN_HOOK_COUNT
} ck_rerun_hook;
const char *ck_rerun_hook_name(ck_rerun_hook hook);
const char *ck_rerun_hook_about(ck_rerun_hook hook);
/* False when there is no such hook. */
bool ck_rerun_hook_of(ck_rerun_hook *out, const char *name);

/* What was answered at one place. Texts owned; ck_rerun_said_clear. */
typedef struct ck_rerun_said {
  char *word;         /* "deny", "retry", "out", "go on"; NULL: see below */
  char *policies;     /* whose word it is; NULL: nobody's, or not told */
  char *text;         /* why, the question, "budget reset, …", "waits 500 ms"; NULL: none */
  bool whole;         /* then: `text` is all that was said beside the word; else it may be more */
  ck_answers answers; /* who said what; hook 0: not told */
} ck_rerun_said;

typedef struct ck_rerun_place {
  int64_t seq; /* of the event that the answer belongs to; of a tail: that was asked about */
  char *about; /* the effect's key, the agent of a tail, the checkpoint's id; NULL: the resume, or
                  not told. Owned */
  ck_rerun_said then;  /* without a word: nobody was asked, or the answer is not recorded */
  ck_rerun_said now;   /* without a word: the session does not tell what a policy looks at */
  const char *unknown; /* that: "failure.try"; "effect": all of it. NULL: nothing */
  bool failed;         /* a policy failed: the answer is the closed one */
  bool question;       /* its event is a question of permit to a person */
  bool asks;           /* permit: a person would be asked now, who was not asked that before */
} ck_rerun_place;

typedef struct ck_hook_rerun {
  ck_rerun_place *list; /* ascending by seq, but for a tail of each agent */
  size_t count, cap;
  int64_t failures;
  ck_error failure; /* the first of a policy */
} ck_hook_rerun;
void ck_hook_rerun_clear(ck_hook_rerun *self);

/* The policies: a fresh engine for each run of the session, as each run had. */
typedef struct ck_rerun_source {
  ck_status (*open)(ck_policy_engine *out, void *to, ck_error *err);
  void *to;
  const ck_profile *profile; /* whose tails are how long. Borrowed */
} ck_rerun_source;

/* A policy's failure is none here. CK_E_NOT_FOUND: no such session; the answers of the store. */
CK_CHECKED ck_status ck_hook_rerun_ask(ck_hook_rerun *out, ck_store *store, const char *session_id,
                                       ck_rerun_hook hook, const ck_rerun_source *source,
                                       ck_error *err);

/* Answered otherwise: both are known, and have not the same word, or, where that is recorded, not
 * the same wait, question, reason or rules. What is masked where it is recorded can be anything. */
bool ck_hook_rerun_differs(const ck_rerun_place *self);

#endif
