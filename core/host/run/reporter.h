/* reporter.h - tells on stderr how an execution gets on: one live line on a terminal, a line per
 * step elsewhere. */
#ifndef CK_HOST_RUN_REPORTER_H
#define CK_HOST_RUN_REPORTER_H

#include "core/host/print/output.h"
#include "core/runtime/execution/execution.h"

enum { CK_REPORTER_TICK_MS = 100, CK_REPORTER_RUNNING_MAX = 16 };

/* Zero-initialise; set output, session and clock. */
typedef struct ck_reporter {
  ck_output *output;
  const ck_execution *execution; /* NULL until it is open */
  const ck_session *session;
  ck_clock clock;
  bool suppressed; /* a question stands on the terminal */
  /* What the live line shows. */
  bool changed;
  int64_t drawn_us, saved_us; /* monotonic: when it was drawn last, when a checkpoint was durable
                                 last; 0: never */
  char node[64], agent[64], done[160];
  struct {
    char key[160], name[64];
  } running[CK_REPORTER_RUNNING_MAX]; /* oldest first; more than these are not named */
  size_t running_count;
} ck_reporter;

void ck_reporter_show(ck_reporter *self, const ck_progress *progress);
/* Draws the live line where something has changed, or a second has gone by. Every
 * CK_REPORTER_TICK_MS, and never in between. */
void ck_reporter_tick(ck_reporter *self);
/* Takes the live line away, so that other text can follow. */
void ck_reporter_end(ck_reporter *self);

#endif
