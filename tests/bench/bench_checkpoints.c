/* bench_checkpoints.c - what a durable checkpoint costs, held against an overwrite and against the
 * naive way. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "core/store/stats.h"

enum { WARM = 100, STEPS = 1000 };

typedef struct series {
  double cost[STEPS], floor[STEPS];
} series;

static ck_runtime *open_runtime(const char *name) {
  char url[600];
  ck_runtime *runtime;
  ck_error err;
  snprintf(url, sizeof url, "sqlite:%s", bench_path(name));
  if (ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) != CK_OK)
    bench_die("%s", err.text);
  return runtime;
}

static ck_session *start(ck_runtime *runtime, size_t state_bytes,
                         const ck_policy_engine *policies) {
  ck_session *session;
  ck_error err;
  if (ck_session_start(&session, runtime, &(ck_session_options){.policies = policies}, &err) !=
      CK_OK)
    bench_die("%s", err.text);
  bench_fill_state(session, state_bytes);
  return session;
}

static void wait_for(ck_session *session, ck_saved saved) {
  ck_error err;
  if (ck_session_wait(session, saved.ticket, &err) != CK_OK) bench_die("%s", err.text);
}

/* A disk answers differently after a pause: both kinds of write begin after the same one, as steps
 * of an agent do. */
static void pause_disk(void) {
  double until = bench_now_us() + 500;
  while (bench_now_us() < until) continue;
}

/* Floor and checkpoint alternate, so that both meet the same disk. The checkpoint is timed from the
 * flow's yield to the acknowledgement; with `together` its message is recorded within that time and
 * lies in the same transaction. */
static void measure(series *out, ck_session *session, bool together) {
  for (unsigned i = 0; i < WARM + STEPS; i++) {
    if (!together) bench_message(session, i);
    pause_disk();
    double floor = bench_floor_once();
    pause_disk();
    double begun = bench_now_us();
    wait_for(session, together ? bench_step(session, i) : bench_boundary(session, i));
    double cost = bench_now_us() - begun;
    if (i < WARM) continue;
    out->cost[i - WARM] = cost;
    out->floor[i - WARM] = floor;
  }
}

static void name_row(figure *row, const char *format, const char *what) {
  snprintf(row->name, sizeof row->name, format, what);
}

/* Its ratio to the floor of its own time. */
static double add_size(const char *label, size_t bytes) {
  static series s;
  char file[64];
  figure row = {.unit = "us", .compared = true};
  snprintf(file, sizeof file, "size-%s.db", label);
  ck_runtime *runtime = open_runtime(file);
  ck_session *session = start(runtime, bytes, NULL);
  measure(&s, session, false);
  double early[100], late[100];
  memcpy(early, s.cost + 50, sizeof early);
  memcpy(late, s.cost + STEPS - 100, sizeof late);
  double p50 = bench_percentile(s.cost, STEPS, 50), p99 = bench_percentile(s.cost, STEPS, 99);
  row.value = p50, row.floor = bench_percentile(s.floor, STEPS, 50), row.target = 1.3;
  name_row(&row, "durable checkpoint, %s of state, p50 (floor: 16 KiB overwrite)", label);
  bench_add(row);
  row.value = p99, row.floor = p50, row.target = 4;
  name_row(&row, "durable checkpoint, %s of state, p99 (floor: its p50)", label);
  bench_add(row);
  row.value = bench_percentile(late, 100, 50), row.floor = bench_percentile(early, 100, 50),
  row.target = 1.2;
  name_row(&row, "step 1,000 against step 200, %s of state, p50", label);
  bench_add(row);
  ck_session_close(session);
  ck_runtime_close(runtime);
  return p50 / bench_percentile(s.floor, STEPS, 50);
}

/* The same with the step's message in the checkpoint's own transaction. */
static double add_together(void) {
  static series s;
  ck_runtime *runtime = open_runtime("together.db");
  ck_session *session = start(runtime, 1 << 20, NULL);
  measure(&s, session, true);
  bench_add(
      (figure){.name = "message and checkpoint in one transaction, 1 MB, p50 (floor: overwrite)",
               .unit = "us",
               .compared = true,
               .value = bench_percentile(s.cost, STEPS, 50),
               .floor = bench_percentile(s.floor, STEPS, 50),
               .target = 1.3});
  ck_session_close(session);
  ck_runtime_close(runtime);
  return bench_percentile(s.cost, STEPS, 50);
}

static ck_status take_async(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  (void)self, (void)at, (void)err;
  *out = (ck_decision){.take = true};
  return CK_OK;
}

static void add_stall(void) {
  static double stall[STEPS], bare[STEPS];
  static const ck_policy_engine engine = {.checkpoint = take_async};
  ck_runtime *runtime = open_runtime("stall.db");
  ck_session *session = start(runtime, 1 << 20, &engine);
  ck_error err;
  for (unsigned i = 0; i < WARM + STEPS; i++) {
    ck_saved saved;
    char text[64];
    ck_value *small;
    snprintf(text, sizeof text, "%u", i);
    if (ck_value_new(&small, ck_bytes_text(text), &err) != CK_OK ||
        ck_session_put(session, "memory.small", small, &err) != CK_OK)
      bench_die("%s", err.text);
    ck_value_free(small);
    double begun = bench_now_us();
    if (ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                            &err) != CK_OK)
      bench_die("%s", err.text);
    double took = bench_now_us() - begun;
    if (i >= WARM) stall[i - WARM] = took;
    bench_floor_once(); /* the flow's own work; the writer commits meanwhile */
  }
  for (size_t i = 0; i < STEPS; i++) {
    static char from[1 << 20], to[1 << 20];
    double begun = bench_now_us();
    memcpy(to, from, sizeof to);
    __asm__ volatile("" : : "r"(to) : "memory");
    bare[i] = bench_now_us() - begun;
  }
  bench_add((figure){.name = "stall of the flow by an async checkpoint, 1 MB of state, p99",
                     .unit = "us",
                     .value = bench_percentile(stall, STEPS, 99),
                     .target = 20,
                     .compared = true});
  bench_add((figure){.name = "  the same, p50 (floor: memcpy of the state)",
                     .unit = "us",
                     .value = bench_percentile(stall, STEPS, 50),
                     .floor = bench_percentile(bare, STEPS, 50)});
  ck_session_close(session);
  ck_runtime_close(runtime);
}

static int64_t file_bytes(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
}

/* What 1,000 steps leave in the database once the WAL is folded in, against the bytes that
 * changed. */
static void add_bytes(void) {
  ck_error err;
  ck_store_stats before, after;
  ck_runtime *runtime = open_runtime("bytes.db");
  ck_session *session = start(runtime, 100 * 1024, NULL);
  wait_for(session, bench_step(session, 0));
  if (ck_store_recover(runtime->store, &err) != CK_OK ||
      ck_store_get_stats(&before, runtime->store, &err) != CK_OK)
    bench_die("%s", err.text);
  for (unsigned i = 1; i <= STEPS; i++) wait_for(session, bench_step(session, i));
  if (ck_store_recover(runtime->store, &err) != CK_OK ||
      ck_store_get_stats(&after, runtime->store, &err) != CK_OK)
    bench_die("%s", err.text);
  double changed = 2000 + 34 + 57, stored = (double)(after.file_bytes - before.file_bytes) / STEPS;
  bench_add((figure){.name = "bytes on disk per step over 1,000 steps (floor: bytes that changed)",
                     .unit = "bytes",
                     .value = stored,
                     .floor = changed,
                     .target = 1,
                     .compared = true});
  ck_session_close(session);
  ck_runtime_close(runtime);
}

static void write_file(const char *path, const char *data, size_t len) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, data, len) != (ssize_t)len || fsync(fd) != 0 || close(fd) != 0)
    bench_die("naive: %s", path);
}

/* The whole state as JSON to a temporary file, fsync, rename; then an index of all checkpoints the
 * same way. */
static void naive_step(const ck_buffer *state, ck_buffer *index, unsigned number) {
  char name[64], temporary[600];
  snprintf(name, sizeof name, "naive-%u.json", number);
  snprintf(temporary, sizeof temporary, "%s", bench_path("naive.tmp"));
  write_file(temporary, state->data, state->len);
  if (rename(temporary, bench_path(name)) != 0) bench_die("naive: rename");
  ck_buffer_append_format(index, "{\"checkpoint\":%u,\"file\":\"%s\"},\n", number, name);
  write_file(temporary, index->data, index->len);
  if (rename(temporary, bench_path("naive-index.json")) != 0) bench_die("naive: rename");
}

static void add_naive(double ours) {
  enum { NAIVE_STEPS = 100 };
  double cost[NAIVE_STEPS];
  int64_t bytes = 0;
  ck_buffer state = {0}, index = {0};
  ck_value *prose = bench_prose(1 << 20, 1);
  for (unsigned i = 0; i < NAIVE_STEPS; i++) {
    ck_buffer_reset(&state);
    double begun = bench_now_us();
    ck_buffer_append_text(&state, "{\"memory\":");
    ck_buffer_append_bytes(&state, ck_value_bytes(prose));
    ck_buffer_append_format(&state, ",\"step\":%u}", i);
    naive_step(&state, &index, i);
    cost[i] = bench_now_us() - begun;
    bytes += (int64_t)state.len;
  }
  bench_add((figure){.name = "the naive way, 1 MB of state, p50 (floor: ours)",
                     .unit = "us",
                     .value = bench_percentile(cost, NAIVE_STEPS, 50),
                     .floor = ours});
  bench_add((figure){.name = "the naive way, 1 MB of state, bytes on disk per step",
                     .unit = "bytes",
                     .value = (double)bytes / NAIVE_STEPS +
                              (double)file_bytes(bench_path("naive-index.json")) / NAIVE_STEPS});
  ck_value_free(prose);
  ck_buffer_clear(&state);
  ck_buffer_clear(&index);
}

void bench_checkpoints(void) {
  double small = add_size("1 KB", 1024);
  add_size("100 KB", 100 * 1024);
  add_size("1 MB", 1 << 20);
  double large = add_size("10 MB", 10 << 20);
  bench_add((figure){.name = "durable checkpoint, 10 MB of state against 1 KB, each to its floor",
                     .unit = "x",
                     .value = large,
                     .floor = small,
                     .target = 1.2,
                     .compared = true});
  double together = add_together();
  add_stall();
  add_bytes();
  add_naive(together);
}
