/* mended.c - makes of a secret what JSON and errors make of it. */
#include "core/redact/mended.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/utf8.h"

enum { REPAIRED = 1, PLAIN = 2 };

static void append_repaired(ck_buffer *out, ck_bytes text) {
  for (size_t at = 0; at < text.len;) {
    size_t len = text.data[at] ? ck_utf8_length(text.data + at, text.len - at) : 0;
    ck_buffer_append(out, len ? text.data + at : "\xef\xbf\xbd", len ? len : 3);
    at += len ? len : 1;
  }
}

/* `out` has nothing yet. */
static void mend(ck_buffer *out, int how, ck_bytes bytes) {
  if (how & REPAIRED)
    append_repaired(out, bytes);
  else
    ck_buffer_append_bytes(out, bytes);
  if ((how & PLAIN) && !out->failed) out->len = ck_error_make_plain(out->data, out->len);
}

void ck_mended_append(ck_buffer *out, int which, ck_bytes bytes) {
  static const int ways[CK_MENDINGS] = {REPAIRED, PLAIN, REPAIRED | PLAIN};
  ck_buffer made = {0};
  /* A buffer that grows leaves copies behind. */
  if (ck_buffer_extend(&made, bytes.len * CK_MENDED_MOST)) ck_buffer_reset(&made);
  mend(&made, ways[which], bytes);
  bool other = !ck_bytes_equal(ck_buffer_bytes(&made), bytes);
  if (made.failed) out->failed = true;
  if (other && !made.failed) ck_buffer_append_bytes(out, ck_buffer_bytes(&made));
  if (made.data) explicit_bzero(made.data, made.cap);
  ck_buffer_clear(&made);
}
