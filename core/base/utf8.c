/* utf8.c - UTF-8 by the table of RFC 3629. */
#include "core/base/utf8.h"

static bool continues(unsigned char c) { return (c & 0xc0) == 0x80; }

size_t ck_utf8_length(const char *text, size_t len) {
  const unsigned char *s = (const unsigned char *)text;
  if (len == 0) return 0;
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xc2 || s[0] > 0xf4 || len < 2) return 0;
  if (s[0] < 0xe0) return continues(s[1]) ? 2 : 0;
  /* The second byte's range excludes overlong forms, surrogates and code points above U+10FFFF. */
  unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
  unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;
  if (s[1] < low || s[1] > high || len < 3 || !continues(s[2])) return 0;
  if (s[0] < 0xf0) return 3;
  return len >= 4 && continues(s[3]) ? 4 : 0;
}

uint32_t ck_utf8_point(const char *text, size_t len) {
  const unsigned char *s = (const unsigned char *)text;
  static const unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t point = s[0] & lead_bits[len];
  for (size_t i = 1; i < len; i++) point = point << 6 | (s[i] & 0x3f);
  return point;
}

size_t ck_utf8_encode(char out[4], uint32_t point) {
  static const unsigned char leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
  size_t len = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (size_t i = len - 1; i > 0; i--, point >>= 6) out[i] = (char)(0x80 | (point & 0x3f));
  out[0] = (char)(leads[len] | point);
  return len;
}

bool ck_utf8_acts(uint32_t point) {
  static const struct {
    uint32_t first, last;
  } acting[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},      {0x61c, 0x61c},
                {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
                {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  for (size_t i = 0; i < sizeof acting / sizeof *acting; i++)
    if (point <= acting[i].last) return point >= acting[i].first;
  return false;
}

size_t ck_utf8_cut(const char *text, size_t len) {
  size_t start = len;
  while (start > 0 && len - start < 4 && continues((unsigned char)text[start - 1])) start--;
  if (start == 0) return len;
  start--;
  unsigned char lead = (unsigned char)text[start];
  size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return wanted > len - start ? start : len;
}
