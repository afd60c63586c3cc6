/* base64.c - base64 of libsodium, into buffers. */
#include "core/base/base64.h"

#include <sodium.h>

size_t ck_base64_len(size_t bytes) { return (bytes + 2) / 3 * 4; }

void ck_base64_append(ck_buffer *out, ck_bytes bytes) {
  size_t len = ck_base64_len(bytes.len);
  char *to = ck_buffer_extend(out, len + 1); /* with the NUL that is written behind it */
  if (!to) return;
  sodium_bin2base64(to, len + 1, (const unsigned char *)bytes.data, bytes.len,
                    sodium_base64_VARIANT_ORIGINAL);
  out->len--;
}

/* A text without padding has a length of its own; one with it is whole. */
static bool decode(char *to, size_t room, size_t *len, ck_bytes text, int variant) {
  const char *end;
  if (sodium_base642bin((unsigned char *)to, room, text.data, text.len, " \t\r\n", len, &end,
                        variant) != 0)
    return false;
  return end == text.data + text.len;
}

bool ck_base64_read(ck_buffer *out, ck_bytes text) {
  size_t room = text.len / 4 * 3 + 3, before = out->len, len = 0;
  char *to = ck_buffer_extend(out, room);
  if (!to) return true;
  bool read = decode(to, room, &len, text, sodium_base64_VARIANT_ORIGINAL) ||
              decode(to, room, &len, text, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
  out->len = before + (read ? len : 0);
  out->data[out->len] = '\0';
  return read;
}
