/* format.c - formats figures for people. */
#include "core/host/print/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/utf8.h"
#include "core/model/effect.h"

void ck_format_bytes(ck_buffer *out, int64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) {
    ck_buffer_append_format(out, "%" PRId64 " B", bytes);
    return;
  }
  double size = (double)bytes / 1024;
  size_t unit = 0;
  while (size >= 1023.95 && unit < 4) {
    size /= 1024;
    unit++;
  }
  ck_buffer_append_format(out, "%.1f %s", size, units[unit]);
}

void ck_format_duration(ck_buffer *out, int64_t us) {
  int64_t seconds = us / 1000000;
  if (us < 1000)
    ck_buffer_append_format(out, "%" PRId64 " us", us);
  else if (us < 999950)
    ck_buffer_append_format(out, "%.1f ms", (double)us / 1e3);
  else if (us < 60000000)
    ck_buffer_append_format(out, "%.1f s", (double)us / 1e6);
  else if (seconds < 3600)
    ck_buffer_append_format(out, "%" PRId64 " min %" PRId64 " s", seconds / 60, seconds % 60);
  else
    ck_buffer_append_format(out, "%" PRId64 " h %" PRId64 " min", seconds / 3600,
                            seconds % 3600 / 60);
}

void ck_format_money(ck_buffer *out, int64_t micros) {
  char text[CK_MICROS_TEXT_SIZE];
  bool owed = micros < 0;
  ck_micros_write(text, micros);
  ck_buffer_append_format(out, "%s$%s", owed ? "-" : "", text + owed);
}

void ck_format_count(ck_buffer *out, int64_t count) {
  char digits[24];
  int len = snprintf(digits, sizeof digits, "%" PRId64, count);
  for (int i = 0; i < len; i++) {
    ck_buffer_append_char(out, digits[i]);
    int left = len - 1 - i;
    if (left > 0 && left % 3 == 0 && digits[i] != '-') ck_buffer_append_char(out, ',');
  }
}

void ck_format_of(ck_buffer *out, int64_t count, const char *noun) {
  ck_format_count(out, count);
  ck_buffer_append_format(out, " %s%s", noun, count == 1 ? "" : "s");
}

void ck_format_time(ck_buffer *out, int64_t wall_ms) {
  char text[CK_TIME_TEXT_SIZE];
  ck_time_text(text, wall_ms);
  ck_buffer_append_format(out, "%.10s %.8s", text, text + 11);
}

void ck_format_age(ck_buffer *out, int64_t wall_ms, int64_t now_ms) {
  enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };
  int64_t seconds = (now_ms - wall_ms) / 1000;
  char text[CK_TIME_TEXT_SIZE];
  if (seconds < -MINUTE || seconds >= 30 * DAY) {
    ck_time_text(text, wall_ms);
    ck_buffer_append_format(out, "%.10s", text);
  } else if (seconds < MINUTE) {
    ck_buffer_append_text(out, "just now");
  } else if (seconds < HOUR) {
    ck_buffer_append_format(out, "%" PRId64 " min ago", seconds / MINUTE);
  } else if (seconds < DAY) {
    ck_buffer_append_format(out, "%" PRId64 " h ago", seconds / HOUR);
  } else {
    ck_format_of(out, seconds / DAY, "day");
    ck_buffer_append_text(out, " ago");
  }
}

typedef struct span {
  uint32_t first, last;
} span;

static bool lies_in(uint32_t point, const span *spans, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (point >= spans[i].first && point <= spans[i].last) return true;
  return false;
}

/* The large blocks of Unicode's East Asian Width and of its combining marks; the rest counts
 * one. */
static size_t width_of(uint32_t point) {
  static const span wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                              {0xa960, 0xa97c},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
                              {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
                              {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                              {0x20000, 0x3fffd}};
  static const span none[] = {{0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},
                              {0x0610, 0x061a}, {0x064b, 0x065f}, {0x1ab0, 0x1aff},
                              {0x1dc0, 0x1dff}, {0x200b, 0x200d}, {0x20d0, 0x20ff},
                              {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef}};
  if (point < 0x300) return 1;
  if (lies_in(point, none, sizeof none / sizeof *none)) return 0;
  return lies_in(point, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

/* Walks until `columns` are full; a stray byte counts one. */
static size_t walk(ck_bytes text, size_t columns, size_t *width) {
  size_t at = 0;
  *width = 0;
  while (at < text.len) {
    bool ascii = (unsigned char)text.data[at] < 0x80;
    size_t len = ascii ? 1 : ck_utf8_length(text.data + at, text.len - at);
    size_t wide = ascii || !len ? 1 : width_of(ck_utf8_point(text.data + at, len));
    if (*width + wide > columns) break;
    *width += wide;
    at += len ? len : 1;
  }
  return at;
}

size_t ck_format_width(ck_bytes text) {
  size_t width;
  walk(text, SIZE_MAX, &width);
  return width;
}

size_t ck_format_cut(ck_bytes text, size_t columns) {
  size_t width;
  return walk(text, columns, &width);
}

/* Of "'ckrun …'" and "`ckrun …`", the quotes included; 0: no such command begins here. */
static size_t command_length(ck_bytes text) {
  static const char program[] = "ckrun ";
  enum { BEGIN = sizeof program }; /* with the quote before it */
  if (text.len < BEGIN || (text.data[0] != '\'' && text.data[0] != '`')) return 0;
  if (memcmp(text.data + 1, program, sizeof program - 1) != 0) return 0;
  const char *end = memchr(text.data + BEGIN, text.data[0], text.len - BEGIN);
  return end ? (size_t)(end - text.data) + 1 : 0;
}

/* Up to the next blank that a line may end at. */
static size_t word_length(ck_bytes text) {
  size_t len = 0;
  while (len < text.len && text.data[len] != ' ') {
    size_t command = command_length((ck_bytes){text.data + len, text.len - len});
    len += command ? command : 1;
  }
  return len;
}

/* Of a word that is wider than a line: behind a mark between its parts, if one is near the end. */
static size_t break_word(ck_bytes text, size_t columns) {
  size_t fits = ck_format_cut(text, columns), at = fits;
  while (at > fits / 2 && !strchr(",:;/_", text.data[at - 1])) at--;
  if (at > fits / 2) return at;
  return fits ? fits : text.len;
}

size_t ck_format_line(ck_bytes text, size_t columns) {
  size_t len = 0, at = 0;
  while (at < text.len) {
    size_t blanks = 0;
    while (at + blanks < text.len && text.data[at + blanks] == ' ') blanks++;
    at += blanks;
    at += word_length((ck_bytes){text.data + at, text.len - at});
    if (ck_format_width((ck_bytes){text.data, at}) > columns) break;
    len = at;
  }
  if (len || !text.len) return len;
  if (memchr(text.data, ' ', at)) return at; /* a command in its quotes */
  return break_word(text, columns);
}
