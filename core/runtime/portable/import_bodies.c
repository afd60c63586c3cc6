/* import_bodies.c - the bodies of events that the facts of an imported session become. */
#include <stdlib.h>

#include "core/base/array.h"
#include "core/runtime/ledger/ledger.h"
#include "core/runtime/portable/import_private.h"

static ck_status put_entry(ck_import *self, ck_event_kind kind, int agent,
                           const ck_import_fact *fact, ck_buffer *json, ck_error *err) {
  ck_import_entry *entries = ck_array_grow(self->entries, self->count, &self->cap, sizeof *entries);
  if (!entries) return ck_error_no_memory(err);
  self->entries = entries;
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
  ck_status status = put_entry(self, CK_EVENT_INTENT, agent, fact, w->out, err);
  return status == CK_OK ? ck_import_open_call(self, &call, err) : status;
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
  bool known = ck_import_close_call(&call, self, agent, fact);
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
  return status == CK_OK ? ck_import_open_call(self, &call, err) : status;
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
  if (ck_import_close_call(&call, self, agent, fact)) {
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

/* ---- kinds ---- */

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

const char *ck_import_find_lack(const ck_import_fact *fact) {
  if (kinds[fact->kind].agent && !(fact->agent && *fact->agent)) return "agent";
  if (kinds[fact->kind].name && !fact->name) return "name";
  if (kinds[fact->kind].target && !fact->target) return "target";
  if (kinds[fact->kind].id && !(fact->id && *fact->id)) return "id";
  if (kinds[fact->kind].message && ck_json_type_of(fact->message) != CK_JSON_OBJECT)
    return "message (an object)";
  return NULL;
}

ck_status ck_import_put(ck_import *self, const ck_import_fact *fact, int agent, ck_error *err) {
  if (!kinds[fact->kind].put)
    return ck_error_set(err, CK_E_TYPE, "%s: not within a session",
                        ck_import_kind_name(fact->kind));
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_status status = kinds[fact->kind].put(self, fact, agent, &w, err);
  ck_buffer_clear(&json);
  return status;
}
