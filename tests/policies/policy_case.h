/* policy_case.h - one shipped policy against one row of a table. */
#ifndef CK_TESTS_POLICIES_POLICY_CASE_H
#define CK_TESTS_POLICIES_POLICY_CASE_H

#include "lua/policy/policy.h"

/* An engine with that policy alone; `options` is a JSON object, NULL: the defaults. */
ck_policy_engine policy_case_open(const char *name, const char *options);
/* With such options it does not load; the error has the text. */
void policy_case_refused(const char *name, const char *options, const char *why);

typedef struct policy_boundary_case {
  const char *options;
  ck_boundary at;
  const char *want; /* the reason; "!" in front: sync; NULL: no checkpoint. A reason that ends with
                       "…" may go on */
} policy_boundary_case;
/* Checks one decision of a fresh engine. */
void policy_case_boundary(const char *policy, const policy_boundary_case *row);

/* Sessions that began under the text of this digest (hex) go on under the present one, and under no
 * other. */
void policy_case_earlier(const char *policy, const char *earlier);

enum { POLICY_CASE_CHECKPOINTS = 12 };
typedef struct policy_prune_case {
  const char *options;
  int64_t now_ms;
  /* Oldest first, ended by created_ms 0. */
  struct {
    int64_t created_ms, bytes;
    bool unclean;
  } history[POLICY_CASE_CHECKPOINTS + 1];
  const char *want; /* a letter for each: d dropped, k kept against others, . neither */
} policy_prune_case;
void policy_case_prune(const char *policy, const policy_prune_case *row);

#endif
