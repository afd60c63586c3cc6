/* source.c - the form of a name decides: a bare name is shipped, a path is a file. */
#include "lua/vm/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "lua/vm/names.h"
#include "lua/vm/sources.h"
#include "lua/vm/vm.h"

enum { SHIPPED_MAX = 64, SHIPPED_NAME_SIZE = 64 };

bool ck_source_is_path(const char *name) {
  size_t len = strlen(name);
  return strchr(name, '/') || (len > 4 && strcmp(name + len - 4, ".lua") == 0);
}

const char *ck_source_folder(const char *kind) {
  return strcmp(kind, "profile") == 0 ? "policies/profiles/" : "policies/";
}

typedef struct shipped_names {
  char names[SHIPPED_MAX][SHIPPED_NAME_SIZE];
  const char *list[SHIPPED_MAX + 1]; /* ended by NULL */
  size_t count;
} shipped_names;

static ck_status keep_name(void *to, const char *name, ck_error *err) {
  (void)err;
  shipped_names *self = to;
  if (self->count == SHIPPED_MAX || strlen(name) >= SHIPPED_NAME_SIZE) return CK_OK;
  snprintf(self->names[self->count], SHIPPED_NAME_SIZE, "%s", name);
  self->list[self->count] = self->names[self->count];
  self->count++;
  return CK_OK;
}

static ck_status refuse_unknown(const char *kind, const char *name, ck_error *err) {
  shipped_names shipped = {.count = 0};
  char hint[CK_NAMES_HINT_SIZE];
  const char *folder = ck_source_folder(kind);
  ck_status status = ck_sources_visit_shipped(kind, keep_name, &shipped, err);
  if (status != CK_OK) return status;
  ck_names_hint(hint, name, shipped.list);
  return ck_error_set(err, CK_E_NOT_FOUND,
                      "%s '%s': not among the shipped ones, searched %s%s.lua%s; a file of your "
                      "own is named by its path, such as ./%s.lua",
                      kind, name, folder, name, hint, name);
}

static ck_status read_shipped(ck_source *out, const char *kind, const char *name, ck_error *err) {
  ck_buffer path = {0};
  ck_buffer_append_format(&path, "%s%s.lua", ck_source_folder(kind), name);
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
