/* reporter.h - reports the progress of an execution on stderr: one live line on a terminal, a line
 * per step elsewhere. */
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
  bool suppressed; /* a question is on the terminal */
  /* Parts of the live line. */
  bool changed;
  /* monotonic: the last time it was drawn; the last time a checkpoint was durable; 0: never */
  int64_t drawn_us, saved_us;
  char node[64], agent[64], done[160];
  struct {
    char key[160], name[64];
    int64_t begun_us;                 /* monotonic */
  } running[CK_REPORTER_RUNNING_MAX]; /* oldest first; beyond this many no names are kept */
  size_t running_count;
} ck_reporter;

void ck_reporter_show(ck_reporter *self, const ck_progress *progress);
/* Draws the live line when something has changed, or a second has gone by. Every
 * CK_REPORTER_TICK_MS, and never in between. */
void ck_reporter_tick(ck_reporter *self);
/* Removes the live line, so that other text can follow. */
void ck_reporter_end(ck_reporter *self);

#endif
