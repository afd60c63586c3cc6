/* test_loop.c - the loop makes deferred calls in order, serves descriptors in between, and survives
 * signals. */
#include "core/effect/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/waker.h"
#include "tests/tap.h"

enum { ROUNDS = 1000 };

static ck_loop *loop;
static ck_waker *waker;
static char trace[64];
static int rounds, wakes, caught_number;

static void note(void *to) { strcat(trace, to); }

static void stop(void *none) {
  (void)none;
  ck_loop_stop(loop);
}

static void test_order(void) {
  ck_loop_task tasks[4] = {{0}};
  ck_loop_defer(loop, &tasks[0], note, (char[]){"a"});
  ck_loop_defer(loop, &tasks[1], note, (char[]){"b"});
  ck_loop_defer(loop, &tasks[2], note, (char[]){"c"});
  ck_loop_defer(loop, &tasks[3], stop, NULL);
  tap_is_text(trace, "", "nothing is called from within defer");
  ck_loop_withdraw(&tasks[1]);
  ck_loop_withdraw(&tasks[1]);
  ck_loop_run(loop);
  tap_is_text(trace, "ac", "the rest is called in order, the withdrawn one is not");
  ck_loop_withdraw(&tasks[0]);
}

static void withdraw(void *to) { ck_loop_withdraw(to); }

static void test_withdraw_meanwhile(void) {
  ck_loop_task first = {0}, second = {0}, third = {0};
  trace[0] = '\0';
  ck_loop_defer(loop, &first, withdraw, &second);
  ck_loop_defer(loop, &second, note, (char[]){"x"});
  ck_loop_defer(loop, &third, stop, NULL);
  ck_loop_run(loop);
  tap_is_text(trace, "", "a task may withdraw the one behind it");
}

static void on_wake(void *none) {
  (void)none;
  ck_waker_clear(waker);
  wakes++;
}

/* A chain of tasks that never leaves the loop idle, in memory that is freed by the call itself. */
static void again(void *to) {
  ck_loop_task *next = calloc(1, sizeof *next);
  if (!next) abort();
  rounds++;
  free(to);
  if (rounds <= ROUNDS) {
    ck_loop_defer(loop, next, again, next);
    return;
  }
  free(next);
  ck_loop_stop(loop);
}

static void test_fairness(void) {
  tap_must(ck_waker_open(&waker, NULL) == CK_OK, "there is a waker");
  tap_is_status(ck_loop_watch(loop, ck_waker_fd(waker), on_wake, NULL, NULL), CK_OK, NULL,
                "a waker can be watched");
  ck_loop_task *first = calloc(1, sizeof *first);
  tap_must(first != NULL, "there is memory");
  ck_waker_wake(waker);
  ck_loop_defer(loop, first, again, first);
  ck_loop_run(loop);
  tap_is_int(rounds, ROUNDS + 1, "a chain of tasks does not recurse");
  tap_is_int(wakes, 1, "descriptors are served in between");
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_loop_watch(loop, -1, on_wake, NULL, &err), CK_E_FAILED, &err,
                "a bad descriptor is refused");
}

static void on_signal(void *none, int number) {
  (void)none;
  caught_number = number;
  ck_loop_stop(loop);
}

static void test_signals(void) {
  tap_is_status(ck_loop_on_signal(loop, on_signal, NULL, NULL), CK_OK, NULL,
                "signals can be caught");
  raise(SIGTERM);
  ck_loop_run(loop);
  tap_is_int(caught_number, SIGTERM, "SIGTERM reaches the callback");
  raise(SIGINT);
  ck_loop_run(loop);
  tap_is_int(caught_number, SIGINT, "so does SIGINT");
  tap_is_status(ck_loop_on_signal(loop, on_signal, NULL, NULL), CK_E_USAGE, NULL,
                "a second callback is refused");
  int ends[2];
  tap_must(pipe(ends) == 0, "there is a pipe");
  close(ends[0]);
  tap_ok(write(ends[1], "x", 1) < 0 && errno == EPIPE, "a broken pipe is an error, not the end");
  close(ends[1]);
  raise(SIGXFSZ);
  tap_ok(true, "nor is a file that grew too long");
}

static int beats;
static void on_beat(void *none) {
  (void)none;
  if (++beats == 3) ck_loop_stop(loop);
}

static void test_beats(void) {
  tap_is_status(ck_loop_every(loop, 1, on_beat, NULL, NULL), CK_OK, NULL,
                "a call can be made again and again");
  ck_loop_run(loop);
  tap_is_int(beats, 3, "it is, until the loop is stopped");
}

static void test_forgotten(void) {
  static ck_loop_task waiting;
  trace[0] = '\0';
  ck_loop_defer(loop, &waiting, note, (char[]){"late"});
  ck_loop_free(loop);
  tap_is_text(trace, "", "a loop that is freed calls nothing more");
  ck_waker_close(waker);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  ck_loop_run(loop);
  tap_ok(true, "a loop with nothing to wait for ends");
  test_order();
  test_withdraw_meanwhile();
  test_fairness();
  test_signals();
  test_beats();
  test_forgotten();
  return tap_done();
}
