/* scripts.c - keeps the texts that a run executes in the store. */
#include "core/host/run/scripts.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/store/blob.h"

/* A policy that fails there leaves nobody to say what may be kept. */
static ck_status ask(bool *masked, const ck_script *script, const ck_policy_cleaning *with,
                     ck_error *err) {
  char key[32];
  ck_value *text, *kept = NULL;
  ck_error failure = CK_ERROR_INIT;
  *masked = false;
  if (!with->policies->redact) return CK_OK;
  ck_status status = ck_value_text(&text, ck_buffer_bytes(&script->text), err);
  if (status != CK_OK) return status;
  snprintf(key, sizeof key, "files.%s", script->kind);
  ck_policy_cleaning_begin(with);
  status = ck_redactor_apply(&kept, with->redactor, CK_SINK_STATE, key, text, &failure);
  ck_policy_cleaning_end(with);
  *masked = !kept || !ck_bytes_equal(ck_value_bytes(kept), ck_value_bytes(text));
  ck_value_free(kept);
  ck_value_free(text);
  return status == CK_E_NO_MEMORY ? ck_error_no_memory(err) : CK_OK;
}

static ck_status check(ck_script *script, ck_output *output, const ck_policy_cleaning *with,
                       ck_error *err) {
  ck_buffer redacted = {0};
  bool masked = false;
  ck_bytes text = ck_buffer_bytes(&script->text);
  ck_status status = ck_redactor_apply_text(&redacted, output->redactor, CK_SINK_EXPORT, text, err);
  bool secret = !ck_bytes_equal(ck_buffer_bytes(&redacted), text);
  if (status == CK_OK && !secret) status = ask(&masked, script, with, err);
  script->withheld = secret || masked;
  if (status == CK_OK && script->withheld)
    ck_output_notice(output, "%s %s holds %s: it is not kept in the store", script->kind,
                     script->name,
                     secret ? "a secret, or what looks like one" : "what the policies mask");
  ck_buffer_clear(&redacted);
  return status;
}

ck_status ck_scripts_check(ck_scripts *self, ck_output *output, const ck_policy_cleaning *with,
                           ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    if (!self->list[i].shipped) status = check(&self->list[i], output, with, err);
  return status;
}

void ck_scripts_write(ck_json_writer *to, const ck_scripts *self) {
  ck_json_name(to, "files");
  ck_json_begin(to, '[');
  for (size_t i = 0; i < self->count; i++) {
    const ck_script *script = &self->list[i];
    char digest[CK_DIGEST_HEX_SIZE];
    ck_digest_hex(digest, &script->digest);
    ck_json_begin(to, '{');
    ck_json_member_text(to, "kind", script->kind);
    ck_json_member_text(to, "asked", script->asked);
    ck_json_member_text(to, "file", script->name);
    ck_json_member_text(to, "digest", digest);
    if (script->shipped) ck_json_member_bool(to, "shipped", true);
    if (script->withheld) ck_json_member_bool(to, "withheld", true);
    ck_json_end(to, '}');
  }
  ck_json_end(to, ']');
}

ck_status ck_scripts_keep(const ck_scripts *self, ck_store *store, const ck_session *session,
                          ck_error *err) {
  const ck_session_record *record = ck_session_get_record(session);
  ck_error failure = CK_ERROR_INIT;
  size_t count = 0;
  ck_blob *list = calloc(self->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  for (size_t i = 0; i < self->count; i++)
    if (!self->list[i].withheld)
      list[count++] = (ck_blob){self->list[i].kind, ck_buffer_bytes(&self->list[i].text)};
  ck_lease lease = {.session = record->no, .epoch = record->epoch};
  ck_status status = ck_store_put_blobs(store, lease, list, count, &failure);
  free(list);
  if (status == CK_OK || status == CK_E_UNSUPPORTED) return CK_OK;
  return ck_error_set(err, status, "%s", failure.text);
}
