/* bench_steps.c - what a durable step costs whom: the store alone, the C API, `ckrun run`; wall,
 * CPU and switches of thread, side by side with the disk. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/runtime/session/session_private.h"
#include "tests/bench/bench.h"

/* The repeats take turns: a machine that is busy for a while is busy for all of them. */
enum { REPEATS = 5, STEPS = BENCH_STEPS, WARM = 20 };
extern char **environ;

typedef struct usage {
  double cpu_us, switches;
} usage;

/* One step's cost, of one repeat. */
typedef struct cost {
  double p50_us, p99_us, cpu_us, switches;
} cost;

static usage usage_of(const struct rusage *from) {
  return (usage){(double)(from->ru_utime.tv_sec + from->ru_stime.tv_sec) * 1e6 +
                     (double)(from->ru_utime.tv_usec + from->ru_stime.tv_usec),
                 (double)(from->ru_nvcsw + from->ru_nivcsw)};
}

/* Of the whole process: the writer's thread works for the step, too. */
static usage used(void) {
  struct rusage now;
  getrusage(RUSAGE_SELF, &now);
  return usage_of(&now);
}

static cost cost_of(double *samples, usage before, usage after) {
  return (cost){.p50_us = bench_percentile(samples, STEPS, 50),
                .p99_us = bench_percentile(samples, STEPS, 99),
                .cpu_us = (after.cpu_us - before.cpu_us) / STEPS,
                .switches = (after.switches - before.switches) / STEPS};
}

/* Calls `step` with the numbers of the repeat; the first calls are not counted. */
static cost measure(void (*step)(void *to, unsigned number), void *to, unsigned repeat) {
  double samples[STEPS];
  unsigned number = repeat * (WARM + STEPS);
  for (unsigned i = 0; i < WARM; i++) step(to, number++);
  usage before = used();
  for (unsigned i = 0; i < STEPS; i++) {
    double begun = bench_now_us();
    step(to, number++);
    samples[i] = bench_now_us() - begun;
  }
  return cost_of(samples, before, used());
}

/* ---- the floor, the store, the C API ---- */

static void step_floor(void *to, unsigned number) {
  (void)to, (void)number;
  bench_floor_once();
}

static void step_session(void *to, unsigned number) {
  ck_session *session = to;
  ck_error err;
  ck_saved saved = bench_step(session, number);
  if (ck_session_wait(session, saved.ticket, &err) != CK_OK) bench_die("%s", err.text);
}

/* What a session gives its store at a step, made without one. */
typedef struct alone {
  ck_store *store;
  ck_lease lease;
  int64_t seq, parent;
  ck_value *message, *info;
} alone;

/* An event of the session, the next one. */
static ck_event event_of(alone *self, ck_event_kind kind, ck_value *body) {
  return (ck_event){.seq = ++self->seq,
                    .timeline = 1,
                    .kind = kind,
                    .at_ms = 1,
                    .scope = (char *)"main",
                    .body = body};
}

static void commit_alone(alone *self, ck_checkpoint *checkpoint) {
  ck_error err;
  ck_event said = event_of(self, CK_EVENT_MESSAGE, self->message),
           reached = event_of(self, CK_EVENT_BOUNDARY, self->info);
  ck_event *events[] = {&said, &reached};
  ck_batch batch = {.lease = self->lease,
                    .events = events,
                    .event_count = 2,
                    .checkpoint = checkpoint,
                    .durability = CK_DURABLE_POWER};
  checkpoint->seq = reached.seq;
  if (ck_store_commit(self->store, &batch, 1, &err) != CK_OK || batch.status != CK_OK)
    bench_die("store: %s", ck_status_text(batch.status));
  self->parent = reached.seq;
}

static void step_store(void *to, unsigned number) {
  alone *self = to;
  ck_error err;
  char text[128], key[] = "memory.small";
  ck_change change = {.key = key};
  snprintf(text, sizeof text, "{\"step\":%u,\"note\":\"the small change of this step\"}", number);
  if (ck_value_new(&change.value, ck_bytes_text(text), &err) != CK_OK) bench_die("%s", err.text);
  ck_checkpoint checkpoint = {.parent = self->parent,
                              .kind = CK_BOUNDARY_TOOL_ROUND,
                              .created_ms = 1,
                              .resumable = true,
                              .info = self->info,
                              .changes = &change,
                              .change_count = 1};
  snprintf(checkpoint.id, sizeof checkpoint.id, "checkpoint_%u", number);
  commit_alone(self, &checkpoint);
  ck_value_free(change.value);
}

static ck_runtime *open_runtime(const char *name, size_t bytes) {
  char url[600], file[64];
  ck_runtime *runtime;
  ck_error err;
  snprintf(file, sizeof file, "steps-%s-%zu.db", name, bytes);
  snprintf(url, sizeof url, "sqlite:%s", bench_path(file));
  if (ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) != CK_OK)
    bench_die("%s", err.text);
  return runtime;
}

static ck_session *start(ck_runtime *runtime, size_t bytes) {
  ck_session *session;
  ck_error err;
  if (ck_session_start(&session, runtime, &(ck_session_options){0}, &err) != CK_OK)
    bench_die("%s", err.text);
  bench_fill_state(session, bytes);
  step_session(session, 0);
  return session;
}

/* Goes on behind a session that has filled the state. */
static void open_alone(alone *out, ck_runtime *runtime, size_t bytes) {
  ck_error err;
  ck_head head;
  ck_session *session = start(runtime, bytes);
  char id[CK_ID_SIZE];
  snprintf(id, sizeof id, "%s", ck_session_id(session));
  *out = (alone){.store = runtime->store, .lease = session->lease};
  if (ck_session_flush(session, CK_DURABLE_POWER, &err) != CK_OK ||
      ck_store_get_head(&head, runtime->store, id, &err) != CK_OK ||
      ck_value_new(&out->info, ck_bytes_text("{\"description\":\"a turn completed\"}"), &err) !=
          CK_OK)
    bench_die("%s", err.text);
  out->message = bench_prose(2000, 1);
  out->seq = head.last_seq;
  out->parent = head.checkpoint.seq;
  ck_head_clear(&head);
}

/* ---- the program ---- */

/* Its state is filled before the first step, its texts differ from step to step. */
static const char steps_flow[] =
    "local flow = require \"ck.flow\"\n"
    "return flow.custom { name = \"steps\", run = function(ctx)\n"
    "  for i = 1, %zu do\n"
    "    ctx.memory[\"key\" .. i] = (\"memory of key %%d, kept \"):format(i):rep(50):sub(1, 1000)\n"
    "  end\n"
    "  local texts = {}\n"
    "  for t = 1, 32 do\n"
    "    local parts = {}\n"
    "    for i = 1, 20 do\n"
    "      parts[i] = (\"turn %%d, part %%d: file %%d was read, and booking %%d was changed, \"\n"
    "        .. \"for the customer asked for another flight; \")\n"
    "        :format(t, i, t * 37 + i * 11, t * 7919 + i * 104729)\n"
    "    end\n"
    "    texts[t] = table.concat(parts):sub(1, 2000)\n"
    "  end\n"
    "  ctx.boundary(\"tool_round\", { position = { path = \"begun\", n = 0 } })\n"
    "  for n = 1, %d do\n"
    "    ctx.message(\"assistant\", texts[n %% 32 + 1])\n"
    "    ctx.memory.small = { step = n, note = \"the small change of this step\" }\n"
    "    ctx.boundary(\"tool_round\", { position = { path = \"n#\" .. n, n = n } })\n"
    "  end\n"
    "end }\n";
static const char steps_profile[] =
    "return { name = \"steps\", policies = { { \"every_boundary\", on_tool_round = true, "
    "async = false } } }\n";

static const char *write_flow(size_t bytes, int steps) {
  char name[64];
  snprintf(name, sizeof name, "steps-%zu-%d.lua", bytes, steps);
  const char *path = bench_path(name);
  FILE *file = fopen(path, "w");
  if (!file || fprintf(file, steps_flow, bytes / 1000 ? bytes / 1000 : 1, steps) < 0 ||
      fclose(file) != 0)
    bench_die("cannot write %s", path);
  return path;
}

static const char *write_profile(void) {
  const char *path = bench_path("steps-profile.lua");
  FILE *file = fopen(path, "w");
  if (!file || fputs(steps_profile, file) < 0 || fclose(file) != 0)
    bench_die("cannot write %s", path);
  return path;
}

/* Times between two lines that tell of a checkpoint. */
static void read_times(double samples[STEPS], int fd) {
  char line[4096];
  double before = 0;
  int seen = 0;
  FILE *from = fdopen(fd, "r");
  while (from && fgets(line, sizeof line, from)) {
    if (strncmp(line, "checkpoint ", 11) != 0) continue;
    double now = bench_now_us();
    if (before > 0 && seen++ < STEPS) samples[seen - 1] = now - before;
    before = now;
  }
  if (!from || fclose(from) != 0) bench_die("the progress cannot be read");
}

static usage run_program(double samples[STEPS], char *const *argv) {
  posix_spawn_file_actions_t actions;
  struct rusage of;
  int fds[2], status;
  pid_t child;
  if (pipe2(fds, O_CLOEXEC) != 0) bench_die("pipe");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, fds[1], 2);
  if (posix_spawn(&child, argv[0], &actions, NULL, argv, environ) != 0)
    bench_die("cannot run %s", argv[0]);
  close(fds[1]);
  read_times(samples, fds[0]);
  if (wait4(child, &status, 0, &of) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    bench_die("%s failed", argv[0]);
  posix_spawn_file_actions_destroy(&actions);
  return usage_of(&of);
}

void bench_step_command_init(bench_step_command *out, size_t bytes, int steps) {
  static unsigned runs;
  const char *named = getenv("CKRUN");
  char name[64];
  snprintf(name, sizeof name, "steps-run-%u.db", runs++);
  snprintf(out->store, sizeof out->store, "sqlite:%s", bench_path(name));
  snprintf(out->flow, sizeof out->flow, "%s", write_flow(bytes, steps));
  snprintf(out->profile, sizeof out->profile, "%s", write_profile());
  snprintf(out->program, sizeof out->program, "%s", named ? named : "build/ckrun");
  char *argv[] = {out->program, (char *)"--store",   out->store,   (char *)"run",
                  out->flow,    (char *)"--profile", out->profile, NULL};
  memcpy(out->argv, argv, sizeof argv);
}

static usage run_steps(double *samples, size_t bytes, int steps) {
  bench_step_command command;
  bench_step_command_init(&command, bytes, steps);
  return run_program(samples, command.argv);
}

/* A run of no step is taken off. */
static cost measure_program(size_t bytes) {
  double samples[STEPS] = {0};
  usage without = run_steps(samples, bytes, 0), with = run_steps(samples, bytes, STEPS);
  return cost_of(samples, without, with);
}

/* ---- rows ---- */

enum { FLOOR, STORE, API, PROGRAM, ROADS };
static const struct {
  const char *name;
  double above_us; /* its target above the floor; 0: none */
} roads[ROADS] = {
    {"16 KiB overwrite", 0}, {"ck_store_commit", 0}, {"C API", 45}, {"ckrun run", 90}};

static double pick(const cost *from, size_t member) {
  const double all[] = {from->p50_us, from->p99_us, from->cpu_us, from->switches};
  return all[member];
}

/* The median of the repeats, between the least and the most. */
static figure summary(const cost *costs, size_t member) {
  double samples[REPEATS];
  for (int i = 0; i < REPEATS; i++) samples[i] = pick(&costs[i], member);
  double median = bench_percentile(samples, REPEATS, 50);
  return (figure){.value = median, .min = samples[0], .max = samples[REPEATS - 1]};
}

static void add_road(const char *label, int road, cost costs[ROADS][REPEATS]) {
  static const struct {
    const char *name, *unit;
  } members[] = {{"p50", "us"}, {"p99", "us"}, {"CPU", "us"}, {"switches of thread", "1"}};
  for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
    figure row = summary(costs[road], m);
    row.unit = members[m].unit;
    if (road != FLOOR) row.floor = summary(costs[FLOOR], m).value;
    if (m == 3) row.floor = 0;
    row.above_floor = row.compared = m == 0 && roads[road].above_us > 0;
    row.target = roads[road].above_us;
    snprintf(row.name, sizeof row.name, "%sa durable step, %s of state, %s, %s", m ? "  " : "",
             label, roads[road].name, members[m].name);
    bench_add(row);
  }
}

static void add_size(const char *label, size_t bytes) {
  static cost costs[ROADS][REPEATS];
  ck_runtime *one = open_runtime("api", bytes), *other = open_runtime("store", bytes);
  ck_session *session = start(one, bytes);
  alone store;
  open_alone(&store, other, bytes);
  for (unsigned i = 0; i < REPEATS; i++) {
    costs[FLOOR][i] = measure(step_floor, NULL, i);
    costs[STORE][i] = measure(step_store, &store, i);
    costs[API][i] = measure(step_session, session, i);
    costs[PROGRAM][i] = measure_program(bytes);
  }
  for (int road = 0; road < ROADS; road++) add_road(label, road, costs);
  ck_value_free(store.message);
  ck_value_free(store.info);
  ck_session_close(session);
  ck_runtime_close(one);
}

void bench_steps(void) {
  add_size("1 KB", 1000);
  add_size("1 MB", 1000 * 1000);
  add_size("10 MB", 10 * 1000 * 1000);
}
