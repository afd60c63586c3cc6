/* reply.c - a list of outcomes, each deferred to the loop's next turn. */
#include "core/effect/reply.h"

#include <stdlib.h>

struct ck_effect_run {
  ck_loop_task task;
  ck_replies *replies;
  ck_effect_sink *sink;
  ck_outcome *outcome;
  ck_effect_run *next, *previous;
};

static void unlink_run(ck_effect_run *run) {
  if (run->previous)
    run->previous->next = run->next;
  else
    run->replies->first = run->next;
  if (run->next) run->next->previous = run->previous;
}

static void deliver(void *to) {
  ck_effect_run *run = to;
  ck_effect_sink *sink = run->sink;
  ck_outcome *outcome = run->outcome;
  unlink_run(run);
  free(run);
  sink->done(sink, outcome);
}

ck_status ck_reply(ck_effect_run **out, ck_replies *self, ck_outcome *outcome, ck_effect_sink *sink,
                   ck_error *err) {
  *out = NULL;
  ck_effect_run *run = calloc(1, sizeof *run);
  if (!run) {
    ck_outcome_free(outcome);
    return ck_error_no_memory(err);
  }
  *run = (ck_effect_run){.replies = self, .sink = sink, .outcome = outcome, .next = self->first};
  if (run->next) run->next->previous = run;
  self->first = run;
  ck_loop_defer(self->loop, &run->task, deliver, run);
  *out = run;
  return CK_OK;
}

ck_status ck_reply_failed(ck_effect_run **out, ck_replies *self, const ck_error *error,
                          ck_effect_sink *sink, ck_error *err) {
  ck_outcome *outcome = NULL;
  *out = NULL;
  ck_status status = ck_outcome_new(&outcome, CK_OUTCOME_FAILED, NULL, error->text, err);
  if (status != CK_OK) return status;
  outcome->error_status = error->status;
  return ck_reply(out, self, outcome, sink, err);
}

void ck_replies_clear(ck_replies *self) {
  while (self->first) {
    ck_effect_run *run = self->first;
    ck_loop_withdraw(&run->task);
    unlink_run(run);
    ck_outcome_free(run->outcome);
    free(run);
  }
}
