/* sources.c - finds the texts that the program carries and the Lua files of a folder. */
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

ck_status ck_sources_cannot_list(const char *folder, ck_error *err) {
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
  if (count < 0) return ck_sources_cannot_list(folder, err);
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

ck_status ck_sources_visit_files(const char *folder, ck_sources_visit visit, void *to,
                                 ck_error *err) {
  return visit_folder(folder, is_source, visit, to, err);
}
