/* sources_list.c - lists what there is of a kind, each with what it is or what is wrong with it. */
#include "lua/vm/sources_list.h"

#include <string.h>

#include "lua/vm/modules.h"
#include "lua/vm/source.h"
#include "lua/vm/vm.h"

/* ---- the summary ---- */

/* The next line of `rest`, which goes on behind it. */
static ck_bytes take_line(ck_bytes *rest) {
  const char *end = memchr(rest->data, '\n', rest->len);
  size_t len = end ? (size_t)(end - rest->data) : rest->len, skip = end ? len + 1 : len;
  ck_bytes line = {rest->data, len};
  *rest = (ck_bytes){rest->data + skip, rest->len - skip};
  return line;
}

/* Behind the three dashes and the space; no data: the line is none of the comment's text. */
static ck_bytes comment_of(ck_bytes line) {
  if (line.len < 3 || memcmp(line.data, "---", 3) != 0) return (ck_bytes){NULL, 0};
  size_t skip = line.len > 3 && line.data[3] == ' ' ? 4 : 3;
  ck_bytes text = {line.data + skip, line.len - skip};
  return text.len && (*text.data == '@' || *text.data == '-') ? (ck_bytes){NULL, 0} : text;
}

static ck_bytes skip_own_name(ck_bytes text) {
  static const char behind[] = ".lua - ";
  const char *space = memchr(text.data, ' ', text.len);
  size_t name = space ? (size_t)(space - text.data) : 0, len = sizeof behind - 1;
  if (name < 4 || text.len < name - 4 + len || memcmp(space - 4, behind, len) != 0) return text;
  return (ck_bytes){text.data + name - 4 + len, text.len - (name - 4 + len)};
}

static void append_summary(ck_buffer *to, ck_bytes text) {
  bool first = true;
  while (text.len) {
    ck_bytes line = comment_of(take_line(&text));
    if (!line.data) return;
    if (!first) ck_buffer_append_char(to, ' ');
    ck_buffer_append_bytes(to, first ? skip_own_name(line) : line);
    first = false;
  }
}

/* ---- the list ---- */

typedef struct listing {
  const ck_sources_kind *kind;
  ck_sources_take take;
  void *to;
} listing;

static ck_status write_summary(ck_json_writer *w, ck_bytes text, ck_error *err) {
  ck_buffer summary = {0};
  append_summary(&summary, text);
  ck_status status = ck_buffer_check(&summary, err);
  if (status == CK_OK && summary.len)
    ck_json_member_string(w, "summary", ck_buffer_bytes(&summary));
  ck_buffer_clear(&summary);
  return status;
}

typedef struct judging {
  const ck_sources_kind *kind;
  const ck_source *source;
  ck_modules modules;
  bool other;
} judging;

static int judge_body(lua_State *L) {
  judging *self = lua_touserdata(L, 1);
  ck_modules_open(&self->modules, L);
  ck_vm_push_chunk(L, self->source->name, self->source->text);
  lua_call(L, 0, 1);
  ck_modules_close(L);
  self->other = lua_istable(L, -1) && !self->kind->meant(L);
  return 0;
}

/* A file that runs to its end and returns a table of another kind: a flow, a library. */
static bool is_other(const ck_sources_kind *kind, const ck_source *source) {
  ck_error ignored = CK_ERROR_INIT;
  judging self = {.kind = kind,
                  .source = source,
                  .modules = {.kind = "module", .chunk = source->name, .path = source->name}};
  ck_vm *vm;
  if (ck_vm_new(&vm, &ck_vm_policy_limits, NULL, &ignored) != CK_OK) return false;
  ck_status status = ck_vm_call(vm, judge_body, &self, &ignored);
  ck_modules_clear(&self.modules);
  ck_vm_free(vm);
  return status == CK_OK && self.other;
}

/* A mistake is told; CK_E_EMPTY: it is a file of another kind. */
static ck_status write_members(const listing *self, ck_json_writer *w, const char *name,
                               ck_error *err) {
  ck_source source;
  ck_error failure = CK_ERROR_INIT;
  bool other = false;
  ck_status status = ck_source_read(&source, self->kind->name, name, &failure);
  if (status == CK_OK) {
    status = self->kind->write(w, name, &failure);
    if (status == CK_OK) status = write_summary(w, source.text, &failure);
    other = status == CK_E_PARSE && !source.shipped && is_other(self->kind, &source);
    ck_source_clear(&source);
  }
  if (other) return CK_E_EMPTY;
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  if (status != CK_OK) ck_json_member_text(w, "problem", failure.text);
  return CK_OK;
}

static ck_status list_one(void *to, const char *name, ck_error *err) {
  const listing *self = to;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "reference", name);
  ck_json_member_bool(&w, "shipped", !ck_source_is_path(name));
  ck_status status = write_members(self, &w, name, err);
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = self->take(self->to, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  return status == CK_E_EMPTY ? CK_OK : status;
}

static ck_status visit_below(const char *folder, const char *name, ck_sources_visit visit, void *to,
                             ck_error *err) {
  ck_buffer path = {0};
  ck_buffer_append_format(&path, "%s/%s", folder, name);
  ck_status status = ck_buffer_check(&path, err);
  if (status == CK_OK && ck_sources_is_folder(path.data))
    status = ck_sources_visit_files(path.data, visit, to, err);
  ck_buffer_clear(&path);
  return status;
}

ck_status ck_sources_list(const ck_sources_kind *kind, const char *folder, ck_sources_take take,
                          void *to, ck_error *err) {
  listing self = {kind, take, to};
  bool profiles = strcmp(kind->name, "profile") == 0;
  if (folder && !ck_sources_is_folder(folder)) return ck_sources_cannot_list(folder, err);
  ck_status status = ck_sources_visit_shipped(kind->name, list_one, &self, err);
  if (status != CK_OK || !folder) return status;
  status = ck_sources_visit_files(folder, list_one, &self, err);
  if (status == CK_OK)
    status = visit_below(folder, profiles ? "profiles" : "policies", list_one, &self, err);
  if (status == CK_OK && profiles)
    status = visit_below(folder, "policies/profiles", list_one, &self, err);
  return status;
}
