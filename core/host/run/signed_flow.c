/* signed_flow.c - signs a flow, and compares a signature with what was loaded. */
#include "core/host/run/signed_flow.h"

#include <string.h>

#include "core/base/base64.h"
#include "core/base/json.h"
#include "lua/vm/vm.h"

static void write_statement(ck_buffer *out, ck_bytes runs, const ck_flow_signing *with) {
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "ckrun_flow", CK_FLOW_STATEMENT_FORM);
  ck_json_member_raw(&w, "runs", runs);
  ck_json_member_int(&w, "signed_ms", with->signed_ms);
  if (with->expires_ms) ck_json_member_int(&w, "expires_ms", with->expires_ms);
  ck_json_end(&w, '}');
}

static ck_status write_signed(ck_value **out, ck_bytes statement, const ck_signing_key *key,
                              ck_error *err) {
  uint8_t signature[CK_SIGNATURE_SIZE];
  ck_buffer base64 = {0}, document = {0};
  ck_json_writer w = {.out = &document};
  ck_signing_key_sign(signature, key, statement);
  ck_base64_append(&base64, (ck_bytes){(const char *)signature, sizeof signature});
  ck_json_begin(&w, '{');
  ck_json_member_string(&w, "statement", statement);
  ck_json_member_string(&w, "signature", ck_buffer_bytes(&base64));
  ck_json_end(&w, '}');
  ck_status status = ck_buffer_check(&base64, err);
  if (status == CK_OK) status = ck_value_from(out, &document, err);
  ck_buffer_clear(&base64);
  ck_buffer_clear(&document);
  return status;
}

ck_status ck_signed_flow_make(ck_value **out, ck_digest *digest, const ck_flow_parts *parts,
                              const ck_flow_signing *with, ck_error *err) {
  ck_buffer runs = {0}, statement = {0};
  *out = NULL;
  ck_status status = ck_flow_statement_runs(&runs, parts, err);
  if (status == CK_OK) write_statement(&statement, ck_buffer_bytes(&runs), with);
  if (status == CK_OK) status = ck_buffer_check(&statement, err);
  if (status == CK_OK) status = write_signed(out, ck_buffer_bytes(&statement), with->key, err);
  if (status == CK_OK) *digest = ck_digest_of(ck_buffer_bytes(&statement));
  ck_buffer_clear(&runs);
  ck_buffer_clear(&statement);
  return status;
}

/* ---- where it is submitted ---- */

static bool is_of(ck_bytes statement, ck_bytes runs) {
  return ck_json_check(statement, NULL) == CK_OK &&
         ck_bytes_equal(ck_json_get(statement, "runs"), runs);
}

static ck_status compare(ck_bytes document, const char *file, const ck_flow_parts *parts,
                         ck_error *err) {
  ck_buffer runs = {0}, statement = {0};
  bool whole = ck_json_read_string(&statement, ck_json_get(document, "statement")) &&
               ck_json_type_of(ck_json_get(document, "signature")) == CK_JSON_STRING;
  ck_status status =
      whole ? ck_flow_statement_runs(&runs, parts, err)
            : ck_error_set(err, CK_E_PARSE,
                           "--signature %s: it is no signature of 'ckrun flow sign'", file);
  if (status == CK_OK && !is_of(ck_buffer_bytes(&statement), ck_buffer_bytes(&runs)))
    status = ck_error_set(err, CK_E_REFUSED,
                          "--signature %s is not of this flow with this profile and these "
                          "policies and options, as they are now: 'ckrun flow sign' signs them",
                          file);
  ck_buffer_clear(&runs);
  ck_buffer_clear(&statement);
  return status;
}

static ck_status take_members(ck_value **out, ck_bytes document, ck_error *err) {
  ck_buffer kept = {0};
  ck_json_writer w = {.out = &kept};
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "statement", ck_json_get(document, "statement"));
  ck_json_member_raw(&w, "signature", ck_json_get(document, "signature"));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &kept, err);
  ck_buffer_clear(&kept);
  return status;
}

ck_status ck_signed_flow_read(ck_value **out, const char *file, const ck_flow_parts *parts,
                              ck_error *err) {
  ck_buffer text = {0};
  ck_error problem = CK_ERROR_INIT;
  *out = NULL;
  ck_status status = ck_vm_read_file(&text, file, err);
  if (status == CK_OK && ck_json_check(ck_buffer_bytes(&text), &problem) != CK_OK)
    status = ck_error_set(err, CK_E_PARSE, "%s: %s", file, problem.text);
  if (status == CK_OK) status = compare(ck_buffer_bytes(&text), file, parts, err);
  if (status == CK_OK) status = take_members(out, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_signed_flow_keep(ck_value **out, ck_bytes is, const ck_flow_parts *parts,
                              ck_error *err) {
  ck_buffer runs = {0}, statement = {0};
  *out = NULL;
  if (!ck_json_read_string(&statement, ck_json_get(is, "statement"))) return CK_OK;
  ck_status status = ck_flow_statement_runs(&runs, parts, err);
  if (status == CK_OK && is_of(ck_buffer_bytes(&statement), ck_buffer_bytes(&runs)))
    status = take_members(out, is, err);
  ck_buffer_clear(&runs);
  ck_buffer_clear(&statement);
  return status;
}
