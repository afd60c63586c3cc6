/* agents_spent.h - what each agent of a session has spent, against its limits. */
#ifndef CK_HOST_INSPECT_AGENTS_SPENT_H
#define CK_HOST_INSPECT_AGENTS_SPENT_H

#include "core/host/print/document.h"
#include "core/model/profile.h"
#include "core/runtime/budget/usage.h"
#include "core/store/store.h"

/* Zero-initialise. */
typedef struct ck_agents_spent {
  ck_spending spending;
  ck_state *state;     /* the limits that a person has set; NULL: not to be read */
  ck_profile *profile; /* NULL: there is none any more, so its limits are not known */
} ck_agents_spent;

/* By the latest checkpoint and every outcome behind it, as a resume would count. A state or a
 * profile that cannot be read shows nothing of it. */
CK_CHECKED ck_status ck_agents_spent_read(ck_agents_spent *out, ck_store *store,
                                          const ck_head *head, ck_error *err);
void ck_agents_spent_clear(ck_agents_spent *self);
/* The limit of an agent, of the session (NULL); -1: none. */
int64_t ck_agents_spent_limit(const ck_agents_spent *self, const char *agent,
                              ck_dimension dimension);
/* Adds "agents": [{agent, cost_usd, tokens, model_calls, tool_calls, rounds, limits}, …] and
 * "limits" of the session: {budget_usd?, time_ms?, rounds?, tokens?, tool_calls?, model_calls?}. */
void ck_agents_spent_put(ck_document *document, const ck_agents_spent *self);

#endif
