/* reserves.h - how much of each budget the effects under way and the unsettled ones may still take:
 * sums that are kept as calls begin and end, for the session and for each agent.
 *
 * A call counts while its intent is being committed, while its driver has it, and when it was left
 * open. Whoever moves a call tells it here before another one is admitted. */
#ifndef CK_RUNTIME_EXECUTION_RESERVES_H
#define CK_RUNTIME_EXECUTION_RESERVES_H

#include <stdbool.h>

#include "core/base/map.h"
#include "core/runtime/budget/dimension.h"
#include "core/runtime/ledger/ledger.h"

typedef struct ck_call ck_call;
typedef struct ck_execution ck_execution;

typedef struct ck_reserve_sum {
  char *agent; /* NULL: of the session */
  int64_t micros, tokens, tools, models;
  int64_t passing_micros, passing_tokens; /* of those that will end without anybody's help */
} ck_reserve_sum;

/* Zero-initialise. */
typedef struct ck_reserves {
  ck_reserve_sum all;
  ck_map by_agent;  /* of ck_reserve_sum */
  ck_map unsettled; /* of ck_ledger_entry, by key: what ck_reserves_keep was given */
  size_t huge;      /* amounts that could overflow a sum; with one of them, all is counted anew */
} ck_reserves;
void ck_reserves_clear(ck_reserves *self);

/* The call has moved: it counts, or not any more. */
CK_CHECKED ck_status ck_reserves_follow(ck_call *call, ck_error *err);
/* It does not count, whatever it does: it is about to be admitted, or freed. */
void ck_reserves_withdraw(ck_call *call);
/* An unsettled call counts at `micros`, from 1, what its intent reserved; it is there once. */
CK_CHECKED ck_status ck_reserves_keep(ck_reserves *self, const ck_ledger_entry *entry,
                                      int64_t micros, ck_error *err);
/* It does not, any more. */
void ck_reserves_release(ck_reserves *self, const ck_ledger_entry *entry, int64_t micros);

/* All that counts, of the session (`agent` NULL) or of an agent: BUDGET in micro-dollars, TOKENS,
 * TOOL_CALLS, MODEL_CALLS, ROUNDS of an agent (its turns); of other dimensions 0. */
int64_t ck_reserves_get(const ck_execution *self, ck_dimension dimension, const char *agent);
/* Of BUDGET and TOKENS the part for effects under way; of other dimensions 0. */
int64_t ck_reserves_get_passing(const ck_execution *self, ck_dimension dimension,
                                const char *agent);
/* The part of a budget, the session's (`agent` NULL) or an agent's, that is reserved for unsettled
 * calls, counted anew. */
int64_t ck_reserves_recount_unsettled(const ck_reserves *self, const char *agent);
/* All that counts, counted anew from the calls themselves. */
int64_t ck_reserves_recount(const ck_execution *self, ck_dimension dimension, const char *agent);

#endif
