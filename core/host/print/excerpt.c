/* excerpt.c - shows the difference of two long texts. */
#include "core/host/print/excerpt.h"

#include "core/base/utf8.h"

enum { AROUND = 16 }; /* bytes of the common parts that are shown for orientation */

static bool inside_character(ck_bytes text, size_t at) {
  return at < text.len && ((unsigned char)text.data[at] & 0xc0) == 0x80;
}

static size_t common_beginning(ck_bytes a, ck_bytes b) {
  size_t len = 0;
  while (len < a.len && len < b.len && a.data[len] == b.data[len]) len++;
  while (len > 0 && (inside_character(a, len) || inside_character(b, len))) len--;
  return len;
}

static size_t common_end(ck_bytes a, ck_bytes b, size_t beginning) {
  size_t len = 0, most = (a.len < b.len ? a.len : b.len) - beginning;
  while (len < most && a.data[a.len - 1 - len] == b.data[b.len - 1 - len]) len++;
  while (len > 0 && inside_character(a, a.len - len)) len--;
  return len;
}

static void append_cut(ck_buffer *out, ck_bytes text, size_t limit) {
  size_t len = text.len <= limit ? text.len : ck_utf8_cut(text.data, limit);
  ck_buffer_append(out, text.data, len);
  if (len < text.len) ck_buffer_append_format(out, "…(%zu more bytes)", text.len - len);
}

/* …(120)words before[the difference]words behind…(3000) */
static void append_middle(ck_buffer *out, ck_bytes text, ck_bytes other, size_t limit) {
  size_t begin = common_beginning(text, other), end = common_end(text, other, begin);
  size_t left = begin > AROUND ? ck_utf8_cut(text.data, begin - AROUND) : 0;
  size_t right = end > AROUND ? ck_utf8_cut(text.data, text.len - end + AROUND) : text.len;
  if (left) ck_buffer_append_format(out, "…(%zu)", left);
  ck_buffer_append(out, text.data + left, begin - left);
  ck_buffer_append_char(out, '[');
  append_cut(out, (ck_bytes){text.data + begin, text.len - begin - end}, limit);
  ck_buffer_append_char(out, ']');
  ck_buffer_append(out, text.data + text.len - end, right - (text.len - end));
  if (right < text.len) ck_buffer_append_format(out, "(%zu)…", text.len - right);
}

void ck_excerpt_append(ck_buffer *out, ck_bytes value, ck_bytes other, size_t limit) {
  ck_buffer text = {0}, beside = {0};
  bool texts = ck_json_read_string(&text, value) && ck_json_read_string(&beside, other);
  bool is_long = text.len > limit || beside.len > limit;
  if (texts && is_long)
    append_middle(out, ck_buffer_bytes(&text), ck_buffer_bytes(&beside), limit);
  else
    append_cut(out, value, limit);
  if (text.failed || beside.failed) out->failed = true;
  ck_buffer_clear(&text);
  ck_buffer_clear(&beside);
}
