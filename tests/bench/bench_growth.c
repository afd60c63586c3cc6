/* bench_growth.c - what a session costs as it gets longer: 1,000, 10,000 and 100,000 steps, each
 * with a message of 2 KB, one small change and a checkpoint. The CPU of whoever runs it a step, its
 * memory, and the CPU of one command over it, beside that of a command that opens no store. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/bench.h"

enum { REPEATS = 5, LENGTHS = BENCH_POINTS, PAUSED = 8, WORDS_MAX = 8 };
enum { LOGS = 3 };
enum { STEP_BYTES = 2000, CHAT_BYTES = 1000 }; /* of the text of a message */

static const struct {
  int steps;
  const char *name;
} lengths[LENGTHS] = {{1000, "1,000"}, {10000, "10,000"}, {100000, "100,000"}};

/* Its texts differ; it pauses at its end, again and again, so that it can be resumed. */
static const char flow_text[] =
    "local flow = require \"ck.flow\"\n"
    "return flow.custom { name = \"growth\", run = function(ctx)\n"
    "  local n = ctx.position and ctx.position.n or 0\n"
    "  while true do\n"
    "    if n >= %d then ctx.pause(\"enough\") end\n"
    "    n = n + 1\n"
    "    local parts = {}\n"
    "    for i = 1, 20 do\n"
    "      parts[i] = (\"turn %%d, part %%d: file %%d was read, and booking %%d was changed, \"\n"
    "        .. \"for the customer asked for another flight; \")\n"
    "        :format(n, i, n * 37 + i * 11, n * 7919 + i * 104729)\n"
    "    end\n"
    "    ctx.message { role = n %% 2 == 1 and \"user\" or \"assistant\", agent = \"writer\",\n"
    "      content = table.concat(parts):sub(1, %d) }\n"
    "    ctx.memory.small = { step = n, note = \"the small change of this step\" }\n"
    "    ctx.boundary(\"tool_round\", { position = { path = \"n#\" .. n, n = n } })\n"
    "  end\n"
    "end }\n";
static const char profile_text[] =
    "return { name = \"growth\", policies = { { \"every_boundary\", on_tool_round = true, "
    "async = true } } }\n";

/* Commands over the session, and the most milliseconds of CPU that one may take; 0: no target. */
static const struct {
  const char *name, *words[WORDS_MAX + 1];
  int ends_with;
  double target;
} commands[] = {
    {"sessions show", {"sessions", "show", "growth"}, 0, 25},
    {"sessions inspect", {"sessions", "inspect", "growth"}, 0, 25},
    {"sessions tail", {"sessions", "tail", "growth", "writer"}, 0, 25},
    {"sessions checkpoints --limit 50",
     {"sessions", "checkpoints", "growth", "--limit", "50"},
     0,
     25},
    {"sessions log --last 50", {"sessions", "log", "growth", "--last", "50"}, 0, 25},
    {"sessions prune --dry-run", {"sessions", "prune", "growth", "--dry-run"}, 0, 25},
    {"sessions prune --dry-run --keep 10",
     {"sessions", "prune", "growth", "--dry-run", "--keep", "10"},
     0,
     0},
    {"sessions prune --dry-run --keep 10 --limit 50",
     {"sessions", "prune", "growth", "--dry-run", "--keep", "10", "--limit", "50"},
     0,
     25},
    {"policy explain of a step", {"policy", "explain", "growth", "999"}, 0, 25},
    {"resume to the next pause", {"resume", "growth"}, PAUSED, 0},
};
enum { COMMANDS = sizeof commands / sizeof *commands, RESUME = COMMANDS - 1 };

static const char *write_text(const char *name, const char *text, int steps, int bytes) {
  const char *path = bench_path(name);
  FILE *file = fopen(path, "w");
  if (!file || fprintf(file, text, steps, bytes) < 0 || fclose(file) != 0)
    bench_die("cannot write %s", path);
  return path;
}

/* One session of so many steps, in a store of its own. */
typedef struct growth {
  char program[512], store[600];
  int length;
  bench_cost run;
  double ms[COMMANDS][REPEATS];
} growth;

static void build(growth *self, const char *program, int length, int bytes) {
  char flow[600], profile[600], name[64];
  self->length = length;
  snprintf(self->program, sizeof self->program, "%s", program);
  snprintf(name, sizeof name, "growth-%d-%d.db", lengths[length].steps, bytes);
  snprintf(self->store, sizeof self->store, "sqlite:%s", bench_path(name));
  snprintf(name, sizeof name, "growth-%d-%d.lua", lengths[length].steps, bytes);
  snprintf(flow, sizeof flow, "%s", write_text(name, flow_text, lengths[length].steps, bytes));
  snprintf(profile, sizeof profile, "%s", write_text("growth-profile.lua", profile_text, 0, 0));
  char *argv[] = {
      self->program,       (char *)"--store", self->store,         (char *)"run",    flow,
      (char *)"--profile", profile,           (char *)"--session", (char *)"growth", NULL};
  self->run = bench_command_cost(argv, PAUSED);
}

static double measure(growth *self, size_t command) {
  char *argv[4 + WORDS_MAX] = {self->program, (char *)"--store", self->store};
  for (size_t i = 0; commands[command].words[i]; i++)
    argv[3 + i] = (char *)commands[command].words[i];
  return bench_command_cost(argv, commands[command].ends_with).cpu_ms;
}

static figure summary(double samples[REPEATS]) {
  double median = bench_percentile(samples, REPEATS, 50);
  return (figure){.value = median, .min = samples[0], .max = samples[REPEATS - 1]};
}

static void add_run(const growth *self) {
  figure memory = {.unit = "MB", .value = self->run.memory_mb, .target = 40, .compared = true};
  figure cpu = {.unit = "us", .value = self->run.cpu_ms * 1e3 / lengths[self->length].steps};
  snprintf(memory.name, sizeof memory.name, "%s steps: resident memory of ckrun run",
           lengths[self->length].name);
  snprintf(cpu.name, sizeof cpu.name, "%s steps: CPU of ckrun run, a step",
           lengths[self->length].name);
  bench_add(memory);
  bench_add(cpu);
}

static void add_command(growth all[LENGTHS], size_t command, double floor_ms) {
  for (int i = 0; i < LENGTHS; i++) {
    figure row = summary(all[i].ms[command]);
    row.unit = "ms";
    row.floor = floor_ms;
    row.target = commands[command].target;
    row.compared = row.target > 0;
    row.whole = true;
    snprintf(row.name, sizeof row.name, "%s steps: CPU of %s", lengths[i].name,
             commands[command].name);
    bench_add(row);
  }
}

/* The medians of the commands, and of one that opens no store. */
static void draw(growth all[LENGTHS], double floor_ms) {
  bench_line lines[COMMANDS + 1];
  double steps[LENGTHS];
  snprintf(lines[COMMANDS].name, sizeof lines[COMMANDS].name, "--version");
  for (int i = 0; i < LENGTHS; i++) {
    steps[i] = lengths[i].steps;
    lines[COMMANDS].values[i] = floor_ms;
    for (size_t command = 0; command < COMMANDS; command++)
      lines[command].values[i] = summary(all[i].ms[command]).value;
  }
  for (size_t command = 0; command < COMMANDS; command++)
    snprintf(lines[command].name, sizeof lines[command].name, "%s", commands[command].name);
  bench_draw("build/growth.svg", "ms of CPU", steps, lines, COMMANDS + 1);
}

/* Of a conversation that is not too long to be kept as it is. */
static void add_conversation(const char *program) {
  static growth chat;
  double samples[REPEATS];
  build(&chat, program, 1, CHAT_BYTES);
  for (int repeat = 0; repeat < REPEATS; repeat++) samples[repeat] = measure(&chat, RESUME);
  figure row = summary(samples);
  snprintf(row.name, sizeof row.name, "a resume of a conversation of %s messages of 1 KB: CPU",
           lengths[1].name);
  row.unit = "ms";
  row.target = 60;
  row.compared = true;
  bench_add(row);
}

/* All of the longest session; of what is printed only the texts of its messages are counted. */
static void add_log(growth *longest) {
  double samples[LOGS];
  double megabytes = (double)lengths[longest->length].steps * STEP_BYTES / 1e6;
  char *argv[] = {longest->program,
                  (char *)"--store",
                  longest->store,
                  (char *)"sessions",
                  (char *)"log",
                  (char *)"growth",
                  NULL};
  for (int i = 0; i < LOGS; i++)
    samples[i] = megabytes / (bench_command_cost(argv, 0).cpu_ms / 1e3);
  double median = bench_percentile(samples, LOGS, 50);
  figure row = {.unit = "MB/s",
                .value = median,
                .min = samples[0],
                .max = samples[LOGS - 1],
                .target = 100,
                .at_least = true,
                .compared = true};
  snprintf(row.name, sizeof row.name, "%s steps: sessions log, a second of CPU",
           lengths[longest->length].name);
  bench_add(row);
}

/* The repeats take turns: a machine that is busy for a while is busy for all of them. */
void bench_growth(void) {
  static growth all[LENGTHS];
  double floors[REPEATS];
  const char *named = getenv("CKRUN");
  char program[512];
  snprintf(program, sizeof program, "%s", named ? named : "build/ckrun");
  char *nothing[] = {program, (char *)"--version", NULL};
  for (int i = 0; i < LENGTHS; i++) build(&all[i], program, i, STEP_BYTES);
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    floors[repeat] = bench_command_cost(nothing, 0).cpu_ms;
    for (size_t command = 0; command < COMMANDS; command++)
      for (int i = 0; i < LENGTHS; i++) all[i].ms[command][repeat] = measure(&all[i], command);
  }
  for (int i = 0; i < LENGTHS; i++) add_run(&all[i]);
  figure floor = summary(floors);
  snprintf(floor.name, sizeof floor.name, "CPU of ckrun --version");
  floor.unit = "ms";
  bench_add(floor);
  for (size_t command = 0; command < COMMANDS; command++) add_command(all, command, floor.value);
  draw(all, floor.value);
  add_log(&all[LENGTHS - 1]);
  add_conversation(program);
}
