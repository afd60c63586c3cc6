/* json.h - a strict JSON scanner that keeps bytes exactly as they were, and a writer for small
 * documents.
 *
 * RFC 8259 without leniency: one value, nothing after it, UTF-8 without surrogates or overlong
 * forms, no BOM, no duplicate member names, no NUL escape (\u0000), no lone surrogate escapes,
 * finite numbers, depth at most CK_JSON_DEPTH_MAX. Spans point into the scanned text; nothing is
 * copied or re-serialised. */
#ifndef CK_BASE_JSON_H
#define CK_BASE_JSON_H

#include "core/base/buffer.h"

enum { CK_JSON_DEPTH_MAX = 256 };

typedef enum {
  CK_JSON_NONE, /* no value: a member that is absent, the end of an array */
  CK_JSON_NULL,
  CK_JSON_FALSE,
  CK_JSON_TRUE,
  CK_JSON_NUMBER,
  CK_JSON_STRING,
  CK_JSON_ARRAY,
  CK_JSON_OBJECT
} ck_json_type;

/* CK_E_PARSE with the byte offset (from 0) and what was expected there. */
CK_CHECKED ck_status ck_json_check(ck_bytes text, ck_error *err);

/* The functions below take text that ck_json_check accepted (or a span of such text). On other text
 * they stop where it is malformed (CK_JSON_NONE, false, no more members) or return a result for the
 * part they read; they stay in bounds. */
ck_json_type ck_json_type_of(ck_bytes value);
/* The span of member `name` of an object (exact case, escapes in member names decoded); no bytes
 * when absent. */
ck_bytes ck_json_get(ck_bytes object, const char *name);
/* The same of `count` names in one walk, which ends with the last that is found: values[i] of
 * names[i]. */
void ck_json_get_all(ck_bytes *values, const char *const *names, size_t count, ck_bytes object);

/* Walks an array or object: ck_json_iterator it = ck_json_iterate(value); while (ck_json_next(&it))
 * … */
typedef struct ck_json_iterator {
  ck_bytes rest;
  bool object, begun;
  ck_bytes name;  /* the raw span of the member's name with its quotes; no bytes in an array */
  ck_bytes value; /* the raw span of the value */
} ck_json_iterator;
ck_json_iterator ck_json_iterate(ck_bytes value);
bool ck_json_next(ck_json_iterator *it);
/* Number of elements or members. */
size_t ck_json_count(ck_bytes value);
/* Appends the decoded text of a string value; false when it is not a string. */
bool ck_json_read_string(ck_buffer *out, ck_bytes value);
/* A decoded, NUL-terminated copy, malloc'd; NULL when not a string or without memory. */
char *ck_json_dup_string(ck_bytes value);
/* Integers only, within int64; false otherwise (fractions and exponents are not integers). */
bool ck_json_read_int(int64_t *out, ck_bytes value);
bool ck_json_read_double(double *out, ck_bytes value);
bool ck_json_read_bool(bool *out, ck_bytes value);
/* True when the value is a string whose decoded text equals `text`. */
bool ck_json_is_text(ck_bytes value, const char *text);

/* Appends `text` as a JSON string with quotes. Bytes that are not UTF-8, and NUL, become U+FFFD, so
 * that ck_json_check takes the result. */
void ck_json_append_string(ck_buffer *out, ck_bytes text);
/* `number` with its last `digits` (0 to 18) behind the point, exact and without zeros at the end:
 * of 75264 with 6 digits 0.075264, of 1000000 1. */
void ck_json_append_decimal(ck_buffer *out, int64_t number, int digits);

/* A writer that sets commas and colons itself. Zero-initialise `comma`; set `out`. */
typedef struct ck_json_writer {
  ck_buffer *out;
  bool comma; /* a value was written at this level: the next one needs a comma */
} ck_json_writer;
void ck_json_begin(ck_json_writer *w, char bracket); /* '{' or '[' */
void ck_json_end(ck_json_writer *w, char bracket);   /* '}' or ']' */
void ck_json_name(ck_json_writer *w, const char *name);
void ck_json_raw_name(ck_json_writer *w, ck_bytes name); /* with its quotes, as it was read */
/* The members of a checked object as they were read, but for `left_out`; NULL: all of them. */
void ck_json_put_members(ck_json_writer *w, ck_bytes object, const char *left_out);
void ck_json_put_raw(ck_json_writer *w,
                     ck_bytes json); /* already valid; kept byte for byte; no bytes write null */
void ck_json_put_string(ck_json_writer *w, ck_bytes text);
void ck_json_put_text(ck_json_writer *w, const char *text); /* NULL writes null */
void ck_json_put_int(ck_json_writer *w, int64_t number);
void ck_json_put_decimal(ck_json_writer *w, int64_t number,
                         int digits); /* ck_json_append_decimal */
void ck_json_put_bool(ck_json_writer *w, bool truth);
/* Member shorthands: name and value at once; the _text form leaves the member out when text is
 * NULL. */
void ck_json_member_raw(ck_json_writer *w, const char *name, ck_bytes json);
void ck_json_member_string(ck_json_writer *w, const char *name, ck_bytes text);
void ck_json_member_text(ck_json_writer *w, const char *name, const char *text);
void ck_json_member_int(ck_json_writer *w, const char *name, int64_t number);
void ck_json_member_bool(ck_json_writer *w, const char *name, bool truth);

/* ---- within ckrun ---- */

/* Number of elements with which two arrays begin alike, byte by byte. */
size_t ck_json_count_common(ck_bytes a, ck_bytes b);

/* Appends JSON, its values unchanged, with the characters that act (ck_utf8_acts) as \uXXXX: they
 * can only be in its strings. */
void ck_json_append_visible(ck_buffer *out, ck_bytes json);

#endif
