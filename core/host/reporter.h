/* reporter.h - tells on stderr how an execution gets on: one live line on a terminal, a line per step elsewhere. */
#ifndef CK_HOST_REPORTER_H
#define CK_HOST_REPORTER_H

#include "core/host/output.h"
#include "core/runtime/execution.h"

/* Zero-initialise; set output. */
typedef struct ck_reporter {
  ck_output *output;
  const ck_execution *execution; /* NULL until it is open */
  int64_t saved;                 /* checkpoints of this run */
  bool hushed;                   /* a question stands on the terminal */
  char doing[192];               /* the step that the live line names */
} ck_reporter;

void ck_reporter_show(ck_reporter *self, const ck_progress *progress);
/* Takes the live line away, so that other text can follow. */
void ck_reporter_end(ck_reporter *self);

#endif
