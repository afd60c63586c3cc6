/* secret.c - reads secrets by their references, and makes them known to redactors. */
#include "core/runtime/session/secret.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/secret_source.h"

#define REMEDY "then try again"

void ck_secret_wipe(ck_buffer *secret) {
  if (secret->data) explicit_bzero(secret->data, secret->cap);
  ck_buffer_clear(secret);
}

static ck_status read_env(ck_buffer *out, const ck_secret_asked *asked, ck_error *err) {
  const char *value = getenv(asked->name);
  if (!value || !*value)
    return ck_error_set(err, CK_E_SECRET_MISSING, "%s is %s: set it, " REMEDY, asked->ref,
                        value ? "empty" : "not set");
  size_t len = strlen(value);
  char *room = ck_buffer_extend(out, len);
  if (!room) return ck_error_no_memory(err);
  memcpy(room, value, len);
  return CK_OK;
}

static ck_status read_file(ck_buffer *out, const ck_secret_asked *asked, ck_error *err) {
  return ck_secret_read_file(out, asked, asked->name, err);
}

/* A reference may be stored, and a store written by others: a command is for the key of a store
 * alone, which is named by who starts ckrun. */
static const struct {
  const char *scheme;
  bool key_only;
  ck_status (*read)(ck_buffer *out, const ck_secret_asked *asked, ck_error *err);
} sources[] = {
    {"env:", false, read_env},
    {"file:", false, read_file},
    {"credential:", false, ck_secret_read_credential},
    {"keyring:", false, ck_secret_read_keyring},
    {"command:", true, ck_secret_read_command},
};
enum { SOURCES = sizeof sources / sizeof *sources, NO_SOURCE = SOURCES };

static size_t find_source(const char *ref, bool key) {
  for (size_t i = 0; i < SOURCES; i++)
    if (strncmp(ref, sources[i].scheme, strlen(sources[i].scheme)) == 0 &&
        (key || !sources[i].key_only))
      return i;
  return NO_SOURCE;
}

bool ck_secret_is_ref(const char *text, bool key) { return find_source(text, key) != NO_SOURCE; }

static ck_status read_ref(ck_buffer *out, bool key, const char *ref, ck_error *err) {
  size_t at = find_source(ref, key);
  if (at == NO_SOURCE)
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "%s is no reference: \"env:NAME\", \"file:PATH\", \"credential:NAME\" or "
                        "\"keyring:NAME\" is one",
                        ref);
  const ck_secret_asked asked = {ref, ref + strlen(sources[at].scheme), key};
  return sources[at].read(out, &asked, err);
}

ck_status ck_secret_read(ck_buffer *out, const char *ref, ck_error *err) {
  return read_ref(out, false, ref, err);
}

ck_status ck_secret_read_key(ck_buffer *out, const char *ref, ck_error *err) {
  return read_ref(out, true, ref, err);
}

ck_status ck_secret_register(ck_redactor *to, const char *name, const char *ref, ck_error *err) {
  ck_buffer secret = {0};
  ck_status status = ck_secret_read(&secret, ref, err);
  if (status == CK_OK) status = ck_redactor_add_secret(to, name, ck_buffer_bytes(&secret), err);
  if (status == CK_E_SECRET_MISSING) ck_error_prefix(err, "secret \"%s\"", name);
  ck_secret_wipe(&secret);
  return status;
}

/* Joins problems to one error; a secret that is missing decides its status. */
typedef struct joined {
  ck_buffer text;
  ck_status status;
} joined;

static void join_problem(void *to, const ck_error *problem) {
  joined *self = to;
  if (self->text.len > 0) ck_buffer_append_text(&self->text, "; ");
  ck_buffer_append_text(&self->text, problem->text);
  if (self->status != CK_E_SECRET_MISSING) self->status = problem->status;
}

static ck_status register_each(ck_redactor *to, const ck_profile *profile,
                               ck_secret_problem problem, void *self, ck_error *err) {
  for (size_t i = 0; i < profile->secret_count; i++) {
    ck_error failure = CK_ERROR_INIT;
    ck_status status =
        ck_secret_register(to, profile->secrets[i].name, profile->secrets[i].ref, &failure);
    if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
    if (status != CK_OK) problem(self, &failure);
  }
  return CK_OK;
}

ck_status ck_secret_register_all(ck_redactor *to, const ck_profile *profile,
                                 ck_secret_problem problem, void *self, ck_error *err) {
  if (!profile) return CK_OK;
  if (problem) return register_each(to, profile, problem, self, err);
  joined all = {.status = CK_OK};
  ck_status status = register_each(to, profile, join_problem, &all, err);
  if (status == CK_OK) status = ck_buffer_check(&all.text, err);
  if (status == CK_OK && all.status != CK_OK)
    status = ck_error_set(err, all.status, "%s", all.text.data);
  ck_buffer_clear(&all.text);
  return status;
}
