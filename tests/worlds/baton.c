/* baton.c - the C library's threads, clocks and sleeps, one after the other. */
#include "tests/worlds/baton.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"
#include "tests/worlds/chance.h"

enum { THREADS_MAX = 32, HELD_MAX = 64, OFFERS_PER_MILLE = 60, START_S = 1700000000 };

typedef struct thread {
  pthread_t id;
  pthread_cond_t turn;
  void *(*run)(void *to);
  void *to;
  bool used, ended;
  const void *waits_for; /* NULL: it can go on */
  int process;
} thread;

static struct {
  thread list[THREADS_MAX];
  int holder;
  struct held {
    const void *mutex;
    int by;
  } held[HELD_MAX];
  int64_t now_us;
  uint64_t switches;
} baton;

static pthread_mutex_t real = PTHREAD_MUTEX_INITIALIZER;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_join(pthread_t, void **);
int __real_pthread_mutex_lock(pthread_mutex_t *);
int __real_pthread_mutex_unlock(pthread_mutex_t *);
int __real_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int __real_pthread_cond_signal(pthread_cond_t *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_join(pthread_t, void **);
int __wrap_pthread_mutex_lock(pthread_mutex_t *);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *);
int __wrap_pthread_cond_wait(pthread_cond_t *, pthread_mutex_t *);
int __wrap_pthread_cond_signal(pthread_cond_t *);
int __wrap_pthread_cond_broadcast(pthread_cond_t *);
int __wrap_nanosleep(const struct timespec *, struct timespec *);
int __wrap_clock_gettime(clockid_t, struct timespec *);

static thread *self(void) { return &baton.list[baton.holder]; }

/* ---- handing over ---- */

static void wait_for_turn(int me) {
  while (baton.holder != me) __real_pthread_cond_wait(&baton.list[me].turn, &real);
}

static void hand_to(int to) {
  int me = baton.holder;
  if (to == me) return;
  __real_pthread_mutex_lock(&real);
  baton.holder = to;
  baton.switches++;
  __real_pthread_cond_signal(&baton.list[to].turn);
  if (!baton.list[me].ended) wait_for_turn(me);
  __real_pthread_mutex_unlock(&real);
}

/* One that can go on, but for the holder; -1: none. */
static int choose_other(void) {
  int able[THREADS_MAX];
  uint32_t count = 0;
  for (int i = 0; i < THREADS_MAX; i++) {
    const thread *at = &baton.list[i];
    if (i != baton.holder && at->used && !at->ended && !at->waits_for) able[count++] = i;
  }
  return count ? able[chance_pick(CHANCE_NEXT, count)] : -1;
}

static void block_on(const void *what) {
  self()->waits_for = what;
  int other = choose_other();
  tap_must(other >= 0, "somebody can go on: every thread waits for another");
  hand_to(other);
}

static void wake(const void *what, bool all) {
  for (int i = 0; i < THREADS_MAX; i++) {
    if (!baton.list[i].used || baton.list[i].waits_for != what) continue;
    baton.list[i].waits_for = NULL;
    if (!all) return;
  }
}

void baton_offer(void) {
  int other = chance_happens(CHANCE_SWITCH, OFFERS_PER_MILLE) ? choose_other() : -1;
  if (other >= 0) hand_to(other);
}

void baton_pass(void) {
  for (int i = 0, other; i < 1000 && (other = choose_other()) >= 0; i++) hand_to(other);
}

void baton_begin(void) {
  for (int i = 1; i < THREADS_MAX; i++)
    tap_must(!baton.list[i].used || baton.list[i].ended, "no thread is left over");
  memset(&baton, 0, sizeof baton);
  baton.list[0] = (thread){.used = true, .turn = PTHREAD_COND_INITIALIZER};
}

int baton_process(void) { return self()->process; }
void baton_set_process(int process) { self()->process = process; }
int64_t baton_now_us(void) { return baton.now_us; }
uint64_t baton_switches(void) { return baton.switches; }

void baton_sleep(int64_t us) {
  baton.now_us += us;
  int other = choose_other();
  if (other >= 0) hand_to(other);
}

/* ---- threads ---- */

static void *begin_thread(void *to) {
  thread *at = to;
  __real_pthread_mutex_lock(&real);
  wait_for_turn((int)(at - baton.list));
  __real_pthread_mutex_unlock(&real);
  at->run(at->to);
  at->ended = true;
  wake(at, true);
  int other = choose_other();
  tap_must(other >= 0, "somebody can go on behind a thread that ended");
  hand_to(other);
  return NULL;
}

int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *how, void *(*run)(void *),
                          void *to) {
  int i = 1;
  while (i < THREADS_MAX && baton.list[i].used) i++;
  tap_must(i < THREADS_MAX, "at most %d threads", THREADS_MAX);
  thread *at = &baton.list[i];
  *at = (thread){.turn = PTHREAD_COND_INITIALIZER,
                 .run = run,
                 .to = to,
                 .used = true,
                 .process = baton_process()};
  int failed = __real_pthread_create(&at->id, how, begin_thread, at);
  *out = at->id;
  return failed;
}

int __wrap_pthread_join(pthread_t id, void **out) {
  thread *at = NULL;
  for (int i = 1; i < THREADS_MAX && !at; i++)
    if (baton.list[i].used && pthread_equal(baton.list[i].id, id)) at = &baton.list[i];
  tap_must(at != NULL, "a thread that is joined was started");
  while (!at->ended) block_on(at);
  int failed = __real_pthread_join(id, out);
  at->used = false;
  return failed;
}

static struct held *find_held(const void *mutex) {
  for (int i = 0; i < HELD_MAX; i++)
    if (baton.held[i].mutex == mutex) return &baton.held[i];
  return NULL;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex) {
  baton_offer();
  while (find_held(mutex)) block_on(mutex);
  struct held *free_place = find_held(NULL);
  tap_must(free_place != NULL, "at most %d mutexes are held", HELD_MAX);
  *free_place = (struct held){mutex, baton.holder};
  return 0;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex) {
  baton_offer();
  return find_held(mutex) ? EBUSY : __wrap_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex) {
  struct held *held = find_held(mutex);
  tap_must(held && held->by == baton.holder, "a mutex is unlocked by its holder");
  held->mutex = NULL;
  wake(mutex, true);
  baton_offer();
  return 0;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
  struct held *held = find_held(mutex);
  tap_must(held && held->by == baton.holder, "who waits for a condition holds its mutex");
  held->mutex = NULL;
  wake(mutex, true);
  block_on(condition);
  return __wrap_pthread_mutex_lock(mutex);
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition) {
  wake(condition, false);
  return 0;
}

int __wrap_pthread_cond_broadcast(pthread_cond_t *condition) {
  wake(condition, true);
  return 0;
}

/* ---- time ---- */

int __wrap_nanosleep(const struct timespec *how_long, struct timespec *rest) {
  (void)rest;
  baton_sleep((int64_t)how_long->tv_sec * 1000000 + how_long->tv_nsec / 1000);
  return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out) {
  int64_t us = ++baton.now_us;
  bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  *out = (struct timespec){.tv_sec = us / 1000000 + (wall ? START_S : 0),
                           .tv_nsec = us % 1000000 * 1000};
  return 0;
}
