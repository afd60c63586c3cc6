/* halves.c - finds halves of surrogate pairs in JSON, and brings them together. */
#include "core/effect/model/halves.h"

#include <string.h>

#include "core/base/json_mend.h"

enum { ESCAPE = 6, NONE = -1 }; /* the length of \uXXXX */

/* Whether a lone half lies at `at`, within a text: the first one as its end, or the second one as
 * its beginning. */
static bool is_half(ck_bytes text, size_t at, bool first, bool begins) {
  int number = ck_json_escape_number(text.data + at, text.len - at);
  if (!first) return begins && ck_json_escape_is_low(number);
  return ck_json_escape_is_high(number) && at + ESCAPE < text.len && text.data[at + ESCAPE] == '"';
}

static ptrdiff_t find(ck_bytes text, bool first) {
  bool within = false, begins = false;
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    bool escape = within && c == '\\';
    if (escape && is_half(text, i, first, begins)) return (ptrdiff_t)i;
    if (escape) i++;
    begins = !within && c == '"';
    if (c == '"' && !escape) within = !within;
  }
  return NONE;
}

bool ck_halves_is_open(ck_bytes event) {
  return event.len && memchr(event.data, '\\', event.len) && find(event, true) != NONE;
}

bool ck_halves_join(ck_buffer *before, ck_buffer *joined, ck_bytes next) {
  ptrdiff_t first = find(ck_buffer_bytes(before), true), second = find(next, false);
  if (first == NONE || second == NONE) return false;
  char *half = before->data + first;
  ck_buffer_append(joined, next.data, (size_t)second);
  ck_buffer_append(joined, half, ESCAPE);
  ck_buffer_append(joined, next.data + second, next.len - (size_t)second);
  before->len -= ESCAPE;
  memmove(half, half + ESCAPE, before->len - (size_t)first);
  return true;
}
