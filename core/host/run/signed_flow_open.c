/* signed_flow_open.c - checks the signature of a flow that a store has kept, and takes out of the
 * store what it names: nothing that is not signed is looked at. */
#include <stdlib.h>
#include <string.h>

#include "core/base/base64.h"
#include "core/base/json.h"
#include "core/host/run/signed_flow.h"
#include "core/host/session/kept.h"
#include "core/host/session/launch.h"
#include "core/store/blob.h"

static void clear_words(ck_words *words) {
  for (size_t i = 0; i < words->count; i++) free((char *)words->list[i]);
  free(words->list);
  *words = (ck_words){0};
}

void ck_signed_flow_clear(ck_signed_flow *self) {
  ck_scripts_clear(&self->scripts);
  free(self->flow);
  free(self->profile);
  clear_words(&self->settings.policies);
  clear_words(&self->settings.options);
  *self = (ck_signed_flow){0};
}

/* ---- the signature ---- */

static bool is_signed(ck_buffer *statement, ck_bytes is, const ck_flow_trust *trust) {
  ck_buffer base64 = {0}, signature = {0};
  bool taken = ck_json_read_string(statement, ck_json_get(is, "statement")) &&
               ck_json_read_string(&base64, ck_json_get(is, "signature")) &&
               ck_base64_read(&signature, ck_buffer_bytes(&base64)) &&
               ck_flow_trust_verify(trust, ck_buffer_bytes(statement), ck_buffer_bytes(&signature));
  ck_buffer_clear(&base64);
  ck_buffer_clear(&signature);
  return taken;
}

static ck_status check_expiry(ck_bytes statement, int64_t now_ms, ck_error *err) {
  char then[CK_TIME_TEXT_SIZE];
  ck_bytes expires = ck_json_get(statement, "expires_ms");
  int64_t at_ms = 0;
  if (!expires.len || (ck_json_read_int(&at_ms, expires) && now_ms < at_ms)) return CK_OK;
  ck_time_text(then, at_ms);
  return ck_error_set(err, CK_E_REFUSED, "the signature of its flow has expired at %s", then);
}

static ck_status refuse_revoked(const ck_flow_trust *trust, const ck_digest *digest,
                                const char *what, ck_error *err) {
  char hex[CK_DIGEST_HEX_SIZE];
  if (!ck_flow_trust_revokes(trust, digest)) return CK_OK;
  ck_digest_hex(hex, digest);
  return ck_error_set(err, CK_E_REFUSED, "%s is revoked by the keys of --trust: %s", what, hex);
}

static ck_status check(ck_bytes statement, const ck_signed_place *at, ck_error *err) {
  int64_t form = 0;
  ck_digest digest = ck_digest_of(statement);
  ck_status status = ck_json_check(statement, err);
  if (status != CK_OK) return status;
  if (!ck_json_read_int(&form, ck_json_get(statement, "ckrun_flow")) ||
      form != CK_FLOW_STATEMENT_FORM)
    return ck_error_set(err, CK_E_UNSUPPORTED,
                        "its flow is signed in form %lld, and this ckrun reads %d: a newer one "
                        "runs it",
                        (long long)form, CK_FLOW_STATEMENT_FORM);
  status = refuse_revoked(at->trust, &digest, "the signature of its flow", err);
  return status == CK_OK ? check_expiry(statement, at->now_ms, err) : status;
}

/* ---- what it names ---- */

/* A path is one below the worker's folder; the name of what ships is as it is. */
static ck_status take_name(char **out, const ck_signed_place *at, ck_bytes json, ck_error *err) {
  ck_buffer path = {0}, name = {0};
  *out = NULL;
  if (!ck_json_read_string(&name, json))
    return ck_error_set(err, CK_E_PARSE, "the signed flow has a name that is none");
  ck_buffer_append_text(&name, "");
  if (ck_launch_is_path(name.data)) ck_buffer_append_format(&path, "%s/", at->folder);
  ck_buffer_append_bytes(&path, ck_buffer_bytes(&name));
  ck_status status = ck_buffer_check(&path, err);
  ck_buffer_clear(&name);
  if (status == CK_OK)
    *out = ck_buffer_take(&path);
  else
    ck_buffer_clear(&path);
  return status;
}

/* The digest is that of the bytes that are run, whatever the store says of them. */
static ck_status take_text(ck_buffer *out, const ck_signed_place *at, const ck_digest *digest,
                           const char *name, ck_error *err) {
  ck_status status = ck_store_get_blob(out, at->store, digest, err);
  if (status != CK_OK && status != CK_E_NO_MEMORY) return ck_error_prefix(err, "%s", name);
  ck_digest is = ck_digest_of(ck_buffer_bytes(out));
  if (status == CK_OK && !ck_digest_equal(&is, digest))
    status = ck_error_set(err, CK_E_CORRUPT, "%s is not the text that was signed", name);
  return status;
}

static ck_status take_file(ck_signed_flow *to, const ck_signed_place *at, ck_bytes file,
                           ck_error *err) {
  ck_buffer text = {0};
  char *asked = NULL, *name = NULL, *hex = ck_json_dup_string(ck_json_get(file, "digest"));
  const char *kind = ck_kept_kind(ck_json_get(file, "kind"));
  ck_digest digest;
  ck_status status = kind && hex && ck_digest_read_hex(&digest, ck_bytes_text(hex))
                         ? take_name(&asked, at, ck_json_get(file, "asked"), err)
                         : ck_error_set(err, CK_E_PARSE, "the signed flow names a file badly");
  if (status == CK_OK) status = take_name(&name, at, ck_json_get(file, "file"), err);
  if (status == CK_OK) status = refuse_revoked(at->trust, &digest, name, err);
  if (status == CK_OK) status = take_text(&text, at, &digest, name, err);
  if (status == CK_OK)
    status = ck_scripts_put(&to->scripts, kind, asked, name, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  free(asked);
  free(name);
  free(hex);
  return status;
}

static ck_status add_word(ck_words *to, char *word, ck_error *err) {
  const char **list = word ? realloc(to->list, (to->count + 1) * sizeof *list) : NULL;
  if (!list) {
    free(word);
    return ck_error_no_memory(err);
  }
  to->list = list;
  list[to->count++] = word;
  return CK_OK;
}

static ck_status take_settings(ck_signed_flow *to, const ck_signed_place *at, ck_bytes runs,
                               ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(ck_json_get(runs, "policies"));
  while (status == CK_OK && ck_json_next(&it)) {
    char *name;
    status = take_name(&name, at, it.value, err);
    if (status == CK_OK) status = add_word(&to->settings.policies, name, err);
  }
  it = ck_json_iterate(ck_json_get(runs, "options"));
  while (status == CK_OK && ck_json_next(&it))
    status = add_word(&to->settings.options, ck_json_dup_string(it.value), err);
  return status;
}

static ck_status take_runs(ck_signed_flow *to, const ck_signed_place *at, ck_bytes runs,
                           ck_error *err) {
  ck_bytes profile = ck_json_get(runs, "profile");
  ck_status status = take_name(&to->flow, at, ck_json_get(runs, "flow"), err);
  if (status == CK_OK && profile.len) status = take_name(&to->profile, at, profile, err);
  if (status == CK_OK) status = take_settings(to, at, runs, err);
  ck_json_iterator it = ck_json_iterate(ck_json_get(runs, "files"));
  while (status == CK_OK && ck_json_next(&it)) status = take_file(to, at, it.value, err);
  to->scripts.closed = true;
  return status;
}

ck_status ck_signed_flow_open(ck_signed_flow *out, ck_bytes is, const ck_signed_place *at,
                              ck_error *err) {
  ck_buffer statement = {0};
  ck_status status = CK_OK;
  if (!is_signed(&statement, is, at->trust))
    status = ck_error_set(err, CK_E_REFUSED, "its flow is signed by none of the keys of --trust");
  if (status == CK_OK) status = check(ck_buffer_bytes(&statement), at, err);
  if (status == CK_OK)
    status = take_runs(out, at, ck_json_get(ck_buffer_bytes(&statement), "runs"), err);
  if (status != CK_OK) ck_signed_flow_clear(out);
  ck_buffer_clear(&statement);
  return status;
}
