/* error.h - one message, set where the failure is seen and passed on untouched. */
#ifndef CK_BASE_ERROR_H
#define CK_BASE_ERROR_H

#include <stddef.h>

#include "core/base/status.h"

enum { CK_ERROR_TEXT_MAX = 1024 };

/* Lives on the caller's stack. `text` is NUL-terminated and names the thing, the value and the
 * remedy. It is one line but for the line breaks of what it quotes: a secret that one goes through
 * is found only as long as they are there. Who shows or keeps the text makes one line of it behind
 * the redactor, with ck_error_make_line. */
typedef struct ck_error {
  ck_status status;
  char text[CK_ERROR_TEXT_MAX];
} ck_error;

#define CK_ERROR_INIT \
  { CK_OK, "" }

/* Fills `err` (which may be NULL) and returns `status`, so that failing is one line: return
 * ck_error_set(err, …). The formatted text is made plain (ck_error_make_plain) and cut at a
 * character. */
ck_status ck_error_set(ck_error *err, ck_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts "prefix: " in front of the text already there; for the one caller that knows the name of the
 * thing. Returns the status already there; CK_E_FAILED when `err` is NULL, so keep the status if it
 * matters. */
ck_status ck_error_prefix(ck_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The common case: allocation failed. Needs no memory. */
ck_status ck_error_no_memory(ck_error *err);

/* Takes sequences that set colours (ECMA-48, CSI) and the return before a line break out of the
 * `len` bytes, makes spaces of other control characters, and returns the length that is left. */
size_t ck_error_make_plain(char *text, size_t len);
/* Makes a space of each line break. */
void ck_error_make_line(char *text, size_t len);

#endif
