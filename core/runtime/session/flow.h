/* flow.h - what a flow engine provides: strands that yield effects, boundaries and ends, and go on
 * when resumed.
 *
 * Loop thread only. A strand is the execution of one scope. It has no other way to the outside than
 * its yields. */
#ifndef CK_RUNTIME_SESSION_FLOW_H
#define CK_RUNTIME_SESSION_FLOW_H

#include "core/model/conversation.h"
#include "core/model/event.h"
#include "core/model/state.h"
#include "core/runtime/session/policy.h"

typedef struct ck_flow ck_flow;           /* a loaded flow file */
typedef struct ck_coroutine ck_coroutine; /* one scope's execution */

/* A child process that the flow talks to. Texts borrowed from the flow. */
typedef enum { CK_FLOW_MCP, CK_FLOW_ACP } ck_flow_protocol;
typedef struct ck_flow_process {
  const char *name;
  ck_flow_protocol protocol;
  const char *const *argv; /* NULL-terminated; no shell */
  const char *const
      *environment; /* names of variables it may see besides the usual ones; NULL-terminated */
  const char *const *probes; /* of an MCP server: pairs of a tool and the one that tells whether it
                                happened; NULL-terminated */
  int64_t timeout_ms; /* how long it may say nothing at all while it is asked; 0: as its driver has
                         it */
} ck_flow_process;

/* One tool as the flow declares it. Texts borrowed from the flow. */
typedef struct ck_flow_tool {
  const char *name;
  ck_effect_class class;
  const char *const *argv;  /* NULL-terminated; NULL: no command of its own (a cassette answers) */
  const char *const *probe; /* NULL-terminated; NULL: no probe */
  int64_t timeout_ms;       /* of its command; 0: as its driver has it */
  const char *description;  /* for models; NULL */
  const char *parameters;   /* JSON Schema of its arguments, as text; NULL */
} ck_flow_tool;

/* A place of the flow where a position may stand: a node, a step. Texts borrowed from the flow. */
typedef struct ck_flow_node {
  const char *name;
  const char *const *reads; /* state keys that must exist when it begins; NULL-terminated */
} ck_flow_node;

/* What is known of a flow before it runs. Borrowed from the flow. */
typedef struct ck_flow_manifest {
  const char *name;
  const char *kind; /* "agent", "graph", … */
  const char *path;
  int64_t version;  /* of what its sessions keep; 0: it has none. Policies migrate what an older one
                       left */
  ck_digest digest; /* of the flow file's bytes */
  const ck_flow_tool *tools;
  size_t tool_count;
  const ck_flow_process *processes;
  size_t process_count;
  const ck_flow_node *nodes; /* none: its kind has no named places */
  size_t node_count;
  const char *const *reads;   /* state keys that must exist; NULL-terminated */
  const char *const *agents;  /* NULL-terminated */
  const char *const *secrets; /* NULL-terminated */
  const char *const *models;  /* names in the profile; NULL-terminated */
} ck_flow_manifest;

typedef enum {
  CK_FLOW_EFFECT,  /* do `effect`, resume with its outcome */
  CK_FLOW_EFFECTS, /* do all of `asks` side by side, resume with their outcomes, linked by `next` in
                      the order asked; the messages they add enter the conversation in that order
                      too, once all are done */
  CK_FLOW_BOUNDARY, /* a place for a checkpoint; resume with NULL */
  CK_FLOW_FORK,     /* open child scopes, resume with NULL */
  CK_FLOW_JOIN,  /* wait for child scopes; resume with an outcome whose result is {SCOPE: {result?,
                    error?, writes}, …} */
  CK_FLOW_PAUSE, /* stop here, once; `value` is the reason (a JSON string); resume with NULL */
  CK_FLOW_DONE   /* ended; `value` is the result or NULL */
} ck_flow_step;

/* A child scope to open: a strand of the same flow, told apart by its name and its task.
 *
 * The child reads the state through what it has written itself; its writes are its own until its
 * parent has joined it and made them the parent's, so that branches cannot see each other's. A
 * scope that is forked again later (an agent that is asked once more) goes on with its
 * conversation, under effect keys of its own. */
typedef struct ck_flow_child {
  const char *scope; /* unique among those that are open */
  const char *agent; /* who acts in it: what it spends counts for that agent and for those of the
                        scopes above; NULL */
  const char *task;  /* JSON, what it is to do; kept with its position and given to it again after a
                        resume */
  const char *tag;   /* tells the effects of this fork from those of other forks of the scope; NULL:
                        the place of the fork does.   A flow that may fork the same work at another
                        place, after a failure, gives it the same tag */
} ck_flow_child;

/* One of several effects that are asked for together; as `effect` and `ordinal` of a yield. */
typedef struct ck_flow_ask {
  ck_effect effect;
  uint32_t ordinal;
} ck_flow_ask;

/* A fact for the transcript that no effect stands behind: a DELEGATION or a NOTE. */
typedef struct ck_flow_fact {
  ck_event_kind kind;
  const char *agent; /* who took part; NULL */
  ck_value *body;
} ck_flow_fact;

/* What a strand wants. Everything is borrowed until the strand's next resume or close. */
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
  ck_value *position; /* BOUNDARY: where the strand stands after it: {"path": "agent#4", …} */
  const ck_flow_child *children; /* FORK: to open; JOIN: to wait for, by scope */
  size_t child_count;
  bool join_any; /* JOIN: until one of them has ended, instead of all; those that have are in the
                    outcome */
  ck_value *const *messages; /* to append to the scope's conversation before the step is taken */
  size_t message_count;
  const ck_value *rewind;    /* then, NULL or {to, report, keep?}: a REWIND event, folded by
                                ck_conversation_rewind */
  const ck_flow_fact *facts; /* then, to append to the transcript */
  size_t fact_count;
  const ck_change *changes; /* keys written since the last yield; they become state at the next
                               BOUNDARY or DONE */
  size_t change_count;
  ck_value *value;
} ck_flow_yield;

/* What a strand is opened with. Borrowed for the call, `conversation` for the strand's life. */
typedef struct ck_coroutine_options {
  const char *scope;
  const ck_value *position; /* as yielded at its last boundary; NULL: from the top */
  const ck_state
      *state; /* read through; changed only by the strand's own changes once they become state */
  const ck_conversation *conversation;
  const ck_value *task;        /* of a forked scope; NULL: the main one */
  const char *const *overlays; /* prefixes of state keys that are read first, the scope's own before
                                  its parent's; NULL-terminated */
  const ck_value *input;       /* of the session; may be NULL */
  const ck_value *options;     /* what the profile says to flows: {checkpoint_tool?: {enabled,
                                  subagents}}; NULL: nothing */
  const char *recorded_prompt; /* system prompt of the cassette; NULL: none */
} ck_coroutine_options;

/* CK_E_PARSE: file, line and message. CK_E_FLOW: the strand raised (file:line: message); it is
 * dead. CK_E_FLOW_STALLED: it ran a second without yielding; it is dead. */
typedef struct ck_flow_engine {
  void *self;
  CK_CHECKED ck_status (*load)(ck_flow **out, void *self, const char *path, ck_error *err);
  const ck_flow_manifest *(*manifest)(const ck_flow *flow);
  CK_CHECKED ck_status (*open)(ck_coroutine **out, ck_flow *flow,
                               const ck_coroutine_options *options, ck_error *err);
  /* `outcome` is borrowed; NULL at first and after BOUNDARY, FORK, PAUSE. */
  CK_CHECKED ck_status (*resume)(ck_flow_yield *out, ck_coroutine *strand,
                                 const ck_outcome *outcome, ck_error *err);
  void (*close)(ck_coroutine *strand);
  void (*unload)(ck_flow *flow);
  void (*free)(void *self);
} ck_flow_engine;

#endif
