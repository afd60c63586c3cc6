/* ask.c - the arguments of each hook, its call, and its answer. */
#include "lua/policy/ask.h"

#include <lauxlib.h>
#include <string.h>

#include "lua/vm/json.h"

static const char *const failure_words[] = {"pause", "retry", "fail",
                                            NULL}; /* in the order of ck_failure_answer */
static const char *const doubt_words[] = {"stop", "rerun", "tell",
                                          NULL}; /* in the order of ck_doubt_answer */

bool policy_has(const loaded_policy *policy, policy_hook hook) {
  return policy->hooks[hook] != LUA_NOREF;
}

static void push_reference(lua_State *L, int reference) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
}

static void push_hook(lua_State *L, const asking *of, policy_hook hook) {
  push_reference(L, of->policy->hooks[hook]);
}

/* Pushes the options and calls; below them lie the hook and `count` arguments. */
static void call_hook(lua_State *L, const asking *of, int count) {
  push_reference(L, of->policy->options);
  lua_call(L, count + 1, 1);
}

static void append_reason(asking *of) {
  ck_json_writer w = {.out = of->text};
  ck_buffer_append_char(of->text, of->text->len == 0 ? '[' : ',');
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "policy", of->policy->name);
  ck_json_member_int(&w, "version", of->policy->version);
  if (of->decision.reason)
    ck_json_member_string(&w, "reason", (ck_bytes){of->decision.reason, of->decision.reason_len});
  else
    ck_json_member_raw(&w, "reason", ck_bytes_text("null"));
  ck_json_end(&w, '}');
}

static int checkpoint_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  push_hook(L, of, POLICY_checkpoint);
  push_reference(L, of->policy->views[CK_VIEW_AT]);
  call_hook(L, of, 1);
  ck_answer_read_checkpoint(&of->decision, L, -1);
  if (of->decision.take) append_reason(of);
  return 0;
}

/* A list of views that knows the time. */
static void push_history(lua_State *L, const ck_history *history, const ck_view_slot *slot) {
  lua_createtable(L, (int)history->count, 1);
  for (size_t i = 0; i < history->count; i++) {
    ck_view_push_element(L, CK_VIEW_CHECKPOINT, slot, i);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, history->now_ms);
  lua_setfield(L, -2, "now");
  ck_sandbox_freeze(L);
}

static int prune_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  push_hook(L, of, POLICY_prune);
  push_history(L, of->subject, &of->policy->slots[CK_VIEW_CHECKPOINT]);
  call_hook(L, of, 1);
  ck_answer_read_plan(of->plan, of->subject, of->by_id, L, -1);
  return 0;
}

static int redact_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  push_hook(L, of, POLICY_redact);
  push_reference(L, of->policy->views[CK_VIEW_ITEM]);
  call_hook(L, of, 1);
  of->verdict = ck_answer_read_redaction(of->text, L, -1);
  return 0;
}

static int resume_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  const ck_resume_case *subject = of->subject;
  push_hook(L, of, POLICY_resume);
  push_reference(L, of->policy->views[CK_VIEW_SESSION]);
  if (subject->checkpoint)
    ck_view_push_element(L, CK_VIEW_CHECKPOINT, &of->policy->slots[CK_VIEW_CHECKPOINT], 0);
  else
    lua_pushnil(L);
  call_hook(L, of, 2);
  ck_answer_read_rules(of->rules, of->text, L, -1);
  return 0;
}

static int tail_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  push_hook(L, of, POLICY_tail);
  push_reference(L, of->policy->views[CK_VIEW_EVENT]);
  lua_pushstring(L, of->agent);
  call_hook(L, of, 2);
  of->truth = ck_answer_read_truth(L, -1, true);
  return 0;
}

/* The second argument is the boundary that came before, which is not known here. */
static int on_failure_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  push_hook(L, of, POLICY_on_failure);
  push_reference(L, of->policy->views[CK_VIEW_FAILURE]);
  lua_pushnil(L);
  call_hook(L, of, 2);
  of->word = ck_answer_read_word(L, -1, NULL, failure_words);
  return 0;
}

static int in_doubt_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  push_hook(L, of, POLICY_in_doubt);
  push_reference(L, of->policy->views[CK_VIEW_EFFECT]);
  call_hook(L, of, 1);
  of->word = ck_answer_read_word(L, -1, NULL, doubt_words);
  return 0;
}

/* The document is a copy of the policy's own: it may change it in place and return it. */
static int migrate_body(lua_State *L) {
  asking *of = lua_touserdata(L, 1);
  push_hook(L, of, POLICY_migrate);
  ck_json_push(L, ck_value_bytes(of->subject));
  lua_pushinteger(L, of->from);
  lua_pushinteger(L, of->to);
  call_hook(L, of, 3);
  ck_answer_read_document(&of->document, L, -1);
  return 0;
}

static const struct {
  lua_CFunction body;
  ck_view_kind view; /* CK_VIEW_COUNT: none */
} hooks[POLICY_HOOK_COUNT] = {
#define X(name, view) {name##_body, view},
    CK_POLICY_HOOK_TABLE(X)
#undef X
};

static void fill_slots(const asking *of, policy_hook hook, bool shown) {
  ck_view_slot *slots = of->policy->slots;
  ck_view_kind view = hooks[hook].view;
  const void *checkpoints = NULL;
  if (hook == POLICY_prune) checkpoints = ((const ck_history *)of->subject)->checkpoints;
  if (hook == POLICY_resume) checkpoints = ((const ck_resume_case *)of->subject)->checkpoint;
  if (view != CK_VIEW_COUNT && view != CK_VIEW_CHECKPOINT)
    slots[view].subject = shown ? of->subject : NULL;
  slots[CK_VIEW_CHECKPOINT].subject = shown ? checkpoints : NULL;
  slots[CK_VIEW_CHECKPOINT].call += shown;
  slots[CK_VIEW_AT].counts = of->counts;
}

ck_status policy_ask(asking *of, policy_hook hook, ck_error *err) {
  loaded_policy *policy = of->policy;
  fill_slots(of, hook, true);
  ck_status status = ck_vm_call(policy->vm, hooks[hook].body, of, err);
  fill_slots(of, hook, false);
  if (status == CK_OK) return CK_OK;
  if (!err) return status;
  size_t len = strlen(policy->file);
  bool placed = strncmp(err->text, policy->file, len) == 0 && err->text[len] == ':';
  if (placed || status == CK_E_NO_MEMORY) {
    ck_error_prefix(err, "policy \"%s\", %s", policy->name, policy_hook_names[hook]);
  } else {
    ck_error_prefix(err, "policy \"%s\", %s: %s:%d", policy->name, policy_hook_names[hook],
                    policy->file, policy->lines[hook]);
  }
  return status;
}
