/* coverage.c - counts what tests reach of policies. */
#include "lua/policy_tool/coverage.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "lua/vm/json.h"

/* lua/ck/lint is trusted; its limits allow the largest file that is read. */
static const ck_vm_limits reader_limits = {.time_us = 10 * 1000000LL,
                                           .memory = (size_t)512 << 20,
                                           .memory_hard = (size_t)1 << 30,
                                           .raised = CK_E_PARSE,
                                           .timed_out = CK_E_PARSE};

enum { PROBES_SIZE = 16 << 20 };

typedef struct probe {
  bool condition;
  bool was[2]; /* of a statement [1]: reached; of a condition: false, true */
  int64_t line;
  int hook; /* POLICY_HOOK_COUNT: of none */
} probe;

typedef struct covered_file {
  char *name;
  size_t first, count; /* of the probes */
  ck_buffer text;      /* with the probes */
} covered_file;

struct ck_coverage {
  covered_file *files;
  size_t file_count, file_cap;
  probe *probes;
  size_t probe_count, probe_cap;
};

ck_status ck_coverage_new(ck_coverage **out, ck_error *err) {
  *out = calloc(1, sizeof **out);
  return *out ? CK_OK : ck_error_no_memory(err);
}

void ck_coverage_free(ck_coverage *self) {
  if (!self) return;
  for (size_t i = 0; i < self->file_count; i++) {
    free(self->files[i].name);
    ck_buffer_clear(&self->files[i].text);
  }
  free(self->files);
  free(self->probes);
  free(self);
}

/* ---- a text with probes ---- */

typedef struct rewriting {
  const ck_script *script;
  size_t first;
  ck_buffer *text;
  ck_buffer probes; /* JSON */
} rewriting;

static int rewrite_body(lua_State *L) {
  rewriting *self = lua_touserdata(L, 1);
  ck_sandbox_require(L, "ck.lint.probes");
  lua_pushlstring(L, self->script->text.data, self->script->text.len);
  lua_pushinteger(L, (lua_Integer)self->first);
  lua_call(L, 2, 2);
  ck_sandbox_mark_array(L, -1);
  ck_json_append_lua(&self->probes, L, -1, PROBES_SIZE);
  size_t len;
  const char *text = lua_tolstring(L, -2, &len);
  ck_buffer_append(self->text, text, len);
  return 0;
}

static int find_hook(ck_bytes name) {
  int hook = 0;
  while (hook < POLICY_HOOK_COUNT && !ck_json_is_text(name, ck_policy_hooks[hook].name)) hook++;
  return hook;
}

static ck_status add_probe(ck_coverage *self, ck_bytes json, ck_error *err) {
  probe *list = ck_array_grow(self->probes, self->probe_count, &self->probe_cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->probes = list;
  probe *made = &list[self->probe_count++];
  *made = (probe){
      .condition = ck_json_type_of(ck_json_get(json, "condition")) == CK_JSON_TRUE,
      .hook = find_hook(ck_json_get(json, "hook")),
  };
  ck_json_read_int(&made->line, ck_json_get(json, "line"));
  return CK_OK;
}

static ck_status rewrite(ck_coverage *self, covered_file *file, const ck_script *script,
                         ck_error *err) {
  ck_vm *vm;
  rewriting of = {.script = script, .first = self->probe_count, .text = &file->text};
  ck_status status = ck_vm_new(&vm, &reader_limits, NULL, err);
  if (status != CK_OK) return status;
  status = ck_vm_call(vm, rewrite_body, &of, err);
  ck_vm_free(vm);
  if (status == CK_OK) status = ck_buffer_check(&of.probes, err);
  if (status == CK_OK) status = ck_buffer_check(&file->text, err);
  ck_json_iterator it = ck_json_iterate(ck_buffer_bytes(&of.probes));
  while (status == CK_OK && ck_json_next(&it)) status = add_probe(self, it.value, err);
  file->count = self->probe_count - file->first;
  ck_buffer_clear(&of.probes);
  return status;
}

static covered_file *find_file(ck_coverage *self, const char *name) {
  for (size_t i = 0; i < self->file_count; i++)
    if (strcmp(self->files[i].name, name) == 0) return &self->files[i];
  return NULL;
}

static ck_status add_file(covered_file **out, ck_coverage *self, const ck_script *script,
                          ck_error *err) {
  covered_file *list = ck_array_grow(self->files, self->file_count, &self->file_cap, sizeof *list);
  char *name = strdup(script->name);
  if (list) self->files = list;
  if (!list || !name) {
    free(name);
    return ck_error_no_memory(err);
  }
  *out = &list[self->file_count++];
  **out = (covered_file){.name = name, .first = self->probe_count};
  return rewrite(self, *out, script, err);
}

/* ---- a policy with probes ---- */

/* probe(number, value): the value passes through. */
static int count(lua_State *L) {
  ck_coverage *self = lua_touserdata(L, lua_upvalueindex(1));
  size_t number = (size_t)lua_tointeger(L, 1);
  lua_settop(L, 2);
  if (number < self->probe_count) {
    probe *at = &self->probes[number];
    at->was[!at->condition || lua_toboolean(L, 2)] = true;
  }
  return 1;
}

/* Each text that is a file's is replaced by that with probes. */
static ck_status replace_texts(ck_coverage *self, ck_scripts *scripts, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < scripts->count; i++) {
    ck_script *script = &scripts->list[i];
    covered_file *file = find_file(self, script->name);
    if (script->shipped) continue;
    if (!file) status = add_file(&file, self, script, err);
    if (status != CK_OK) break;
    ck_buffer_reset(&script->text);
    ck_buffer_append_bytes(&script->text, ck_buffer_bytes(&file->text));
    status = ck_buffer_check(&script->text, err);
  }
  scripts->closed = true;
  return status;
}

ck_status ck_coverage_load(ck_coverage *self, loaded_policy *policy, const ck_profile_policy *from,
                           ck_error *err) {
  ck_scripts scripts = {0};
  ck_status status = ck_policy_load(policy, from, &scripts, err);
  if (status == CK_OK) {
    ck_policy_clear(policy);
    status = replace_texts(self, &scripts, err);
  }
  if (status == CK_OK)
    status = ck_policy_load_probed(policy, from, &scripts, &(policy_probe){count, self}, err);
  ck_scripts_clear(&scripts);
  return status;
}

/* ---- the figures ---- */

typedef struct figures {
  int64_t lines, lines_run, branches, branches_taken;
} figures;

typedef struct reporting {
  const ck_coverage *self;
  const covered_file *file;
  int hook;
} reporting;

static bool is_statement_of(const reporting *of, const probe *at, int64_t line) {
  return !at->condition && at->line == line && at->hook == of->hook;
}

/* Several statements of one line are one line. */
static bool is_first_of_line(const reporting *of, size_t index) {
  const probe *list = of->self->probes;
  for (size_t i = of->file->first; i < index; i++)
    if (is_statement_of(of, &list[i], list[index].line)) return false;
  return true;
}

/* NULL: all statements of the line. */
static const char *say_missing(const reporting *of, int64_t line) {
  size_t all = 0, reached = 0;
  for (size_t i = of->file->first; i < of->file->first + of->file->count; i++) {
    const probe *at = &of->self->probes[i];
    if (!is_statement_of(of, at, line)) continue;
    all++;
    reached += at->was[1];
  }
  return reached == all ? NULL : reached ? "reached in part" : "not reached";
}

static void put_missing(ck_json_writer *w, int64_t line, const char *text) {
  ck_json_begin(w, '{');
  ck_json_member_int(w, "line", line);
  ck_json_member_text(w, "text", text);
  ck_json_end(w, '}');
}

static void add_line(figures *sum, ck_json_writer *w, const reporting *of, size_t index) {
  int64_t line = of->self->probes[index].line;
  if (!is_first_of_line(of, index)) return;
  const char *missing = say_missing(of, line);
  sum->lines++;
  sum->lines_run += !missing;
  if (missing) put_missing(w, line, missing);
}

static void add_condition(figures *sum, ck_json_writer *w, const probe *at) {
  sum->branches += 2;
  sum->branches_taken += at->was[0] + at->was[1];
  if (at->was[0] != at->was[1])
    put_missing(w, at->line,
                at->was[0] ? "a condition was never true" : "a condition was never false");
}

static bool has_any(const reporting *of) {
  for (size_t i = of->file->first; i < of->file->first + of->file->count; i++)
    if (of->self->probes[i].hook == of->hook) return true;
  return false;
}

static void write_part(ck_json_writer *w, const reporting *of) {
  figures sum = {0};
  ck_json_begin(w, '{');
  ck_json_member_text(w, "file", of->file->name);
  if (of->hook < POLICY_HOOK_COUNT) ck_json_member_text(w, "hook", ck_policy_hooks[of->hook].name);
  ck_json_name(w, "missing");
  ck_json_begin(w, '[');
  for (size_t i = of->file->first; i < of->file->first + of->file->count; i++) {
    const probe *at = &of->self->probes[i];
    if (at->hook != of->hook) continue;
    if (at->condition)
      add_condition(&sum, w, at);
    else
      add_line(&sum, w, of, i);
  }
  ck_json_end(w, ']');
  ck_json_member_int(w, "lines", sum.lines);
  ck_json_member_int(w, "lines_run", sum.lines_run);
  ck_json_member_int(w, "branches", sum.branches);
  ck_json_member_int(w, "branches_taken", sum.branches_taken);
  ck_json_end(w, '}');
}

ck_status ck_coverage_write(ck_value **out, const ck_coverage *self, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->file_count; i++) {
    reporting of = {.self = self, .file = &self->files[i]};
    for (of.hook = 0; of.hook <= POLICY_HOOK_COUNT; of.hook++)
      if (has_any(&of)) write_part(&w, &of);
  }
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}
