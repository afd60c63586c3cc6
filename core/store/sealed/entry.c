/* entry.c - the entry about the store's key, in meta. */
#include <string.h>

#include "core/store/sealed/sealed.h"

enum { UNSIGNED = 1, VERSION = 2, AT_REST = 1, CHANGING = 2, KEYS_AT = 2 };

static size_t signed_size(const ck_sealed_entry *entry) {
  return KEYS_AT + (entry->changing ? 2 : 1) * (size_t)CK_KEY_ID_SIZE;
}

static ck_digest sign(const ck_seal *seal, ck_bytes what) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text("ckrun store key 1"));
  ck_digester_update_field(&digester, what);
  ck_digest digest = ck_digester_final(&digester);
  return ck_seal_sign(seal, &digest);
}

ck_status ck_sealed_entry_read(ck_sealed_entry *out, const char *url, ck_bytes bytes,
                               ck_error *err) {
  ck_bytes rest = bytes, head, key, before = {NULL, 0}, signature, second = {NULL, 0};
  *out = (ck_sealed_entry){.is_there = bytes.len > 0};
  if (bytes.len == 0) return CK_OK;
  if (*bytes.data != VERSION && *bytes.data != UNSIGNED)
    return ck_error_set(err, CK_E_NEWER, "store %s is sealed in way %d; this ckrun knows way %d",
                        url, *bytes.data, VERSION);
  bool whole = ck_bytes_read(&head, &rest, KEYS_AT) && ck_bytes_read(&key, &rest, CK_KEY_ID_SIZE);
  out->changing = whole && head.data[1] == CHANGING;
  if (out->changing) whole = ck_bytes_read(&before, &rest, CK_KEY_ID_SIZE);
  whole = whole && ck_bytes_read(&signature, &rest, CK_DIGEST_SIZE);
  if (out->changing) whole = whole && ck_bytes_read(&second, &rest, CK_DIGEST_SIZE);
  if (!whole || rest.len || (head.data[1] != AT_REST && !out->changing)) {
    *out = (ck_sealed_entry){0};
    return ck_error_set(err, CK_E_CORRUPT,
                        "store %s: its entry about its key is not what was written", url);
  }
  out->is_signed = *bytes.data == VERSION;
  ck_key_id_read(&out->key, key);
  memcpy(out->signature.bytes, signature.data, CK_DIGEST_SIZE);
  if (out->changing) ck_key_id_read(&out->before, before);
  if (out->changing) memcpy(out->before_signature.bytes, second.data, CK_DIGEST_SIZE);
  return CK_OK;
}

/* Whether `seal`'s key signed the entry: as the current key, or (`is_before`) as the previous
 * one. */
static bool is_signed(ck_bytes bytes, const ck_sealed_entry *entry, const ck_seal *seal,
                      bool is_before) {
  ck_key_id id = ck_seal_key(seal);
  ck_digest signature = sign(seal, (ck_bytes){bytes.data, signed_size(entry)});
  return ck_key_id_equal(&id, is_before ? &entry->before : &entry->key) &&
         ck_digest_equal(&signature, is_before ? &entry->before_signature : &entry->signature);
}

bool ck_sealed_entry_is_of(ck_bytes bytes, const ck_sealed_entry *entry, const ck_seal *seal,
                           const ck_seal *before) {
  if (!is_signed(bytes, entry, seal, false)) return false;
  ck_key_id none = {{0}};
  if (entry->changing && before) return is_signed(bytes, entry, before, true);
  return !entry->changing || ck_key_id_equal(&entry->before, &none);
}

void ck_sealed_entry_append(ck_buffer *out, const ck_seal *seal, const ck_seal *before,
                            bool changing) {
  ck_key_id key = ck_seal_key(seal), old = before ? ck_seal_key(before) : (ck_key_id){{0}};
  ck_digest second = {{0}};
  ck_buffer_append_char(out, VERSION);
  ck_buffer_append_char(out, changing ? CHANGING : AT_REST);
  ck_buffer_append(out, key.bytes, sizeof key.bytes);
  if (changing) ck_buffer_append(out, old.bytes, sizeof old.bytes);
  ck_bytes what = ck_buffer_bytes(out);
  ck_digest signature = sign(seal, what);
  if (before) second = sign(before, what);
  ck_buffer_append(out, signature.bytes, sizeof signature.bytes);
  if (changing) ck_buffer_append(out, second.bytes, sizeof second.bytes);
}
