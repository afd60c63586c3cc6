/* trouble.h - what a worker, or who follows a session, cannot do for now, and when it is tried
 * again: a store that cannot be read, a shortage of processes. */
#ifndef CK_HOST_WORKER_TROUBLE_H
#define CK_HOST_WORKER_TROUBLE_H

#include <stdbool.h>

#include "core/host/cli/command.h"

/* Zero-initialise; set first_ms and without. */
typedef struct ck_trouble {
  const char *without; /* what is not done meanwhile: "nothing is begun"; static */
  int64_t first_ms;    /* the first wait; each further one is twice as long, at most a minute */
  int64_t times;       /* in a row; 0: there is none */
  int64_t until_us;    /* monotonic: when it is tried again */
  char text[CK_ERROR_TEXT_MAX];
} ck_trouble;

/* Time, or whoever mends it, may end it: no reason for a worker to end. */
bool ck_trouble_may_pass(ck_status status);
/* People are told of each other text once. */
void ck_trouble_note(ck_trouble *self, ck_output *output, const char *text, int64_t now_us);
/* For who only reads: notes what may pass, and fails with any other `problem`. */
CK_CHECKED ck_status ck_trouble_take(ck_trouble *self, ck_output *output, ck_status status,
                                     const ck_error *problem, ck_error *err);
/* Until it is tried again; 0: there is none, or now. */
int ck_trouble_left_ms(const ck_trouble *self);
/* What was tried has worked. */
void ck_trouble_end(ck_trouble *self, ck_output *output);

#endif
