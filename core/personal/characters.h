/* characters.h - kinds of characters, and one of a text by its place. */
#ifndef CK_PERSONAL_CHARACTERS_H
#define CK_PERSONAL_CHARACTERS_H

#include "core/base/buffer.h"

static inline bool ck_char_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool ck_char_is_capital(char c) { return c >= 'A' && c <= 'Z'; }
static inline bool ck_char_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || ck_char_is_capital(c);
}
/* Of words, also of names in programs; bytes beyond ASCII are letters. */
static inline bool ck_char_is_word(char c) {
  return ck_char_is_digit(c) || ck_char_is_letter(c) || c == '_' || (unsigned char)c >= 0x80;
}
/* '\0' behind the end. */
static inline char ck_char_at(ck_bytes text, size_t at) {
  return at < text.len ? text.data[at] : '\0';
}

#endif
