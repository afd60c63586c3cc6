/* usage.h - a session's usage of its constraints: spent, limit and minimum of each dimension. */
#ifndef CK_RUNTIME_BUDGET_USAGE_H
#define CK_RUNTIME_BUDGET_USAGE_H

#include "core/model/profile.h"
#include "core/model/session.h"
#include "core/model/state.h"
#include "core/runtime/budget/dimension.h"
#include "core/runtime/budget/spending.h"

typedef struct ck_amounts {
  int64_t of[CK_DIMENSION_COUNT];
} ck_amounts;

enum { CK_LIMIT_APPROACHING_PERCENT = 80 };

/* limit and minimum -1: none. */
typedef struct ck_limits_usage {
  ck_amounts spent, limit, minimum;
} ck_limits_usage;

/* What an agent has spent, by dimension. */
ck_amounts ck_limits_amounts(const ck_agent_spending *of);
/* The state key that overrides a limit, of the session or (agent not NULL) of an agent. */
void ck_limits_key(char out[CK_STATE_KEY_MAX], ck_dimension dimension, const char *agent);
/* True for a key that ck_limits_key makes. */
bool ck_limits_is_key(const char *key);
/* A limit as such a key holds it, in our units; false: it is none, and *out stays. */
bool ck_limits_read_amount(int64_t *out, ck_dimension dimension, const ck_value *set);
/* The limit that a person has set, which comes before the profile's; false: none, and *out
 * stays. */
bool ck_limits_read_set(int64_t *out, ck_dimension dimension, const ck_state *state,
                        const char *agent);
/* Fills limit and minimum: the profile's (NULL: none), overridden by the state. `agent` NULL: the
 * session's. */
void ck_limits_usage_read_limits(ck_limits_usage *out, const ck_profile *profile,
                                 const ck_state *state, const char *agent);
/* Usage as of a checkpoint with these totals and this state. */
CK_CHECKED ck_status ck_limits_usage_read(ck_limits_usage *out, const ck_profile *profile,
                                          const ck_state *state, const ck_totals *totals,
                                          ck_error *err);
/* At or above 80 % of a maximum; at it. */
bool ck_limits_usage_approaches(const ck_limits_usage *self, ck_dimension dimension);
bool ck_limits_usage_hits(const ck_limits_usage *self, ck_dimension dimension);
/* A maximum is hit (`hits` says which) while another dimension has met less than half of its
 * minimum. */
bool ck_limits_usage_conflicts(const ck_limits_usage *self, const bool hits[CK_DIMENSION_COUNT]);
/* With its unit: "$0.95", "12.5 s", "3"; of money to the micro-dollar. */
enum { CK_LIMITS_AMOUNT_SIZE = 32 };
void ck_limits_write_amount(char out[CK_LIMITS_AMOUNT_SIZE], ck_dimension dimension,
                            int64_t amount);
/* "budget of agent x: $0.95 of $1.00 spent, and the next call may cost $0.10"; money to the
 * micro-dollar. */
void ck_limits_describe(char *out, size_t size, const ck_limit_hit *hit);
/* The key of a question about a limit, "KEY/limit/N" below the key of the effect that it stopped;
 * and what answers it: a number, which is the new limit, or "stop". CK_E_USAGE for anything else.
 */
bool ck_limits_is_question(const char *key);
CK_CHECKED ck_status ck_limits_check_answer(const char *text, ck_error *err);
/* The option of a resume that lifts the limit far enough for what was to begin: "--limit
 * x.budget_usd=1.05". */
void ck_limits_write_remedy(char *out, size_t size, const ck_limit_hit *hit);

#endif
