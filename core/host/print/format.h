/* format.h - formats figures for people. */
#ifndef CK_HOST_PRINT_FORMAT_H
#define CK_HOST_PRINT_FORMAT_H

#include "core/base/buffer.h"

/* "0 B", "999 B", "1.5 KiB", "12.0 MiB": powers of 1024. */
void ck_format_bytes(ck_buffer *out, int64_t bytes);
/* "0 us", "850 us", "1.2 ms", "3.4 s", "2 min 5 s", "1 h 2 min". */
void ck_format_duration(ck_buffer *out, int64_t us);
/* "$0.00", "$1.25", "$0.000123": at least cents, as many digits as needed. */
void ck_format_money(ck_buffer *out, int64_t micros);
/* "12,345". */
void ck_format_count(ck_buffer *out, int64_t count);
/* "1 event", "12,345 events". */
void ck_format_of(ck_buffer *out, int64_t count, const char *noun);
/* "2026-01-31 23:59:59" (UTC). */
void ck_format_time(ck_buffer *out, int64_t wall_ms);
/* How long before `now_ms` that was: "just now", "5 min ago", "3 h ago", "2 days ago"; beyond 30
 * days, and of what is to come, its date. */
void ck_format_age(ck_buffer *out, int64_t wall_ms, int64_t now_ms);
/* The width of UTF-8 text on a terminal, in columns: a wide character (East Asian, emoji) counts
 * two, a combining one none. */
size_t ck_format_width(ck_bytes text);
/* Length in bytes of the longest beginning that is at most `columns` wide. */
size_t ck_format_cut(ck_bytes text, size_t columns);
/* Length in bytes of the line of at most `columns` that `text` begins with, without the blanks that
 * follow: it ends at a blank. A word that is wider than a line is broken, but no command between
 * quotes ('ckrun …'): that is to be copied. At least one byte, of a text that is not empty. */
size_t ck_format_line(ck_bytes text, size_t columns);

#endif
