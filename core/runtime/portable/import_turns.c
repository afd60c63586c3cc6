/* import_turns.c - the agents of an imported session, the turns they are in, and the calls that
 * wait for a result. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/runtime/portable/import_private.h"

ck_status ck_import_find_agent(int *out, ck_import *self, const char *name, ck_error *err) {
  *out = CK_IMPORT_NOBODY;
  if (!name || !*name) return CK_OK;
  for (size_t i = self->agent_count; i-- > 0;)
    if (strcmp(self->agents[i].name, name) == 0) {
      *out = (int)i;
      return CK_OK;
    }
  ck_import_agent *agents = reallocarray(self->agents, self->agent_count + 1, sizeof *agents);
  if (!agents) return ck_error_no_memory(err);
  self->agents = agents;
  agents[self->agent_count] = (ck_import_agent){.name = strdup(name)};
  if (!agents[self->agent_count].name) return ck_error_no_memory(err);
  *out = (int)self->agent_count++;
  return CK_OK;
}

int ck_import_depth(const ck_import *self, int agent) {
  int depth = 0;
  while (agent != CK_IMPORT_NOBODY && self->agents[agent].parent &&
         depth <= (int)self->agent_count) {
    int parent = CK_IMPORT_NOBODY;
    for (size_t i = 0; i < self->agent_count; i++)
      if (strcmp(self->agents[i].name, self->agents[agent].parent) == 0) parent = (int)i;
    agent = parent;
    depth++;
  }
  return depth;
}

static ck_boundary_kind kind_of_turn(const ck_import_agent *of) {
  if (!of->calls) return CK_BOUNDARY_LOOP_ITERATION;
  return of->replied || of->tool_calls ? CK_BOUNDARY_TOOL_ROUND : CK_BOUNDARY_ROUND_COMPLETE;
}

/* While calls have no result the next request would not be valid: no boundary. */
void ck_import_settle(ck_import *self, int agent) {
  if (agent == CK_IMPORT_NOBODY) return;
  ck_import_agent *of = &self->agents[agent];
  if (of->in_turn && of->answered >= of->calls)
    self->entries[of->calls ? of->last : of->reply].mark = kind_of_turn(of);
  of->in_turn = of->replied = false;
  of->calls = of->tool_calls = of->answered = 0;
}

ck_status ck_import_open_call(ck_import *self, const ck_import_call *call, ck_error *err) {
  ck_import_call *calls =
      ck_array_grow(self->calls, self->call_count, &self->call_cap, sizeof *calls);
  if (!calls) return ck_error_no_memory(err);
  self->calls = calls;
  ck_import_call made = *call;
  made.id = made.name = NULL;
  ck_status status = ck_text_replace(&made.id, call->id, err);
  if (status == CK_OK) status = ck_text_replace(&made.name, call->name, err);
  if (status != CK_OK) {
    free(made.id);
    return status;
  }
  self->calls[self->call_count++] = made;
  ck_import_agent *of = &self->agents[call->agent];
  if (!of->replied && of->calls && of->answered >= of->calls) ck_import_settle(self, call->agent);
  of->in_turn = true;
  of->calls++;
  of->tool_calls += call->ordinal > 0;
  return CK_OK;
}

static bool is_text(const char *text, const char *wanted) {
  return text && strcmp(text, wanted) == 0;
}

bool ck_import_close_call(ck_import_call *out, ck_import *self, int agent,
                          const ck_import_fact *fact) {
  bool delegation = fact->kind == CK_IMPORT_DELEGATION_RESULT, by_id = fact->id && *fact->id;
  for (size_t i = 0; i < self->call_count; i++) {
    ck_import_call *at = &self->calls[i];
    bool fits = at->agent == agent && (at->ordinal == 0) == delegation;
    if (!fits || (by_id && !is_text(at->id, fact->id))) continue;
    if (!by_id && delegation && fact->child && !is_text(at->name, fact->child)) continue;
    *out = *at;
    memmove(at, at + 1, (--self->call_count - i) * sizeof *at);
    return true;
  }
  return false;
}
