/* options.c - the options of a policy, redacted for the record. */
#include "core/redact/options.h"

#include "core/base/placeholder.h"

static ck_status clean_one(ck_json_writer *w, ck_redactor *self, ck_bytes raw_name, ck_bytes value,
                           ck_error *err) {
  ck_buffer key = {0};
  ck_value *given = NULL, *kept = NULL;
  char gone[CK_PLACEHOLDER_SIZE];
  ck_buffer_append_text(&key, "options.");
  ck_json_read_string(&key, raw_name);
  ck_status status = ck_buffer_check(&key, err);
  if (status == CK_OK) status = ck_value_copy(&given, value, err);
  if (status == CK_OK) status = ck_redactor_apply(&kept, self, CK_SINK_STATE, key.data, given, err);
  ck_placeholder_write(gone, NULL, "policy", value);
  ck_json_raw_name(w, raw_name);
  if (kept)
    ck_json_put_raw(w, ck_value_bytes(kept));
  else
    ck_json_put_text(w, gone);
  ck_value_free(kept);
  ck_value_free(given);
  ck_buffer_clear(&key);
  return status;
}

ck_status ck_redactor_apply_options(ck_value **out, ck_redactor *self, const ck_value *options,
                                    ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_bytes given = ck_value_bytes(options);
  ck_status status = CK_OK;
  *out = NULL;
  if (ck_json_type_of(given) != CK_JSON_OBJECT)
    return ck_redactor_apply(out, self, CK_SINK_REQUEST, NULL, options, err);
  ck_json_iterator it = ck_json_iterate(given);
  ck_json_begin(&w, '{');
  while (status == CK_OK && ck_json_next(&it)) status = clean_one(&w, self, it.name, it.value, err);
  ck_json_end(&w, '}');
  if (status == CK_OK && ck_bytes_equal(ck_buffer_bytes(&text), given))
    *out = ck_value_share(options);
  else if (status == CK_OK)
    status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}
