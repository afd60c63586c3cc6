/* bench_sessions.c - many sessions in one process: the writer's group commit against one session
 * alone. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/bench/bench.h"

enum { SESSIONS = 64, ROUNDS = 400 };

static double latency[SESSIONS * ROUNDS];

static double cpu_us(int who) {
  struct rusage used;
  getrusage(who, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* How near the threads come to keeping all processors busy. */
static void add_shares(double rate, double all_us, double here_us) {
  double cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
  bench_add((figure){.name = "  the same, against processors / CPU of a checkpoint",
                     .unit = "1/s",
                     .value = rate,
                     .floor = cores * 1e6 / all_us,
                     .target = 0.8,
                     .at_least = true,
                     .compared = true});
  bench_add(
      (figure){.name = "  CPU of a checkpoint in the thread that takes the steps (floor: all)",
               .unit = "us",
               .value = here_us,
               .floor = all_us});
}

/* Each session has one checkpoint outstanding, as flows on one loop thread have. Checkpoints per
 * second. */
static double run(const char *name, size_t sessions, size_t rounds) {
  char url[600];
  ck_runtime *runtime;
  ck_session *session[SESSIONS];
  ck_saved saved[SESSIONS];
  double begun[SESSIONS], start = 0, all_us = 0, here_us = 0;
  size_t samples = 0;
  ck_error err;
  snprintf(url, sizeof url, "sqlite:%s", bench_path(name));
  if (ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) != CK_OK)
    bench_die("%s", err.text);
  for (size_t i = 0; i < sessions; i++) {
    if (ck_session_start(&session[i], runtime, &(ck_session_options){0}, &err) != CK_OK)
      bench_die("%s", err.text);
    bench_fill_state(session[i], 10 * 1024);
    saved[i] = bench_step(session[i], 0);
  }
  for (size_t round = 0; round <= rounds; round++) {
    if (round == 1) {
      start = bench_now_us();
      all_us = cpu_us(RUSAGE_SELF);
      here_us = cpu_us(RUSAGE_THREAD);
    }
    for (size_t i = 0; i < sessions; i++) {
      if (ck_session_wait(session[i], saved[i].ticket, &err) != CK_OK) bench_die("%s", err.text);
      if (round > 1) latency[samples++] = bench_now_us() - begun[i];
      begun[i] = bench_now_us();
      saved[i] = bench_step(session[i], (unsigned)round);
    }
  }
  double seconds = (bench_now_us() - start) / 1e6, steps = (double)(sessions * rounds);
  all_us = (cpu_us(RUSAGE_SELF) - all_us) / steps;
  here_us = (cpu_us(RUSAGE_THREAD) - here_us) / steps;
  for (size_t i = 0; i < sessions; i++) ck_session_close(session[i]);
  ck_runtime_close(runtime);
  if (sessions > 1)
    bench_add((figure){.name = "durable checkpoint among 64 sessions, p99",
                       .unit = "ms",
                       .value = bench_percentile(latency, samples, 99) / 1000,
                       .target = 8,
                       .compared = true});
  if (sessions > 1) add_shares(steps / seconds, all_us, here_us);
  return steps / seconds;
}

void bench_sessions(void) {
  double one = run("one.db", 1, 2000), many = run("many.db", SESSIONS, ROUNDS);
  bench_add((figure){.name = "durable checkpoints/s, 64 sessions in one process (floor: one)",
                     .unit = "1/s",
                     .value = many,
                     .floor = one,
                     .target = 4,
                     .at_least = true,
                     .compared = true});
}
