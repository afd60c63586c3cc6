/* problems.h - the problems of one command, told all at once. */
#ifndef CK_HOST_PRINT_PROBLEMS_H
#define CK_HOST_PRINT_PROBLEMS_H

#include "core/host/print/output.h"

/* Zero-initialise; ck_problems_clear. */
typedef struct ck_problems {
  ck_buffer texts; /* each with a NUL behind it */
  size_t count;
  ck_status verdict; /* of the one with the highest exit code; CK_OK: none */
} ck_problems;
void ck_problems_clear(ck_problems *self);

/* Adds a problem, once; `self` is a ck_problems. */
void ck_problems_take(void *self, const ck_error *problem);
/* CK_OK without problems. One is the error itself, behind "SUBJECT: " unless that is NULL. Several
 * are printed one by one, and counted in the error; with --json they are the list "problems" beside
 * an error of all texts, as far as it holds them. */
CK_CHECKED ck_status ck_problems_answer(const ck_problems *self, ck_output *output,
                                        const char *subject, ck_error *err);

#endif
