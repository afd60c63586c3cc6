/* loop.c - a thin layer over libuv. */
#include "core/effect/loop.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

#include "core/base/shortage.h"

typedef struct watch {
  uv_poll_t poll;
  void (*readable)(void *to);
  void *to;
} watch;

typedef struct beat {
  uv_timer_t timer;
  void (*due)(void *to);
  void *to;
} beat;

enum { SIGNAL_COUNT = 3 };

struct ck_loop {
  uv_loop_t uv;
  uv_idle_t idle; /* active while tasks wait: an active idle handle keeps the loop from sleeping */
  ck_loop_task waiting; /* the ring's end */
  uv_signal_t signals[SIGNAL_COUNT];
  void (*caught)(void *to, int signal_number);
  void *to;
  uint64_t given; /* bit 1 << number: a signal that was caught */
};

static void ring_init(ck_loop_task *ring) { ring->next = ring->previous = ring; }

static void ring_push(ck_loop_task *ring, ck_loop_task *task) {
  task->next = ring;
  task->previous = ring->previous;
  task->previous->next = task;
  ring->previous = task;
}

static bool ring_is_empty(const ck_loop_task *ring) { return ring->next == ring; }

void ck_loop_withdraw(ck_loop_task *task) {
  if (!task->next) return;
  task->previous->next = task->next;
  task->next->previous = task->previous;
  task->next = task->previous = NULL;
}

/* A task may withdraw others, queue itself again, or free the memory it lives in. */
static void run_tasks(uv_idle_t *idle) {
  ck_loop *self = idle->data;
  ck_loop_task due;
  ring_init(&due);
  while (!ring_is_empty(&self->waiting)) {
    ck_loop_task *task = self->waiting.next;
    ck_loop_withdraw(task);
    ring_push(&due, task);
  }
  while (!ring_is_empty(&due)) {
    ck_loop_task *task = due.next;
    ck_loop_withdraw(task);
    task->call(task->to);
  }
  if (ring_is_empty(&self->waiting)) uv_idle_stop(idle);
}

void ck_loop_defer(ck_loop *self, ck_loop_task *task, void (*call)(void *to), void *to) {
  ck_loop_withdraw(task);
  task->call = call;
  task->to = to;
  ring_push(&self->waiting, task);
  uv_idle_start(&self->idle, run_tasks);
}

static void ignore_signals(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN};
  sigaction(SIGPIPE, &ignore, NULL);
  sigaction(SIGXFSZ, &ignore, NULL);
}

/* libuv aborts the process when it has none left for a pipe of its own. */
enum { LOOP_DESCRIPTORS = 8 };

static int count_free_descriptors(void) {
  int fds[LOOP_DESCRIPTORS], count = 0;
  while (count < LOOP_DESCRIPTORS && (fds[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
    count++;
  for (int i = 0; i < count; i++) close(fds[i]);
  return count;
}

ck_status ck_loop_new(ck_loop **out, ck_error *err) {
  *out = NULL;
  ck_loop *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  int failed = count_free_descriptors() < LOOP_DESCRIPTORS ? UV_EMFILE : uv_loop_init(&self->uv);
  if (failed) {
    free(self);
    const char *shortage = ck_shortage_text(-failed);
    /* CK_E_IO: no session was begun, and none is paused by this */
    return ck_error_set(err, shortage ? CK_E_IO : CK_E_FAILED, "cannot open an event loop: %s",
                        shortage ? shortage : uv_strerror(failed));
  }
  ignore_signals();
  uv_idle_init(&self->uv, &self->idle);
  self->idle.data = self;
  ring_init(&self->waiting);
  *out = self;
  return CK_OK;
}

static void free_data(uv_handle_t *handle) { free(handle->data); }

static void on_beat(uv_timer_t *timer) {
  beat *it = timer->data;
  it->due(it->to);
}

/* Identifies the timers of the loop itself, which are freed with it. */
static bool is_owned(const uv_handle_t *handle) {
  return handle->type == UV_POLL ||
         (handle->type == UV_TIMER && ((const uv_timer_t *)handle)->timer_cb == on_beat);
}

/* Handles that a driver left open are closed too: the driver owns their memory, but closing must
 * not hang here. */
static void close_handle(uv_handle_t *handle, void *none) {
  (void)none;
  if (uv_is_closing(handle)) return;
  uv_close(handle, is_owned(handle) ? free_data : NULL);
}

void ck_loop_free(ck_loop *self) {
  if (!self) return;
  while (!ring_is_empty(&self->waiting)) ck_loop_withdraw(self->waiting.next);
  uv_walk(&self->uv, close_handle, NULL);
  while (uv_loop_close(&self->uv) == UV_EBUSY) uv_run(&self->uv, UV_RUN_DEFAULT);
  free(self);
}

void ck_loop_run(ck_loop *self) { uv_run(&self->uv, UV_RUN_DEFAULT); }

void ck_loop_stop(ck_loop *self) { uv_stop(&self->uv); }

/* An error of the poll itself is found by the read that the callback makes. */
static void on_readable(uv_poll_t *poll, int failed, int events) {
  (void)failed;
  (void)events;
  watch *it = poll->data;
  it->readable(it->to);
}

ck_status ck_loop_watch(ck_loop *self, int fd, void (*readable)(void *to), void *to,
                        ck_error *err) {
  watch *it = calloc(1, sizeof *it);
  if (!it) return ck_error_no_memory(err);
  *it = (watch){.readable = readable, .to = to};
  int failed = uv_poll_init(&self->uv, &it->poll, fd);
  if (failed) {
    free(it);
    return ck_error_set(err, CK_E_FAILED, "cannot watch descriptor %d: %s", fd,
                        uv_strerror(failed));
  }
  it->poll.data = it;
  failed = uv_poll_start(&it->poll, UV_READABLE, on_readable);
  if (!failed) return CK_OK;
  uv_close((uv_handle_t *)&it->poll, free_data);
  return ck_error_set(err, CK_E_FAILED, "cannot watch descriptor %d: %s", fd, uv_strerror(failed));
}

static void on_signal(uv_signal_t *handle, int signal_number) {
  ck_loop *self = handle->data;
  self->given |= 1ull << signal_number;
  self->caught(self->to, signal_number);
}

bool ck_loop_was_given(const ck_loop *self, int signal_number) {
  return signal_number > 0 && signal_number < 64 && (self->given >> signal_number & 1) != 0;
}

ck_status ck_loop_on_signal(ck_loop *self, void (*caught)(void *to, int signal_number), void *to,
                            ck_error *err) {
  static const int numbers[SIGNAL_COUNT] = {SIGINT, SIGTERM, SIGHUP};
  if (self->caught) return ck_error_set(err, CK_E_USAGE, "the loop's signals are taken");
  self->caught = caught;
  self->to = to;
  for (int i = 0; i < SIGNAL_COUNT; i++) {
    int failed = uv_signal_init(&self->uv, &self->signals[i]);
    if (!failed) failed = uv_signal_start(&self->signals[i], on_signal, numbers[i]);
    if (failed)
      return ck_error_set(err, CK_E_FAILED, "cannot catch signal %d: %s", numbers[i],
                          uv_strerror(failed));
    self->signals[i].data = self;
    uv_unref((uv_handle_t *)&self->signals[i]);
  }
  return CK_OK;
}

ck_status ck_loop_every(ck_loop *self, int64_t ms, void (*due)(void *to), void *to, ck_error *err) {
  beat *it = calloc(1, sizeof *it);
  if (!it) return ck_error_no_memory(err);
  *it = (beat){.due = due, .to = to};
  uv_timer_init(&self->uv, &it->timer);
  it->timer.data = it;
  uv_timer_start(&it->timer, on_beat, (uint64_t)ms, (uint64_t)ms);
  uv_unref((uv_handle_t *)&it->timer);
  return CK_OK;
}

struct uv_loop_s *ck_loop_uv(ck_loop *self) {
  return &self->uv;
}
