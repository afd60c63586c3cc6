/* check.c - policy check: the text, and those of the files that it requires, for names and state,
 * then every hook twice, in a used and in a fresh VM. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy_tool/about.h"
#include "lua/policy_tool/allowance.h"
#include "lua/policy_tool/policy_tool.h"
#include "lua/policy_tool/problems.h"
#include "lua/policy_tool/shapes.h"
#include "lua/policy_tool/subject.h"
#include "lua/policy_tool/word_samples.h"
#include "lua/vm/json.h"
#include "lua/vm/source.h"

/* lua/ck/lint.lua is trusted; its limits allow the largest file that is read. */
static const ck_vm_limits lint_limits = {.time_us = 10 * 1000000LL,
                                         .memory = (size_t)512 << 20,
                                         .memory_hard = (size_t)1 << 30,
                                         .raised = CK_E_PARSE,
                                         .timed_out = CK_E_PARSE};

enum { PROBLEMS_SIZE = 1 << 20 };

typedef struct checking {
  const ck_source *source;
  const ck_profile_policy *from; /* as it was given */
  policy_problems problems;
  ck_scripts scripts; /* with the files that it requires */
} checking;

/* One text that is read. */
typedef struct linting {
  const char *file;
  ck_bytes text;
  bool is_policy;   /* else a file that it requires */
  ck_bytes options; /* of the policy, JSON; none: not known */
  ck_buffer found;  /* JSON */
} linting;

static void put_error(checking *self, int line, const char *text) {
  ck_policy_problems_put_error(&self->problems, self->source->name, &self->scripts, line, text);
}

/* ---- the text ---- */

/* Pushes the table that a read-only face reads through to. */
static void push_behind(lua_State *L, int index) {
  if (luaL_getmetafield(L, index, "__index") != LUA_TTABLE) lua_newtable(L);
}

/* What the environment has: { name = true, library = { name = true } }. */
static void push_known(lua_State *L) {
  lua_newtable(L);
  ck_sandbox_push_env(L);
  push_behind(L, -1);
  for (lua_pushnil(L); lua_next(L, -2);) {
    if (lua_istable(L, -1))
      push_behind(L, -1);
    else
      lua_pushboolean(L, true);
    lua_remove(L, -2);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -6);
  }
  lua_pop(L, 2);
}

static int lint_body(lua_State *L) {
  linting *self = lua_touserdata(L, 1);
  ck_vm_push_chunk(L, self->file, self->text); /* lua/ck/lint.lua expects a text that compiles */
  ck_sandbox_require(L, "ck.lint");
  lua_pushlstring(L, self->text.data, self->text.len);
  push_known(L);
  if (self->is_policy)
    ck_policy_push_shapes(L, self->options);
  else
    lua_newtable(L);
  lua_call(L, 3, 1);
  ck_sandbox_mark_array(L, -1);
  ck_json_append_lua(&self->found, L, -1, PROBLEMS_SIZE);
  return 0;
}

static void put_found(checking *self, const linting *of) {
  ck_json_iterator it = ck_json_iterate(ck_buffer_bytes(&of->found));
  while (ck_json_next(&it)) {
    int64_t line = 0;
    bool state = false;
    ck_json_read_int(&line, ck_json_get(it.value, "line"));
    ck_json_read_bool(&state, ck_json_get(it.value, "state"));
    self->problems.state |= state;
    char *text = ck_json_dup_string(ck_json_get(it.value, "text")),
         *needs = ck_json_dup_string(ck_json_get(it.value, "needs"));
    if (text && needs)
      ck_policy_problems_note(&self->problems, of->file, line, needs, text);
    else if (text)
      ck_policy_problems_put(&self->problems, of->file, line, text);
    else
      self->problems.list.failed = true;
    free(text);
    free(needs);
  }
}

static ck_status lint(checking *self, linting of, ck_error *err) {
  ck_vm *vm;
  ck_status status = ck_vm_new(&vm, &lint_limits, NULL, err);
  if (status != CK_OK) return status;
  status = ck_vm_call(vm, lint_body, &of, err);
  ck_vm_free(vm);
  if (status == CK_OK) put_found(self, &of);
  ck_buffer_clear(&of.found);
  return status == CK_OK ? ck_buffer_check(&self->problems.list, err) : status;
}

/* `policy` NULL: it cannot be loaded. */
static ck_status lint_policy(checking *self, loaded_policy *policy, ck_error *err) {
  ck_value *options = NULL;
  linting of = {.file = self->source->name, .text = self->source->text, .is_policy = true};
  ck_status status = policy ? ck_policy_get_options(&options, policy, err) : CK_OK;
  if (status != CK_OK) return status;
  if (options) of.options = ck_value_bytes(options);
  status = lint(self, of, err);
  ck_value_free(options);
  return status;
}

/* Those that were loaded: they compile. */
static ck_status lint_modules(checking *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < self->scripts.count; i++) {
    const ck_script *script = &self->scripts.list[i];
    if (strcmp(script->kind, "policy_module") != 0) continue;
    status =
        lint(self, (linting){.file = script->name, .text = ck_buffer_bytes(&script->text)}, err);
  }
  return status;
}

/* ---- hooks, asked twice ---- */

/* The answer of a hook to a sample; an error counts as an answer of its own. */
static ck_status ask(ck_buffer *answer, bool *failed, loaded_policy *policy, policy_hook hook,
                     const char *sample, ck_error *err) {
  policy_subject subject;
  ck_status status = ck_policy_subject_read(&subject, hook, ck_bytes_text(sample), err);
  if (status != CK_OK) return status;
  ck_error failure = CK_ERROR_INIT;
  ck_buffer_reset(answer);
  status = ck_policy_subject_ask(answer, policy, &subject, &failure);
  ck_policy_subject_clear(&subject);
  *failed = status != CK_OK;
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  if (status == CK_OK) return CK_OK;
  ck_buffer_reset(answer);
  ck_buffer_append_text(answer, failure.text);
  return ck_buffer_check(answer, err);
}

typedef struct comparison {
  checking *of;
  loaded_policy *used;
  policy_hook hook;
  bool reported_state, reported_failure; /* one of each kind per hook */
  policy_allowance allowance;
  size_t asked; /* samples */
} comparison;

static void report(comparison *self, const char *sample, const ck_buffer *answer,
                   const ck_buffer *fresh, bool failed) {
  const loaded_policy *policy = self->used;
  const char *hook = ck_policy_hooks[self->hook].name;
  int line = policy->lines[self->hook];
  ck_buffer text = {0};
  if (failed && !self->reported_failure) {
    self->reported_failure = true;
    put_error(self->of, line, fresh->data);
    return;
  }
  if (failed || self->reported_state || self->of->problems.state) return;
  self->reported_state = true;
  ck_buffer_append_format(&text,
                          "%s answers differently when it was called before: it keeps state "
                          "between calls (%.200s, then %.200s, about %.200s)",
                          hook, fresh->data, answer->data, sample);
  put_error(self->of, line, text.data ? text.data : hook);
  ck_buffer_clear(&text);
}

static ck_status compare(comparison *self, const char *sample, ck_error *err) {
  loaded_policy fresh;
  ck_buffer answer = {0}, first = {0};
  bool failed, fresh_failed;
  ck_status status = ck_policy_load(&fresh, self->of->from, NULL, err);
  if (status != CK_OK) return status;
  status = ask(&answer, &failed, self->used, self->hook, sample, err);
  if (status == CK_OK) status = ask(&first, &fresh_failed, &fresh, self->hook, sample, err);
  if (status == CK_OK && fresh_failed) report(self, sample, &answer, &first, true);
  if (status == CK_OK && !ck_bytes_equal(ck_buffer_bytes(&answer), ck_buffer_bytes(&first)))
    report(self, sample, &answer, &first, false);
  ck_policy_clear(&fresh);
  ck_buffer_clear(&answer);
  ck_buffer_clear(&first);
  return status;
}

/* A failure that is told already says enough. */
static void report_slow(const comparison *self) {
  ck_buffer text = {0};
  if (self->reported_failure) return;
  ck_buffer_append_format(&text,
                          "%s takes a second of processor time for %zu samples: the others were "
                          "not tried, and a session asks it far more often",
                          ck_policy_hooks[self->hook].name, self->asked);
  put_error(self->of, self->used->lines[self->hook], text.data ? text.data : "");
  ck_buffer_clear(&text);
}

/* `*stopped`: it has had its time. */
static ck_status try_sample(bool *stopped, comparison *of, const char *sample, ck_error *err) {
  ck_status status = compare(of, sample, err);
  of->asked++;
  *stopped = status == CK_OK && ck_policy_allowance_spent(&of->allowance);
  if (*stopped) report_slow(of);
  return status;
}

static ck_status compare_hook(comparison *of, ck_error *err) {
  ck_buffer made = {0};
  bool stopped = false;
  ck_status status = ck_word_samples_make(&made, of->hook, of->used, err);
  ck_policy_allowance_begin(&of->allowance);
  for (int round = 0; round < 2; round++) {
    const char *sample;
    for (size_t i = 0;
         status == CK_OK && !stopped && (sample = ck_policy_subject_sample(of->hook, i)); i++)
      status = try_sample(&stopped, of, sample, err);
    for (size_t at = 0; status == CK_OK && !stopped && at < made.len;
         at += strlen(made.data + at) + 1)
      status = try_sample(&stopped, of, made.data + at, err);
  }
  ck_buffer_clear(&made);
  return status;
}

static ck_status compare_all(checking *self, loaded_policy *used, ck_error *err) {
  ck_status status = CK_OK;
  for (policy_hook hook = 0; status == CK_OK && hook < POLICY_HOOK_COUNT; hook++) {
    comparison of = {.of = self, .used = used, .hook = hook};
    if (ck_policy_has(used, hook)) status = compare_hook(&of, err);
  }
  return status;
}

/* ---- the whole ---- */

static ck_status pass_on(ck_error *err, const ck_error *failure) {
  if (err) *err = *failure;
  return failure->status;
}

static ck_status check_loaded(checking *self, ck_json_writer *w, loaded_policy *policy,
                              ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status = lint_policy(self, policy, &failure);
  if (status != CK_OK && !ck_policy_is_mistake(status)) return pass_on(err, &failure);
  if (status != CK_OK) put_error(self, 1, failure.text);
  status = ck_policy_about_write(w, policy, err);
  if (status == CK_OK) status = lint_modules(self, err);
  if (status == CK_OK && ck_policy_has(policy, POLICY_tail))
    ck_policy_problems_note(&self->problems, self->source->name, policy->lines[POLICY_tail],
                            "resume_context", CK_POLICY_TAIL_NOTE);
  return status == CK_OK ? compare_all(self, policy, err) : status;
}

/* Of a text that does not load: what else is to be found in it, if it compiles. */
static ck_status check_unloaded(checking *self, const ck_error *failure, ck_error *err) {
  ck_error unread = CK_ERROR_INIT;
  ck_status status = lint_policy(self, NULL, &unread);
  if (status != CK_OK && !ck_policy_is_mistake(status)) return pass_on(err, &unread);
  put_error(self, 1, failure->text);
  return CK_OK;
}

static ck_status check_source(checking *self, ck_json_writer *w, ck_error *err) {
  loaded_policy policy;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_policy_load(&policy, self->from, &self->scripts, &failure);
  if (status != CK_OK && ck_policy_is_mistake(status)) return check_unloaded(self, &failure, err);
  if (status != CK_OK) return pass_on(err, &failure);
  status = check_loaded(self, w, &policy, err);
  ck_policy_clear(&policy);
  return status;
}

ck_status ck_policy_tool_check(ck_value **out, const ck_profile_policy *from, ck_error *err) {
  *out = NULL;
  ck_source source;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_status status = ck_source_read(&source, "policy", from->name, err);
  if (status != CK_OK) return status;
  checking self = {.source = &source, .from = from};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "file", source.name);
  status = check_source(&self, &w, err);
  ck_json_name(&w, "problems");
  ck_json_begin(&w, '[');
  if (self.problems.list.len) ck_json_put_raw(&w, ck_buffer_bytes(&self.problems.list));
  ck_json_end(&w, ']');
  ck_json_name(&w, "notes");
  ck_json_begin(&w, '[');
  if (self.problems.notes.len) ck_json_put_raw(&w, ck_buffer_bytes(&self.problems.notes));
  ck_json_end(&w, ']');
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_buffer_check(&self.problems.list, err);
  if (status == CK_OK) status = ck_buffer_check(&self.problems.notes, err);
  if (status == CK_OK) status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  ck_policy_problems_clear(&self.problems);
  ck_scripts_clear(&self.scripts);
  ck_source_clear(&source);
  return status;
}
