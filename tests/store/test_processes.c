/* test_processes.c - several processes on one store: nothing lost, one owner per session, the dead
 * and the fenced harmless. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/fixture.h"
#include "tests/tap.h"
#include "core/store/request.h"
#include "core/store/stats.h"

enum { PROCESSES = 4, COMMITS = 120, RACES = 25, KILLS = 12 };

static char url[400];

static ck_store *open_existing(void) {
  ck_store *store;
  return ck_store_open(&store, url, &(ck_store_options){0}, NULL) == CK_OK ? store : NULL;
}

static void use(const char *name) { snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile(name)); }

/* Parent and children signal each other by bytes in pipes: no clocks. */
static pid_t spawn(int (*body)(int number, int in, int out), int number, int *to, int *from) {
  int down[2], up[2];
  tap_must(pipe(down) == 0 && pipe(up) == 0, "two pipes");
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    close(down[1]);
    close(up[0]);
    _exit(body(number, down[0], up[1]));
  }
  close(down[0]);
  close(up[1]);
  *to = down[1];
  *from = up[0];
  return child;
}

static bool send_byte(int fd, char byte) { return write(fd, &byte, 1) == 1; }
static char get_byte(int fd) {
  char byte = 0;
  return read(fd, &byte, 1) == 1 ? byte : 0;
}

static int reap(pid_t child, int to, int from) {
  int status;
  close(to);
  close(from);
  waitpid(child, &status, 0);
  return status;
}

/* ---- many writers ---- */

static int write_much(int number, int in, int out) {
  char id[32];
  fixture session;
  ck_store *store = open_existing();
  snprintf(id, sizeof id, "writer_%d", number);
  if (!store || fixture_create(&session, store, id, NULL) != CK_OK) return 1;
  if (!send_byte(out, 'r') || get_byte(in) != 'g') return 2;
  for (int i = 0; i < COMMITS; i++) {
    fixture_step step = {
        .text = "t", .key = i % 3 ? NULL : "memory.k", .value = "1", .process = i % 5 == 0};
    if (fixture_commit(&session, &step, NULL) != CK_OK) return 3;
    if (i % 10 == number && ck_store_idle(store, NULL) != CK_OK) return 4;
    if (i % 40 == number && ck_store_recover(store, NULL) != CK_OK) return 5;
  }
  ck_store_close(store);
  return 0;
}

static void test_writers(void) {
  pid_t children[PROCESSES];
  int to[PROCESSES], from[PROCESSES];
  use("writers.db");
  ck_store *store = fixture_open(url);
  for (int i = 0; i < PROCESSES; i++) children[i] = spawn(write_much, i, &to[i], &from[i]);
  for (int i = 0; i < PROCESSES; i++) tap_must(get_byte(from[i]) == 'r', "writer %d is ready", i);
  for (int i = 0; i < PROCESSES; i++) send_byte(to[i], 'g');
  for (int i = 0; i < PROCESSES; i++)
    tap_is_int(reap(children[i], to[i], from[i]), 0,
               "writer %d commits, checkpoints and recovers among the others", i);
  ck_store_stats stats;
  tap_must(ck_store_get_stats(&stats, store, NULL) == CK_OK, "figures");
  tap_is_int(stats.events, PROCESSES * (1 + COMMITS + COMMITS / 3), "nothing of it is lost");
  tap_is_int(stats.checkpoints, PROCESSES * COMMITS / 3, "no checkpoint either");
  tap_is_int(fixture_verify(store), 0, "and verify is clean");
  ck_store_close(store);
}

/* ---- one owner ---- */

static int race(int number, int in, int out) {
  (void)number;
  ck_store *store = open_existing();
  for (int i = 0; i < RACES; i++) {
    fixture session;
    char id[32];
    snprintf(id, sizeof id, "race_%d", i);
    if (!send_byte(out, 'r') || get_byte(in) != 'g') return 2;
    ck_status status = fixture_acquire_at(&session, store, id, 1, NULL);
    char answer = status == CK_OK ? 'w' : status == CK_E_OWNED || status == CK_E_FENCED ? 'l' : '?';
    if (!send_byte(out, answer) || get_byte(in) != 'n') return 3;
    if (status == CK_OK) ck_store_release(store, session.lease);
  }
  ck_store_close(store);
  return 0;
}

static void test_races(void) {
  pid_t children[PROCESSES];
  int to[PROCESSES], from[PROCESSES], unfair = 0, strange = 0;
  use("races.db");
  ck_store *store = fixture_open(url);
  for (int i = 0; i < RACES; i++) {
    fixture session;
    char id[32];
    snprintf(id, sizeof id, "race_%d", i);
    tap_must(fixture_create(&session, store, id, NULL) == CK_OK, "session %s", id);
    ck_store_release(store, session.lease);
  }
  for (int i = 0; i < PROCESSES; i++) children[i] = spawn(race, i, &to[i], &from[i]);
  for (int i = 0; i < RACES; i++) {
    int winners = 0;
    for (int k = 0; k < PROCESSES; k++) tap_must(get_byte(from[k]) == 'r', "racer %d is ready", k);
    for (int k = 0; k < PROCESSES; k++) send_byte(to[k], 'g');
    for (int k = 0; k < PROCESSES; k++) {
      char answer = get_byte(from[k]);
      winners += answer == 'w';
      strange += answer != 'w' && answer != 'l';
    }
    unfair += winners != 1;
    for (int k = 0; k < PROCESSES; k++) send_byte(to[k], 'n');
  }
  for (int i = 0; i < PROCESSES; i++)
    tap_is_int(reap(children[i], to[i], from[i]), 0, "racer %d ends well", i);
  tap_is_int(unfair, 0, "%d processes want a session, %d times: one gets it", PROCESSES, RACES);
  tap_is_int(strange, 0, "the others get CK_E_OWNED or CK_E_FENCED");
  tap_is_int(fixture_verify(store), 0, "verify is clean");
  ck_store_close(store);
}

/* ---- the dead and the fenced ---- */

static int write_until_killed(int number, int in, int out) {
  (void)number, (void)in;
  fixture session;
  ck_store *store = open_existing();
  if (!store || fixture_acquire(&session, store, "killed", NULL) != CK_OK) return 1;
  for (int i = 0;; i++) {
    fixture_step step = {
        .text = "t", .key = i % 2 ? "memory.k" : NULL, .value = "1", .process = i % 3 == 0};
    if (fixture_commit(&session, &step, NULL) != CK_OK || !send_byte(out, (char)session.seq))
      return 2;
  }
}

static void test_kills(void) {
  use("killed.db");
  ck_store *store = fixture_open(url);
  fixture session;
  int lost = 0, owned = 0;
  tap_must(fixture_create(&session, store, "killed", NULL) == CK_OK, "a session");
  ck_store_release(store, session.lease);
  for (int i = 0; i < KILLS; i++) {
    int to, from;
    unsigned char acknowledged = 0;
    pid_t child = spawn(write_until_killed, i, &to, &from);
    for (int k = 0; k < 3 + i; k++) acknowledged = (unsigned char)get_byte(from);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    while (read(from, &acknowledged, 1) == 1)
      continue; /* to the end: event 256 is signalled by a byte of zero */
    close(to);
    close(from);
    owned += ck_store_check_owner(store, "killed", NULL) != CK_OK;
    int64_t events = fixture_count_events(store, session.lease.session);
    lost += !WIFSIGNALED(status) || (unsigned char)(events - acknowledged) > 2;
  }
  tap_is_int(lost, 0, "killed %d times: each acknowledged event is there, each next run goes on",
             KILLS);
  tap_is_int(owned, 0, "and the dead own nothing");
  tap_is_int(fixture_verify(store), 0, "verify is clean");
  ck_store_close(store);
}

static int wait_and_write(int number, int in, int out) {
  (void)number;
  fixture session;
  ck_store *store = open_existing();
  if (!store || fixture_create(&session, store, "zombie", NULL) != CK_OK) return 1;
  if (!send_byte(out, 'r') || get_byte(in) != 'g') return 2;
  ck_status status =
      fixture_commit(&session, &(fixture_step){.text = "t", .key = "memory.k", .value = "1"}, NULL);
  if (status != CK_E_FENCED) return 3;
  ck_request request;
  bool found;
  if (ck_store_get_request(&request, &found, store, session.lease, 0, NULL) != CK_E_FENCED)
    return 4;
  ck_store_release(store, session.lease);
  ck_store_close(store);
  return 0;
}

/* Its lock file is gone, so the session could be taken from a process that still runs: the epoch
 * has to stop it. */
static void test_zombie(void) {
  int to, from;
  use("zombie.db");
  ck_store *store = fixture_open(url);
  pid_t child = spawn(wait_and_write, 0, &to, &from);
  fixture session;
  ck_error err = CK_ERROR_INIT;
  tap_must(get_byte(from) == 'r', "an owner");
  tap_is_status(fixture_acquire(&session, store, "zombie", &err), CK_E_OWNED, &err,
                "a live owner keeps its session");
  tap_must(unlink(tap_tmpfile("zombie.db.sessions/zombie.lock")) == 0, "its lock file is removed");
  tap_is_status(fixture_acquire(&session, store, "zombie", &err), CK_OK, &err,
                "then it can be taken from it");
  send_byte(to, 'g');
  tap_is_int(reap(child, to, from), 0, "and its next commit is fenced, its next request too");
  tap_is_status(ck_store_check_owner(store, "zombie", &err), CK_E_OWNED, &err,
                "its end does not release the new owner");
  tap_is_int(fixture_count_events(store, session.lease.session), 2, "it wrote nothing");
  tap_is_status(fixture_commit(&session, &(fixture_step){.text = "t"}, &err), CK_OK, &err,
                "the new owner goes on");
  ck_store_close(store);
}

/* All at once: only one makes the store, all of them use it. */
static int make_store(int number, int in, int out) {
  fixture session;
  char id[32];
  ck_store *store;
  snprintf(id, sizeof id, "maker_%d", number);
  if (!send_byte(out, 'r') || get_byte(in) != 'g') return 2;
  if (ck_store_open(&store, url, &(ck_store_options){.create = true}, NULL) != CK_OK) return 3;
  if (fixture_create(&session, store, id, NULL) != CK_OK) return 4;
  ck_store_close(store);
  return 0;
}

static void test_makers(void) {
  pid_t children[PROCESSES];
  int to[PROCESSES], from[PROCESSES];
  use("made/by/all.db");
  for (int i = 0; i < PROCESSES; i++) children[i] = spawn(make_store, i, &to[i], &from[i]);
  for (int i = 0; i < PROCESSES; i++) tap_must(get_byte(from[i]) == 'r', "maker %d is ready", i);
  for (int i = 0; i < PROCESSES; i++) send_byte(to[i], 'g');
  for (int i = 0; i < PROCESSES; i++)
    tap_is_int(reap(children[i], to[i], from[i]), 0, "maker %d finds a store", i);
  ck_store *store = fixture_open(url);
  ck_store_stats stats;
  tap_must(ck_store_get_stats(&stats, store, NULL) == CK_OK, "figures");
  tap_is_int(stats.sessions, PROCESSES, "it is the same for all");
  ck_store_close(store);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  test_writers();
  test_races();
  test_kills();
  test_zombie();
  test_makers();
  return tap_done();
}
