/* bench_flows.c - 64 flows side by side on one loop, with tools of 10 ms: what a step costs ckrun
 * itself. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <uv.h>

#include "core/effect/loop.h"
#include "core/runtime/execution/execution.h"
#include "lua/flow/flow.h"
#include "tests/bench/bench.h"

enum { FLOWS = 64, STEPS = 50, TOOL_MS = 10 };

static const char text[] =
    "local flow = require 'ck.flow'\n"
    "local function run(ctx)\n"
    "  for n = 1, 50 do\n"
    "    local out = ctx.effect { kind = 'tool', class = 'once', request = { name = 'work', "
    "arguments = { n = n } } }\n"
    "    ctx.memory['result_' .. n % 10] = out.result\n"
    "    ctx.boundary('step_complete', { position = { path = 'step#' .. n, n = n } })\n"
    "  end\n"
    "end\n"
    "return flow.custom { name = 'bench', run = run, tools = { work = 'once' } }\n";

/* The tool: a timer, and an answer of 1 KB. */
typedef struct tool {
  uv_timer_t timer;
  ck_effect_sink *sink;
} tool;

static ck_loop *loop;
static ck_value *answer;

static void free_tool(uv_handle_t *handle) { free(handle->data); }

static void end_tool(uv_timer_t *timer) {
  tool *self = timer->data;
  ck_outcome *outcome;
  ck_error err;
  if (ck_outcome_new(&outcome, CK_OUTCOME_OK, answer, NULL, &err) != CK_OK)
    bench_die("%s", err.text);
  self->sink->done(self->sink, outcome);
  uv_close((uv_handle_t *)timer, free_tool);
}

static bool serves(void *self, const ck_effect *effect) {
  (void)self, (void)effect;
  return true;
}

static ck_status start_tool(ck_effect_run **out, void *self, const ck_effect *effect,
                            ck_effect_sink *sink, ck_error *err) {
  (void)self, (void)effect;
  tool *made = calloc(1, sizeof *made);
  if (!made) return ck_error_no_memory(err);
  made->sink = sink;
  made->timer.data = made;
  uv_timer_init(ck_loop_uv(loop), &made->timer);
  uv_timer_start(&made->timer, end_tool, TOOL_MS, 0);
  *out = (ck_effect_run *)(void *)made;
  return CK_OK;
}

static void cancel_tool(void *self, ck_effect_run *run) { (void)self, (void)run; }

static const ck_effect_driver driver = {
    .name = "bench", .serves = serves, .start = start_tool, .cancel = cancel_tool};

typedef struct fleet {
  ck_runtime *runtime;
  ck_flow_engine *engine;
  ck_flow *flow;
  ck_session *session[FLOWS];
  ck_execution *execution[FLOWS];
  bool ended[FLOWS];
  size_t left;
} fleet;

static void turn_all(void *to) {
  fleet *self = to;
  ck_error err;
  ck_execution_result result;
  ck_waker_clear(self->runtime->waker);
  for (size_t i = 0; i < FLOWS; i++) {
    if (self->ended[i]) continue;
    ck_status status = ck_execution_turn(&result, self->execution[i], &err);
    if (status == CK_E_PENDING) continue;
    if (status != CK_OK || result.status != CK_SESSION_COMPLETED)
      bench_die("a flow ended with %s%s", result.text, status == CK_OK ? "" : err.text);
    self->ended[i] = true;
    if (--self->left == 0) ck_loop_stop(loop);
  }
}

static void open_fleet(fleet *self) {
  static const ck_effect_driver *const drivers[] = {&driver, NULL};
  char url[600];
  ck_error err;
  const char *path = bench_path("flow.lua");
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) bench_die("%s cannot be written", path);
  snprintf(url, sizeof url, "sqlite:%s", bench_path("flows.db"));
  if (ck_runtime_open(&self->runtime, url, &(ck_store_options){.create = true}, NULL, &err) !=
      CK_OK)
    bench_die("%s", err.text);
  if (ck_flow_engine_new(&self->engine, NULL, &err) != CK_OK) bench_die("%s", err.text);
  if (self->engine->load(&self->flow, self->engine->self, path, &err) != CK_OK)
    bench_die("%s", err.text);
  for (self->left = 0; self->left < FLOWS; self->left++) {
    size_t i = self->left;
    if (ck_session_start(&self->session[i], self->runtime, &(ck_session_options){0}, &err) != CK_OK)
      bench_die("%s", err.text);
    ck_execution_options options = {.session = self->session[i],
                                    .engine = self->engine,
                                    .flow = self->flow,
                                    .drivers = drivers,
                                    .clock = self->runtime->clock,
                                    .waker = self->runtime->waker};
    if (ck_execution_open(&self->execution[i], &options, &err) != CK_OK) bench_die("%s", err.text);
  }
}

static void close_fleet(fleet *self) {
  for (size_t i = 0; i < FLOWS; i++) {
    ck_execution_close(self->execution[i]);
    ck_session_close(self->session[i]);
  }
  self->engine->unload(self->flow);
  self->engine->free(self->engine->self);
  ck_runtime_close(self->runtime);
}

static double cpu_ms(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

void bench_flows(void) {
  static fleet self;
  ck_error err;
  if (ck_loop_new(&loop, &err) != CK_OK) bench_die("%s", err.text);
  answer = bench_prose(1024, 7);
  open_fleet(&self);
  if (ck_loop_watch(loop, ck_waker_fd(self.runtime->waker), turn_all, &self, &err) != CK_OK)
    bench_die("%s", err.text);
  double before = cpu_ms();
  ck_waker_wake(self.runtime->waker);
  ck_loop_run(loop);
  double per_step = (cpu_ms() - before) / (FLOWS * STEPS);
  bench_add((figure){.name = "CPU of ckrun per step, 64 flows side by side with tools of 10 ms",
                     .unit = "ms",
                     .value = per_step,
                     .target = 1});
  close_fleet(&self);
  ck_value_free(answer);
  ck_loop_free(loop);
}
