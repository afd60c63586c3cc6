/* hooks.h - the hooks of a policy. Loading, asking, composition, the tests of policies, the
 * annotations and the tables of policies/README.md are made of this list.
 *
 * A new hook is a row here; its arguments and its answer in ask.c; how answers of several policies
 * become one in compose.c. In lua/policy_tool, what tests of policies ask it about is in subject.c,
 * how they ask it in ask.c, and what `policy check` and `bench` try it on in samples.c. The
 * compiler names what is missing: each function's name ends with that of the hook. */
#ifndef CK_LUA_POLICY_HOOKS_H
#define CK_LUA_POLICY_HOOKS_H

#include "lua/policy/view.h"

/* Which policies are asked after one has failed. */
typedef enum { HOOK_ASKS_ALL, HOOK_ENDS_AT_FAILURE } hook_failure_rule;

/* Where an agent's own list counts: for what the agent does (it replaces policies of the same name,
 * or the whole list); for what it does, and replaces none; beside all others, whoever acts;
 * nowhere, so that it is refused there. */
typedef enum { HOOK_OF_AGENT, HOOK_ADDED, HOOK_OF_ALL, HOOK_OF_SESSION } hook_reach;

/* X(name, view of its subject (CK_VIEW_COUNT: none), rule, reach, parameters, answer, composition,
 * failure): parameters (without the options) and answer as annotations of the Lua language server;
 * composition: how the answers of a list of policies become one; failure: what holds when the hook
 * raises, overruns its budget, or gives an answer of another shape. */
/* clang-format off */
#define CK_POLICY_HOOK_TABLE(X) \
  X(checkpoint, CK_VIEW_AT, HOOK_ASKS_ALL, HOOK_OF_AGENT, \
    "at: ck.Boundary", "nil|boolean|string|ck.Decision", \
    "any yes wins; all reasons are kept; one `sync` makes it so", \
    "the checkpoint is taken, and waited for") \
  X(prune, CK_VIEW_CHECKPOINT, HOOK_ENDS_AT_FAILURE, HOOK_OF_SESSION, \
    "history: ck.History", "ck.Plan|nil", \
    "dropped if some policy drops it and none keeps it", \
    "nothing is dropped") \
  X(redact, CK_VIEW_ITEM, HOOK_ENDS_AT_FAILURE, HOOK_OF_ALL, \
    "item: ck.Item", "ck.Verdict|ck.Json|nil", \
    "each sees what the one before left, and can only remove more, " \
    "the whole item or texts of it; " \
    "the profile's `exclude_memory_keys` first", \
    "the item is dropped") \
  X(resume, CK_VIEW_SESSION, HOOK_ASKS_ALL, HOOK_OF_SESSION, \
    "session: ck.Session, checkpoint: ck.Checkpoint|nil", "ck.Rules|nil", \
    "the profile's `resume` first, then each policy overrides it dimension by dimension; " \
    "a `\"refuse\"` stands, and any refusal wins; else all questions are put to a person as one", \
    "the resume is refused") \
  X(tail, CK_VIEW_EVENT, HOOK_ENDS_AT_FAILURE, HOOK_OF_AGENT, \
    "event: ck.Event, agent: string", "boolean|nil", \
    "all must agree", \
    "the event is left out of the tail") \
  X(on_failure, CK_VIEW_FAILURE, HOOK_ENDS_AT_FAILURE, HOOK_OF_AGENT, \
    "failure: ck.Failure, at: nil", \
    "nil|\"pause\"|\"retry\"|\"fail\"|\"fallback\"|ck.Retry", \
    "the first answer", \
    "the session pauses") \
  X(in_doubt, CK_VIEW_EFFECT, HOOK_ENDS_AT_FAILURE, HOOK_OF_AGENT, \
    "effect: ck.Effect", "nil|\"stop\"|\"rerun\"|\"tell\"", \
    "the first answer", \
    "the session stops, in doubt") \
  X(permit, CK_VIEW_EFFECT, HOOK_ASKS_ALL, HOOK_ADDED, \
    "effect: ck.Effect, at: ck.Boundary", "nil|\"allow\"|ck.Permission", \
    "the first `ck.deny` wins; else all questions are put to a person as one", \
    "a person is asked") \
  X(migrate, CK_VIEW_COUNT, HOOK_ENDS_AT_FAILURE, HOOK_OF_SESSION, \
    "document: table, from: integer, to: integer", "table|nil", \
    "each gets the document of the one before", \
    "nothing is migrated")
/* clang-format on */

typedef enum {
#define X(name, ...) POLICY_##name,
  CK_POLICY_HOOK_TABLE(X)
#undef X
      POLICY_HOOK_COUNT
} policy_hook;

typedef struct policy_hook_type {
  const char *name;
  ck_view_kind view;
  hook_failure_rule rule;
  hook_reach reach;
  const char *parameters, *answer, *composition, *failure;
} policy_hook_type;
extern const policy_hook_type ck_policy_hooks[POLICY_HOOK_COUNT];

#endif
