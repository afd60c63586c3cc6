/* orphans.c - finds the dead runs of a session, and reports what was ended of them. */
#include "core/host/run/orphans.h"

#include <stdlib.h>
#include <string.h>

#include "core/effect/process/sweep.h"

static void report_ended(ck_output *output, size_t ended, const char *whose) {
  if (ended)
    ck_output_notice(output, "ended %zu process%s that %s left behind", ended,
                     ended == 1 ? "" : "es", whose);
}

/* Every run but the current one is over, since this one owns the session. A process that cannot be
 * ended is reported and stops nothing: after SIGKILL it acts no more. One that could not even be
 * looked for may still act: nothing is begun beside it. */
ck_status ck_orphans_end_runs(const ck_head *head, const char *run, ck_output *output,
                              ck_error *err) {
  const char **runs = calloc(head->timeline_count + 1, sizeof *runs);
  size_t count = 0, ended = 0;
  if (!runs) return ck_error_no_memory(err);
  for (size_t i = 0; i < head->timeline_count; i++)
    if (!run || strcmp(head->timelines[i].run, run) != 0) runs[count++] = head->timelines[i].run;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_sweep_runs(&ended, runs, &failure);
  report_ended(output, ended, "an earlier run");
  bool short_of = status == CK_E_NO_MEMORY || status == CK_E_UNAVAILABLE;
  if (status != CK_OK && !short_of) ck_output_notice(output, "%s", failure.text);
  free(runs);
  return short_of ? ck_error_set(err, status, "%s", failure.text) : CK_OK;
}

ck_status ck_orphans_end_dead(const ck_session *session, ck_store *store, ck_output *output,
                              ck_error *err) {
  ck_head head = {0};
  ck_status status = ck_store_get_head(&head, store, ck_session_id(session), err);
  if (status == CK_OK && head.timeline_count > 1)
    status = ck_orphans_end_runs(&head, ck_session_run(session), output, err);
  ck_head_clear(&head);
  return status;
}

ck_status ck_orphans_begin(ck_session *session, ck_store *store, ck_output *output, ck_error *err) {
  ck_status status = ck_orphans_end_dead(session, store, output, err);
  return status == CK_OK ? ck_sweep_begin(ck_session_id(session), ck_session_run(session), err)
                         : status;
}

void ck_orphans_end(ck_output *output) {
  size_t ended = 0;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_sweep_children(&ended, &err);
  report_ended(output, ended, "this run's programs");
  if (status != CK_OK) ck_output_notice(output, "%s", err.text);
}
