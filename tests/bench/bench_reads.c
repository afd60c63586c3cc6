/* bench_reads.c - what loading and tails cost in a store of 1,000 checkpoints and 100,000
 * events. */
#include <spawn.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/runtime/session/tail/tail.h"
#include "tests/bench/bench.h"

enum { CHECKPOINTS = 1000, EVENTS = 100, ROUNDS = 21 };

static void append(ck_session *session, unsigned number) {
  char text[160], agent[16];
  ck_error err;
  ck_value *body;
  snprintf(agent, sizeof agent, "agent-%u", number % 8);
  snprintf(text, sizeof text,
           "{\"n\":%u,\"text\":\"agent %u looked at file %u and found nothing to change in it\"}",
           number, number % 8, number / 8);
  if (ck_value_new(&body, ck_bytes_text(text), &err) != CK_OK ||
      ck_session_append(session, CK_EVENT_NOTE, NULL, agent, body, &err) != CK_OK)
    bench_die("%s", err.text);
  ck_value_free(body);
}

static void build(const char *url) {
  ck_runtime *runtime;
  ck_session *session;
  ck_saved saved = {0};
  ck_error err;
  if (ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) != CK_OK ||
      ck_session_start(&session, runtime, &(ck_session_options){.id = "large"}, &err) != CK_OK)
    bench_die("%s", err.text);
  bench_fill_state(session, 1 << 20);
  for (unsigned i = 0; i < CHECKPOINTS; i++) {
    for (unsigned n = 0; n < EVENTS - 2; n++) append(session, i * EVENTS + n);
    saved = bench_step(session, i);
  }
  if (ck_session_wait(session, saved.ticket, &err) != CK_OK) bench_die("%s", err.text);
  ck_session_close(session);
  ck_runtime_close(runtime);
}

/* What any program pays to open this database and read its schema. */
static double bare_open(const char *path) {
  sqlite3 *db;
  double begun = bench_now_us();
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
      sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL) != SQLITE_OK)
    bench_die("bare open of %s", path);
  double took = bench_now_us() - begun;
  sqlite3_close(db);
  return took;
}

static double load_head(const char *url) {
  ck_store *store;
  ck_head head;
  ck_state *state;
  ck_error err;
  double begun = bench_now_us();
  if (ck_store_open(&store, url, &(ck_store_options){0}, &err) != CK_OK ||
      ck_store_get_head(&head, store, "large", &err) != CK_OK ||
      ck_store_get_state(&state, store, head.session.no, head.checkpoint.seq, &err) != CK_OK)
    bench_die("%s", err.text);
  double took = bench_now_us() - begun;
  ck_state_free(state);
  ck_head_clear(&head);
  ck_store_close(store);
  return took;
}

static double open_bare(const char *url) { return bare_open(strchr(url, ':') + 1); }

/* It leaves the store at rest, as it found it: a log that a killed process left would be read
 * again. */
static double resume_and_step(const char *url) {
  ck_runtime *runtime;
  ck_session *session;
  ck_error err;
  double begun = bench_now_us();
  if (ck_runtime_open(&runtime, url, &(ck_store_options){0}, NULL, &err) != CK_OK ||
      ck_session_resume(&session, runtime, "large", &(ck_resume_options){0}, &err) != CK_OK)
    bench_die("%s", err.text);
  ck_saved saved = bench_step(session, 1);
  if (ck_session_wait(session, saved.ticket, &err) != CK_OK) bench_die("%s", err.text);
  double took = bench_now_us() - begun;
  ck_session_close(session);
  ck_runtime_close(runtime);
  return took;
}

static const struct {
  const char *name;
  double (*measure)(const char *url);
} reads[] = {{"bare", open_bare}, {"head", load_head}, {"resume", resume_and_step}};

int bench_read_cold(const char *name, const char *url, int fd) {
  for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
    if (strcmp(name, reads[i].name) != 0) continue;
    double took = reads[i].measure(url);
    return write(fd, &took, sizeof took) == sizeof took ? 0 : 1;
  }
  return 1;
}

/* In a process of its own, which begins as any program does: nothing is cached but what the kernel
 * caches, and it has no memory of this one, which every first write to a page would copy. */
static double cold(const char *url, const char *name) {
  extern char **environ;
  char number[16];
  char *argv[] = {(char *)"bench", (char *)"--cold", (char *)name, (char *)url, number, NULL};
  int fds[2], status;
  double took;
  pid_t child;
  if (pipe(fds) != 0) bench_die("pipe");
  snprintf(number, sizeof number, "%d", fds[1]);
  if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, argv, environ) != 0)
    bench_die("cannot run the measuring process");
  close(fds[1]);
  if (read(fds[0], &took, sizeof took) != sizeof took || waitpid(child, &status, 0) < 0 ||
      status != 0)
    bench_die("a measuring process died");
  close(fds[0]);
  return took;
}

static double median_cold(const char *url, const char *name) {
  double samples[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) samples[i] = cold(url, name);
  return bench_percentile(samples, ROUNDS, 50);
}

/* As whoever asks for a tail does: along the live timeline. */
static double tail_once(ck_store *store, const ck_head *head, const ck_view *view) {
  ck_tail tail;
  ck_error err;
  double begun = bench_now_us();
  if (ck_tail_read(
          &tail, store,
          &(ck_tail_query){.session = head->session.no, .view = view, .agent = "agent-3", .n = 50},
          &err) != CK_OK)
    bench_die("%s", err.text);
  double took = bench_now_us() - begun;
  if (tail.count != 50) bench_die("the tail has %zu events", tail.count);
  ck_tail_clear(&tail);
  return took;
}

static void add_tail(const char *url) {
  double samples[201];
  ck_store *store;
  ck_head head;
  ck_view view;
  ck_error err;
  if (ck_store_open(&store, url, &(ck_store_options){0}, &err) != CK_OK ||
      ck_store_get_head(&head, store, "large", &err) != CK_OK ||
      ck_view_make(&view, head.timelines, head.timeline_count, head.session.timeline, &err) !=
          CK_OK)
    bench_die("%s", err.text);
  for (size_t i = 0; i < 201; i++) samples[i] = tail_once(store, &head, &view);
  bench_add((figure){.name = "tail of 50 events for one of 8 agents out of 100,000, p50",
                     .unit = "ms",
                     .value = bench_percentile(samples, 201, 50) / 1000,
                     .target = 1,
                     .compared = true});
  ck_view_clear(&view);
  ck_head_clear(&head);
  ck_store_close(store);
}

void bench_reads(void) {
  char url[600];
  snprintf(url, sizeof url, "sqlite:%s", bench_path("large.db"));
  build(url);
  double bare = median_cold(url, "bare"), load = median_cold(url, "head");
  bench_add((figure){.name = "load of the head beyond opening SQLite, cold process",
                     .unit = "ms",
                     .value = (load - bare) / 1000,
                     .target = 5,
                     .compared = true});
  bench_add((figure){.name = "  opening SQLite alone", .unit = "ms", .value = bare / 1000});
  add_tail(url);
  bench_add((figure){.name = "open, resume and one durable step, cold process",
                     .unit = "ms",
                     .value = median_cold(url, "resume") / 1000,
                     .target = 12,
                     .compared = true});
}
