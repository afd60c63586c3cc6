/* policy.c - asks each policy of the list, and puts the answers together. */
#include "lua/policy.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/answer.h"
#include "lua/json.h"
#include "lua/policy_load.h"

typedef struct {
  loaded_policy *policies; /* fixed once loaded: views point into it */
  size_t count;
  ck_buffer text;          /* reasons of one decision; a refusal */
} engine;

/* One hook of one policy on its way through the door. */
typedef struct {
  engine *owner;
  loaded_policy *policy;
  const void *subject; /* what the hook is about, by hook */
  const char *agent;   /* tail */
  int word;            /* answer of on_failure, in_doubt; -1: none */
  bool truth;          /* answer of tail */
  ck_answer_checkpoint decision;
  ck_resume_rules *rules;
} asking;

static const char *const hook_names[] = {
#define X(name, carried) #name,
    CK_POLICY_HOOK_TABLE(X)
#undef X
};

/* ---- asking one policy ---- */

static bool has_hook(const loaded_policy *policy, policy_hook hook) { return policy->hooks[hook] != LUA_NOREF; }

static ck_status ask(asking *ask_of, policy_hook hook, lua_CFunction body, ck_error *err) {
  loaded_policy *policy = ask_of->policy;
  ck_status status = ck_vm_call(policy->vm, body, ask_of, err);
  if (status == CK_OK) return CK_OK;
  return ck_error_prefix(err, "policy \"%s\", %s", policy->name, hook_names[hook]);
}

static void push_reference(lua_State *L, int reference) { lua_rawgeti(L, LUA_REGISTRYINDEX, reference); }

/* The first error is the call's; later ones of other policies are not lost in silence, their answer is closed too. */
static void note_failure(ck_status *first, ck_status status, ck_error *err, const ck_error *found) {
  if (*first != CK_OK) return;
  *first = status;
  if (err) *err = *found;
}

/* ---- checkpoint ---- */

static void append_reason(engine *self, const loaded_policy *policy, const ck_answer_checkpoint *decision) {
  ck_json_writer w = {.out = &self->text};
  ck_buffer_append_char(&self->text, self->text.len == 0 ? '[' : ',');
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "policy", policy->name);
  ck_json_member_int(&w, "version", policy->version);
  if (decision->reason) ck_json_member_string(&w, "reason", (ck_bytes){decision->reason, decision->reason_len});
  else ck_json_member_raw(&w, "reason", ck_bytes_text("null"));
  ck_json_end(&w, '}');
}

static int checkpoint_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  push_reference(L, of->policy->hooks[POLICY_checkpoint]);
  push_reference(L, of->policy->view);
  push_reference(L, of->policy->options);
  lua_call(L, 2, 1);
  ck_answer_read_checkpoint(&of->decision, L, -1);
  if (of->decision.take) append_reason(of->owner, of->policy, &of->decision);
  return 0;
}

static ck_status ask_checkpoint(ck_decision *out, asking *of, ck_error *err) {
  of->policy->at = of->subject;
  ck_status status = ask(of, POLICY_checkpoint, checkpoint_body, err);
  of->policy->at = NULL;
  bool failed = status != CK_OK;
  out->take = out->take || failed || of->decision.take;
  out->sync = out->sync || failed || of->decision.sync;
  return status;
}

static ck_status engine_checkpoint(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  engine *own = self;
  ck_error found;
  ck_status first = CK_OK;
  *out = (ck_decision){0};
  ck_buffer_reset(&own->text);
  for (size_t i = 0; i < own->count; i++) {
    asking of = {.owner = own, .policy = &own->policies[i], .subject = at};
    if (!has_hook(of.policy, POLICY_checkpoint)) continue;
    ck_status status = ask_checkpoint(out, &of, &found);
    if (status != CK_OK) note_failure(&first, status, err, &found);
  }
  if (own->text.len == 0 && !own->text.failed) return first;
  ck_buffer_append_char(&own->text, ']');
  ck_status status = ck_value_from(&out->reasons, &own->text, &found);
  if (status == CK_OK) return first;
  out->take = out->sync = true;
  ck_buffer_clear(&own->text);
  note_failure(&first, status, err, &found);
  return first;
}

/* ---- on_failure, in_doubt: the first answer ---- */

static const char *const failure_words[] = {"pause", "retry", "fail", NULL}; /* in the order of ck_failure_answer */
static const char *const doubt_words[] = {"stop", "rerun", "tell", NULL};    /* in the order of ck_doubt_answer */

static void set_text(lua_State *L, const char *name, const char *text) {
  lua_pushstring(L, text); /* NULL gives nil */
  lua_setfield(L, -2, name);
}

static void set_integer(lua_State *L, const char *name, int64_t number) {
  lua_pushinteger(L, number);
  lua_setfield(L, -2, name);
}

static int failure_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  const ck_failure *failure = of->subject;
  push_reference(L, of->policy->hooks[POLICY_on_failure]);
  lua_createtable(L, 0, 5);
  set_text(L, "node", failure->node);
  set_text(L, "key", failure->key);
  set_text(L, "status", ck_status_name(failure->status));
  set_text(L, "error", failure->error);
  set_integer(L, "attempt", failure->attempt);
  ck_sandbox_freeze(L);
  lua_pushnil(L);
  push_reference(L, of->policy->options);
  lua_call(L, 3, 1);
  of->word = ck_answer_read_word(L, -1, failure_words);
  return 0;
}

static int doubt_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  const ck_effect *effect = of->subject;
  push_reference(L, of->policy->hooks[POLICY_in_doubt]);
  lua_createtable(L, 0, 7);
  set_text(L, "scope", effect->scope);
  set_text(L, "key", effect->key);
  set_text(L, "kind", ck_effect_kind_name(effect->kind));
  set_text(L, "class", ck_effect_class_name(effect->class));
  set_text(L, "agent", effect->agent);
  set_integer(L, "attempt", effect->attempt);
  if (effect->request.len > 0) {
    ck_json_push(L, effect->request);
    lua_setfield(L, -2, "request");
  }
  ck_sandbox_freeze(L);
  push_reference(L, of->policy->options);
  lua_call(L, 2, 1);
  of->word = ck_answer_read_word(L, -1, doubt_words);
  return 0;
}

/* The word that the first policy answers, -1 when none has an opinion. A failure ends the asking: its answer is closed. */
static ck_status ask_word(int *out, engine *own, policy_hook hook, const void *subject, ck_error *err) {
  lua_CFunction body = hook == POLICY_on_failure ? failure_body : doubt_body;
  *out = -1;
  for (size_t i = 0; i < own->count && *out < 0; i++) {
    asking of = {.owner = own, .policy = &own->policies[i], .subject = subject, .word = -1};
    if (!has_hook(of.policy, hook)) continue;
    ck_status status = ask(&of, hook, body, err);
    if (status != CK_OK) return status;
    *out = of.word;
  }
  return CK_OK;
}

static ck_status engine_on_failure(ck_failure_answer *out, void *self, const ck_failure *failure, ck_error *err) {
  int word;
  ck_status status = ask_word(&word, self, POLICY_on_failure, failure, err);
  *out = word < 0 ? CK_FAILURE_PAUSE : (ck_failure_answer)word;
  return status;
}

static ck_status engine_in_doubt(ck_doubt_answer *out, void *self, const ck_effect *effect, ck_error *err) {
  int word;
  ck_status status = ask_word(&word, self, POLICY_in_doubt, effect, err);
  *out = word < 0 ? CK_DOUBT_STOP : (ck_doubt_answer)word;
  return status;
}

/* ---- tail: all must agree ---- */

static int tail_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  const ck_event *event = of->subject;
  push_reference(L, of->policy->hooks[POLICY_tail]);
  lua_createtable(L, 0, 6);
  set_integer(L, "seq", event->seq);
  set_integer(L, "at", event->at_ms);
  set_text(L, "kind", ck_event_kind_name(event->kind));
  set_text(L, "scope", event->scope);
  set_text(L, "agent", event->agent);
  ck_json_push(L, ck_value_bytes(event->body));
  lua_setfield(L, -2, "body");
  ck_sandbox_freeze(L);
  lua_pushstring(L, of->agent);
  push_reference(L, of->policy->options);
  lua_call(L, 3, 1);
  of->truth = ck_answer_read_truth(L, -1, true);
  return 0;
}

static ck_status engine_tail(bool *out, void *self, const ck_event *event, const char *agent, ck_error *err) {
  engine *own = self;
  *out = true;
  for (size_t i = 0; i < own->count && *out; i++) {
    asking of = {.owner = own, .policy = &own->policies[i], .subject = event, .agent = agent};
    if (!has_hook(of.policy, POLICY_tail)) continue;
    ck_status status = ask(&of, POLICY_tail, tail_body, err);
    *out = status == CK_OK && of.truth;
    if (status != CK_OK) return status;
  }
  return CK_OK;
}

/* ---- resume: later rules override, any refusal wins ---- */

static void push_session(lua_State *L, const ck_resume_case *of) {
  lua_createtable(L, 0, 8);
  set_text(L, "id", of->session->id);
  set_text(L, "status", ck_session_status_name(of->session->status));
  set_text(L, "reason", of->session->reason);
  set_text(L, "profile", of->session->profile);
  set_text(L, "flow", of->session->flow);
  set_integer(L, "created", of->session->created_ms);
  set_integer(L, "updated", of->session->updated_ms);
  set_integer(L, "now", of->now_ms);
  lua_pushnumber(L, (lua_Number)of->totals->cost_micros / 1e6);
  lua_setfield(L, -2, "cost_usd");
  set_integer(L, "tokens", of->totals->input_tokens + of->totals->output_tokens);
  set_integer(L, "model_calls", of->totals->model_calls);
  set_integer(L, "tool_calls", of->totals->tool_calls);
  ck_sandbox_freeze(L);
}

static void push_checkpoint(lua_State *L, const ck_checkpoint_info *info) {
  if (!info) {
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, 0, 5);
  set_text(L, "id", info->id);
  set_text(L, "kind", ck_boundary_kind_name(info->kind));
  set_integer(L, "seq", info->seq);
  set_integer(L, "created", info->created_ms);
  lua_pushboolean(L, info->clean);
  lua_setfield(L, -2, "is_clean");
  ck_sandbox_freeze(L);
}

static int resume_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  const ck_resume_case *subject = of->subject;
  push_reference(L, of->policy->hooks[POLICY_resume]);
  push_session(L, subject);
  push_checkpoint(L, subject->checkpoint);
  push_reference(L, of->policy->options);
  lua_call(L, 3, 1);
  ck_answer_read_rules(of->rules, &of->owner->text, L, -1);
  return 0;
}

/* Keeps the first refusal. */
static ck_status keep_refusal(ck_resume_rules *out, const char *text, ck_error *err) {
  if (out->refusal || !text) return CK_OK;
  out->refusal = strdup(text);
  return out->refusal ? CK_OK : ck_error_no_memory(err);
}

static ck_status engine_resume(ck_resume_rules *out, void *self, const ck_resume_case *subject, ck_error *err) {
  engine *own = self;
  ck_error found;
  ck_status first = CK_OK;
  *out = (ck_resume_rules){0};
  for (size_t i = 0; i < own->count; i++) {
    asking of = {.owner = own, .policy = &own->policies[i], .subject = subject, .rules = out};
    if (!has_hook(of.policy, POLICY_resume)) continue;
    ck_status status = ask(&of, POLICY_resume, resume_body, &found);
    if (status == CK_OK && own->text.failed) status = ck_error_no_memory(&found);
    const char *refusal = status != CK_OK ? found.text : own->text.len > 0 ? own->text.data : NULL;
    if (status != CK_OK) note_failure(&first, status, err, &found);
    status = keep_refusal(out, refusal, &found);
    if (status != CK_OK) note_failure(&first, status, err, &found);
  }
  return first;
}

/* ---- life ---- */

static void engine_free(void *self) {
  engine *own = self;
  if (!own) return;
  for (size_t i = 0; i < own->count; i++) policy_clear(&own->policies[i]);
  free(own->policies);
  ck_buffer_clear(&own->text);
  free(own);
}

static bool any_has(const engine *self, policy_hook hook) {
  for (size_t i = 0; i < self->count; i++) {
    if (has_hook(&self->policies[i], hook)) return true;
  }
  return false;
}

ck_status ck_policy_engine_open(ck_policy_engine *out, const ck_profile *profile, ck_error *err) {
  *out = (ck_policy_engine){0};
  ck_status status = CK_OK;
  engine *self = calloc(1, sizeof *self);
  if (self) self->policies = calloc(profile->policy_count + 1, sizeof *self->policies);
  if (!self || !self->policies) status = ck_error_no_memory(err);
  for (size_t i = 0; status == CK_OK && i < profile->policy_count; i++) {
    status = policy_load(&self->policies[i], &profile->policies[i], err);
    if (status == CK_OK) self->count++;
  }
  if (status != CK_OK) {
    engine_free(self);
    return status;
  }
  *out = (ck_policy_engine){.self = self, .free = engine_free};
  if (any_has(self, POLICY_checkpoint)) out->checkpoint = engine_checkpoint;
  if (any_has(self, POLICY_resume)) out->resume = engine_resume;
  if (any_has(self, POLICY_tail)) out->tail = engine_tail;
  if (any_has(self, POLICY_on_failure)) out->on_failure = engine_on_failure;
  if (any_has(self, POLICY_in_doubt)) out->in_doubt = engine_in_doubt;
  return CK_OK;
}

ck_status ck_policy_describe(ck_value **out, const ck_policy_engine *engine_of, ck_error *err) {
  *out = NULL;
  const engine *self = engine_of->self;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->count; i++) {
    char hex[CK_DIGEST_HEX_SIZE];
    ck_digest_hex(hex, &self->policies[i].digest);
    ck_json_begin(&w, '{');
    ck_json_member_text(&w, "name", self->policies[i].name);
    ck_json_member_int(&w, "version", self->policies[i].version);
    ck_json_member_text(&w, "digest", hex);
    ck_json_end(&w, '}');
  }
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}
