/* key_source.c - reads a key by its reference, as secrets are read. */
#include "core/host/session/key_source.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/secret.h"

const char *ck_key_source_of(const char *given) {
  const char *variable = getenv("CKRUN_KEY");
  if (given) return given;
  if (variable && *variable) return "env:CKRUN_KEY";
  variable = getenv("CKRUN_KEY_COMMAND");
  return variable && *variable ? CK_KEY_SOURCE_COMMAND : NULL;
}

bool ck_key_source_is_ref(const char *word) { return ck_secret_is_ref(word, true); }

/* The text could be the key itself: it is not repeated. */
static ck_status check_ref(const char *ref, ck_error *err) {
  if (ck_key_source_is_ref(ref)) return CK_OK;
  return ck_error_set(
      err, CK_E_USAGE,
      "a key is given by its place, never the key itself: env:NAME, file:PATH, credential:NAME, "
      "keyring:NAME or command:LINE");
}

ck_status ck_key_source_read(ck_key **out, const char *ref, ck_redactor *redactor, ck_error *err) {
  ck_buffer text = {0};
  char hex[CK_KEY_TEXT_SIZE];
  *out = NULL;
  ck_status status = check_ref(ref, err);
  if (status == CK_OK) status = ck_secret_read_key(&text, ref, err);
  if (status == CK_OK) status = ck_key_read(out, ck_buffer_bytes(&text), ref, err);
  ck_secret_wipe(&text);
  if (status != CK_OK || !redactor) return status;
  ck_key_write(hex, *out);
  status = ck_redactor_add_secret(redactor, "store key", ck_bytes_text(hex), err);
  explicit_bzero(hex, sizeof hex);
  if (status == CK_OK) return CK_OK;
  ck_key_free(*out);
  *out = NULL;
  return status;
}
