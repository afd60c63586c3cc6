/* tail.h - the tail of an agent: the last N events in which it took part; what was asked of models
 * and tools (intents) is not in it. */
#ifndef CK_RUNTIME_SESSION_TAIL_TAIL_H
#define CK_RUNTIME_SESSION_TAIL_TAIL_H

#include "core/runtime/session/policy.h"
#include "core/runtime/session/tail/tail_said.h"
#include "core/store/store.h"

/* True when `agent` took part in `event`: the event is its own, it is a delegation, a note or an
 * update whose body has `agent` as `childAgentId`, or it is a delegation to `agent`. A delegation's
 * targets are in `target`, `targets`, `parallel` and `sequential`: one or a list, each a string or
 * an object with a string `agent`, `target` or `agentId`. NULL and "" are no agents. */
bool ck_tail_involves(const ck_event *event, const char *agent);

/* Which tail. Zero-initialised, it is an empty one. */
typedef struct ck_tail_query {
  int64_t session;
  const ck_view *view; /* NULL: every timeline */
  int64_t until;       /* only seq <= until; 0: no bound */
  /* where a resume goes on: behind it only outcomes count, which it replays; 0: no cut */
  int64_t cut;
  const ck_state *state; /* at the cut: its scopes go on at cuts of their own; NULL: at `cut` */
  uint32_t attempt; /* of the resume: a scope that failed in an earlier one goes on at its cut; 0:
                       one that failed does not go on */
  const char *agent;
  size_t n;             /* at most; 0: none */
  bool without_rewound; /* what the agent's own rewinds took out of its context is not in it */
  /* their tail hook must agree; one that fails leaves the event out. NULL: not asked */
  const ck_policy_engine *policies;
  ck_tail_said *said; /* gets who said what of which event; NULL: it is not wanted */
} ck_tail_query;

/* Oldest first. Caller clears it. */
typedef struct ck_tail {
  ck_event **events;
  size_t count;
} ck_tail;
void ck_tail_clear(ck_tail *self);

/* An unknown agent has an empty tail. A message that names nobody, of a store from before each
 * named who acts, is shown as the message of the only agent that acts in its scope, if there is
 * one; of several it is nobody's. A replay is read through: it keeps its position (seq,
 * timeline, scope, agent) and shows the kind, time and body of the event it refers to. CK_E_CORRUPT
 * when that event is missing. */
CK_CHECKED ck_status ck_tail_read(ck_tail *out, ck_store *store, const ck_tail_query *query,
                                  ck_error *err);

/* Bit 1 << kind of each kind of event that can name another agent than its own. */
extern const uint64_t ck_tail_naming_kinds;
/* Whether `agent` took part in any event of the session, on whichever timeline, inherited ones
 * included. */
CK_CHECKED ck_status ck_tail_find_agent(bool *out, ck_store *store, int64_t session,
                                        const char *agent, ck_error *err);

#endif
