/* bench_postgres.c - commits to a PostgreSQL server that makes them durable, against bare inserts
 * of one row over as many connections to the same server, in turns. */
#include <dlfcn.h>
#include <endian.h>
#include <linux/magic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"

enum {
  REPEATS = 7,
  ALONE = 400, /* commits of a repeat over one connection */
  CLIENTS = 16,
  COMMITS = 160, /* of a client in a repeat, one session each */
  GROUP = 8,
  ROUNDS = 40 /* of a client in a repeat, GROUP sessions each */
};

static const char settings[] = "-c fsync=on -c full_page_writes=on -c synchronous_commit=on "
                               "-c shared_buffers=128MB -c max_connections=120";

/* ---- the bare side: a row of 2 KB, in a table without an index ---- */

/* Of libpq, loaded as ckrun itself loads it: X(name, what it returns, arguments). */
/* clang-format off */
#define LIBPQ_TABLE(X)                                                                   \
  X(connectdb, void *, (const char *))                                                   \
  X(exec, void *, (void *, const char *))                                                \
  X(prepare, void *, (void *, const char *, const char *, int, const unsigned *))        \
  X(execPrepared, void *, (void *, const char *, int, const char *const *, const int *,  \
                           const int *, int))                                            \
  X(resultStatus, int, (const void *))                                                   \
  X(errorMessage, char *, (const void *))                                                \
  X(clear, void, (void *))                                                               \
  X(finish, void, (void *))
/* clang-format on */
static struct {
#define X(name, type, arguments) type(*name) arguments;
  LIBPQ_TABLE(X)
#undef X
} pq;
enum { PQ_COMMAND_OK = 1 }; /* PGRES_COMMAND_OK */

static bool load_libpq(void) {
  void *found, *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
#define X(name, type, arguments)                          \
  if (!(found = dlsym(handle, "PQ" #name))) return false; \
  memcpy(&pq.name, &found, sizeof found);
  LIBPQ_TABLE(X)
#undef X
  return true;
}

static void expect_done(void *by, void *result) {
  if (pq.resultStatus(result) != PQ_COMMAND_OK) bench_die("bare: %s", pq.errorMessage(by));
  pq.clear(result);
}

static void *bare_connect(const char *url) {
  void *by = pq.connectdb(url);
  expect_done(by, pq.exec(by, "SET client_min_messages = warning"));
  expect_done(by, pq.exec(by, "CREATE TABLE IF NOT EXISTS bare (number bigint, body bytea)"));
  expect_done(by, pq.prepare(by, "bare", "INSERT INTO bare VALUES ($1, $2)", 0, NULL));
  return by;
}

static void bare_commit(void *by, unsigned number) {
  ck_bytes body = ck_value_bytes(bench_message_body(number));
  uint64_t big_endian = htobe64(number);
  const char *const values[] = {(const char *)&big_endian, body.data};
  const int lengths[] = {sizeof big_endian, (int)body.len}, binary[] = {1, 1};
  expect_done(by, pq.execPrepared(by, "bare", 2, values, lengths, binary, 0));
}

/* ---- ckrun's side ---- */

typedef struct client {
  void *bare;
  ck_store *store;
  fixture sessions[GROUP];
  fixture_batch *made;   /* what it commits in this repeat, of `group` sessions at a time */
  size_t commits, group; /* group 0: bare inserts */
  unsigned number;
} client;
static client clients[CLIENTS];

/* A message of 2 KB, one small change and its checkpoint. */
static void make_batch(fixture_batch *out, fixture *session, unsigned number) {
  ck_error err;
  char value[96];
  snprintf(value, sizeof value, "{\"step\":%u,\"note\":\"the small change of this step\"}", number);
  fixture_batch_init(out, session, &(fixture_step){.text = "", .key = "small", .value = value});
  ck_event message = *out->events[0];
  ck_event_free(out->events[0]);
  message.scope = "main";
  message.body = (ck_value *)bench_message_body(number);
  if (ck_event_new(&out->events[0], &message, &err) != CK_OK) bench_die("%s", err.text);
  session->seq += (int64_t)out->batch.event_count;
  session->parent = session->seq;
}

/* Before the clock starts: what is measured is the commit, not what a session makes of a step. */
static void prepare(client *self, size_t commits, size_t group) {
  self->commits = commits;
  self->group = group;
  if (!group) return;
  self->made = calloc(commits * group, sizeof *self->made);
  if (!self->made) bench_die("no memory");
  for (size_t i = 0; i < commits * group; i++)
    make_batch(&self->made[i], &self->sessions[i % group], self->number++);
}

static void commit(client *self, size_t at) {
  ck_error err;
  ck_batch batches[GROUP];
  if (!self->group) {
    bare_commit(self->bare, self->number++);
    return;
  }
  for (size_t i = 0; i < self->group; i++) batches[i] = self->made[at * self->group + i].batch;
  if (ck_store_commit(self->store, batches, self->group, &err) != CK_OK)
    bench_die("commit: %s", err.text);
  for (size_t i = 0; i < self->group; i++)
    if (batches[i].status != CK_OK) bench_die("commit: %s", ck_status_name(batches[i].status));
}

static void forget(client *self) {
  for (size_t i = 0; i < self->commits * self->group; i++) fixture_batch_clear(&self->made[i]);
  free(self->made);
  self->made = NULL;
}

static void open_client(client *self, const char *server, const char *store) {
  ck_error err;
  self->bare = bare_connect(server);
  if (ck_store_open(&self->store, store, &(ck_store_options){.create = true}, &err) != CK_OK)
    bench_die("%s", err.text);
  for (size_t i = 0; i < GROUP; i++) {
    char id[CK_ID_SIZE];
    ck_id_make_session(id, (int64_t)i);
    if (fixture_create(&self->sessions[i], self->store, id, &err) != CK_OK)
      bench_die("%s", err.text);
  }
}

static void close_client(client *self) {
  for (size_t i = 0; i < GROUP; i++) ck_store_release(self->store, self->sessions[i].lease);
  ck_store_close(self->store);
  pq.finish(self->bare);
}

/* ---- figures ---- */

/* One figure of each repeat. */
typedef struct series {
  double ours[REPEATS], bare[REPEATS];
} series;

static figure sorted(double *samples, const char *unit) {
  figure row = {.unit = unit, .value = bench_percentile(samples, REPEATS, 50)};
  row.min = samples[0], row.max = samples[REPEATS - 1];
  return row;
}

static void add_row(const char *what, const char *which, figure row) {
  snprintf(row.name, sizeof row.name, "PostgreSQL, %s: %s", what, which);
  bench_add(row);
}

/* The ratio is each repeat's own, and held against the target. */
static void add(const char *what, series *of, const char *unit, double target, bool at_least) {
  double ratios[REPEATS];
  for (size_t i = 0; i < REPEATS; i++) ratios[i] = of->ours[i] / of->bare[i];
  figure bare = sorted(of->bare, unit), ours = sorted(of->ours, unit), ratio = sorted(ratios, "x");
  ours.floor = bare.value;
  ratio.target = target, ratio.at_least = at_least, ratio.compared = true;
  add_row(what, "checkpoint (floor: bare)", ours);
  add_row(what, "bare insert", bare);
  add_row(what, "ratio in each repeat", ratio);
}

static void add_cpu(const char *what, const char *where, series *of) {
  figure bare = sorted(of->bare, "us"), ours = sorted(of->ours, "us");
  ours.floor = bare.value;
  add_row(what, where, ours);
}

/* ---- one connection ---- */

static double timed_commit(client *by, size_t at) {
  double begun = bench_now_us();
  commit(by, at);
  return bench_now_us() - begun;
}

/* They alternate, so that both meet the same server and the same disk. */
static void repeat_alone(series *p50, series *p99, double *floor, size_t repeat) {
  static double ours[ALONE], bare[ALONE], disk[ALONE];
  client other = {.bare = clients[0].bare};
  prepare(&clients[0], ALONE, 1);
  for (size_t i = 0; i < ALONE; i++) {
    disk[i] = bench_floor_once();
    bare[i] = timed_commit(&other, i);
    ours[i] = timed_commit(&clients[0], i);
  }
  forget(&clients[0]);
  floor[repeat] = bench_percentile(disk, ALONE, 50);
  p50->ours[repeat] = bench_percentile(ours, ALONE, 50);
  p50->bare[repeat] = bench_percentile(bare, ALONE, 50);
  p99->ours[repeat] = bench_percentile(ours, ALONE, 99);
  p99->bare[repeat] = bench_percentile(bare, ALONE, 99);
}

static void measure_alone(void) {
  static series p50, p99;
  double floor[REPEATS];
  repeat_alone(&p50, &p99, floor, 0); /* warms up, and is written over */
  for (size_t i = 0; i < REPEATS; i++) repeat_alone(&p50, &p99, floor, i);
  add_row("1 connection, p50", "overwrite of 16 KiB, for the disk", sorted(floor, "us"));
  add("1 connection, p50", &p50, "us", 1.5, false);
  add("1 connection, p99", &p99, "us", 1.5, false);
}

/* ---- CPU, as the system counts it; microseconds ---- */

static double client_cpu(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static char server_folder[200];

static FILE *open_proc(const char *format, int pid) {
  char path[64];
  snprintf(path, sizeof path, format, pid, pid);
  return fopen(path, "re");
}

/* Of all its processes but the first. */
static double server_cpu(void) {
  char path[256];
  int first = 0, pid;
  double all = 0, nanoseconds;
  snprintf(path, sizeof path, "%s/data/postmaster.pid", server_folder);
  FILE *file = fopen(path, "re");
  if (!file || fscanf(file, "%d", &first) != 1) bench_die("%s cannot be read", path);
  fclose(file);
  file = open_proc("/proc/%d/task/%d/children", first);
  while (file && fscanf(file, "%d", &pid) == 1) {
    FILE *one = open_proc("/proc/%d/schedstat", pid);
    if (one && fscanf(one, "%lf", &nanoseconds) == 1) all += nanoseconds / 1000;
    if (one) fclose(one);
  }
  if (file) fclose(file);
  return all;
}

/* ---- many connections ---- */

/* Inserts or checkpoints per second, and the CPU of each. */
typedef struct speed {
  double rate, client, server;
} speed;
typedef struct comparison {
  series rate, client, server;
} comparison;

static pthread_barrier_t together;

static void *run_client(void *of) {
  client *self = of;
  pthread_barrier_wait(&together);
  for (size_t i = 0; i < self->commits; i++) commit(self, i);
  return NULL;
}

static speed run_clients(size_t count, size_t commits, size_t group) {
  pthread_t threads[CLIENTS];
  for (size_t i = 0; i < count; i++) prepare(&clients[i], commits, group);
  pthread_barrier_init(&together, NULL, (unsigned)count + 1);
  for (size_t i = 0; i < count; i++)
    if (pthread_create(&threads[i], NULL, run_client, &clients[i]) != 0) bench_die("no thread");
  double here = client_cpu(), there = server_cpu(), begun = bench_now_us();
  pthread_barrier_wait(&together);
  for (size_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
  double took = bench_now_us() - begun, all = (double)(count * commits * (group ? group : 1));
  here = client_cpu() - here, there = server_cpu() - there;
  pthread_barrier_destroy(&together);
  for (size_t i = 0; i < count; i++) forget(&clients[i]);
  return (speed){all / took * 1e6, here / all, there / all};
}

static void compare_once(comparison *out, size_t repeat, size_t count, size_t commits,
                         size_t group) {
  speed bare = run_clients(count, COMMITS, 0), ours = run_clients(count, commits, group);
  out->rate.bare[repeat] = bare.rate, out->rate.ours[repeat] = ours.rate;
  out->client.bare[repeat] = bare.client, out->client.ours[repeat] = ours.client;
  out->server.bare[repeat] = bare.server, out->server.ours[repeat] = ours.server;
}

static void add_parts(const char *what, comparison *of) {
  add_cpu(what, "CPU in the client (floor: bare)", &of->client);
  add_cpu(what, "CPU in the server (floor: bare)", &of->server);
}

static void measure_many(void) {
  static comparison alone, each, grouped;
  compare_once(&grouped, 0, CLIENTS, ROUNDS, GROUP); /* warms up, and is written over */
  for (size_t i = 0; i < REPEATS; i++) {
    compare_once(&alone, i, 1, COMMITS, 1);
    compare_once(&each, i, CLIENTS, COMMITS, 1);
    compare_once(&grouped, i, CLIENTS, ROUNDS, GROUP);
  }
  add_parts("1 connection", &alone);
  add("16 connections, a session a commit", &each.rate, "1/s", 0.6, true);
  add_parts("16 connections, a session a commit", &each);
  add("16 connections, 8 sessions a commit", &grouped.rate, "1/s", 1.2, true);
  add_parts("16 connections, 8 sessions a commit", &grouped);
}

/* NULL: both sides can be measured there. */
static const char *why_not(const char *server, const char *store) {
  static ck_error err;
  struct statfs info;
  ck_store *made;
  if (sscanf(server, "postgres:///postgres?host=%199[^&]", server_folder) != 1 ||
      statfs(server_folder, &info) != 0)
    return "its folder cannot be seen";
  if (info.f_type == TMPFS_MAGIC) return "its folder in /tmp is no disk";
  if (ck_store_open(&made, store, &(ck_store_options){.create = true}, &err) != CK_OK)
    return err.text;
  ck_store_close(made);
  return load_libpq() ? NULL : "libpq.so.5 lacks a function";
}

static void measure(const char *server, const char *store) {
  double load = 0;
  getloadavg(&load, 1);
  bench_add((figure){.name = "PostgreSQL: load of the machine before", .value = load, .unit = ""});
  for (size_t i = 0; i < CLIENTS; i++) open_client(&clients[i], server, store);
  sync(); /* the server's files are new */
  measure_alone();
  measure_many();
  for (size_t i = 0; i < CLIENTS; i++) close_client(&clients[i]);
}

void bench_postgres(void) {
  const char *why;
  char store[500];
  setenv("POSTGRES_SETTINGS", settings, 1);
  const char *server = postgres_server_url(&why);
  unsetenv("POSTGRES_SETTINGS");
  if (server) {
    snprintf(store, sizeof store, "%s&schema=bench", server);
    why = why_not(server, store);
  }
  if (why)
    printf("PostgreSQL: skipped: %s\n", why);
  else
    measure(server, store);
  if (server) postgres_server_stop();
}
