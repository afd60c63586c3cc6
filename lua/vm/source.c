/* source.c - the form of a name decides: a bare name is shipped, a path is a file. */
#include "lua/vm/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "lua/vm/names.h"
#include "lua/vm/vm.h"

enum { SHIPPED_MAX = 64, SHIPPED_NAME_SIZE = 64 };

bool ck_source_is_path(const char *name) {
  size_t len = strlen(name);
  return strchr(name, '/') || (len > 4 && strcmp(name + len - 4, ".lua") == 0);
}

static const char *folder_of(const char *kind) {
  return strcmp(kind, "profile") == 0 ? "policies/profiles/" : "policies/";
}

/* The bare names of the texts directly in `folder`, ended by NULL. */
static void list_shipped(char names[SHIPPED_MAX][SHIPPED_NAME_SIZE],
                         const char *list[SHIPPED_MAX + 1], const char *folder) {
  size_t count = 0, skip = strlen(folder);
  for (const ck_embedded *row = ck_embedded_table; row->name && count < SHIPPED_MAX; row++) {
    if (strncmp(row->name, folder, skip) != 0 || strchr(row->name + skip, '/')) continue;
    int len = (int)strlen(row->name + skip) - 4;
    if (len <= 0 || len >= SHIPPED_NAME_SIZE) continue;
    snprintf(names[count], SHIPPED_NAME_SIZE, "%.*s", len, row->name + skip);
    list[count] = names[count];
    count++;
  }
  list[count] = NULL;
}

static ck_status refuse_unknown(const char *kind, const char *name, ck_error *err) {
  char names[SHIPPED_MAX][SHIPPED_NAME_SIZE];
  const char *list[SHIPPED_MAX + 1];
  char hint[CK_NAMES_HINT_SIZE];
  list_shipped(names, list, folder_of(kind));
  ck_names_hint(hint, name, list);
  return ck_error_set(err, CK_E_NOT_FOUND,
                      "%s '%s': not among the shipped ones, searched %s%s.lua%s; a file of your "
                      "own is named by its path, such as ./%s.lua",
                      kind, name, folder_of(kind), name, hint, name);
}

static ck_status read_shipped(ck_source *out, const char *kind, const char *name, ck_error *err) {
  ck_buffer path = {0};
  ck_buffer_append_format(&path, "%s%s.lua", folder_of(kind), name);
  ck_status status = ck_buffer_check(&path, err);
  if (status == CK_OK) {
    out->text = ck_embedded_get(path.data);
    out->shipped = true;
    if (!out->text.data) status = refuse_unknown(kind, name, err);
  }
  out->name = ck_buffer_take(&path);
  return status;
}

static ck_status read_file(ck_source *out, const char *kind, const char *path, ck_error *err) {
  ck_status status = ck_vm_read_file(&out->file, path, err);
  if (status != CK_OK) return ck_error_prefix(err, "%s", kind);
  out->text = ck_buffer_bytes(&out->file);
  out->name = realpath(path, NULL);
  if (!out->name) out->name = strdup(path);
  return out->name ? CK_OK : ck_error_no_memory(err);
}

/* A file that is not to be read, but was kept. */
static ck_status read_kept(ck_source *out, const ck_scripts *scripts, const char *kind,
                           const char *name, ck_error *err) {
  const ck_script *kept = ck_scripts_get(scripts, kind, name);
  if (!kept)
    return ck_error_set(err, CK_E_NOT_FOUND, "%s %s: the store has not kept it", kind, name);
  ck_buffer_append_bytes(&out->file, ck_buffer_bytes(&kept->text));
  ck_status status = ck_buffer_check(&out->file, err);
  out->text = ck_buffer_bytes(&out->file);
  out->name = strdup(kept->name);
  return status == CK_OK && !out->name ? ck_error_no_memory(err) : status;
}

ck_status ck_source_read_for(ck_source *out, const char *kind, const char *name,
                             ck_scripts *scripts, ck_error *err) {
  bool is_path = ck_source_is_path(name), closed = scripts && scripts->closed;
  *out = (ck_source){0};
  ck_status status = is_path && closed ? read_kept(out, scripts, kind, name, err)
                     : is_path         ? read_file(out, kind, name, err)
                                       : read_shipped(out, kind, name, err);
  if (status == CK_OK && scripts && !(is_path && closed)) {
    status = ck_scripts_put(scripts, kind, name, out->name, out->text, err);
    if (status == CK_OK) ck_scripts_get(scripts, kind, name)->shipped = out->shipped;
  }
  if (status != CK_OK)
    ck_source_clear(out);
  else
    out->digest = ck_digest_of(out->text);
  return status;
}

ck_status ck_source_read(ck_source *out, const char *kind, const char *name, ck_error *err) {
  return ck_source_read_for(out, kind, name, NULL, err);
}

void ck_source_clear(ck_source *self) {
  free(self->name);
  ck_buffer_clear(&self->file);
  *self = (ck_source){0};
}
