/* import_private.h - the events of one imported session before they are written. */
#ifndef CK_RUNTIME_PORTABLE_IMPORT_PRIVATE_H
#define CK_RUNTIME_PORTABLE_IMPORT_PRIVATE_H

#include "core/runtime/portable/import.h"

enum { CK_IMPORT_NOBODY = -1 };

/* An event to be; `mark`, when set, is the kind of the boundary that follows it. */
typedef struct ck_import_entry {
  ck_event_kind kind;
  int agent; /* index; CK_IMPORT_NOBODY */
  int64_t at_ms;
  ck_value *body;
  ck_boundary_kind mark; /* 0: none */
} ck_import_entry;

/* One agent and the turn it is in: a reply and the calls that followed it, or calls alone. */
typedef struct ck_import_agent {
  char *name, *parent, *role;
  int64_t models, tools; /* ordinals given so far */
  bool in_turn, replied;
  size_t reply, last; /* entries of the turn: its reply, its last result */
  size_t calls, tool_calls, answered;
} ck_import_agent;

/* A call that has no result yet. */
typedef struct ck_import_call {
  int agent;
  char *id, *name; /* of a delegation: the agent it went to */
  int64_t ordinal; /* of the effect; 0: a delegation */
} ck_import_call;

struct ck_import {
  char id[CK_ID_SIZE];
  char *format, *path, *source_id, *reason;
  ck_value *about;
  const ck_policy_engine *policies; /* NULL: none are asked */
  ck_session_status status;
  int64_t at_ms;                     /* when it began; 0 */
  int64_t total_cost;                /* as the source has it for the whole; -1 */
  int64_t total_input, total_output; /* tokens, likewise; 0: it does not say */
  int64_t delegations;
  ck_import_entry *entries;
  size_t count, cap;
  ck_import_agent *agents;
  size_t agent_count;
  ck_import_call *calls;
  size_t call_count, call_cap;
};

/* ---- import_turns.c ---- */

/* The agent's index, added when it is new; CK_IMPORT_NOBODY without a name. */
CK_CHECKED ck_status ck_import_find_agent(int *out, ck_import *self, const char *name,
                                          ck_error *err);
/* A call waits for its result; `call` and its texts are borrowed. */
CK_CHECKED ck_status ck_import_open_call(ck_import *self, const ck_import_call *call,
                                         ck_error *err);
/* Takes the oldest open call that the fact answers: by its id; sources that give none are matched
 * by order, delegations by their agent. False: there is none. The caller frees its texts. */
bool ck_import_close_call(ck_import_call *out, ck_import *self, int agent,
                          const ck_import_fact *fact);
/* The agent's turn is over: marks where an agent loop would have been at a boundary. */
void ck_import_settle(ck_import *self, int agent);
/* Steps from an agent to one without a parent. */
int ck_import_depth(const ck_import *self, int agent);

/* ---- import_bodies.c ---- */

/* The member that a fact of its kind must have and lacks; NULL: none. */
const char *ck_import_find_lack(const ck_import_fact *fact);
/* Adds the fact's event. CK_E_TYPE: it makes none within a session. */
CK_CHECKED ck_status ck_import_put(ck_import *self, const ck_import_fact *fact, int agent,
                                   ck_error *err);

#endif
