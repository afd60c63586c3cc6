/* job.c - frees what one job of the writer owns. */
#include "core/runtime/commit/job.h"

#include <stdlib.h>

void ck_job_clear(ck_job *job) {
  for (size_t i = 0; i < job->event_count; i++) ck_event_free(job->events[i]);
  free(job->events);
  ck_checkpoint_free(job->checkpoint);
  free(job->update_reason);
  *job = (ck_job){0};
}
