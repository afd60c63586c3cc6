/* tap.h - what a C test needs: checks that print TAP version 13, and a folder that goes away
 * again. */
#ifndef CK_TESTS_TAP_H
#define CK_TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/buffer.h"

/* Every check prints one line and returns whether it held; a failed one says where it stands and
 * what it got. The format names the promise that is attacked. One thread only. A test that takes
 * over 15 minutes is ended. */
#define tap_ok(...) tap_ok_at(__FILE__, __LINE__, __VA_ARGS__)
#define tap_is_int(...) tap_is_int_at(__FILE__, __LINE__, __VA_ARGS__)
#define tap_is_text(...) tap_is_text_at(__FILE__, __LINE__, __VA_ARGS__)
#define tap_is_bytes(...) tap_is_bytes_at(__FILE__, __LINE__, __VA_ARGS__)
/* `err` (may be NULL) is shown when the statuses differ. */
#define tap_is_status(...) tap_is_status_at(__FILE__, __LINE__, __VA_ARGS__)
/* For steps without which the test cannot go on: a failure ends the program. One that holds is no
 * promise kept, and is not counted. */
#define tap_must(...) tap_must_at(__FILE__, __LINE__, __VA_ARGS__)

#define CK_TAP_FORMAT(n) __attribute__((format(printf, n, n + 1)))
bool tap_ok_at(const char *file, int line, bool condition, const char *format, ...)
    CK_TAP_FORMAT(4);
bool tap_is_int_at(const char *file, int line, int64_t got, int64_t want, const char *format, ...)
    CK_TAP_FORMAT(5);
bool tap_is_text_at(const char *file, int line, const char *got, const char *want,
                    const char *format, ...) CK_TAP_FORMAT(5);
bool tap_is_bytes_at(const char *file, int line, ck_bytes got, ck_bytes want, const char *format,
                     ...) CK_TAP_FORMAT(5);
bool tap_is_status_at(const char *file, int line, ck_status got, ck_status want,
                      const ck_error *err, const char *format, ...) CK_TAP_FORMAT(6);
void tap_must_at(const char *file, int line, bool condition, const char *format, ...)
    CK_TAP_FORMAT(4);

/* A line of talk; prove shows it. */
void tap_diag(const char *format, ...) CK_TAP_FORMAT(1);
/* Counts one check as skipped, with the reason. */
void tap_skip(const char *format, ...) CK_TAP_FORMAT(1);
/* Ends the program before its first check: nothing in it can run here. */
void tap_skip_all(const char *format, ...) CK_TAP_FORMAT(1) __attribute__((noreturn));
/* Prints the plan; main returns the result: 0 when every check held. */
int tap_done(void);

/* A new folder under $TMPDIR or /tmp, one for the whole program; removed when the process that made
 * it exits. */
const char *tap_tmpdir(void);
/* "<tmpdir>/<name>" in a fresh allocation that lives until exit. */
const char *tap_tmpfile(const char *name);
/* The folder of recorded sessions ($CKRUN_DATA, else ../shared/data); NULL when it is not there. */
const char *tap_data_dir(void);

#endif
