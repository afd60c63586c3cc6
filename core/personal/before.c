/* before.c - reads the words before a place. */
#include "core/personal/before.h"

#include <string.h>

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80; }

/* Lower case, and joined words apart. */
static void append(ck_before *self, ck_bytes text) {
  for (size_t i = 0; i < text.len && self->len + 1 < sizeof self->words; i++) {
    char c = text.data[i];
    bool upper = c >= 'A' && c <= 'Z';
    bool joined = upper && i > 0 && is_letter(text.data[i - 1]);
    if (joined && self->len + 2 < sizeof self->words) self->words[self->len++] = ' ';
    self->words[self->len++] = upper ? (char)(c + 32) : c == '_' ? ' ' : c;
  }
}

static void read_words(ck_before *self) {
  ck_bytes text = self->text, label = self->label;
  size_t at = self->at, least = at > CK_BEFORE_MAX ? at - CK_BEFORE_MAX : 0, begin = at;
  self->is_read = true;
  while (begin > least && text.data[begin - 1] != '\n' &&
         !(text.data[begin - 1] >= '0' && text.data[begin - 1] <= '9'))
    begin--;
  size_t most = label.len < CK_BEFORE_MAX ? label.len : CK_BEFORE_MAX;
  if (begin == 0 && most > 0) append(self, (ck_bytes){label.data + label.len - most, most});
  if (begin == 0 && most > 0) append(self, ck_bytes_text(" "));
  append(self, (ck_bytes){text.data + begin, at - begin});
}

bool ck_before_says(ck_before *self, const char *words) {
  if (!self->is_read) read_words(self);
  for (const char *at = words + 1, *bar; (bar = strchr(at, '|')); at = bar + 1) {
    size_t len = (size_t)(bar - at);
    for (size_t i = 0; len > 0 && i + len <= self->len; i++) {
      bool front = i == 0 || !is_letter(self->words[i - 1]);
      bool back = i + len == self->len || !is_letter(self->words[i + len]);
      if (front && back && memcmp(self->words + i, at, len) == 0) return true;
    }
  }
  return false;
}
