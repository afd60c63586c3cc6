/* references.c - what a profile refers to: files beside it, and secrets by reference. */
#include <stdlib.h>
#include <string.h>

#include "lua/profile/reading.h"

char *ck_profile_resolve(const ck_source *source, const char *name) {
  const char *slash = source->shipped ? NULL : strrchr(source->name, '/');
  if (!ck_source_is_path(name) || name[0] == '/' || !slash) return strdup(name);
  ck_buffer path = {0};
  ck_buffer_append(&path, source->name, (size_t)(slash - source->name) + 1);
  ck_buffer_append_text(&path, strncmp(name, "./", 2) == 0 ? name + 2 : name);
  return ck_buffer_take(&path);
}

static bool is_env(const char *ref) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
  if (strncmp(ref, "env:", 4) != 0) return false;
  const char *name = ref + 4;
  return *name && !(*name >= '0' && *name <= '9') && name[strspn(name, letters)] == '\0';
}

static bool is_file(const char *ref) { return strncmp(ref, "file:", 5) == 0 && ref[5]; }

/* The file as seen from the profile's own folder. */
static char *resolve_file(const ck_source *source, const char *path) {
  const char *slash = source->shipped ? NULL : strrchr(source->name, '/');
  ck_buffer ref = {0};
  ck_buffer_append_text(&ref, "file:");
  if (path[0] != '/' && slash)
    ck_buffer_append(&ref, source->name, (size_t)(slash - source->name) + 1);
  ck_buffer_append_text(&ref, strncmp(path, "./", 2) == 0 ? path + 2 : path);
  return ck_buffer_take(&ref);
}

/* Of systemd, and of the kernel. */
static bool is_kept(const char *ref) {
  return (strncmp(ref, "credential:", 11) == 0 && ref[11]) ||
         (strncmp(ref, "keyring:", 8) == 0 && ref[8]);
}

static ck_status expected(const char *path, bool key, ck_error *err) {
  return ck_error_set(err, CK_E_PARSE,
                      "%s: \"env:NAME\", \"file:PATH\", \"credential:NAME\"%s or \"keyring:NAME\" "
                      "is expected, never the secret itself",
                      path, key ? ", \"command:LINE\"" : "");
}

static ck_status read_ref(char **out, const ck_source *source, const char *path, ck_bytes json,
                          bool key, ck_error *err) {
  *out = NULL;
  char *given = NULL;
  if (ck_json_type_of(json) == CK_JSON_STRING) {
    given = ck_json_dup_string(json);
    if (!given) return ck_error_no_memory(err);
  }
  bool command = given && key && strncmp(given, "command:", 8) == 0 && given[8];
  if (!given || (!is_env(given) && !is_file(given) && !is_kept(given) && !command)) {
    free(given);
    return expected(path, key, err);
  }
  *out = is_file(given) ? resolve_file(source, given + 5) : strdup(given);
  free(given);
  return *out ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_profile_read_ref(char **out, const ck_source *source, const char *path, ck_bytes json,
                              ck_error *err) {
  return read_ref(out, source, path, json, false, err);
}

ck_status ck_profile_read_key_ref(char **out, const ck_source *source, const char *path,
                                  ck_bytes json, ck_error *err) {
  return read_ref(out, source, path, json, true, err);
}
