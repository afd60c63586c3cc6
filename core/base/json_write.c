/* json_write.c - strings and small documents of JSON, always valid. */
#include <inttypes.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/json_scan.h"
#include "core/base/utf8.h"

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* `c` is a quote, a backslash or a control. NUL has no escape that ck_json_check would take. */
static void append_escape(ck_buffer *out, char c) {
  static const char controls[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
  const char *found = c ? strchr(controls, c) : NULL;
  if (found) {
    ck_buffer_append(out, (char[]){'\\', letters[found - controls]}, 2);
  } else if (c) {
    ck_buffer_append_format(out, "\\u%04x", (unsigned char)c);
  } else {
    ck_buffer_append_text(out, replacement);
  }
}

/* Most texts need no escape. */
static void append_quoted(ck_buffer *out, ck_bytes plain) {
  char *to = ck_buffer_extend(out, plain.len + 2);
  if (!to) return;
  to[0] = to[plain.len + 1] = '"';
  if (plain.len) memcpy(to + 1, plain.data, plain.len);
}

void ck_json_append_string(ck_buffer *out, ck_bytes text) {
  const char *at = text.data, *end = text.len ? text.data + text.len : at, *run = at;
  at = ck_json_skip_plain(at, end);
  if (at == end) {
    append_quoted(out, text);
    return;
  }
  ck_buffer_append_char(out, '"');
  while (at < end) {
    at = ck_json_skip_plain(at, end);
    if (at == end) break;
    size_t len = (unsigned char)*at < 0x80 ? 0 : ck_utf8_length(at, (size_t)(end - at));
    if (len > 0) {
      at += len;
      continue;
    }
    ck_buffer_append(out, run, (size_t)(at - run));
    if ((unsigned char)*at < 0x80)
      append_escape(out, *at);
    else
      ck_buffer_append_text(out, replacement);
    run = ++at;
  }
  if (end > run) ck_buffer_append(out, run, (size_t)(end - run));
  ck_buffer_append_char(out, '"');
}

/* Beyond U+FFFF a pair of surrogates. */
static void append_point(ck_buffer *out, uint32_t point) {
  if (point < 0x10000) {
    ck_buffer_append_format(out, "\\u%04" PRIx32, point);
    return;
  }
  point -= 0x10000;
  ck_buffer_append_format(out, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd800 + (point >> 10),
                          0xdc00 + (point & 0x3ff));
}

void ck_json_append_visible(ck_buffer *out, ck_bytes json) {
  const char *at = json.data, *end = json.len ? json.data + json.len : at, *run = at;
  while (at < end) {
    size_t len = (unsigned char)*at < 0x7f ? 0 : ck_utf8_length(at, (size_t)(end - at));
    uint32_t point = len ? ck_utf8_point(at, len) : 0;
    if (!len || !ck_utf8_acts(point)) {
      at += len ? len : 1;
      continue;
    }
    ck_buffer_append(out, run, (size_t)(at - run));
    append_point(out, point);
    run = at += len;
  }
  if (end > run) ck_buffer_append(out, run, (size_t)(end - run));
}

/* Before a value or a name. */
static void separate(ck_json_writer *w) {
  if (w->comma) ck_buffer_append_char(w->out, ',');
  w->comma = true;
}

void ck_json_begin(ck_json_writer *w, char bracket) {
  separate(w);
  ck_buffer_append_char(w->out, bracket);
  w->comma = false;
}

void ck_json_end(ck_json_writer *w, char bracket) {
  ck_buffer_append_char(w->out, bracket);
  w->comma = true;
}

void ck_json_append_decimal(ck_buffer *out, int64_t number, int digits) {
  uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number, one = 1;
  for (int i = 0; i < digits; i++) one *= 10;
  uint64_t whole = size / one, fraction = size % one;
  for (; fraction && fraction % 10 == 0; digits--) fraction /= 10;
  ck_buffer_append_format(out, "%s%" PRIu64, number < 0 ? "-" : "", whole);
  if (fraction) ck_buffer_append_format(out, ".%0*" PRIu64, digits, fraction);
}

void ck_json_name(ck_json_writer *w, const char *name) {
  separate(w);
  ck_json_append_string(w->out, ck_bytes_text(name));
  ck_buffer_append_char(w->out, ':');
  w->comma = false;
}

void ck_json_raw_name(ck_json_writer *w, ck_bytes name) {
  separate(w);
  ck_buffer_append_bytes(w->out, name);
  ck_buffer_append_char(w->out, ':');
  w->comma = false;
}

void ck_json_put_members(ck_json_writer *w, ck_bytes object, const char *left_out) {
  for (ck_json_iterator it = ck_json_iterate(object); ck_json_next(&it);) {
    if (left_out && ck_json_is_text(it.name, left_out)) continue;
    ck_json_raw_name(w, it.name);
    ck_json_put_raw(w, it.value);
  }
}

void ck_json_put_raw(ck_json_writer *w, ck_bytes json) {
  separate(w);
  ck_buffer_append_bytes(w->out, json.len ? json : ck_bytes_text("null"));
}

void ck_json_put_string(ck_json_writer *w, ck_bytes text) {
  separate(w);
  ck_json_append_string(w->out, text);
}

void ck_json_put_text(ck_json_writer *w, const char *text) {
  if (text)
    ck_json_put_string(w, ck_bytes_text(text));
  else
    ck_json_put_raw(w, ck_bytes_text("null"));
}

void ck_json_put_int(ck_json_writer *w, int64_t number) {
  separate(w);
  ck_buffer_append_int(w->out, number);
}

void ck_json_put_decimal(ck_json_writer *w, int64_t number, int digits) {
  separate(w);
  ck_json_append_decimal(w->out, number, digits);
}

void ck_json_put_bool(ck_json_writer *w, bool truth) {
  ck_json_put_raw(w, ck_bytes_text(truth ? "true" : "false"));
}

void ck_json_member_raw(ck_json_writer *w, const char *name, ck_bytes json) {
  ck_json_name(w, name);
  ck_json_put_raw(w, json);
}

void ck_json_member_string(ck_json_writer *w, const char *name, ck_bytes text) {
  ck_json_name(w, name);
  ck_json_put_string(w, text);
}

void ck_json_member_text(ck_json_writer *w, const char *name, const char *text) {
  if (text) ck_json_member_string(w, name, ck_bytes_text(text));
}

void ck_json_member_int(ck_json_writer *w, const char *name, int64_t number) {
  ck_json_name(w, name);
  ck_json_put_int(w, number);
}

void ck_json_member_bool(ck_json_writer *w, const char *name, bool truth) {
  ck_json_name(w, name);
  ck_json_put_bool(w, truth);
}
