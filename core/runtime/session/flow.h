/* flow.h - contract with a flow engine: coroutines that yield effects, boundaries and ends, and go
 * on when resumed.
 *
 * Loop thread only. A coroutine is the execution of one scope. Its yields are its only way to the
 * outside. */
#ifndef CK_RUNTIME_SESSION_FLOW_H
#define CK_RUNTIME_SESSION_FLOW_H

#include "core/model/conversation.h"
#include "core/model/event.h"
#include "core/model/script.h"
#include "core/model/state.h"
#include "core/runtime/session/flow_manifest.h"
#include "core/runtime/session/policy.h"

/* The path of a scope that has reached no boundary yet. */
#define CK_FLOW_START "start"

typedef struct ck_flow ck_flow;           /* a loaded flow file */
typedef struct ck_coroutine ck_coroutine; /* one scope's execution */

typedef enum {
  CK_FLOW_EFFECT, /* do `effect`, resume with its outcome */
  /* do all of `asks` side by side, resume with their outcomes, linked by `next` in the order
   * asked; the messages they add enter the conversation in that order too, once all are done */
  CK_FLOW_EFFECTS,
  CK_FLOW_BOUNDARY, /* where a checkpoint may be taken; resume with NULL */
  CK_FLOW_FORK,     /* open child scopes, resume with NULL */
  CK_FLOW_JOIN,  /* wait for child scopes; resume with an outcome whose result is {SCOPE: {result?,
                    error?, writes}, …} */
  CK_FLOW_PAUSE, /* stop here, once; `value` is the reason (a JSON string); resume with NULL */
  CK_FLOW_DONE   /* ended; `value` is the result or NULL */
} ck_flow_step;

/* A child scope to open: a coroutine of the same flow, identified by its name, with a task.
 *
 * The child reads the state through what it has written itself; its writes are its own until its
 * parent has joined it and made them the parent's, so that branches cannot see each other's. A
 * scope that is forked again later (an agent that is asked once more) goes on with its
 * conversation, under effect keys of its own. */
typedef struct ck_flow_child {
  const char *scope; /* unique among those that are open */
  /* who acts in it: its spending counts for that agent and for those of the scopes above; NULL */
  const char *agent;
  const char *task; /* JSON; kept with its position and given to it again after a resume */
  const char *tag;  /* distinguishes the effects of this fork from those of other forks of the
                       scope; NULL: the position of the fork does. A flow that may fork the same
                       work at another position, after a failure, gives it the same tag */
} ck_flow_child;

/* One of several effects that are asked for together; as `effect` and `ordinal` of a yield. */
typedef struct ck_flow_ask {
  ck_effect effect;
  uint32_t ordinal;
} ck_flow_ask;

/* A message for the scope's conversation. */
typedef struct ck_flow_message {
  ck_value *message;
  const char *agent; /* whose; NULL: the scope's */
} ck_flow_message;

/* A fact for the transcript without an effect behind it: a DELEGATION or a NOTE. */
typedef struct ck_flow_fact {
  ck_event_kind kind;
  const char *agent; /* who took part; NULL */
  ck_value *body;
} ck_flow_fact;

/* What a coroutine asks for. Everything is borrowed until its next resume or close. */
typedef struct ck_flow_yield {
  ck_flow_step step;
  /* EFFECT: kind, class, agent and request are set by the engine; scope, key, attempt,
   * conversation, consumed by the runtime. A tool effect may set its ordinal (its index in the
   * message, from 1); 0: the runtime counts per kind. */
  ck_effect effect;
  uint32_t ordinal;
  const ck_flow_ask *asks; /* EFFECTS: at least one, each with an ordinal or a kind of its own */
  size_t ask_count;
  /* BOUNDARY: kind, node, agent, depth and next are set by the engine, the rest by the runtime. */
  ck_boundary boundary;
  /* BOUNDARY: the coroutine's position behind it: {"path": "agent#4", …}. Each has another path
   * than those before; that of a BEFORE_CALL stays, so that the effects behind it have the keys
   * that they have without it */
  ck_value *position;
  const ck_flow_child *children; /* FORK: to open; JOIN: to wait for, by scope */
  size_t child_count;
  /* JOIN: until one of them has ended, instead of all; the outcome has all that have ended by
   * then */
  bool join_any;
  const ck_flow_message *messages; /* to append to the scope's conversation before the step */
  size_t message_count;
  const ck_value *rewind;    /* then, NULL or the body of a REWIND event, folded by
                                ck_conversation_rewind */
  const ck_flow_fact *facts; /* then, to append to the transcript */
  size_t fact_count;
  /* keys written since the last yield; they become state at the next BOUNDARY or DONE */
  const ck_change *changes;
  size_t change_count;
  ck_value *value;
  /* also of a resume that fails: the joined scope whose error its error passes on; NULL: the flow
   * does not say */
  const char *blamed;
} ck_flow_yield;

/* What a coroutine is opened with. Borrowed for the call, `conversation` for its life. */
typedef struct ck_coroutine_options {
  const char *scope;
  const ck_value *position; /* as yielded at its last boundary; NULL: from the top */
  const ck_state *state; /* read through; changed only by its own changes once they become state */
  const ck_conversation *conversation;
  const ck_value *task; /* of a forked scope; NULL: the main one */
  /* prefixes of state keys that are read first, the scope's own before its parent's;
   * NULL-terminated */
  const char *const *overlays;
  const ck_value *input;       /* of the session; may be NULL */
  const ck_value *options;     /* what the profile says to flows: {checkpoint_tool?: {enabled,
                                  subagents}, before_call?: see ck_policy_engine.named};
                                  NULL: nothing */
  const char *recorded_prompt; /* system prompt of the cassette; NULL: none */
} ck_coroutine_options;

/* CK_E_PARSE: file, line and message. CK_E_FLOW: the coroutine raised (file:line: message); it
 * is dead. CK_E_FLOW_STALLED: it ran a second without yielding; it is dead. */
typedef struct ck_flow_engine {
  void *self;
  CK_CHECKED ck_status (*load)(ck_flow **out, void *self, const char *path, ck_error *err);
  const ck_flow_manifest *(*manifest)(const ck_flow *flow);
  /* The texts that are loaded from now on are put among `scripts` (borrowed); closed ones are read
   * from these alone. NULL: the engine cannot. */
  void (*use)(void *self, ck_scripts *scripts);
  CK_CHECKED ck_status (*open)(ck_coroutine **out, ck_flow *flow,
                               const ck_coroutine_options *options, ck_error *err);
  /* `outcome` is borrowed; NULL at first and after BOUNDARY, FORK, PAUSE. */
  CK_CHECKED ck_status (*resume)(ck_flow_yield *out, ck_coroutine *coroutine,
                                 const ck_outcome *outcome, ck_error *err);
  void (*close)(ck_coroutine *coroutine);
  void (*unload)(ck_flow *flow);
  void (*free)(void *self);
} ck_flow_engine;

#endif
