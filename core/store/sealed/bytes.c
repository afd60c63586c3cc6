/* bytes.c - values and texts that are sealed by themselves: inputs, reasons, facts, requests. */
#include <stdlib.h>
#include <string.h>

#include "core/store/sealed/sealed.h"

enum { MARK = 1 };

static ck_digest location_of_bytes(const ck_sealer *with, const char *use, const char *name) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text("ckrun sealed bytes 1"));
  ck_digester_update(&digester, with->key->bytes, sizeof with->key->bytes);
  ck_digester_update_field(&digester, ck_bytes_text(with->home->id));
  ck_digester_update_int(&digester, with->home->created_ms);
  ck_digester_update_field(&digester, ck_bytes_text(use));
  ck_digester_update_field(&digester, ck_bytes_text(name));
  return ck_digester_final(&digester);
}

bool ck_sealed_is_sealed(ck_bytes bytes) { return bytes.len > 0 && *bytes.data == MARK; }

ck_status ck_sealed_encode_bytes(ck_buffer *out, const ck_sealer *with, const char *use,
                                 const char *name, ck_bytes bytes, ck_error *err) {
  ck_digest location = location_of_bytes(with, use, name);
  char *space = malloc(bytes.len + CK_SEAL_OVERHEAD);
  if (!space) return ck_error_no_memory(err);
  if (bytes.len) memcpy(space + CK_SEAL_NONCE, bytes.data, bytes.len);
  ck_seal_encode(with->seal, space, bytes.len, &location);
  ck_buffer_append_char(out, MARK);
  ck_buffer_append(out, with->key->bytes, sizeof with->key->bytes);
  ck_buffer_append(out, space, bytes.len + CK_SEAL_OVERHEAD);
  free(space);
  return ck_buffer_check(out, err);
}

ck_status ck_sealed_decode_bytes(ck_buffer *out, const ck_sealer *with, const char *use,
                                 const char *name, ck_bytes bytes, ck_error *err) {
  ck_key_id id;
  ck_bytes rest = bytes, mark, head;
  if (!ck_sealed_is_sealed(bytes)) {
    ck_buffer_append_bytes(out, bytes);
    return ck_buffer_check(out, err);
  }
  ck_digest location = location_of_bytes(with, use, name);
  bool whole = ck_bytes_read(&mark, &rest, 1) && ck_bytes_read(&head, &rest, CK_KEY_ID_SIZE) &&
               rest.len >= CK_SEAL_OVERHEAD;
  if (whole && ck_key_id_read(&id, head) && !ck_key_id_equal(&id, with->key))
    return ck_error_set(err, CK_E_WRONG_KEY, "its %s is sealed with another key than the store's",
                        use);
  char *to = whole ? ck_buffer_extend(out, rest.len - CK_SEAL_OVERHEAD) : NULL;
  if (whole && !to) return ck_error_no_memory(err);
  if (whole && ck_seal_decode(to, with->seal, rest, &location)) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "its %s is not what was written: it cannot be opened with the store's key",
                      use);
}

ck_status ck_sealed_check_value(const ck_sealed *self, const char *use, const ck_value *value,
                                ck_error *err) {
  bool checked = self->inner.use_seal != NULL;
  if (checked || !value || ck_sealed_is_sealed(ck_value_bytes(value))) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "its %s is not sealed: who wrote it has not the store's key", use);
}

/* ---- values and texts ---- */

ck_status ck_sealed_encode_value(ck_value **out, const ck_sealer *with, const char *use,
                                 const char *name, const ck_value *value, ck_error *err) {
  ck_buffer sealed = {0};
  *out = NULL;
  if (!value) return CK_OK;
  if (with->signs_only) {
    *out = ck_value_share(value);
    return CK_OK;
  }
  ck_status status = ck_sealed_encode_bytes(&sealed, with, use, name, ck_value_bytes(value), err);
  if (!status) status = ck_value_copy(out, ck_buffer_bytes(&sealed), err);
  ck_buffer_clear(&sealed);
  return status;
}

ck_status ck_sealed_decode_value(ck_value **out, const ck_sealer *with, const char *use,
                                 const char *name, const ck_value *value, ck_error *err) {
  ck_buffer plain = {0};
  *out = NULL;
  if (!value) return CK_OK;
  ck_status status = ck_sealed_decode_bytes(&plain, with, use, name, ck_value_bytes(value), err);
  if (!status) status = ck_value_copy(out, ck_buffer_bytes(&plain), err);
  ck_buffer_clear(&plain);
  return status;
}

static int digit_of(char c) {
  static const char digits[] = "0123456789abcdef";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

void ck_sealed_append_hex(ck_buffer *out, ck_bytes sealed) {
  ck_buffer_append_char(out, MARK);
  for (size_t i = 1; i < sealed.len; i++)
    ck_buffer_append_format(out, "%02x", (unsigned char)sealed.data[i]);
}

ck_status ck_sealed_append_stored(ck_buffer *out, ck_bytes stored, bool text, ck_error *err) {
  if (!text || !ck_sealed_is_sealed(stored))
    ck_buffer_append_bytes(out, stored);
  else
    ck_buffer_append_char(out, MARK);
  for (size_t i = 1; text && ck_sealed_is_sealed(stored) && i + 1 < stored.len; i += 2) {
    int high = digit_of(stored.data[i]), low = digit_of(stored.data[i + 1]);
    if (high < 0 || low < 0) break; /* a text that was cut short fails to open later */
    ck_buffer_append_char(out, (char)(high << 4 | low));
  }
  return ck_buffer_check(out, err);
}

/* The text, the caller's; NULL without memory. */
static char *take_text(ck_buffer *from) { return from->len ? ck_buffer_take(from) : strdup(""); }

ck_status ck_sealed_encode_text(char **out, const ck_sealer *with, const char *use,
                                const char *text, ck_error *err) {
  ck_buffer sealed = {0}, hex = {0};
  *out = NULL;
  if (!text) return CK_OK;
  ck_status status = CK_OK;
  if (with->signs_only)
    ck_buffer_append_text(&hex, text);
  else
    status = ck_sealed_encode_bytes(&sealed, with, use, "", ck_bytes_text(text), err);
  if (sealed.len) ck_sealed_append_hex(&hex, ck_buffer_bytes(&sealed));
  if (!status) status = ck_buffer_check(&hex, err);
  if (!status) *out = take_text(&hex);
  ck_buffer_clear(&sealed);
  ck_buffer_clear(&hex);
  return status || *out ? status : ck_error_no_memory(err);
}

ck_status ck_sealed_decode_text(char **out, const ck_sealer *with, const char *use,
                                const char *text, ck_error *err) {
  ck_buffer sealed = {0}, plain = {0};
  *out = NULL;
  if (!text) return CK_OK;
  ck_status status = ck_sealed_append_stored(&sealed, ck_bytes_text(text), true, err);
  if (!status)
    status = ck_sealed_decode_bytes(&plain, with, use, "", ck_buffer_bytes(&sealed), err);
  if (!status) *out = take_text(&plain);
  ck_buffer_clear(&sealed);
  ck_buffer_clear(&plain);
  return status || *out ? status : ck_error_no_memory(err);
}
