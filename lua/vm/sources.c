/* sources.c - lists the texts that the program carries and the Lua files of a folder. */
#include "lua/vm/sources.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "lua/vm/source.h"

static bool ends_with(const char *text, const char *end) {
  size_t len = strlen(text), end_len = strlen(end);
  return len > end_len && strcmp(text + len - end_len, end) == 0;
}

ck_status ck_sources_visit_shipped(const char *kind, ck_sources_visit visit, void *to,
                                   ck_error *err) {
  const char *folder = ck_source_folder(kind);
  size_t skip = strlen(folder);
  ck_status status = CK_OK;
  ck_buffer name = {0};
  for (const ck_embedded *row = ck_embedded_table; status == CK_OK && row->name; row++) {
    if (strncmp(row->name, folder, skip) != 0 || strchr(row->name + skip, '/') ||
        !ends_with(row->name, ".lua"))
      continue;
    ck_buffer_reset(&name);
    ck_buffer_append_format(&name, "%.*s", (int)strlen(row->name + skip) - 4, row->name + skip);
    status = ck_buffer_check(&name, err);
    if (status == CK_OK) status = visit(to, name.data, err);
  }
  ck_buffer_clear(&name);
  return status;
}

/* ---- a folder ---- */

typedef int filter(const struct dirent *entry);

static int is_test(const struct dirent *entry) {
  return entry->d_name[0] != '.' && ends_with(entry->d_name, "_test.lua");
}

static int is_source(const struct dirent *entry) {
  return entry->d_name[0] != '.' && ends_with(entry->d_name, ".lua") && !is_test(entry);
}

static int compare(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static ck_status visit_file(const char *folder, const char *file, ck_sources_visit visit, void *to,
                            ck_error *err) {
  ck_buffer path = {0};
  ck_buffer_append_format(&path, "%s/%s", folder, file);
  ck_status status = ck_buffer_check(&path, err);
  if (status == CK_OK) status = visit(to, path.data, err);
  ck_buffer_clear(&path);
  return status;
}

static ck_status cannot_list(const char *folder, ck_error *err) {
  return ck_error_set(err, errno == ENOENT || errno == ENOTDIR ? CK_E_NOT_FOUND : CK_E_IO,
                      "cannot list folder %s: %s", folder, strerror(errno));
}

/* False: errno says why. */
bool ck_sources_is_folder(const char *path) {
  DIR *open = opendir(path);
  return open && closedir(open) == 0;
}

static ck_status visit_folder(const char *folder, filter *wanted, ck_sources_visit visit, void *to,
                              ck_error *err) {
  struct dirent **list;
  int count = scandir(folder, &list, wanted, compare);
  if (count < 0 && errno == ENOMEM) return ck_error_no_memory(err);
  if (count < 0) return cannot_list(folder, err);
  ck_status status = CK_OK;
  for (int i = 0; i < count; i++) {
    if (status == CK_OK) status = visit_file(folder, list[i]->d_name, visit, to, err);
    free(list[i]);
  }
  free(list);
  return status;
}

ck_status ck_sources_visit_tests(const char *folder, ck_sources_visit visit, void *to,
                                 ck_error *err) {
  return visit_folder(folder, is_test, visit, to, err);
}

static ck_status visit_below(const char *folder, const char *name, ck_sources_visit visit, void *to,
                             ck_error *err) {
  ck_buffer path = {0};
  ck_buffer_append_format(&path, "%s/%s", folder, name);
  ck_status status = ck_buffer_check(&path, err);
  if (status == CK_OK && ck_sources_is_folder(path.data))
    status = visit_folder(path.data, is_source, visit, to, err);
  ck_buffer_clear(&path);
  return status;
}

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
  const char *kind;
  ck_sources_write write;
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

/* What is nothing of the kind is told so, with the reason. */
static ck_status write_members(const listing *self, ck_json_writer *w, const char *name,
                               ck_error *err) {
  ck_source source;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_source_read(&source, self->kind, name, &failure);
  if (status == CK_OK) {
    status = self->write(w, name, &failure);
    if (status == CK_OK) status = write_summary(w, source.text, &failure);
    ck_source_clear(&source);
  }
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
  return status;
}

ck_status ck_sources_list(const char *kind, const char *folder, ck_sources_write write,
                          ck_sources_take take, void *to, ck_error *err) {
  listing self = {kind, write, take, to};
  bool profiles = strcmp(kind, "profile") == 0;
  if (folder && !ck_sources_is_folder(folder)) return cannot_list(folder, err);
  ck_status status = ck_sources_visit_shipped(kind, list_one, &self, err);
  if (status != CK_OK || !folder) return status;
  status = visit_folder(folder, is_source, list_one, &self, err);
  if (status == CK_OK)
    status = visit_below(folder, profiles ? "profiles" : "policies", list_one, &self, err);
  if (status == CK_OK && profiles)
    status = visit_below(folder, "policies/profiles", list_one, &self, err);
  return status;
}
