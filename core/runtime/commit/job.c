/* job.c - frees what one job of the writer owns, and counts its bytes. */
#include "core/runtime/commit/job.h"

#include <stdlib.h>

int64_t ck_job_bytes(const ck_job *job) {
  int64_t bytes = 0;
  for (size_t i = 0; i < job->event_count; i++)
    bytes += (int64_t)ck_value_bytes(job->events[i]->body).len;
  for (size_t i = 0; job->checkpoint && i < job->checkpoint->change_count; i++)
    if (job->checkpoint->changes[i].value)
      bytes += (int64_t)ck_value_bytes(job->checkpoint->changes[i].value).len;
  return bytes;
}

void ck_job_clear(ck_job *job) {
  for (size_t i = 0; i < job->event_count; i++) ck_event_free(job->events[i]);
  free(job->events);
  free(job->prepared);
  ck_checkpoint_free(job->checkpoint);
  free(job->update_reason);
  *job = (ck_job){0};
}
