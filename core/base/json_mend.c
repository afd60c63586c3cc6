/* json_mend.c - replaces what JSON forbids, though many write it. */
#include "core/base/json_mend.h"

#include "core/base/utf8.h"

enum { ESCAPE = 6 }; /* the length of \uXXXX */

int ck_json_escape_number(const char *at, size_t len) {
  int number = 0;
  if (len < ESCAPE || at[0] != '\\' || at[1] != 'u') return -1;
  for (int i = 2; i < ESCAPE; i++) {
    int c = at[i] | 0x20;
    if (at[i] >= '0' && at[i] <= '9')
      number = number * 16 + at[i] - '0';
    else if (c >= 'a' && c <= 'f')
      number = number * 16 + c - 'a' + 10;
    else
      return -1;
  }
  return number;
}

bool ck_json_escape_is_high(int number) { return number >= 0xD800 && number <= 0xDBFF; }
bool ck_json_escape_is_low(int number) { return number >= 0xDC00 && number <= 0xDFFF; }

/* The length of the front that stays as it is; 0: the first character must go, whose length is
 * `*skip`. */
static size_t measure_sound(size_t *skip, const char *at, size_t len) {
  int number = ck_json_escape_number(at, len);
  *skip = number >= 0 ? ESCAPE : 1;
  if (ck_json_escape_is_high(number) &&
      ck_json_escape_is_low(ck_json_escape_number(at + ESCAPE, len - ESCAPE)))
    return 2 * ESCAPE;
  if (number == 0 || ck_json_escape_is_high(number) || ck_json_escape_is_low(number)) return 0;
  if (number > 0) return ESCAPE;
  if (*at == '\\' && len > 1 && at[1] > 0) return 2;
  return ck_utf8_length(at, len);
}

static bool mend(ck_buffer *out, ck_bytes text, bool bytes) {
  bool mended = false;
  for (size_t i = 0, skip; i < text.len;) {
    size_t sound = measure_sound(&skip, text.data + i, text.len - i);
    if (!sound && !bytes && skip == 1) sound = 1;
    if (sound)
      ck_buffer_append(out, text.data + i, sound);
    else
      ck_buffer_append_text(out, "\xEF\xBF\xBD");
    mended |= !sound;
    i += sound ? sound : skip;
  }
  return mended;
}

bool ck_json_mend(ck_buffer *out, ck_bytes text) { return mend(out, text, true); }

bool ck_json_mend_escapes(ck_buffer *out, ck_bytes text) { return mend(out, text, false); }
