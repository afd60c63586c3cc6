/* coroutine.h - one scope's execution as a coroutine: what it was opened with, what it wrote, and
 * what it requests next. */
#ifndef CK_LUA_FLOW_COROUTINE_H
#define CK_LUA_FLOW_COROUTINE_H

#include <lua.h>

#include "core/runtime/session/flow.h"
#include "lua/vm/vm.h"

/* The uservalues of the box through which Lua finds its coroutine. */
enum {
  CK_BOX_THREAD = 1, /* the coroutine */
  CK_BOX_OVERLAY,    /* key -> JSON text, or false when removed: written since the last boundary */
  CK_BOX_ORDER,      /* list of the keys written since the last yield */
  CK_BOX_SEEN,       /* the same keys as a set */
  CK_BOX_LAST = CK_BOX_SEEN
};

enum {
  CK_COROUTINE_VALUE_MAX = 64 << 20, /* bytes of one value of a flow */
  /* bytes of a scope's whole name: a prefix of its keys in the state */
  CK_COROUTINE_SCOPE_MAX = 128
};

/* The texts of a yield that must live until the next resume. */
typedef enum {
  CK_COROUTINE_AGENT,
  CK_COROUTINE_NODE,
  CK_COROUTINE_NEXT_NODE,
  CK_COROUTINE_NEXT_TOOL,
  CK_COROUTINE_ERROR,
  CK_COROUTINE_DESCRIPTION,
  CK_COROUTINE_TEXTS
} ck_coroutine_text;

struct ck_coroutine {
  ck_vm *vm; /* of its flow; shared with the flow's other coroutines */
  lua_State *thread;
  ck_coroutine **box; /* NULL until it is open; close sets *box to NULL */
  int anchor;         /* of the box in the registry */
  char *name;         /* of the scope */
  const ck_state *state;
  const ck_conversation *conversation;
  char **overlays;           /* prefixes of keys that are read first; NULL-terminated; NULL: none */
  ck_value *position;        /* of the last boundary, or as given; NULL: the start */
  const ck_outcome *outcome; /* during a resume: its outcome */
  bool started, ended;
  bool unknown;        /* see ctx.unknown */
  bool refused;        /* see ctx.refused */
  char *blamed;        /* see ctx.blame; NULL */
  ck_flow_yield yield; /* the pending request; it points to the members below */
  char *texts[CK_COROUTINE_TEXTS];
  ck_flow_ask *asks; /* their texts are owned */
  size_t ask_count;
  ck_flow_message *messages; /* what they point to is owned */
  size_t message_count, message_cap;
  size_t given; /* bytes of messages and events since the last yield */
  ck_value *rewind;
  ck_flow_fact *facts; /* what they point to is owned */
  size_t fact_count;
  ck_change *changes;
  size_t change_count;
  ck_flow_child *children; /* their texts are owned */
  size_t child_count;
  ck_buffer scratch; /* of one value at a time */
};

/* `definition` is the registry's reference to the flow's table. The texts and values of `options`
 * are copied or shared as core/runtime/session/flow.h describes. */
CK_CHECKED ck_status ck_coroutine_open(ck_coroutine **out, ck_vm *vm, int definition,
                                       const ck_coroutine_options *options, ck_error *err);
CK_CHECKED ck_status ck_coroutine_resume(ck_flow_yield *out, ck_coroutine *self,
                                         const ck_outcome *outcome, ck_error *err);
void ck_coroutine_close(ck_coroutine *self);

/* ---- for the functions of ctx (primitive.c); these raise Lua errors ---- */

/* The coroutine of the box in the first upvalue; raises when it is closed, or another one runs. */
ck_coroutine *ck_coroutine_check(lua_State *L);
/* Raises `err` with the position in the script. */
int ck_coroutine_raise(lua_State *L, const ck_error *err) __attribute__((noreturn));
int ck_coroutine_raise_no_memory(lua_State *L) __attribute__((noreturn));
/* The JSON of the Lua value at `index`, in self->scratch until it is used again. */
ck_bytes ck_coroutine_encode(lua_State *L, ck_coroutine *self, int index);
/* Pushes the bytes of self->scratch as a string. */
void ck_coroutine_push_scratch(lua_State *L, ck_coroutine *self);
/* Pushes the value, read-only; nil for no bytes. */
void ck_coroutine_push_value(lua_State *L, ck_bytes json);
/* Raises unless a yield is possible here. `what` is the primitive's name. */
void ck_coroutine_check_yieldable(lua_State *L, const char *what);
/* Raises when the table at `table` has a field that is not in `known`, a NULL-terminated list. */
void ck_coroutine_check_fields(lua_State *L, int table, const char *what, const char *const *known);
/* Leaves the text of a field on the stack; raises for another type. */
const char *ck_coroutine_push_name(lua_State *L, int table, const char *what, const char *field);
/* 0 when the field is nil; raises unless it is a whole number from 0 to `most`. */
int64_t ck_coroutine_read_count(lua_State *L, int table, const char *field, int64_t most);
ck_effect_class ck_coroutine_read_class(lua_State *L, int table, const char *what);
/* Messages of the scope, including those that are not yielded yet. */
size_t ck_coroutine_message_count(const ck_coroutine *self); /* message.c */
/* Begins a yield; clears one that an error left incomplete. */
void ck_coroutine_reset_yield(ck_coroutine *self);
/* Makes a ctx of the table of its fields on top. */
void ck_coroutine_make_ctx(lua_State *L);
/* Yields self->yield with all changes so far; the last call of a primitive: return
 * ck_coroutine_yield(…). */
int ck_coroutine_yield(lua_State *L, ck_coroutine *self, ck_flow_step step,
                       lua_KFunction resumed); /* yield.c */

/* ---- groups of fields of ctx: each is added to the table on top; the box is at `box` ---- */
void ck_coroutine_open_yields(lua_State *L, int box);     /* yield.c */
void ck_coroutine_open_effects(lua_State *L, int box);    /* effects.c */
void ck_coroutine_clear_asks(ck_coroutine *self);         /* effects.c */
void ck_coroutine_open_transcript(lua_State *L, int box); /* transcript.c */
void ck_coroutine_clear_facts(ck_coroutine *self);        /* transcript.c */
/* Before one more of `bytes` is made: they lie outside of the Lua state and its budget. Raises when
 * those before it come to CK_COROUTINE_GIVEN_MAX. */
enum { CK_COROUTINE_GIVEN_MAX = 64 << 20 };
void ck_coroutine_count_given(lua_State *L, ck_coroutine *self, size_t bytes); /* transcript.c */
void ck_coroutine_open_scope_forks(lua_State *L, int box);                     /* scope_fork.c */
void ck_coroutine_clear_children(ck_coroutine *self);                          /* scope_fork.c */
void ck_coroutine_open_facts(lua_State *L, int box);                           /* facts.c */
void ck_coroutine_open_readings(lua_State *L, int box);                        /* reading.c */
void ck_coroutine_open_messages(lua_State *L, int box);                        /* message.c */
void ck_coroutine_open_memory(lua_State *L, int box);                          /* memory.c */
/* The errors of what a ctx does not allow; NULL: allowed. */
typedef struct ck_area_limits {
  const char *fixed;  /* a write */
  const char *closed; /* any access */
} ck_area_limits;
/* Adds an area of the state, such as "memory", to the table on top. */
void ck_coroutine_open_area(lua_State *L, int box, const char *area,
                            const ck_area_limits *limits); /* memory.c */
/* Adds `limit`, which makes another ctx of the fields on top: all of them must be there. */
void ck_coroutine_open_limit(lua_State *L, int box); /* limit.c */
/* Moves the writes since the last yield to self->changes. */
void ck_coroutine_collect_changes(lua_State *L, ck_coroutine *self); /* memory.c */
void ck_coroutine_clear_changes(ck_coroutine *self);                 /* memory.c */
/* After a boundary: the changes have become state. */
void ck_coroutine_settle_changes(lua_State *L); /* memory.c */

#endif
