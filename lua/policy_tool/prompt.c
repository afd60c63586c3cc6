/* prompt.c - the environment of a prompt, and its lines. */
#include "lua/policy_tool/prompt.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/ask.h"
#include "lua/policy_tool/show_value.h"
#include "lua/vm/sandbox.h"

/* Views that are no part of another one: X(name, kind, subject). */
#define MOMENT_TABLE(X)                         \
  X(at, CK_VIEW_AT, at)                         \
  X(checkpoint, CK_VIEW_CHECKPOINT, checkpoint) \
  X(event, CK_VIEW_EVENT, event)                \
  X(item, CK_VIEW_ITEM, item)                   \
  X(effect, CK_VIEW_EFFECT, effect)             \
  X(failure, CK_VIEW_FAILURE, failure)          \
  X(session, CK_VIEW_SESSION, session)

struct ck_policy_prompt {
  ck_vm *vm;
  bool has_policy;
  loaded_policy policy; /* has_policy */
  ck_policy_moment moment;
  ck_view_slot slots[CK_VIEW_COUNT], checkpoints;
  ck_view_watch watch;
  const char *looked_at; /* of moment.unknown, by the line that runs */
  int env;               /* reference */
};

/* ---- the environment ---- */

static void set_view(lua_State *L, const char *name, ck_view_kind kind, ck_view_slot *slot,
                     const void *subject) {
  if (!subject) return;
  slot->subject = subject;
  ck_view_push(L, kind, slot);
  lua_setfield(L, -2, name);
}

static void set_history(lua_State *L, ck_policy_prompt *self) {
  const ck_history *history = self->moment.history;
  if (!history) return;
  self->checkpoints = (ck_view_slot){.subject = history->checkpoints, .now_ms = history->now_ms};
  lua_createtable(L, (int)history->count, 1);
  for (size_t i = 0; i < history->count; i++) {
    ck_view_push_element(L, CK_VIEW_CHECKPOINT, &self->checkpoints, i);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_pushinteger(L, history->now_ms);
  lua_setfield(L, -2, "now");
  ck_sandbox_freeze(L);
  lua_setfield(L, -2, "history");
}

/* So many subjects come before the options. */
static int count_subjects(policy_hook hook) {
  int count = 0;
  for (const char *at = ck_policy_hooks[hook].parameters; (at = strstr(at, ": ")); at += 2) count++;
  return count;
}

/* A hook's answer is one value, also where it returns none; options that are left out are those in
 * force. Upvalues: the hook, how many subjects it has, the options. */
static int call_hook(lua_State *L) {
  int given = lua_gettop(L), subjects = (int)lua_tointeger(L, lua_upvalueindex(2));
  if (given <= subjects) {
    lua_settop(L, subjects);
    lua_pushvalue(L, lua_upvalueindex(3));
  }
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, 1);
  return 1;
}

static void set_policy(lua_State *L, const loaded_policy *policy) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, policy->options);
  lua_setfield(L, -2, "opt");
  lua_newtable(L);
  for (policy_hook hook = 0; hook < POLICY_HOOK_COUNT; hook++) {
    if (!ck_policy_has(policy, hook)) continue;
    lua_rawgeti(L, LUA_REGISTRYINDEX, policy->hooks[hook]);
    lua_pushinteger(L, count_subjects(hook));
    lua_rawgeti(L, LUA_REGISTRYINDEX, policy->options);
    lua_pushcclosure(L, call_hook, 3);
    lua_setfield(L, -2, ck_policy_hooks[hook].name);
  }
  ck_sandbox_freeze(L);
  lua_setfield(L, -2, "policy");
}

static const char *const names[] = {"at",      "history", "checkpoint", "event",  "item", "effect",
                                    "failure", "session", "opt",        "policy", NULL};

/* What the prompt has not is looked for in the sandbox. Upvalue: the table behind its
 * environment. */
static int read_global(lua_State *L) {
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  for (const char *const *known = names; *known; known++) {
    if (strcmp(*known, name) != 0) continue;
    if (strcmp(name, "opt") == 0 || strcmp(name, "policy") == 0)
      return ck_vm_raise(L, CK_OK, "there is no '%s': name a policy with --policy", name);
    return ck_vm_raise(L, CK_OK, "there is no '%s' at this event", name);
  }
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNIL)
    ck_vm_raise(L, CK_OK, "undefined global '%s'", name);
  return 1;
}

static int open_body(lua_State *L) {
  ck_policy_prompt *self = lua_touserdata(L, 1);
  const ck_policy_moment *moment = &self->moment;
  lua_newtable(L);
  self->slots[CK_VIEW_AT].counts = moment->counts;
  if (moment->history) self->slots[CK_VIEW_CHECKPOINT].now_ms = moment->history->now_ms;
  if (moment->session) self->slots[CK_VIEW_CHECKPOINT].now_ms = moment->session->now_ms;
#define X(name, kind, subject) set_view(L, #name, kind, &self->slots[kind], moment->subject);
  MOMENT_TABLE(X)
#undef X
  set_history(L, self);
  if (self->has_policy) set_policy(L, &self->policy);
  lua_createtable(L, 0, 1);
  ck_sandbox_push_env(L);
  luaL_getmetafield(L, -1, "__index");
  lua_remove(L, -2);
  lua_pushcclosure(L, read_global, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  self->env = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

ck_status ck_policy_prompt_open(ck_policy_prompt **out, const ck_policy_moment *moment,
                                const ck_profile_policy *policy, ck_error *err) {
  ck_status status;
  ck_policy_prompt *self = calloc(1, sizeof *self);
  *out = NULL;
  if (!self) return ck_error_no_memory(err);
  self->moment = *moment;
  self->watch = (ck_view_watch){.fields = moment->unknown, .read = &self->looked_at};
  for (int i = 0; moment->unknown && i < CK_VIEW_COUNT; i++) self->slots[i].watch = &self->watch;
  if (policy) {
    status = ck_policy_load(&self->policy, policy, NULL, err);
    self->has_policy = status == CK_OK;
    self->vm = self->policy.vm;
  } else {
    status = ck_vm_new(&self->vm, &ck_vm_policy_limits, NULL, err);
  }
  if (status == CK_OK && moment->history) ck_vm_allow(self->vm, moment->history->count * 512);
  if (status == CK_OK) status = ck_vm_call(self->vm, open_body, self, err);
  if (status == CK_OK)
    *out = self;
  else
    ck_policy_prompt_free(self);
  return status;
}

void ck_policy_prompt_free(ck_policy_prompt *self) {
  if (!self) return;
  if (self->has_policy)
    ck_policy_clear(&self->policy);
  else
    ck_vm_free(self->vm);
  free(self);
}

void ck_policy_prompt_append_names(ck_buffer *out, const ck_policy_prompt *self) {
  const ck_policy_moment *of = &self->moment;
  const bool has[] = {of->at,     of->history, of->checkpoint, of->event,        of->item,
                      of->effect, of->failure, of->session,    self->has_policy, self->has_policy};
  const char *between = "";
  for (size_t i = 0; names[i]; i++) {
    if (!has[i]) continue;
    ck_buffer_append_format(out, "%s%s", between, names[i]);
    between = ", ";
  }
}

/* ---- a line ---- */

typedef struct running {
  const ck_policy_prompt *prompt;
  ck_bytes text;
  bool json, compiled;
  ck_buffer *out;
} running;

static int run_body(lua_State *L) {
  running *self = lua_touserdata(L, 1);
  size_t begin = self->out->len;
  ck_vm_push_chunk(L, "eval", self->text);
  self->compiled = true;
  lua_rawgeti(L, LUA_REGISTRYINDEX, self->prompt->env);
  lua_setupvalue(L, -2, 1);
  int base = lua_gettop(L);
  lua_call(L, 0, LUA_MULTRET);
  int count = lua_gettop(L);
  for (int i = base; i <= count; i++) {
    if (i > base) ck_buffer_append_char(self->out, self->json ? ',' : '\t');
    ck_show_value(self->out, L, i, self->json);
  }
  if (!self->json && self->out->len > begin) ck_buffer_append_char(self->out, '\n');
  return 0;
}

/* Every call has the content of the moment to look at. */
static ck_status run(running *self, ck_policy_prompt *prompt, ck_error *err) {
  const ck_policy_moment *of = &prompt->moment;
  size_t content = of->event ? ck_value_bytes(of->event->body).len : 0;
  size_t begin = self->out->len;
  if (of->history) content += of->history->count * 64;
  ck_vm_allow(prompt->vm, content);
  prompt->looked_at = NULL;
  ck_status status = ck_vm_call(prompt->vm, run_body, self, err);
  if (status == CK_OK && prompt->looked_at)
    status = ck_error_set(err, CK_E_POLICY, "the session does not tell %s as it was then",
                          prompt->looked_at);
  if (status != CK_OK) self->out->len = begin;
  return status;
}

/* An error of Lua's compiler that is where the text ends. */
static bool wants_more(const ck_error *failure) {
  static const char end[] = "<eof>";
  size_t len = strlen(failure->text), end_len = sizeof end - 1;
  return len > end_len && strcmp(failure->text + len - end_len, end) == 0;
}

ck_status ck_policy_prompt_run(ck_buffer *out, bool *incomplete, ck_policy_prompt *self,
                               ck_bytes text, bool json, ck_error *err) {
  ck_buffer expression = {0};
  ck_error failure = CK_ERROR_INIT;
  running of = {.prompt = self, .json = json, .out = out};
  *incomplete = false;
  ck_buffer_append_text(&expression, "return ");
  ck_buffer_append_bytes(&expression, text);
  ck_status status = ck_buffer_check(&expression, err);
  if (status == CK_OK) {
    of.text = ck_buffer_bytes(&expression);
    status = run(&of, self, &failure);
    if (status == CK_E_PARSE && !of.compiled) {
      *incomplete = wants_more(&failure);
      of.text = text;
      status = run(&of, self, &failure);
      *incomplete = !of.compiled && (*incomplete || wants_more(&failure));
    }
    if (status != CK_OK) ck_error_set(err, status, "%s", failure.text);
  }
  ck_buffer_clear(&expression);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}
