/* import.c - takes the facts of a session that ran elsewhere and makes events of them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/portable/import_private.h"
#include "core/runtime/ledger/ledger.h"

void ck_import_make_id(char out[CK_ID_SIZE], const char *format, const char *source_id) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text(format));
  ck_digester_update_field(&digester, ck_bytes_text(source_id));
  ck_digest digest = ck_digester_final(&digester);
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, &digest);
  int len = snprintf(out, CK_ID_SIZE, "imported_%.40s_%.8s", format, hex);
  for (int i = 0; i < len; i++)
    if (!isalnum((unsigned char)out[i]) && out[i] != '-') out[i] = '_';
}

static ck_status take_text(char **out, const char *text, ck_error *err) {
  if (!text) return CK_OK;
  char *copy = strdup(text);
  if (!copy) return ck_error_no_memory(err);
  free(*out);
  *out = copy;
  return CK_OK;
}

ck_status ck_import_begin(ck_import **out, const char *id, const ck_import_origin *origin,
                          ck_error *err) {
  *out = NULL;
  const ck_import_fact *session = origin->session;
  ck_status status = ck_id_check("session id", id, err);
  if (status != CK_OK) return status;
  ck_import *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  strcpy(self->id, id);
  self->status = CK_SESSION_COMPLETED;
  self->at_ms = session->at_ms;
  self->total_cost = session->cost_micros;
  status = take_text(&self->format, origin->format, err);
  if (status == CK_OK) status = take_text(&self->path, origin->path, err);
  if (status == CK_OK) status = take_text(&self->source_id, session->id, err);
  if (status == CK_OK && session->value.len)
    status = ck_value_new(&self->about, session->value, err);
  if (status != CK_OK) {
    ck_import_free(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_import_free(ck_import *self) {
  if (!self) return;
  for (size_t i = 0; i < self->count; i++) ck_value_free(self->entries[i].body);
  for (size_t i = 0; i < self->agent_count; i++) {
    free(self->agents[i].name);
    free(self->agents[i].parent);
    free(self->agents[i].role);
  }
  for (size_t i = 0; i < self->call_count; i++) {
    free(self->calls[i].id);
    free(self->calls[i].name);
  }
  free(self->entries);
  free(self->agents);
  free(self->calls);
  free(self->format);
  free(self->path);
  free(self->source_id);
  free(self->reason);
  ck_value_free(self->about);
  free(self);
}

/* ---- agents and their turns ---- */

static ck_status find_agent(int *out, ck_import *self, const char *name, ck_error *err) {
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

static ck_status put_call(ck_import *self, const ck_import_call *call, ck_error *err) {
  if (self->call_count == self->call_cap) {
    size_t cap = self->call_cap ? self->call_cap * 2 : 16;
    ck_import_call *calls = reallocarray(self->calls, cap, sizeof *calls);
    if (!calls) return ck_error_no_memory(err);
    self->calls = calls;
    self->call_cap = cap;
  }
  ck_import_call made = *call;
  made.id = made.name = NULL;
  ck_status status = take_text(&made.id, call->id, err);
  if (status == CK_OK) status = take_text(&made.name, call->name, err);
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

/* Takes the oldest open call of that id out. Sources that give no ids are matched by order,
 * delegations by their agent. The caller frees the texts. */
static bool take_call(ck_import_call *out, ck_import *self, int agent, const ck_import_fact *fact) {
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

/* ---- bodies ---- */

static ck_status put_entry(ck_import *self, ck_event_kind kind, int agent,
                           const ck_import_fact *fact, ck_buffer *json, ck_error *err) {
  if (self->count == self->cap) {
    size_t cap = self->cap ? self->cap * 2 : 64;
    ck_import_entry *entries = reallocarray(self->entries, cap, sizeof *entries);
    if (!entries) return ck_error_no_memory(err);
    self->entries = entries;
    self->cap = cap;
  }
  ck_value *body;
  ck_status status = ck_value_from(&body, json, err);
  if (status != CK_OK) return status;
  self->entries[self->count++] =
      (ck_import_entry){.kind = kind, .agent = agent, .at_ms = fact->at_ms, .body = body};
  return CK_OK;
}

static void write_effect(ck_json_writer *w, const ck_import *self, int agent, const char *kind,
                         int64_t ordinal) {
  const char *name = agent == CK_IMPORT_NOBODY ? "nobody" : self->agents[agent].name;
  ck_buffer key = {0};
  ck_buffer_append_format(&key, "import/%s/%s/%lld", name, kind, (long long)ordinal);
  if (key.failed) w->out->failed = true;
  ck_json_begin(w, '{');
  ck_json_member_text(w, "key", key.data);
  ck_json_member_int(w, "attempt", 1);
  ck_json_member_text(w, "kind", kind);
  ck_buffer_clear(&key);
}

static void write_raw(ck_json_writer *w, const char *name, ck_bytes json) {
  if (json.len) ck_json_member_raw(w, name, json);
}

static void write_outcome(ck_json_writer *w, const ck_import_fact *fact) {
  ck_json_member_text(w, "status",
                      ck_outcome_status_name(fact->failed ? CK_OUTCOME_ERROR : CK_OUTCOME_OK));
  ck_json_member_text(w, "via", "import");
  ck_json_member_text(w, "error", fact->error);
}

static ck_status put_message(ck_import *self, const ck_import_fact *fact, int agent,
                             ck_json_writer *w, ck_error *err) {
  ck_import_settle(self, agent);
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "message", fact->message);
  write_raw(w, "source", fact->source);
  ck_json_end(w, '}');
  return put_entry(self, CK_EVENT_MESSAGE, agent, fact, w->out, err);
}

static ck_status put_model(ck_import *self, const ck_import_fact *fact, int agent,
                           ck_json_writer *w, ck_error *err) {
  ck_import_settle(self, agent);
  ck_import_agent *of = &self->agents[agent];
  write_effect(w, self, agent, "model", ++of->models);
  write_outcome(w, fact);
  if (fact->cost_micros) ck_json_member_int(w, "cost", fact->cost_micros);
  if (fact->input_tokens) ck_json_member_int(w, "input_tokens", fact->input_tokens);
  if (fact->output_tokens) ck_json_member_int(w, "output_tokens", fact->output_tokens);
  ck_json_member_raw(w, "message", fact->message);
  write_raw(w, "source", fact->source);
  ck_json_end(w, '}');
  of->in_turn = of->replied = true;
  of->reply = self->count;
  return put_entry(self, CK_EVENT_OUTCOME, agent, fact, w->out, err);
}

static ck_status put_tool_call(ck_import *self, const ck_import_fact *fact, int agent,
                               ck_json_writer *w, ck_error *err) {
  ck_import_call call = {.agent = agent,
                         .id = (char *)fact->id,
                         .name = (char *)fact->name,
                         .ordinal = ++self->agents[agent].tools};
  write_effect(w, self, agent, "tool", call.ordinal);
  ck_json_member_text(w, "class", ck_effect_class_name(CK_EFFECT_ONCE));
  ck_json_name(w, "request");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "name", fact->name);
  ck_json_member_text(w, "call_id", fact->id);
  ck_json_member_raw(w, "arguments", fact->value.len ? fact->value : ck_bytes_text("{}"));
  ck_json_end(w, '}');
  write_raw(w, "source", fact->source);
  ck_json_end(w, '}');
  self->tool_calls++;
  ck_status status = put_entry(self, CK_EVENT_INTENT, agent, fact, w->out, err);
  return status == CK_OK ? put_call(self, &call, err) : status;
}

static ck_status write_tool_message(ck_json_writer *w, const ck_import_fact *fact, const char *name,
                                    ck_error *err) {
  if (fact->message.len) {
    ck_json_member_raw(w, "message", fact->message);
    return CK_OK;
  }
  ck_value *message;
  ck_bytes content = fact->value.len ? fact->value : ck_bytes_text("null");
  ck_status status = ck_message_tool(&message, fact->id, name ? name : "?", content, err);
  if (status == CK_OK) ck_json_member_raw(w, "message", ck_value_bytes(message));
  ck_value_free(message);
  return status;
}

static ck_status put_tool_result(ck_import *self, const ck_import_fact *fact, int agent,
                                 ck_json_writer *w, ck_error *err) {
  ck_import_call call = {0};
  ck_import_agent *of = &self->agents[agent];
  bool known = take_call(&call, self, agent, fact);
  write_effect(w, self, agent, "tool", known ? call.ordinal : ++of->tools);
  write_outcome(w, fact);
  if (!known) ck_json_member_bool(w, "orphan", true); /* the source has no call for it */
  ck_status status = write_tool_message(w, fact, fact->name ? fact->name : call.name, err);
  write_raw(w, "source", fact->source);
  ck_json_end(w, '}');
  if (known) {
    of->answered++;
    of->last = self->count;
  }
  free(call.id);
  free(call.name);
  return status == CK_OK ? put_entry(self, CK_EVENT_OUTCOME, agent, fact, w->out, err) : status;
}

static ck_status put_delegation(ck_import *self, const ck_import_fact *fact, int agent,
                                ck_json_writer *w, ck_error *err) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "id", fact->id);
  ck_json_member_text(w, "target", fact->target);
  ck_json_member_text(w, "childAgentId", fact->child);
  write_raw(w, "message", fact->message);
  write_raw(w, "source", fact->source);
  ck_json_end(w, '}');
  self->delegations++;
  ck_import_call call = {.agent = agent,
                         .id = (char *)fact->id,
                         .name = (char *)(fact->child ? fact->child : fact->target)};
  ck_status status = put_entry(self, CK_EVENT_DELEGATION, agent, fact, w->out, err);
  return status == CK_OK ? put_call(self, &call, err) : status;
}

static ck_status put_delegation_result(ck_import *self, const ck_import_fact *fact, int agent,
                                       ck_json_writer *w, ck_error *err) {
  ck_import_call call = {0};
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", ck_import_kind_name(fact->kind));
  ck_json_member_text(w, "id", fact->id);
  ck_json_member_text(w, "childAgentId", fact->child);
  ck_json_member_text(w, "status",
                      ck_outcome_status_name(fact->failed ? CK_OUTCOME_ERROR : CK_OUTCOME_OK));
  write_raw(w, "message", fact->message);
  write_raw(w, "content", fact->value);
  write_raw(w, "source", fact->source);
  ck_json_end(w, '}');
  if (take_call(&call, self, agent, fact)) {
    self->agents[agent].answered++;
    self->agents[agent].last = self->count;
  }
  free(call.id);
  free(call.name);
  return put_entry(self, CK_EVENT_NOTE, agent, fact, w->out, err);
}

static ck_status put_note(ck_import *self, const ck_import_fact *fact, int agent, ck_json_writer *w,
                          ck_error *err) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", ck_import_kind_name(fact->kind));
  ck_json_member_text(w, "name", fact->name);
  write_raw(w, "data", fact->value);
  write_raw(w, "source", fact->source);
  ck_json_end(w, '}');
  return put_entry(self, CK_EVENT_NOTE, agent, fact, w->out, err);
}

/* ---- facts that are no events ---- */

static ck_status take_agent(ck_import *self, const ck_import_fact *fact, ck_error *err) {
  int agent;
  ck_status status = find_agent(&agent, self, fact->id, err);
  if (status == CK_OK) status = take_text(&self->agents[agent].parent, fact->parent, err);
  return status == CK_OK ? take_text(&self->agents[agent].role, fact->role, err) : status;
}

static ck_status take_end(ck_import *self, const ck_import_fact *fact, ck_error *err) {
  ck_session_status status = ck_session_status_of(fact->status ? fact->status : "completed");
  bool ends =
      status == CK_SESSION_COMPLETED || status == CK_SESSION_FAILED || status == CK_SESSION_PAUSED;
  if (!ends)
    return ck_error_set(err, CK_E_TYPE,
                        "end: the status must be completed, failed or paused, not '%s'",
                        fact->status);
  self->status = status;
  return take_text(&self->reason, fact->reason, err);
}

typedef ck_status (*put_function)(ck_import *self, const ck_import_fact *fact, int agent,
                                  ck_json_writer *w, ck_error *err);

/* The members that each kind needs. */
static const struct {
  bool agent, name, target, message, id;
  put_function put; /* NULL: no event */
} kinds[CK_IMPORT_KIND_COUNT] = {
    [CK_IMPORT_AGENT] = {.id = true},
    [CK_IMPORT_MESSAGE] = {.message = true, .put = put_message},
    [CK_IMPORT_MODEL] = {.agent = true, .message = true, .put = put_model},
    [CK_IMPORT_TOOL_CALL] = {.agent = true, .name = true, .put = put_tool_call},
    [CK_IMPORT_TOOL_RESULT] = {.agent = true, .put = put_tool_result},
    [CK_IMPORT_DELEGATION] = {.agent = true, .target = true, .put = put_delegation},
    [CK_IMPORT_DELEGATION_RESULT] = {.agent = true, .put = put_delegation_result},
    [CK_IMPORT_THOUGHT] = {.put = put_note},
    [CK_IMPORT_STATE] = {.put = put_note},
    [CK_IMPORT_COMPACTION] = {.put = put_note},
    [CK_IMPORT_ERROR] = {.put = put_note},
    [CK_IMPORT_META] = {.put = put_note},
};

static const char *find_lack(const ck_import_fact *fact) {
  if (kinds[fact->kind].agent && !(fact->agent && *fact->agent)) return "agent";
  if (kinds[fact->kind].name && !fact->name) return "name";
  if (kinds[fact->kind].target && !fact->target) return "target";
  if (kinds[fact->kind].id && !(fact->id && *fact->id)) return "id";
  if (kinds[fact->kind].message && ck_json_type_of(fact->message) != CK_JSON_OBJECT)
    return "message (an object)";
  return NULL;
}

ck_status ck_import_apply(ck_import *self, const ck_import_fact *fact, ck_error *err) {
  const char *lack = find_lack(fact);
  if (lack)
    return ck_error_set(err, CK_E_TYPE, "%s: it needs '%s'", ck_import_kind_name(fact->kind), lack);
  if (fact->kind == CK_IMPORT_AGENT) return take_agent(self, fact, err);
  if (fact->kind == CK_IMPORT_END) return take_end(self, fact, err);
  if (!kinds[fact->kind].put)
    return ck_error_set(err, CK_E_TYPE, "%s: not within a session",
                        ck_import_kind_name(fact->kind));
  int agent;
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_status status = find_agent(&agent, self, fact->agent, err);
  if (status == CK_OK) status = kinds[fact->kind].put(self, fact, agent, &w, err);
  ck_buffer_clear(&json);
  return status;
}
