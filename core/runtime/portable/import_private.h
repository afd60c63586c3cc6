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
  ck_session_status status;
  int64_t at_ms;      /* when it began; 0 */
  int64_t total_cost; /* as the source has it for the whole; -1 */
  int64_t delegations, tool_calls;
  ck_import_entry *entries;
  size_t count, cap;
  ck_import_agent *agents;
  size_t agent_count;
  ck_import_call *calls;
  size_t call_count, call_cap;
};

/* The agent's turn is over: marks where an agent loop would have been at a boundary. */
void ck_import_settle(ck_import *self, int agent);
/* Steps from an agent to one without a parent. */
int ck_import_depth(const ck_import *self, int agent);

#endif
