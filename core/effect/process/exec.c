/* exec.c - carries exec effects out by running programs. */
#include "core/effect/process/exec.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/effect/process/ending.h"
#include "core/effect/process/exec_request.h"
#include "core/effect/process/exec_result.h"
#include "core/effect/reply.h"

typedef struct exec_driver exec_driver;

struct ck_effect_run {
  exec_driver *driver;
  const ck_effect *effect;
  ck_effect_sink *sink;
  ck_child *child;
  char *program;
  ck_exec_output outputs[2];
  ck_outcome *spare; /* delivered when there is no memory for the true outcome */
  ck_effect_run *next, *previous;
};

struct exec_driver {
  ck_effect_driver driver;
  ck_exec_options options;
  ck_environment usual;
  ck_replies replies;
  ck_effect_run *runs;
};

static bool serves(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_EXEC;
}

static void unlink_run(ck_effect_run *run) {
  if (run->previous)
    run->previous->next = run->next;
  else
    run->driver->runs = run->next;
  if (run->next) run->next->previous = run->previous;
}

static void link_run(ck_effect_run *run) {
  run->next = run->driver->runs;
  if (run->next) run->next->previous = run;
  run->driver->runs = run;
}

static void free_run(ck_effect_run *run) {
  if (!run) return;
  for (int i = 0; i < 2; i++) ck_exec_output_clear(&run->outputs[i]);
  ck_outcome_free(run->spare);
  free(run->program);
  free(run);
}

static bool take(void *to, int fd, ck_bytes chunk) {
  ck_effect_run *run = to;
  size_t most = run->driver->options.total_max;
  if (chunk.len > most - run->outputs[0].total - run->outputs[1].total) return false;
  ck_exec_output_append(&run->outputs[fd - STDOUT_FILENO], &run->driver->options.spill, run->effect,
                        chunk);
  return true;
}

static bool is_out_of_memory(const ck_effect_run *run) {
  return run->outputs[0].kept.failed || run->outputs[0].end.failed || run->outputs[1].kept.failed ||
         run->outputs[1].end.failed;
}

static void on_ended(void *to, const ck_child_end *end) {
  ck_effect_run *run = to;
  ck_effect_sink *sink = run->sink;
  ck_outcome *outcome = NULL;
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < 2; i++) ck_exec_output_close(&run->outputs[i]);
  const ck_child_end known = ck_ending_known(end, ck_effect_class_repeats(run->effect->class));
  if (is_out_of_memory(run) ||
      ck_exec_outcome(&outcome, run->program, &known, run->outputs, &err) != CK_OK) {
    outcome = run->spare;
    run->spare = NULL;
    if (end->ending != CK_CHILD_UNSTARTED) outcome->status = CK_OUTCOME_UNKNOWN;
  }
  unlink_run(run);
  free_run(run);
  sink->done(sink, outcome);
}

static ck_status start_child(ck_effect_run *run, const ck_exec_request *request, ck_error *err) {
  const ck_exec_options *limits = &run->driver->options;
  ck_child_options options = {
      .loop = limits->loop,
      .argv = request->argv,
      .environment = request->environment.list,
      .directory = request->directory,
      .input = ck_buffer_bytes(&request->input),
      .take = take,
      .grace_ms = CK_EXEC_GRACE_MS,
      .kill_ms = limits->kill_ms,
      .deadline_ms = ck_child_deadline(run->effect->deadline_ms, request->timeout_ms),
      .ended = on_ended,
      .to = run,
  };
  return ck_child_start(&run->child, &options, err);
}

static ck_status make_run(ck_effect_run **out, exec_driver *self, const ck_exec_request *request,
                          const ck_effect *effect, ck_error *err) {
  static const char *const names[] = {"stdout", "stderr"};
  *out = NULL;
  ck_effect_run *run = calloc(1, sizeof *run);
  if (!run) return ck_error_no_memory(err);
  run->driver = self;
  run->effect = effect;
  for (int i = 0; i < 2; i++)
    run->outputs[i] = (ck_exec_output){.name = names[i], .keep_max = request->output_max};
  ck_status status =
      ck_outcome_new(&run->spare, CK_OUTCOME_FAILED, NULL, ck_status_text(CK_E_NO_MEMORY), err);
  if (status == CK_OK) run->spare->error_status = CK_E_NO_MEMORY;
  if (status == CK_OK && !(run->program = strdup(request->argv[0])))
    status = ck_error_no_memory(err);
  if (status == CK_OK)
    *out = run;
  else
    free_run(run);
  return status;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  exec_driver *self = to;
  ck_exec_request request;
  ck_error failure = CK_ERROR_INIT;
  *out = NULL;
  ck_status status = ck_exec_request_read(&request, &self->options, &self->usual, effect, &failure);
  if (status != CK_OK) return ck_reply_failed(out, &self->replies, &failure, sink, err);
  ck_effect_run *run = NULL;
  status = make_run(&run, self, &request, effect, err);
  if (status == CK_OK) status = start_child(run, &request, err);
  ck_exec_request_clear(&request);
  if (status != CK_OK) {
    free_run(run);
    return status;
  }
  run->sink = sink;
  link_run(run);
  *out = run;
  return CK_OK;
}

static void cancel(void *to, ck_effect_run *run) {
  exec_driver *self = to;
  const ck_effect_run *known = self->runs;
  while (known && known != run) known = known->next;
  if (known) ck_child_cancel(run->child);
}

static void free_driver(void *to) {
  exec_driver *self = to;
  while (self->runs) {
    ck_effect_run *run = self->runs;
    ck_child_drop(run->child);
    unlink_run(run);
    free_run(run);
  }
  ck_replies_clear(&self->replies);
  ck_environment_clear(&self->usual);
  free(self);
}

ck_status ck_exec_driver_new(ck_effect_driver **out, const ck_exec_options *options,
                             ck_error *err) {
  *out = NULL;
  exec_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->options = *options;
  self->replies.loop = options->loop;
  if (!self->options.kill_ms) self->options.kill_ms = CK_EXEC_KILL_MS;
  if (!self->options.total_max) self->options.total_max = CK_EXEC_TOTAL_MAX;
  ck_status status = ck_environment_take(&self->usual, NULL, err);
  if (status != CK_OK) {
    free_driver(self);
    return status;
  }
  self->driver = (ck_effect_driver){.name = "exec",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .cancel = cancel,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
