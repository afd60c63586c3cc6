/* bench_sealed.c - what a key costs a durable checkpoint: the same commits in a store that is
 * sealed and signed and in one that is not, by turns. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/runtime/session/session_private.h"
#include "core/store/format/seal.h"
#include "tests/bench/bench.h"

enum { ROUNDS = 400, WARM = 20, VALUES = 16, SIDES = 2 };

/* A session of one of the two stores. */
typedef struct side {
  ck_runtime *runtime;
  ck_session *session;
  ck_lease lease;
  int64_t seq, parent;
  double wall_us[ROUNDS], cpu_us[ROUNDS];
} side;

static ck_error err;

static double cpu_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void must(ck_status status) {
  if (status != CK_OK) bench_die("%s", err.text);
}

static void open_side(side *out, const ck_key *key, const char *label) {
  char url[600], file[64];
  ck_head head;
  snprintf(file, sizeof file, "sealed-%s-%s.db", label, key ? "key" : "none");
  snprintf(url, sizeof url, "sqlite:%s", bench_path(file));
  ck_store_options options = {.create = true, .key = key};
  must(ck_runtime_open(&out->runtime, url, &options, NULL, &err));
  must(ck_session_start(&out->session, out->runtime, &(ck_session_options){0}, &err));
  must(ck_session_wait(out->session, bench_step(out->session, 0).ticket, &err));
  must(ck_session_flush(out->session, CK_DURABLE_POWER, &err));
  must(ck_store_get_head(&head, out->runtime->store, ck_session_id(out->session), &err));
  out->lease = out->session->lease;
  out->seq = head.last_seq;
  out->parent = head.checkpoint.seq;
  ck_head_clear(&head);
}

static void close_side(side *self) {
  ck_session_close(self->session);
  ck_runtime_close(self->runtime);
}

static void commit(side *self, ck_value *value, ck_value *info, unsigned number) {
  char key[] = "memory.value", scope[] = "main";
  ck_change change = {.key = key, .value = value};
  ck_event reached = {.seq = ++self->seq,
                      .timeline = 1,
                      .kind = CK_EVENT_BOUNDARY,
                      .at_ms = 1,
                      .scope = scope,
                      .body = info};
  ck_event *events[] = {&reached};
  ck_checkpoint checkpoint = {.seq = self->seq,
                              .parent = self->parent,
                              .kind = CK_BOUNDARY_TOOL_ROUND,
                              .created_ms = 1,
                              .resumable = true,
                              .info = info,
                              .changes = &change,
                              .change_count = 1};
  ck_batch batch = {.lease = self->lease,
                    .events = events,
                    .event_count = 1,
                    .checkpoint = &checkpoint,
                    .durability = CK_DURABLE_POWER};
  snprintf(checkpoint.id, sizeof checkpoint.id, "checkpoint_%u", number);
  must(ck_store_commit(self->runtime->store, &batch, 1, &err));
  if (batch.status != CK_OK) bench_die("store: %s", ck_status_text(batch.status));
  self->parent = self->seq;
}

static void measure(side sides[SIDES], size_t bytes) {
  ck_value *values[VALUES], *info;
  for (unsigned i = 0; i < VALUES; i++) values[i] = bench_prose(bytes, i);
  must(ck_value_new(&info, ck_bytes_text("{\"description\":\"a turn completed\"}"), &err));
  for (unsigned i = 0; i < WARM + ROUNDS; i++)
    for (int s = 0; s < SIDES; s++) {
      double wall = bench_now_us(), cpu = cpu_now_us();
      commit(&sides[s], values[i % VALUES], info, i);
      if (i < WARM) continue;
      sides[s].wall_us[i - WARM] = bench_now_us() - wall;
      sides[s].cpu_us[i - WARM] = cpu_now_us() - cpu;
    }
  for (unsigned i = 0; i < VALUES; i++) ck_value_free(values[i]);
  ck_value_free(info);
}

/* By `share`: as a part of the whole commit, its sync included; else as processor time above it. */
static void add_size(const char *label, size_t bytes, bool share) {
  static side sides[SIDES];
  ck_key *key;
  memset(sides, 0, sizeof sides);
  must(ck_key_new(&key, "bench", &err));
  open_side(&sides[0], NULL, label);
  open_side(&sides[1], key, label);
  measure(sides, bytes);
  figure wall = {.value = bench_percentile(sides[1].wall_us, ROUNDS, 50),
                 .floor = bench_percentile(sides[0].wall_us, ROUNDS, 50),
                 .unit = "us",
                 .target = 1.2,
                 .compared = share};
  figure cpu = {.value = bench_percentile(sides[1].cpu_us, ROUNDS, 50),
                .floor = bench_percentile(sides[0].cpu_us, ROUNDS, 50),
                .unit = "us",
                .target = 15,
                .above_floor = !share,
                .compared = !share};
  snprintf(wall.name, sizeof wall.name, "durable checkpoint of %s with a key, p50 (floor: without)",
           label);
  snprintf(cpu.name, sizeof cpu.name, "  its processor time, p50");
  bench_add(wall);
  bench_add(cpu);
  close_side(&sides[0]);
  close_side(&sides[1]);
  ck_key_free(key);
}

void bench_sealed(void) {
  add_size("1 KB", 1000, false);
  add_size("100 KB", 100000, true);
}
