/* sealed_text.c - seals a text in pieces, by a stream of libsodium. */
#include "core/base/sealed_text.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"

static const char magic[] = "CKSEAL1\n";
enum {
  MAGIC = sizeof magic - 1,
  HEADER = crypto_secretstream_xchacha20poly1305_HEADERBYTES,
  TAGGED = crypto_secretstream_xchacha20poly1305_ABYTES,
  LENGTH = 4
};
_Static_assert(CK_SEALED_TEXT_KEY == crypto_secretstream_xchacha20poly1305_KEYBYTES &&
                   CK_SEALED_TEXT_KEY == crypto_kdf_KEYBYTES,
               "one size of keys");
_Static_assert((int)CK_SEALED_TEXT_HEAD == (int)MAGIC + (int)HEADER &&
                   (int)CK_SEALED_TEXT_LENGTH == (int)LENGTH,
               "what is in front");

typedef crypto_secretstream_xchacha20poly1305_state stream_state;

struct ck_sealed_text {
  stream_state stream;
  ck_digest name;
};

void ck_sealed_text_derive(uint8_t out[CK_SEALED_TEXT_KEY], const uint8_t from[CK_SEALED_TEXT_KEY],
                           const char *use) {
  crypto_kdf_derive_from_key(out, CK_SEALED_TEXT_KEY, 1, use, from);
}

static ck_digest digest_name(const char *name) { return ck_digest_of(ck_bytes_text(name)); }

ck_status ck_sealed_text_new(ck_sealed_text **out, ck_buffer *to,
                             const uint8_t key[CK_SEALED_TEXT_KEY], const char *name,
                             ck_error *err) {
  *out = NULL;
  ck_sealed_text *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->name = digest_name(name); /* this initialises libsodium, too */
  ck_buffer_append(to, magic, MAGIC);
  char *header = ck_buffer_extend(to, HEADER);
  if (!header) {
    free(self);
    return ck_error_no_memory(err);
  }
  crypto_secretstream_xchacha20poly1305_init_push(&self->stream, (unsigned char *)header, key);
  *out = self;
  return CK_OK;
}

static ck_status append_piece(ck_buffer *to, ck_sealed_text *self, ck_bytes text, bool last,
                              ck_error *err) {
  unsigned char tag = last ? crypto_secretstream_xchacha20poly1305_TAG_FINAL : 0;
  size_t len = text.len + TAGGED;
  char *at = ck_buffer_extend(to, LENGTH + len);
  if (!at) return ck_error_no_memory(err);
  for (int i = 0; i < LENGTH; i++) at[i] = (char)(len >> 8 * i);
  crypto_secretstream_xchacha20poly1305_push(&self->stream, (unsigned char *)at + LENGTH, NULL,
                                             (const unsigned char *)text.data, text.len,
                                             self->name.bytes, sizeof self->name.bytes, tag);
  return CK_OK;
}

ck_status ck_sealed_text_append(ck_buffer *to, ck_sealed_text *self, ck_bytes text, bool last,
                                ck_error *err) {
  ck_status status = CK_OK;
  while (status == CK_OK && text.len > CK_SEALED_TEXT_PIECE) {
    status = append_piece(to, self, (ck_bytes){text.data, CK_SEALED_TEXT_PIECE}, false, err);
    text = (ck_bytes){text.data + CK_SEALED_TEXT_PIECE, text.len - CK_SEALED_TEXT_PIECE};
  }
  if (status == CK_OK && (text.len > 0 || last)) status = append_piece(to, self, text, last, err);
  return status;
}

void ck_sealed_text_free(ck_sealed_text *self) {
  if (!self) return;
  explicit_bzero(self, sizeof *self);
  free(self);
}

ck_status ck_sealed_text_write(ck_buffer *to, const uint8_t key[CK_SEALED_TEXT_KEY],
                               const char *name, ck_bytes text, ck_error *err) {
  ck_sealed_text *self;
  ck_status status = ck_sealed_text_new(&self, to, key, name, err);
  if (status == CK_OK) status = ck_sealed_text_append(to, self, text, true, err);
  ck_sealed_text_free(self);
  return status;
}

bool ck_sealed_text_is(ck_bytes file) {
  return file.len >= MAGIC && memcmp(file.data, magic, MAGIC) == 0;
}

size_t ck_sealed_text_next(const char *length) {
  size_t len = 0;
  for (int i = 0; i < LENGTH; i++) len |= (size_t)(unsigned char)length[i] << 8 * i;
  return len < TAGGED || len > CK_SEALED_TEXT_PIECE + TAGGED ? 0 : len;
}

bool ck_sealed_text_take(ck_buffer *to, bool *last, ck_sealed_text *self, ck_bytes piece) {
  unsigned char tag = 0;
  *last = false;
  size_t len = piece.len - TAGGED, before = to->len;
  char *at = ck_buffer_extend(to, len + 1); /* the last piece can be empty */
  if (!at) return false;
  to->len = before + len;
  if (crypto_secretstream_xchacha20poly1305_pull(&self->stream, (unsigned char *)at, NULL, &tag,
                                                 (const unsigned char *)piece.data, piece.len,
                                                 self->name.bytes, sizeof self->name.bytes) != 0) {
    to->len = before;
    return false;
  }
  *last = tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL;
  return *last || tag == 0;
}

bool ck_sealed_text_begin(ck_sealed_text **out, const uint8_t key[CK_SEALED_TEXT_KEY],
                          const char *name, ck_bytes head) {
  *out = NULL;
  if (!ck_sealed_text_is(head) || head.len < MAGIC + HEADER) return false;
  ck_sealed_text *self = calloc(1, sizeof *self);
  if (!self) return true;
  self->name = digest_name(name);
  if (crypto_secretstream_xchacha20poly1305_init_pull(
          &self->stream, (const unsigned char *)head.data + MAGIC, key) == 0) {
    *out = self;
    return true;
  }
  ck_sealed_text_free(self);
  return false;
}

static bool open_pieces(ck_buffer *to, ck_sealed_text *self, ck_bytes file) {
  bool last = false;
  while (!last) {
    size_t len = file.len < LENGTH ? 0 : ck_sealed_text_next(file.data);
    if (len == 0 || len > file.len - LENGTH) return false;
    if (!ck_sealed_text_take(to, &last, self, (ck_bytes){file.data + LENGTH, len})) return false;
    file = (ck_bytes){file.data + LENGTH + len, file.len - LENGTH - len};
  }
  return file.len == 0;
}

ck_status ck_sealed_text_open(ck_buffer *to, const uint8_t key[CK_SEALED_TEXT_KEY],
                              const char *name, ck_bytes file, ck_error *err) {
  ck_sealed_text *self;
  size_t begin = to->len;
  bool is = ck_sealed_text_begin(&self, key, name, file);
  if (is && !self) return ck_error_no_memory(err);
  bool opened = is && open_pieces(to, self,
                                  (ck_bytes){file.data + CK_SEALED_TEXT_HEAD,
                                             file.len - CK_SEALED_TEXT_HEAD});
  ck_sealed_text_free(self);
  ck_status status = ck_buffer_check(to, err);
  if (status != CK_OK || opened) return status;
  if (to->len > begin) explicit_bzero(to->data + begin, to->len - begin);
  to->len = begin;
  return ck_sealed_text_refuse(name, err);
}

ck_status ck_sealed_text_refuse(const char *name, ck_error *err) {
  return ck_error_set(err, CK_E_CORRUPT,
                      "%s is not what was sealed: it was changed or cut, is another file, or has "
                      "another key",
                      name);
}
