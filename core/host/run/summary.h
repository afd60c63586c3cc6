/* summary.h - the summary of a run, printed at its end. */
#ifndef CK_HOST_RUN_SUMMARY_H
#define CK_HOST_RUN_SUMMARY_H

#include "core/host/cli/command.h"
#include "core/host/run/engine.h"

/* Prints the session's id, before anything else; with --json the beginning of the object that the
 * summary ends. Prints nothing when events are printed: then the summary is an object of its
 * own. */
CK_CHECKED ck_status ck_summary_begin(const ck_host *host, const ck_engine *engine, ck_error *err);
/* Prints the id, executes the engine's session, prints the summary. The status is the program's:
 * CK_OK, CK_E_FAILED or its cause, CK_E_PAUSED, CK_E_WAITING, CK_E_IN_DOUBT, or the reason why
 * writing failed. */
CK_CHECKED ck_status ck_summary_execute(const ck_host *host, ck_engine *engine, ck_error *err);
/* Called after all readers of the session: deletes it when it succeeded and its profile has
 * on_success = "delete". */
void ck_summary_forget(const ck_host *host, const ck_engine *engine);

#endif
