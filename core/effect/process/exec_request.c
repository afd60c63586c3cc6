/* exec_request.c - reads the program to run from a request, and makes its environment. */
#include "core/effect/process/exec_request.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void wipe(char *text) {
  if (text) explicit_bzero(text, strlen(text));
  free(text);
}

void ck_exec_request_clear(ck_exec_request *self) {
  for (char **argument = self->argv; argument && *argument; argument++) free(*argument);
  for (size_t i = 0; i < self->environment.count; i++) wipe(self->environment.list[i]);
  free(self->environment.list);
  free(self->argv);
  free(self->directory);
  ck_buffer_clear(&self->input);
  *self = (ck_exec_request){0};
}

/* A text that can be passed to a program: without NUL, which JSON cannot hold here anyway. */
static ck_status dup_text(char **out, ck_bytes json, const char *what, ck_error *err) {
  *out = NULL;
  if (ck_json_type_of(json) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_FLOW, "exec: %s must be a string", what);
  *out = ck_json_dup_string(json);
  return *out ? CK_OK : ck_error_no_memory(err);
}

static ck_status read_argv(ck_exec_request *self, ck_bytes list, ck_error *err) {
  size_t count = ck_json_type_of(list) == CK_JSON_ARRAY ? ck_json_count(list) : 0, at = 0;
  if (count == 0)
    return ck_error_set(err, CK_E_FLOW, "exec: argv must be a list, the program and its arguments");
  self->argv = calloc(count + 1, sizeof *self->argv);
  if (!self->argv) return ck_error_no_memory(err);
  ck_status status = CK_OK;
  for (ck_json_iterator it = ck_json_iterate(list); status == CK_OK && ck_json_next(&it); at++)
    status = dup_text(&self->argv[at], it.value, "each of argv", err);
  if (status == CK_OK && !*self->argv[0])
    return ck_error_set(err, CK_E_FLOW, "exec: the program's name is empty");
  return status;
}

static ck_status read_number(int64_t *out, ck_bytes request, const char *name, int64_t least,
                             ck_error *err) {
  ck_bytes value = ck_json_get(request, name);
  if (value.len == 0 || ck_json_type_of(value) == CK_JSON_NULL) return CK_OK;
  if (ck_json_read_int(out, value) && *out >= least && *out <= INT_MAX) return CK_OK;
  return ck_error_set(err, CK_E_FLOW, "exec: %s must be a whole number from %lld", name,
                      (long long)least);
}

static ck_status read_directory(ck_exec_request *self, const char *base, ck_bytes given,
                                ck_error *err) {
  char *folder = NULL;
  struct stat info;
  ck_status status = given.len ? dup_text(&folder, given, "cwd", err) : CK_OK;
  if (status == CK_OK) {
    bool joined = folder && base && folder[0] != '/';
    int len = joined ? asprintf(&self->directory, "%s/%s", base, folder) : 0;
    if (!joined && (folder || base)) self->directory = strdup(folder ? folder : base);
    if (len < 0) self->directory = NULL;
    if (!self->directory && (folder || base)) status = ck_error_no_memory(err);
  }
  free(folder);
  if (status != CK_OK || !self->directory) return status;
  bool is_folder = stat(self->directory, &info) == 0 && S_ISDIR(info.st_mode);
  return is_folder
             ? CK_OK
             : ck_error_set(err, CK_E_NOT_FOUND, "exec: there is no folder %s", self->directory);
}

static ck_status read_input(ck_exec_request *self, ck_bytes given, ck_error *err) {
  if (given.len && !ck_json_read_string(&self->input, given)) {
    ck_buffer_append_bytes(&self->input, given);
    ck_buffer_append_char(&self->input, '\n');
  }
  return ck_buffer_check(&self->input, err);
}

/* ---- the environment ---- */

static void set_variable(ck_environment *to, char *variable) {
  size_t name = strcspn(variable, "=") + 1;
  for (size_t i = 0; i < to->count; i++) {
    if (strncmp(to->list[i], variable, name) != 0) continue;
    wipe(to->list[i]);
    to->list[i] = variable;
    return;
  }
  to->list[to->count++] = variable;
}

/* Memory for `len` bytes and a NUL is taken at once: a buffer that grows would leave a copy of the
 * secret in freed memory. */
static ck_status set_text(ck_environment *to, const char *name, ck_bytes value, ck_error *err) {
  size_t len = strlen(name);
  char *variable = malloc(len + value.len + 2);
  if (!variable) return ck_error_no_memory(err);
  memcpy(variable, name, len);
  variable[len] = '=';
  if (value.len) memcpy(variable + len + 1, value.data, value.len);
  variable[len + 1 + value.len] = '\0';
  set_variable(to, variable);
  return CK_OK;
}

static ck_status set_reference(ck_environment *to, const ck_exec_options *options, const char *name,
                               ck_bytes reference, ck_error *err) {
  char *ref = NULL;
  ck_buffer value = {0};
  ck_status status = dup_text(&ref, ck_json_get(reference, "ref"),
                              "a variable that is an object needs 'ref': it", err);
  if (status == CK_OK && !options->resolve)
    status = ck_error_set(err, CK_E_SECRET_MISSING, "exec: nothing can resolve %s", ref);
  if (status == CK_OK) status = options->resolve(options->to, &value, ref, err);
  if (status == CK_OK) status = set_text(to, name, ck_buffer_bytes(&value), err);
  if (value.data) explicit_bzero(value.data, value.cap);
  ck_buffer_clear(&value);
  free(ref);
  return status;
}

static ck_status set_given(ck_environment *to, const ck_exec_options *options, ck_bytes raw_name,
                           ck_bytes value, ck_error *err) {
  char *name = NULL, *text = NULL;
  ck_status status = dup_text(&name, raw_name, "a variable's name", err);
  if (status == CK_OK && (!*name || strchr(name, '=')))
    status = ck_error_set(err, CK_E_FLOW, "exec: '%s' is not a variable's name", name);
  if (status == CK_OK && ck_json_type_of(value) == CK_JSON_OBJECT) {
    status = set_reference(to, options, name, value, err);
  } else if (status == CK_OK) {
    status = dup_text(&text, value, name, err);
    if (status == CK_OK) status = set_text(to, name, ck_bytes_text(text), err);
  }
  free(name);
  wipe(text);
  return status;
}

enum { OWN_VARIABLES = 2 }; /* the effect's key and attempt */

static ck_status read_environment(ck_exec_request *self, const ck_exec_options *options,
                                  const ck_environment *usual, const ck_effect *effect,
                                  ck_error *err) {
  ck_bytes given = ck_json_get(effect->request, "env");
  bool there = given.len > 0;
  if (there && ck_json_type_of(given) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_FLOW, "exec: env must be an object");
  char attempt[16];
  snprintf(attempt, sizeof attempt, "%u", effect->attempt);
  size_t most = usual->count + (there ? ck_json_count(given) : 0) + OWN_VARIABLES;
  ck_environment *to = &self->environment;
  to->list = calloc(most + 1, sizeof *to->list);
  if (!to->list) return ck_error_no_memory(err);
  for (size_t i = 0; i < usual->count; i++) {
    if (!(to->list[to->count] = strdup(usual->list[i]))) return ck_error_no_memory(err);
    to->count++;
  }
  ck_status status = set_text(to, "CKRUN_EFFECT_KEY", ck_bytes_text(effect->key), err);
  if (status == CK_OK) status = set_text(to, "CKRUN_EFFECT_ATTEMPT", ck_bytes_text(attempt), err);
  ck_json_iterator it = ck_json_iterate(given);
  while (status == CK_OK && there && ck_json_next(&it))
    status = set_given(to, options, it.name, it.value, err);
  return status;
}

ck_status ck_exec_request_read(ck_exec_request *out, const ck_exec_options *options,
                               const ck_environment *usual, const ck_effect *effect,
                               ck_error *err) {
  ck_bytes request = effect->request;
  int64_t output_max = CK_EXEC_OUTPUT_MAX;
  *out = (ck_exec_request){0};
  ck_status status = read_argv(out, ck_json_get(request, "argv"), err);
  if (status == CK_OK) status = read_number(&out->timeout_ms, request, "timeout_ms", 1, err);
  if (status == CK_OK) status = read_number(&output_max, request, "output_max", 0, err);
  if (status == CK_OK)
    status = read_directory(out, options->directory, ck_json_get(request, "cwd"), err);
  if (status == CK_OK) status = read_input(out, ck_json_get(request, "input"), err);
  if (status == CK_OK) status = read_environment(out, options, usual, effect, err);
  out->output_max = (size_t)output_max;
  if (status != CK_OK) ck_exec_request_clear(out);
  return status;
}
