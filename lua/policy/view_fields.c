/* view_fields.c - the fields of the views of boundaries, checkpoints, items, sessions, events,
 * failures and effects. */
#include "lua/policy/view_fields.h"

#include <stdio.h>

#include "core/model/description.h"
#include "lua/vm/json.h"
#include "lua/vm/sandbox.h"

const view_type ck_view_types[CK_VIEW_COUNT] = {
#define X(kind, text, class, type, children, meaning) \
  {text, class, sizeof(type), children, meaning},
    CK_VIEW_TABLE(X)
#undef X
};

static void push_text(lua_State *L, const char *text) {
  if (text)
    lua_pushstring(L, text);
  else
    lua_pushnil(L);
}

/* Read anew at each access: a value that is not read costs nothing. */
static void push_json(lua_State *L, ck_bytes json) {
  if (json.len > 0)
    ck_json_push_frozen(L, json);
  else
    lua_pushnil(L);
}

/* A text member of a checkpoint's info. */
static void push_member(lua_State *L, const ck_value *object, const char *name) {
  ck_bytes value = object ? ck_json_get(ck_value_bytes(object), name) : (ck_bytes){NULL, 0};
  if (ck_json_type_of(value) == CK_JSON_STRING)
    ck_json_push(L, value);
  else
    lua_pushnil(L);
}

static void push_description(lua_State *L, const ck_checkpoint_info *of) {
  char derived[512]; /* on the stack: a push can raise */
  ck_buffer text = {0};
  if (ck_description_is_stored(of->info)) {
    push_member(L, of->info, "description");
    return;
  }
  ck_description_append_stored(&text, of->kind, of->info);
  snprintf(derived, sizeof derived, "%s", text.data ? text.data : "");
  ck_buffer_clear(&text);
  lua_pushstring(L, derived);
}

/* The list of a text member of each of the reasons; those who gave none have none. */
static void push_of_reasons(lua_State *L, const ck_value *info, const char *name) {
  ck_bytes reasons = info ? ck_json_get(ck_value_bytes(info), "reasons") : (ck_bytes){NULL, 0};
  bool is_list = ck_json_type_of(reasons) == CK_JSON_ARRAY;
  lua_Integer count = 0;
  lua_newtable(L);
  for (ck_json_iterator it = ck_json_iterate(is_list ? reasons : ck_bytes_text("[]"));
       ck_json_next(&it);) {
    ck_bytes text = ck_json_get(it.value, name);
    if (ck_json_type_of(text) != CK_JSON_STRING) continue;
    ck_json_push(L, text);
    lua_rawseti(L, -2, ++count);
  }
  ck_sandbox_freeze(L);
}

#define FIELD(name, type, action)                                                 \
  static void name(lua_State *L, const void *subject, const ck_view_slot *slot) { \
    const type *of = subject;                                                     \
    (void)of, (void)slot;                                                         \
    action;                                                                       \
  }
/* Of a call of a tool, or what an agent wants to do; the list of a server's tools is none. */
static ck_bytes tool_member(const ck_effect *of, const char *name) {
  bool call = of->kind == CK_EFFECT_AGENT_TOOL || ck_effect_is_tool_call(of);
  return call ? ck_json_get(of->request, name) : (ck_bytes){0};
}

/* A model gives them as a text of JSON; what is none stays a text. */
static void push_arguments(lua_State *L, const ck_effect *of) {
  ck_bytes given = tool_member(of, "arguments");
  push_json(L, given);
  if (ck_json_type_of(given) != CK_JSON_STRING) return;
  ck_error none = CK_ERROR_INIT;
  ck_bytes text;
  text.data = lua_tolstring(L, -1, &text.len);
  if (ck_json_check(text, &none) == CK_OK) push_json(L, text);
}

/* Below 0: none. */
static void push_limit(lua_State *L, int64_t micros) {
  if (micros < 0)
    lua_pushnil(L);
  else
    lua_pushnumber(L, (lua_Number)micros / 1e6);
}

static void push_left(lua_State *L, int64_t limit, int64_t spent) {
  int64_t left = limit > spent ? limit - spent : 0;
  push_limit(L, limit < 0 ? -1 : left);
}

/* What the host tells of a resume; no bytes: nothing. */
static ck_bytes seen(const ck_resume_case *of, const char *name) {
  return of->seen ? ck_json_get(ck_value_bytes(of->seen), name) : (ck_bytes){NULL, 0};
}

static void push_models(lua_State *L, const ck_resume_case *of) {
  ck_bytes models = seen(of, "models");
  push_json(L, models.len ? models : ck_bytes_text("[]"));
}

static void push_same_host(lua_State *L, const ck_resume_case *of) {
  ck_bytes now = seen(of, "host"), was = seen(of, "host_before");
  if (now.len && was.len)
    lua_pushboolean(L, ck_bytes_equal(now, was));
  else
    lua_pushnil(L);
}

static int64_t utc_offset(const ck_resume_case *of) {
  int64_t seconds = 0;
  ck_json_read_int(&seconds, seen(of, "utc_offset_s"));
  return seconds;
}

/* Where they are not known there is none. */
static void push_changed(lua_State *L, const ck_changed_keys *keys) {
  lua_newtable(L);
  for (size_t i = 0; keys && i < keys->by_name.cap; i++) {
    if (!keys->by_name.slots[i].key) continue;
    lua_pushboolean(L, true);
    lua_setfield(L, -2, keys->by_name.slots[i].key);
  }
  ck_sandbox_freeze(L);
}

#define TEXT(name, type, expression) FIELD(name, type, push_text(L, (expression)))
#define INTEGER(name, type, expression) FIELD(name, type, lua_pushinteger(L, (expression)))
#define TRUTH(name, type, expression) FIELD(name, type, lua_pushboolean(L, (expression)))
#define DOLLARS(name, type, micros) FIELD(name, type, lua_pushnumber(L, (lua_Number)(micros) / 1e6))
#define JSON(name, type, bytes) FIELD(name, type, push_json(L, (bytes)))

TEXT(at_kind, ck_boundary, ck_boundary_kind_name(of->kind))
TEXT(at_scope, ck_boundary, of->scope)
TEXT(at_node, ck_boundary, of->node)
TEXT(at_agent, ck_boundary, of->agent)
TEXT(at_last_error, ck_boundary, of->last_error)
INTEGER(at_depth, ck_boundary, of->depth)
INTEGER(at_seq, ck_boundary, of->seq)
INTEGER(at_now, ck_boundary, of->now_ms)
INTEGER(at_latency, ck_boundary, of->node_latency_ms)
FIELD(at_random, ck_boundary,
      lua_pushnumber(L, (lua_Number)(of->random &((UINT64_C(1) << 53) - 1)) / 9007199254740992.0))
TRUTH(at_is_clean, ck_boundary, of->clean)
FIELD(at_checkpoint_cost, ck_boundary, lua_pushnumber(L, (lua_Number)of->checkpoint_cost_us / 1000))

JSON(at_calls, ck_boundary, of->calls)
JSON(at_message, ck_boundary, of->message)
JSON(at_tools, ck_boundary, of->tools.len ? of->tools : ck_bytes_text("[]"))
JSON(at_model, ck_boundary, of->model)

INTEGER(since_ms, ck_boundary, of->since.ms)
INTEGER(since_events, ck_boundary, of->since.events)
DOLLARS(since_cost, ck_boundary, of->since.cost_micros)
INTEGER(since_tokens, ck_boundary, of->since.tokens)
INTEGER(since_tool_calls, ck_boundary, of->since.tool_calls)
INTEGER(since_keys, ck_boundary, of->since.changed_keys)
INTEGER(since_bytes, ck_boundary, of->since.changed_bytes)
FIELD(since_changed, ck_boundary, push_changed(L, of->since.changed))
INTEGER(since_boundaries, ck_boundary, slot->counts.boundaries)
INTEGER(since_iterations, ck_boundary, slot->counts.iterations)

TEXT(next_node, ck_boundary, of->next.node)
TEXT(next_tool, ck_boundary, of->next.tool)
TEXT(next_class, ck_boundary,
     of->next.has_class ? ck_effect_class_name(of->next.effect_class) : NULL)

DOLLARS(budget_spent, ck_boundary, of->budget.spent_micros)
FIELD(budget_limit, ck_boundary, push_limit(L, of->budget.limit_micros))
FIELD(budget_left, ck_boundary, push_left(L, of->budget.limit_micros, of->budget.spent_micros))
TRUTH(budget_approaching, ck_boundary,
      of->budget.limit_micros >= 0 &&
          (double)of->budget.spent_micros >= 0.8 * (double)of->budget.limit_micros)

TEXT(checkpoint_id, ck_checkpoint_info, of->id)
TEXT(checkpoint_kind, ck_checkpoint_info, ck_boundary_kind_name(of->kind))
INTEGER(checkpoint_seq, ck_checkpoint_info, of->seq)
INTEGER(checkpoint_parent, ck_checkpoint_info, of->parent)
INTEGER(checkpoint_timeline, ck_checkpoint_info, of->timeline)
INTEGER(checkpoint_created, ck_checkpoint_info, of->created_ms)
TRUTH(checkpoint_is_clean, ck_checkpoint_info, of->clean)
TRUTH(checkpoint_resumable, ck_checkpoint_info, of->resumable)
TRUTH(checkpoint_is_keyframe, ck_checkpoint_info, of->keyframe == of->seq)
INTEGER(checkpoint_bytes, ck_checkpoint_info, of->stored_bytes)
INTEGER(checkpoint_changed, ck_checkpoint_info, of->changed)
DOLLARS(checkpoint_cost, ck_checkpoint_info, of->totals.cost_micros)
FIELD(checkpoint_node, ck_checkpoint_info, push_member(L, of->info, "node"))
FIELD(checkpoint_next, ck_checkpoint_info, push_member(L, of->info, "next"))
FIELD(checkpoint_agent, ck_checkpoint_info, push_member(L, of->info, "agent"))
FIELD(checkpoint_tool, ck_checkpoint_info, push_member(L, of->info, "tool"))
FIELD(checkpoint_reasons, ck_checkpoint_info, push_of_reasons(L, of->info, "reason"))
FIELD(checkpoint_policies, ck_checkpoint_info, push_of_reasons(L, of->info, "policy"))
INTEGER(checkpoint_age, ck_checkpoint_info,
        slot->now_ms > of->created_ms ? slot->now_ms - of->created_ms : 0)
FIELD(checkpoint_description, ck_checkpoint_info, push_description(L, of))

TEXT(item_key, ck_item, of->key)
TEXT(item_kind, ck_item, of->key ? NULL : ck_event_kind_name(of->kind))
TEXT(item_agent, ck_item, of->agent)
JSON(item_value, ck_item, ck_value_bytes(of->value))

TEXT(session_id, ck_resume_case, of->session->id)
TEXT(session_status, ck_resume_case, ck_session_status_name(of->session->status))
TEXT(session_reason, ck_resume_case, of->session->reason)
TEXT(session_profile, ck_resume_case, of->session->profile)
TEXT(session_flow, ck_resume_case, of->session->flow)
INTEGER(session_created, ck_resume_case, of->session->created_ms)
INTEGER(session_updated, ck_resume_case, of->session->updated_ms)
INTEGER(session_now, ck_resume_case, of->now_ms)
DOLLARS(session_cost, ck_resume_case, of->totals->cost_micros)
INTEGER(session_tokens, ck_resume_case, of->totals->input_tokens + of->totals->output_tokens)
INTEGER(session_model_calls, ck_resume_case, of->totals->model_calls)
INTEGER(session_tool_calls, ck_resume_case, of->totals->tool_calls)
INTEGER(session_active, ck_resume_case, of->totals->active_us / 1000)
INTEGER(session_offset, ck_resume_case, utc_offset(of))
TRUTH(session_flow_changed, ck_resume_case,
      ck_json_type_of(seen(of, "flow_changed")) == CK_JSON_TRUE)
FIELD(session_models, ck_resume_case, push_models(L, of))
DOLLARS(session_spent, ck_resume_case, of->budget.spent_micros)
FIELD(session_limit, ck_resume_case, push_limit(L, of->budget.limit_micros))
FIELD(session_left, ck_resume_case, push_left(L, of->budget.limit_micros, of->budget.spent_micros))
JSON(host_now, ck_resume_case, seen(of, "host"))
JSON(host_was, ck_resume_case, seen(of, "host_before"))
FIELD(host_same, ck_resume_case, push_same_host(L, of))

INTEGER(event_seq, ck_event, of->seq)
INTEGER(event_at, ck_event, of->at_ms)
TEXT(event_kind, ck_event, ck_event_kind_name(of->kind))
TEXT(event_scope, ck_event, of->scope)
TEXT(event_agent, ck_event, of->agent)
JSON(event_body, ck_event, ck_value_bytes(of->body))

TEXT(failure_node, ck_failure, of->node)
TEXT(failure_agent, ck_failure, of->agent)
TEXT(failure_key, ck_failure, of->key)
TEXT(failure_kind, ck_failure, ck_effect_kind_name(of->kind))
TEXT(failure_tool, ck_failure, of->tool)
INTEGER(failure_try, ck_failure, of->tries)
FIELD(failure_retry_after, ck_failure,
      of->retry_after_ms > 0 ? lua_pushinteger(L, of->retry_after_ms) : lua_pushnil(L))
TEXT(failure_status, ck_failure, ck_status_name(of->status))
TEXT(failure_error, ck_failure, of->error)
INTEGER(failure_attempt, ck_failure, of->attempt)

TEXT(effect_scope, ck_effect, of->scope)
TEXT(effect_key, ck_effect, of->key)
TEXT(effect_kind, ck_effect, ck_effect_kind_name(of->kind))
TEXT(effect_class, ck_effect, ck_effect_class_name(of->class))
TEXT(effect_agent, ck_effect, of->agent)
INTEGER(effect_attempt, ck_effect, of->attempt)
JSON(effect_request, ck_effect, of->request)
FIELD(effect_tool, ck_effect, push_json(L, tool_member(of, "name")))
FIELD(effect_arguments, ck_effect, push_arguments(L, of))
FIELD(effect_reserve, ck_effect,
      of->reserve_micros < 0 ? lua_pushnil(L)
                             : lua_pushnumber(L, (lua_Number)of->reserve_micros / 1e6))

/* A list, also of none. */
FIELD(effect_untrusted, ck_effect,
      push_json(L, of->untrusted.len ? of->untrusted : ck_bytes_text("[]")))

/* clang-format off */
const view_field ck_view_fields[CK_VIEW_COUNT][VIEW_FIELDS_MAX + 1] = {
  [CK_VIEW_AT] = {
    {"kind", at_kind, 0, "ck.BoundaryKind|nil", "; nil in `permit`, between boundaries"},
    {"scope", at_scope, 0, "string", "the scope that reached it: `main`, `main.web`"},
    {"node", at_node, 0, "string|nil", "the node or step; nil: none"},
    {"agent", at_agent, 0, "string|nil", "the acting agent; nil: none"},
    {"depth", at_depth, 0, "integer", "of delegation; 0: top level"},
    {"seq", at_seq, 0, "integer", "of the boundary's event"},
    {"now", at_now, 0, "integer", "ms since 1970; recorded, so that a simulation sees the same"},
    {"random", at_random, 0, "number", "from 0, below 1; recorded likewise"},
    {"latency_ms", at_latency, 0, "integer", "ms since the node or turn began"},
    {"is_clean", at_is_clean, 0, "boolean", "no retry or failure since the session began"},
    {"checkpoint_cost_ms", at_checkpoint_cost, 0, "number",
      "ms that a checkpoint took in this store; 0: not yet known"},
    {"last_error", at_last_error, 0, "string|nil", "of the last failure; nil: none"},
    {"calls", at_calls, 0, "ck.Call[]|nil",
      "what the model's answer calls, in its order, at a `before_call`; nil elsewhere"},
    {"message", at_message, 0, "ck.Message|nil",
      "the last of the scope's conversation that is no tool's result; nil: none"},
    {"tools", at_tools, 0, "ck.Call[]",
      "the tools that ran in the scope since its last boundary, in the order of their ends"},
    {"model", at_model, 0, "string|nil", "the model that answered last in the scope since then, "
      "by the flow's name of it; nil: none did"},
    {"since", NULL, 1, "ck.Since", "what happened since the last checkpoint"},
    {"next", NULL, 2, "ck.Next", "what comes next, as far as the flow knows"},
    {"budget", NULL, 3, "ck.Budget", "of the session"},
  },
  [CK_VIEW_SINCE] = {
    {"ms", since_ms, 0, "integer",
      "ms of its run; of an imported session without its user's absence"},
    {"events", since_events, 0, "integer", "events recorded"},
    {"cost_usd", since_cost, 0, "number", "dollars spent"},
    {"tokens", since_tokens, 0, "integer", "input and output tokens"},
    {"tool_calls", since_tool_calls, 0, "integer",
      "calls of tools that ended, also those that failed"},
    {"changed", since_changed, 0, "table<ck.ChangedKey, true>",
      "keys of the state that got another value: `changed[\"memory.plan\"]`; made at each access"},
    {"changed_keys", since_keys, 0, "integer", "how many these are"},
    {"changed_bytes", since_bytes, 0, "integer",
      "bytes of the values that were written since then, the runtime's own included"},
    {"boundaries", since_boundaries, 0, "integer",
      "boundaries reached, this one included (`permit` is at none); "
      "a `before_call` is part of a turn, and does not count"},
    {"iterations", since_iterations, 0, "integer",
      "of those `loop_iteration` and `tool_round`, this one included"},
  },
  [CK_VIEW_NEXT] = {
    {"node", next_node, 0, "string|nil", "the next node; nil: not known, or none"},
    {"tool", next_tool, 0, "string|nil",
      "the next tool, at a `before_call`, and where a custom flow names it"},
    {"class", next_class, 0, "ck.EffectClass|nil", "; nil: not given"},
  },
  [CK_VIEW_BUDGET] = {
    {"spent", budget_spent, 0, "number", "dollars"},
    {"limit", budget_limit, 0, "number|nil",
      "`constraints.budget_usd`, or what `--limit` makes of it; nil: no limit"},
    {"left", budget_left, 0, "number|nil", "dollars, not below 0; nil: no limit"},
    {"approaching", budget_approaching, 0, "boolean", "80 % of the limit are spent"},
  },
  [CK_VIEW_CHECKPOINT] = {
    {"id", checkpoint_id, 0, "string", "its id"},
    {"kind", checkpoint_kind, 0, "ck.BoundaryKind", "of its boundary"},
    {"seq", checkpoint_seq, 0, "integer", "of its boundary's event"},
    {"parent", checkpoint_parent, 0, "integer", "seq of the checkpoint that it follows; 0: none"},
    {"timeline", checkpoint_timeline, 0, "integer",
      "from 1; another one after a resume that left something behind"},
    {"created", checkpoint_created, 0, "integer", "ms since 1970"},
    {"is_clean", checkpoint_is_clean, 0, "boolean",
      "no retry or failure before it, since the session began"},
    {"resumable", checkpoint_resumable, 0, "boolean", "a resume can go on from it"},
    {"is_keyframe", checkpoint_is_keyframe, 0, "boolean", "its payload holds the whole state"},
    {"bytes", checkpoint_bytes, 0, "integer", "bytes as stored"},
    {"changed_keys", checkpoint_changed, 0, "integer", "against its parent"},
    {"cost_usd", checkpoint_cost, 0, "number", "dollars that the session had spent up to it"},
    {"node", checkpoint_node, 0, "string|nil", "the node or step"},
    {"next", checkpoint_next, 0, "string|nil", "the next node"},
    {"agent", checkpoint_agent, 0, "string|nil", "the acting agent"},
    {"tool", checkpoint_tool, 0, "string|nil", "the tool that comes next, as `at.next.tool` said"},
    {"description", checkpoint_description, 0, "string", "one line: `completed collector`"},
    {"reasons", checkpoint_reasons, 0, "string[]",
      "the texts of the policies that took it; none of who said yes without one"},
    {"policies", checkpoint_policies, 0, "string[]",
      "the names of the policies that took it; none where it is always taken and none said yes"},
    {"age_ms", checkpoint_age, 0, "integer", "ms since `created`; not below 0"},
  },
  [CK_VIEW_ITEM] = {
    {"key", item_key, 0, "ck.ItemKey|nil",
      "a key of the state, such as `memory.x`; nil: the body of an event"},
    {"kind", item_kind, 0, "ck.EventKind|nil",
      "of the event; nil for a key"},
    {"agent", item_agent, 0, "string|nil", "the acting agent of the event; nil: none, or a key"},
    {"value", item_value, 0, "ck.Json", "read anew at each access: keep it in a local"},
  },
  [CK_VIEW_SESSION] = {
    {"id", session_id, 0, "string", "its id"},
    {"status", session_status, 0, "ck.SessionStatus", "; `running` also of one whose process died"},
    {"reason", session_reason, 0, "string|nil", "why it is not running"},
    {"profile", session_profile, 0, "string", "its name"},
    {"flow", session_flow, 0, "string|nil", "path of the flow"},
    {"created", session_created, 0, "integer", "ms since 1970"},
    {"updated", session_updated, 0, "integer", "ms since 1970"},
    {"now", session_now, 0, "integer", "ms since 1970"},
    {"cost_usd", session_cost, 0, "number", "dollars spent"},
    {"tokens", session_tokens, 0, "integer", "input and output tokens"},
    {"model_calls", session_model_calls, 0, "integer", "made so far"},
    {"tool_calls", session_tool_calls, 0, "integer", "made so far"},
    {"active_ms", session_active, 0, "integer", "ms that it was running"},
    {"utc_offset_s", session_offset, 0, "integer",
      "seconds that the clock of who resumes is ahead of UTC: `(now // 1000 + utc_offset_s) // "
      "3600 % 24` is the hour there"},
    {"flow_changed", session_flow_changed, 0, "boolean",
      "the flow's file is not that of the last run; goes on with `--accept-changed` alone"},
    {"models", session_models, 0, "ck.ModelUse[]",
      "what each agent asked models for so far, in the order of the first time, then models that "
      "the flow names and nobody has asked"},
    {"budget", NULL, 1, "ck.SessionBudget", "before the rules"},
    {"host", NULL, 2, "ck.Host", "the machine"},
  },
  [CK_VIEW_SESSION_BUDGET] = {
    {"spent", session_spent, 0, "number", "dollars that count against the limit"},
    {"limit", session_limit, 0, "number|nil",
      "`constraints.budget_usd`, or what `--limit` makes of it; nil: no limit"},
    {"left", session_left, 0, "number|nil", "dollars, not below 0; nil: no limit"},
  },
  [CK_VIEW_SESSION_HOST] = {
    {"now", host_now, 0, "string|nil", "its name; nil: resumed by a program of its own"},
    {"was", host_was, 0, "string|nil", "the name of that of the last run; nil: not known"},
    {"same", host_same, 0, "boolean|nil", "both are equal; nil: one is not known"},
  },
  [CK_VIEW_EVENT] = {
    {"seq", event_seq, 0, "integer", "its number in the transcript"},
    {"at", event_at, 0, "integer", "ms since 1970"},
    {"kind", event_kind, 0, "ck.EventKind",
      "`message`, `intent`, `outcome`, `delegation`, `note`, …"},
    {"scope", event_scope, 0, "string", "where it happened: `main`, `main.web`"},
    {"agent", event_agent, 0, "string|nil", "the acting agent"},
    {"body", event_body, 0, "table", "read anew at each access: keep it in a local"},
  },
  [CK_VIEW_FAILURE] = {
    {"node", failure_node, 0, "string|nil", "nil: not known"},
    {"agent", failure_agent, 0, "string|nil", "the acting agent; nil: none"},
    {"key", failure_key, 0, "string", "of the effect: `main/plan#1/exec/1`"},
    {"status", failure_status, 0, "ck.Status",
      "the class of the error: `CK_E_UNAVAILABLE`, `CK_E_NOT_FOUND`, `CK_E_CREDENTIALS`, …"},
    {"error", failure_error, 0, "string|nil", "one line"},
    {"kind", failure_kind, 0, "ck.EffectKind", ""},
    {"tool", failure_tool, 0, "string|nil", "the tool that was called; nil: it was no call of one"},
    {"attempt", failure_attempt, 0, "integer",
      "from 1, of the effect; tries at once have the same"},
    {"try", failure_try, 0, "integer", 
      "from 1, of this attempt in this run; no \"retry\" is followed after the third"},
    {"retry_after", failure_retry_after, 0, "integer|nil",
      "ms that the service asks to wait; nil: it does not say"},
  },
  [CK_VIEW_EFFECT] = {
    {"scope", effect_scope, 0, "string", "where it happens: `main`, `main.web`"},
    {"key", effect_key, 0, "string", "`main/plan#1/exec/1`"},
    {"kind", effect_kind, 0, "ck.EffectKind", ""},
    {"class", effect_class, 0, "ck.EffectClass", ""},
    {"agent", effect_agent, 0, "string|nil", "the acting agent"},
    {"attempt", effect_attempt, 0, "integer", "from 1"},
    {"tool", effect_tool, 0, "string|nil", "the tool that is called; nil: it is no call of one"},
    {"arguments", effect_arguments, 0, "ck.Json|nil",
      "of a tool's call; nil: it is none; read anew at each access"},
    {"reserve_usd", effect_reserve, 0, "number|nil",
      "dollars, the most that it may cost; 0: nothing; nil: not known"},
    {"untrusted", effect_untrusted, 0, "string[]",
      "the sources that are not trusted whose content is in the agent's context; none: empty"},
    {"request", effect_request, 0, "ck.Json",
      "all that is requested; read anew at each access: keep it in a local"},
  },
};
/* clang-format on */
