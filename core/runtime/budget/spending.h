/* spending.h - how much each agent of a session has spent, and how many rounds are over; kept as
 * the state key "spending".
 *
 * {"rounds": n, "agents": {NAME: {"cost", "tokens", "tool_calls", "model_calls", "ms", "rounds"}}}.
 * Money is never forgotten: a resume from an older checkpoint takes the agents' spending from the
 * latest one, and adds the outcomes behind it. */
#ifndef CK_RUNTIME_BUDGET_SPENDING_H
#define CK_RUNTIME_BUDGET_SPENDING_H

#include "core/model/state.h"

/* rounds: its turns, each one answer of its model, with or without calls of tools. */
typedef struct ck_agent_spending {
  char *agent;
  int64_t cost_micros, tokens, tool_calls, model_calls, ms, rounds;
} ck_agent_spending;

/* Zero-initialise. */
typedef struct ck_spending {
  int64_t rounds;
  ck_agent_spending *agents;
  size_t count;
  bool changed; /* since it was last written */
} ck_spending;
void ck_spending_clear(ck_spending *self);

/* NULL: the agent has spent nothing. */
const ck_agent_spending *ck_spending_get(const ck_spending *self, const char *agent);
/* Adds the cost in an outcome's body, for each of its payers ("for"), and a turn for the first of
 * them where it is an answer of its model. */
CK_CHECKED ck_status ck_spending_add_outcome(ck_spending *self, const ck_value *body,
                                             ck_error *err);
CK_CHECKED ck_status ck_spending_add_ms(ck_spending *self, const char *agent, int64_t ms,
                                        ck_error *err);
/* Replaces it by the key of a state; a state without the key: nothing was spent. */
CK_CHECKED ck_status ck_spending_read(ck_spending *self, const ck_state *state, ck_error *err);
/* Adds the agents of {NAME: {…}}. What is less than nothing is nothing. */
CK_CHECKED ck_status ck_spending_take_agents(ck_spending *self, ck_bytes agents, ck_error *err);
/* {NAME: {…}} of the agents, as the key has them. */
void ck_spending_write_agents(ck_json_writer *w, const ck_spending *self);
CK_CHECKED ck_status ck_spending_write(ck_value **out, const ck_spending *self, ck_error *err);

#endif
