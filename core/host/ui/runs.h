/* runs.h - sessions that were resumed from the page: each runs in a ckrun of its own, and is paused
 * when the server ends. */
#ifndef CK_HOST_UI_RUNS_H
#define CK_HOST_UI_RUNS_H

#include "core/host/ui/child.h"

enum { CK_UI_RUNS_MAX = 16 };

typedef struct ck_ui_runs ck_ui_runs;

CK_CHECKED ck_status ck_ui_runs_new(ck_ui_runs **out, ck_error *err);
/* Starts a command. When it ends at once, *ended is true and `said` tells how; else it runs on.
 * CK_E_REFUSED: CK_UI_RUNS_MAX run already. Thread-safe. */
CK_CHECKED ck_status ck_ui_runs_begin(bool *ended, ck_ui_said *said, ck_ui_runs *self,
                                      const char *const *argv, ck_error *err);
/* How many run now. Thread-safe. */
size_t ck_ui_runs_count(ck_ui_runs *self);
/* Tells all of them to end, and waits: each pauses at its next boundary. */
void ck_ui_runs_free(ck_ui_runs *self);

#endif
