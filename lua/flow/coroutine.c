/* coroutine.c - opens, resumes and closes the coroutine of a scope. */
#include "lua/flow/coroutine.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/vm/json.h"

/* ---- open ---- */

typedef struct opening {
  ck_coroutine *self;
  int definition;
  const ck_coroutine_options *options;
} opening;

/* Its result becomes the yield's value. */
static int main_returned(lua_State *L, int status, lua_KContext context) {
  (void)status, (void)context;
  ck_coroutine *self = ck_coroutine_check(L);
  ck_coroutine_reset_yield(self);
  if (!lua_isnil(L, -1)) ck_json_read_lua(&self->yield.value, L, -1, CK_COROUTINE_VALUE_MAX);
  ck_coroutine_collect_changes(L, self);
  self->ended = true;
  return 0;
}

/* The bottom of the coroutine: run(ctx, def) and what is made of its result. */
static int main_call(lua_State *L) {
  lua_callk(L, lua_gettop(L) - 1, 1, 0, main_returned);
  return main_returned(L, LUA_OK, 0);
}

static void push_box(lua_State *L, ck_coroutine *self) {
  ck_coroutine **box = lua_newuserdatauv(L, sizeof(ck_coroutine *), CK_BOX_LAST);
  *box = self;
  for (int which = CK_BOX_OVERLAY; which <= CK_BOX_LAST; which++) {
    lua_newtable(L);
    lua_setiuservalue(L, -2, which);
  }
}

static void push_ctx(lua_State *L, int box, const ck_coroutine_options *options) {
  lua_newtable(L);
  ck_coroutine_open_yields(L, box);
  ck_coroutine_open_effects(L, box);
  ck_coroutine_open_transcript(L, box);
  ck_coroutine_open_scope_forks(L, box);
  ck_coroutine_open_readings(L, box);
  ck_coroutine_open_facts(L, box);
  ck_coroutine_open_messages(L, box);
  ck_coroutine_open_memory(L, box);
  lua_pushstring(L, options->scope);
  lua_setfield(L, -2, "scope");
  lua_pushstring(L, options->recorded_prompt);
  lua_setfield(L, -2, "recorded_prompt");
  ck_coroutine_push_value(L, ck_value_bytes(options->input));
  lua_setfield(L, -2, "input");
  ck_coroutine_push_value(L, ck_value_bytes(options->task));
  lua_setfield(L, -2, "task");
  ck_coroutine_push_value(
      L, options->options ? ck_value_bytes(options->options) : ck_bytes_text("{}"));
  lua_setfield(L, -2, "options");
  ck_coroutine_push_value(L, ck_value_bytes(options->position));
  lua_setfield(L, -2, "position");
  ck_coroutine_open_limit(L, box);
  ck_coroutine_make_ctx(L);
}

static int open_body(lua_State *L) {
  const opening *o = lua_touserdata(L, 1);
  ck_coroutine *self = o->self;
  push_box(L, self);
  int box = lua_gettop(L);
  lua_State *thread = lua_newthread(L);
  lua_setiuservalue(L, box, CK_BOX_THREAD);
  lua_pushvalue(L, box);
  lua_pushcclosure(L, main_call, 1);
  lua_rawgeti(L, LUA_REGISTRYINDEX, o->definition);
  lua_getfield(L, -1, "run");
  lua_insert(L, -2);
  push_ctx(L, box, o->options);
  lua_insert(L, -2);
  if (!lua_checkstack(thread, 4)) return ck_coroutine_raise_no_memory(L);
  lua_xmove(L, thread, 4);
  self->thread = thread;
  ck_coroutine **content = lua_touserdata(L, box);
  self->anchor = luaL_ref(L, LUA_REGISTRYINDEX);
  self->box = content;
  return 0;
}

static ck_status copy_overlays(ck_coroutine *self, const char *const *overlays, ck_error *err) {
  size_t count = 0;
  while (overlays && overlays[count]) count++;
  if (count == 0) return CK_OK;
  self->overlays = calloc(count + 1, sizeof *self->overlays);
  if (!self->overlays) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++) {
    self->overlays[i] = strdup(overlays[i]);
    if (!self->overlays[i]) return ck_error_no_memory(err);
  }
  return CK_OK;
}

static void free_overlays(ck_coroutine *self) {
  for (char **overlay = self->overlays; overlay && *overlay; overlay++) free(*overlay);
  free(self->overlays);
}

ck_status ck_coroutine_open(ck_coroutine **out, ck_vm *vm, int definition,
                            const ck_coroutine_options *options, ck_error *err) {
  *out = NULL;
  ck_coroutine *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->vm = vm;
  self->state = options->state;
  self->conversation = options->conversation;
  self->position = ck_value_share(options->position);
  self->name = strdup(options->scope);
  ck_status status =
      self->name ? copy_overlays(self, options->overlays, err) : ck_error_no_memory(err);
  opening o = {self, definition, options};
  if (status == CK_OK) status = ck_vm_call(vm, open_body, &o, err);
  if (status == CK_OK) {
    *out = self;
  } else {
    ck_coroutine_close(self);
  }
  return status;
}

/* ---- resume ---- */

static void clear_yield(ck_coroutine *self) {
  for (size_t i = 0; i < self->message_count; i++) {
    ck_value_free(self->messages[i].message);
    free((char *)self->messages[i].agent);
  }
  self->message_count = 0;
  self->given = 0;
  free(self->blamed);
  self->blamed = NULL;
  ck_coroutine_clear_facts(self);
  ck_coroutine_reset_yield(self);
}

/* The coroutine owns messages, changes and position: the yield borrows them. */
static void fill_yield(ck_coroutine *self) {
  ck_flow_yield *yield = &self->yield;
  if (self->ended) yield->step = CK_FLOW_DONE;
  yield->messages = self->messages;
  yield->message_count = self->message_count;
  yield->rewind = self->rewind;
  yield->facts = self->facts;
  yield->fact_count = self->fact_count;
  yield->changes = self->changes;
  yield->change_count = self->change_count;
  if (yield->step == CK_FLOW_FORK || yield->step == CK_FLOW_JOIN) {
    yield->children = self->children;
    yield->child_count = self->child_count;
  }
  if (yield->step == CK_FLOW_BOUNDARY) yield->position = self->position;
}

static bool wants_outcome(ck_flow_step step) {
  return step == CK_FLOW_EFFECT || step == CK_FLOW_EFFECTS || step == CK_FLOW_JOIN;
}

ck_status ck_coroutine_resume(ck_flow_yield *out, ck_coroutine *self, const ck_outcome *outcome,
                              ck_error *err) {
  *out = (ck_flow_yield){0};
  if (self->ended)
    return ck_error_set(err, CK_E_USAGE, "scope '%s' has ended: it cannot be resumed", self->name);
  bool wants = self->started && wants_outcome(self->yield.step);
  if (wants != (outcome != NULL)) {
    return ck_error_set(err, CK_E_USAGE, "scope '%s' %s an outcome", self->name,
                        wants ? "waits for" : "does not wait for");
  }
  clear_yield(self);
  self->outcome = outcome;
  int count = self->started ? 0 : 3;
  self->started = true;
  ck_vm_resumed resumed;
  ck_status status = ck_vm_resume(&resumed, self->vm, self->thread, count, err);
  self->outcome = NULL;
  if (status != CK_OK) {
    self->ended = true;
    out->blamed = self->blamed;
    return status;
  }
  fill_yield(self);
  *out = self->yield;
  return CK_OK;
}

void ck_coroutine_close(ck_coroutine *self) {
  if (!self) return;
  if (self->box) {
    *self->box = NULL;
    /* Outside of a body: it only sets fields that are there, which allocates nothing and so cannot
     * raise. */
    luaL_unref(ck_vm_state(self->vm), LUA_REGISTRYINDEX, self->anchor);
  }
  clear_yield(self);
  ck_coroutine_clear_changes(self);
  ck_coroutine_clear_children(self);
  free_overlays(self);
  for (int i = 0; i < CK_COROUTINE_TEXTS; i++) free(self->texts[i]);
  free(self->messages);
  ck_value_free(self->position);
  ck_coroutine_clear_asks(self);
  free(self->facts);
  ck_buffer_clear(&self->scratch);
  free(self->name);
  free(self);
}
