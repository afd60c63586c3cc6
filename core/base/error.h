/* error.h - one message, set where the failure is seen and passed on untouched. */
#ifndef CK_BASE_ERROR_H
#define CK_BASE_ERROR_H

#include "core/base/status.h"

enum { CK_ERROR_TEXT_MAX = 1024 };

/* Lives on the caller's stack. `text` is one line, NUL-terminated, naming the thing, the value and
 * the remedy. */
typedef struct ck_error {
  ck_status status;
  char text[CK_ERROR_TEXT_MAX];
} ck_error;

#define CK_ERROR_INIT \
  { CK_OK, "" }

/* Fills `err` (which may be NULL) and returns `status`, so that failing is one line: return
 * ck_error_set(err, …). Control characters and newlines in the formatted text are replaced by
 * spaces; a longer text is cut at a character. */
ck_status ck_error_set(ck_error *err, ck_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts "prefix: " in front of the text already there; for the one caller that knows the name of the
 * thing. Returns the status already there; CK_E_FAILED when `err` is NULL, so keep the status if it
 * matters. */
ck_status ck_error_prefix(ck_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The common case: allocation failed. Needs no memory. */
ck_status ck_error_no_memory(ck_error *err);

#endif
