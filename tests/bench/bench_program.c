/* bench_program.c - what the program itself costs: its start, an empty flow, a policy's decision,
 * an idle host. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lua/policy/policy.h"
#include "lua/profile/profile.h"
#include "tests/bench/bench.h"

enum { STARTS = 31, DECISIONS = 200000 };
extern char **environ;

static double spawn_once(char *const *argv, int expected) {
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  double begun = bench_now_us();
  if (posix_spawn(&child, argv[0], &actions, NULL, argv, environ) != 0 ||
      waitpid(child, &status, 0) < 0)
    bench_die("cannot run %s", argv[0]);
  double took = bench_now_us() - begun;
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != expected)
    bench_die("%s exited with %d", argv[0], WEXITSTATUS(status));
  return took;
}

/* Until the first step behind a resume is durable and told of on stdout. */
static double spawn_until_step(char *const *argv) {
  posix_spawn_file_actions_t actions;
  char line[4096];
  double took = 0;
  int fds[2], status;
  pid_t child;
  if (pipe2(fds, O_CLOEXEC) != 0) bench_die("pipe");
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fds[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  double begun = bench_now_us();
  if (posix_spawn(&child, argv[0], &actions, NULL, argv, environ) != 0)
    bench_die("cannot run %s", argv[0]);
  close(fds[1]);
  FILE *events = fdopen(fds[0], "r");
  while (events && fgets(line, sizeof line, events))
    if (took == 0 && strstr(line, "\"loop_iteration\"")) took = bench_now_us() - begun;
  if (!events || fclose(events) != 0 || waitpid(child, &status, 0) < 0 || took == 0)
    bench_die("%s told of no step", argv[0]);
  posix_spawn_file_actions_destroy(&actions);
  return took;
}

static double median_start(char *const *argv) {
  double samples[STARTS];
  for (int i = 0; i < STARTS; i++) samples[i] = spawn_once(argv, 0);
  return bench_percentile(samples, STARTS, 50) / 1000;
}

static const char *write_text(const char *name, const char *text) {
  const char *path = bench_path(name);
  FILE *file = fopen(path, "w");
  if (!file || fputs(text, file) < 0 || fclose(file) != 0) bench_die("cannot write %s", path);
  return path;
}

static void add_starts(char *program) {
  char store[600], flow[600], cassette[600];
  char *version[] = {program, (char *)"--version", NULL};
  bench_add((figure){.name = "ckrun --version, whole process",
                     .unit = "ms",
                     .value = median_start(version),
                     .target = 5,
                     .compared = true});
  snprintf(store, sizeof store, "sqlite:%s", bench_path("empty.db"));
  snprintf(flow, sizeof flow, "%s",
           write_text("empty.lua", "local flow = require \"ck.flow\"\nreturn flow.agent { prompt = "
                                   "\"p\", user = flow.ask {} }\n"));
  snprintf(cassette, sizeof cassette, "%s", write_text("empty.jsonl", "{\"cassette\":1}\n"));
  char *run[] = {program, (char *)"--store",    store,    (char *)"run",
                 flow,    (char *)"--cassette", cassette, NULL};
  bench_add((figure){.name = "ckrun run of an empty flow, whole process",
                     .unit = "ms",
                     .value = median_start(run),
                     .target = 8,
                     .compared = true});
  char *named[] = {
      program,  (char *)"--store",   store,           (char *)"run", flow, (char *)"--cassette",
      cassette, (char *)"--session", (char *)"shown", NULL};
  spawn_once(named, 0);
  char *show[] = {program,        (char *)"--store", store, (char *)"sessions",
                  (char *)"show", (char *)"shown",   NULL};
  bench_add((figure){.name = "ckrun sessions show of it, whole process",
                     .unit = "ms",
                     .value = median_start(show),
                     .target = 5,
                     .compared = true});
}

/* A session of a 1 MB state and 100,000 events that pauses again and again: each resume goes one
 * boundary further. */
static const char long_flow[] =
    "local flow = require \"ck.flow\"\n"
    "return flow.custom { name = \"long\", run = function(ctx)\n"
    "  local n = ctx.position and ctx.position.n or 0\n"
    "  if n == 0 then for i = 1, 64 do ctx.memory[\"key_\" .. i] = (\"%d agents read files. "
    "\"):format(i):rep(800) end end\n"
    "  while n < 50000 do\n"
    "    n = n + 1\n"
    "    ctx.event(\"note\", { n = n })\n"
    "    ctx.boundary(\"loop_iteration\", { position = { path = \"n#\" .. n, n = n } })\n"
    "  end\n"
    "  while true do\n"
    "    ctx.pause(\"again\")\n"
    "    n = n + 1\n"
    "    ctx.boundary(\"loop_iteration\", { position = { path = \"n#\" .. n, n = n } })\n"
    "  end\n"
    "end }\n";

static void add_resume(char *program) {
  char store[600], flow[600];
  double samples[STARTS];
  snprintf(store, sizeof store, "sqlite:%s", bench_path("long.db"));
  snprintf(flow, sizeof flow, "%s", write_text("long.lua", long_flow));
  char *run[] = {program, (char *)"--store",   store,          (char *)"run",
                 flow,    (char *)"--session", (char *)"long", NULL};
  char *resume[] = {program, (char *)"--store", store, (char *)"resume", (char *)"long", NULL};
  spawn_once(run, 8);
  for (int i = 0; i < STARTS; i++) samples[i] = spawn_once(resume, 8);
  bench_add((figure){
      .name = "ckrun resume, 1 MB state, 100,000 events: preflight to a step and the next pause",
      .unit = "ms",
      .value = bench_percentile(samples, STARTS, 50) / 1000,
      .target = 12,
      .compared = true});
  char *told[] = {program,        (char *)"--store",  store, (char *)"resume",
                  (char *)"long", (char *)"--events", NULL};
  for (int i = 0; i < STARTS; i++) samples[i] = spawn_until_step(told);
  bench_add((figure){.name = "  the same until its first step is told of as durable",
                     .unit = "ms",
                     .value = bench_percentile(samples, STARTS, 50) / 1000,
                     .target = 12,
                     .compared = true});
}

/* A boundary at which nothing is due, and which a policy has to look at all over to see that. */
static const ck_boundary quiet = {.kind = CK_BOUNDARY_TOOL_ROUND,
                                  .scope = "main",
                                  .node = "n",
                                  .seq = 10,
                                  .now_ms = 1,
                                  .node_latency_ms = 900,
                                  .clean = true,
                                  .since = {.ms = 2,
                                            .events = 8,
                                            .cost_micros = 40,
                                            .tokens = 900,
                                            .changed_keys = 2,
                                            .changed_bytes = 500},
                                  .next = {"m", "look", true, CK_EFFECT_PURE},
                                  .budget = {10000, 5000000},
                                  .checkpoint_cost_us = 150};

static void time_decision(const char *name, const char *options, double target) {
  ck_profile *profile;
  ck_policy_engine engine;
  ck_value *value = NULL;
  ck_error err;
  if ((options && ck_value_new(&value, ck_bytes_text(options), &err) != CK_OK) ||
      ck_profile_new(&profile, "bench", &err) != CK_OK ||
      ck_profile_append_policy(profile, name, value, &err) != CK_OK ||
      ck_policy_engine_open(&engine, profile, &err) != CK_OK)
    bench_die("%s", err.text);
  ck_value_free(value);
  double begun = bench_now_us();
  for (int i = 0; i < DECISIONS; i++) {
    ck_decision decision;
    if (engine.checkpoint(&decision, engine.self, &quiet, &err) != CK_OK) bench_die("%s", err.text);
    ck_decision_clear(&decision);
  }
  figure row = {.unit = "us",
                .value = (bench_now_us() - begun) / DECISIONS,
                .target = target,
                .compared = true};
  snprintf(row.name, sizeof row.name, "decision of the policy %s%s", name,
           options ? ", all options set" : "");
  bench_add(row);
  engine.free(engine.self);
  ck_profile_free(profile);
}

static void add_decisions(void) {
  static const struct {
    const char *name, *options; /* NULL: it has none */
  } policies[] = {
      {"tool_rounds", NULL},
      {"every_boundary", "{\"on_node_start\":true,\"on_node_complete\":true,\"on_edge\":true,"
                         "\"every_n_iterations\":5,\"on_tool_round\":true,"
                         "\"on_round_complete\":true,\"on_step_complete\":true,\"on_safe_point\":"
                         "true,\"on_failure\":true,\"async\":true}"},
      {"smart", "{\"slow_ms\":60000,\"changed_keys\":20,\"usd\":1,\"classes\":[\"once\","
                "\"reconcilable\"],\"risky\":[\"send\",\"pay\",\"deploy\"]}"},
      {"expected_loss", "{\"failures_per_hour\":0.1,\"unclean_factor\":5,\"work_usd_per_hour\":50,"
                        "\"usd_per_hour\":60,"
                        "\"usd_per_million_tokens\":1,\"usd_per_tool_call\":0.02,"
                        "\"checkpoint_ms\":20}"},
      {"before_effect", "{\"classes\":[\"once\",\"reconcilable\",\"idempotent\"],\"async\":true}"},
      {"every_n", "{\"n\":1000000}"},
  };
  for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
    time_decision(policies[i].name, NULL, 1);
    if (policies[i].options) time_decision(policies[i].name, policies[i].options, 2);
  }
}

/* In a process of its own that does nothing else. */
static void add_memory(void) {
  int fds[2];
  long kilobytes = 0;
  if (pipe(fds) != 0) bench_die("pipe");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    char number[16];
    snprintf(number, sizeof number, "%d", fds[1]);
    execl("/proc/self/exe", "bench", "--idle", bench_path("idle.db"), number, (char *)NULL);
    _exit(127);
  }
  close(fds[1]);
  if (child < 0 || read(fds[0], &kilobytes, sizeof kilobytes) != sizeof kilobytes)
    bench_die("the idle process died");
  close(fds[0]);
  waitpid(child, NULL, 0);
  bench_add((figure){.name = "resident memory of a host with one idle 1 MB session",
                     .unit = "MB",
                     .value = (double)kilobytes / 1024,
                     .target = 16,
                     .compared = true});
}

/* The idle process: tells its resident memory and ends. */
void bench_idle(const char *path, int fd) {
  char url[600];
  ck_runtime *runtime;
  ck_session *session;
  ck_profile *profile;
  ck_policy_engine engine;
  ck_error err;
  snprintf(url, sizeof url, "sqlite:%s", path);
  if (ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) != CK_OK ||
      ck_profile_new(&profile, "idle", &err) != CK_OK ||
      ck_profile_append_policy(profile, "tool_rounds", NULL, &err) != CK_OK ||
      ck_policy_engine_open(&engine, profile, &err) != CK_OK ||
      ck_session_start(&session, runtime, &(ck_session_options){.policies = &engine}, &err) !=
          CK_OK)
    bench_die("%s", err.text);
  bench_fill_state(session, 1 << 20);
  ck_saved saved = bench_step(session, 1);
  if (ck_session_wait(session, saved.ticket, &err) != CK_OK) bench_die("%s", err.text);
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2)
    bench_die("cannot read /proc/self/statm");
  fclose(file);
  resident *= sysconf(_SC_PAGESIZE) / 1024;
  if (write(fd, &resident, sizeof resident) != sizeof resident)
    bench_die("the measuring process is gone");
}

void bench_program(void) {
  const char *program = getenv("CKRUN");
  char path[512];
  snprintf(path, sizeof path, "%s", program ? program : "build/ckrun");
  add_starts(path);
  add_resume(path);
  add_decisions();
  add_memory();
}
