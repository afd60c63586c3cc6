/* peer_excerpt.c - excerpts of a peer's output for messages; no word is cut. */
#include <ctype.h>
#include <string.h>

#include "core/effect/jsonrpc/private.h"

enum { SHOWN_MAX = 160, LAST_WORDS_MAX = 300 };

static bool is_of_word(char c) {
  return isalnum((unsigned char)c) || (c & 0x80) || (c && strchr("_-+/=.~%:!#$&*?@^", c));
}

size_t ck_peer_cut(ck_bytes text, size_t most) {
  if (text.len <= most) return text.len;
  while (most && is_of_word(text.data[most - 1])) most--;
  return most;
}

void ck_peer_append_excerpt(ck_buffer *out, ck_bytes line) {
  size_t shown = ck_peer_cut(line, SHOWN_MAX);
  ck_json_append_string(out, (ck_bytes){line.data, shown});
  if (shown < line.len) ck_buffer_append_text(out, "…");
}

/* Drops half of the kept bytes at a time, so that no byte is moved often. */
void ck_peer_keep_errors(ck_peer *self, ck_bytes chunk) {
  ck_buffer *errors = &self->errors;
  ck_buffer_append_bytes(errors, chunk);
  if (errors->failed || errors->len < 2 * CK_PEER_ERROR_MAX) return;
  memmove(errors->data, errors->data + errors->len - CK_PEER_ERROR_MAX, CK_PEER_ERROR_MAX);
  errors->len = CK_PEER_ERROR_MAX;
  errors->data[errors->len] = '\0';
}

void ck_peer_append_last_output(ck_buffer *out, ck_bytes errors) {
  while (errors.len && strchr(" \t\r\n", errors.data[errors.len - 1])) errors.len--;
  if (!errors.len) return;
  if (errors.len > LAST_WORDS_MAX) {
    errors = (ck_bytes){errors.data + errors.len - LAST_WORDS_MAX, LAST_WORDS_MAX};
    while (errors.len && is_of_word(*errors.data))
      errors = (ck_bytes){errors.data + 1, errors.len - 1};
  }
  ck_buffer_append_text(out, "; its last words: ");
  ck_json_append_string(out, errors);
}
