/* sealed_text.h - a file that only a key opens.
 *
 * It begins with "CKSEAL1\n" and the header of a stream of XChaCha20-Poly1305 (crypto_secretstream
 * of libsodium); each piece is the length of what follows, 4 bytes, little-endian, then the piece,
 * sealed, bound to the file's name. The last one is marked, so that a file that was cut is found.
 * Its length is that of the text with 32 bytes in front and 21 for each piece. */
#ifndef CK_BASE_SEALED_TEXT_H
#define CK_BASE_SEALED_TEXT_H

#include "core/base/buffer.h"

enum { CK_SEALED_TEXT_KEY = 32, CK_SEALED_TEXT_PIECE = 1 << 20 };

typedef struct ck_sealed_text ck_sealed_text;

/* The key of files of one kind, from another key: `use` has 8 characters. The caller wipes `out`.
 */
void ck_sealed_text_derive(uint8_t out[CK_SEALED_TEXT_KEY], const uint8_t from[CK_SEALED_TEXT_KEY],
                           const char *use);

/* Appends the beginning of a file. `name` is without its folder, and copied. */
CK_CHECKED ck_status ck_sealed_text_new(ck_sealed_text **out, ck_buffer *to,
                                        const uint8_t key[CK_SEALED_TEXT_KEY], const char *name,
                                        ck_error *err);
/* Appends some of the text; the last call says so. */
CK_CHECKED ck_status ck_sealed_text_append(ck_buffer *to, ck_sealed_text *self, ck_bytes text,
                                           bool last, ck_error *err);
/* Wiped. NULL is fine. */
void ck_sealed_text_free(ck_sealed_text *self);
/* All of it at once. */
CK_CHECKED ck_status ck_sealed_text_write(ck_buffer *to, const uint8_t key[CK_SEALED_TEXT_KEY],
                                          const char *name, ck_bytes text, ck_error *err);

/* Whether it begins as a sealed file does. */
bool ck_sealed_text_is(ck_bytes file);
/* Appends the text. CK_E_CORRUPT: it was changed, cut, exchanged with another file, or has another
 * key. */
CK_CHECKED ck_status ck_sealed_text_open(ck_buffer *to, const uint8_t key[CK_SEALED_TEXT_KEY],
                                         const char *name, ck_bytes file, ck_error *err);

/* The same piece by piece, for what is too large for memory: what was appended counts when the last
 * piece was, with nothing behind it. `head`: the first CK_SEALED_TEXT_HEAD bytes of the file.
 * False: it is no such file; *out is NULL, also when there is no memory. */
enum { CK_SEALED_TEXT_HEAD = 32, CK_SEALED_TEXT_LENGTH = 4 };
bool ck_sealed_text_begin(ck_sealed_text **out, const uint8_t key[CK_SEALED_TEXT_KEY],
                          const char *name, ck_bytes head);
/* How many bytes follow the CK_SEALED_TEXT_LENGTH bytes at `length`; 0: none can. */
size_t ck_sealed_text_next(const char *length);
/* Appends the text of these. False: they are not what was written, or *to has no memory. */
bool ck_sealed_text_take(ck_buffer *to, bool *last, ck_sealed_text *self, ck_bytes piece);
/* What CK_E_CORRUPT above says. */
ck_status ck_sealed_text_refuse(const char *name, ck_error *err);

#endif
