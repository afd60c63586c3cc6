/* child.c - spawns a child through libuv, reads its output, and ends it. */
#include "core/effect/process/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "core/effect/process/child_spawn.h"
#include "core/effect/process/ending.h"
#include "core/effect/process/sweep.h"

enum { PIPE_COUNT = CK_CHILD_PIPES, HANDLE_COUNT = PIPE_COUNT + 2, CHUNK_SIZE = 1 << 14 };
enum { SIGNAL_TICK_MS = 10 };
enum { SIGNALLED = 128 }; /* from here on an exit status stands for a signal, as in shells */
enum {
  DEATH_MS = 5000
}; /* a killed process that is not gone by then hangs in the kernel: it is not awaited */

/* The signals sent so far. */
typedef enum { UNTOUCHED, TERMINATED, SHOT } killing;

struct ck_child {
  uv_process_t process;
  uv_timer_t timer; /* one use at a time: the deadline, the next signal, the grace after the exit */
  uv_pipe_t pipes[PIPE_COUNT];
  uv_write_t write;
  bool open[PIPE_COUNT]; /* outputs: not at their end; input: not yet written */
  bool exited, finishing, dropped;
  int64_t wonders_ms; /* it died of a signal that may have been meant for this process, too, which
                         is awaited for so long; 0: not, or not any more */
  bool looked;        /* the timer fired, and the loop has polled the pipes once since then */
  killing killed;
  int handles; /* not closed yet */
  ck_child_end end;
  ck_buffer input, output, error;
  size_t output_max, error_max;
  const ck_loop *loop;
  int64_t grace_ms, kill_ms, signal_ms;
  size_t queued; /* bytes that wait for standard input */
  uv_shutdown_t shutdown;
  bool talks, closing_input;
  bool (*take)(void *to, int fd, ck_bytes chunk);
  void (*ended)(void *to, const ck_child_end *end);
  void *to;
  char chunk[CHUNK_SIZE];
};

static void on_timer(uv_timer_t *timer);

static void start_timer(ck_child *self, int64_t ms) {
  uv_update_time(self->timer.loop);
  self->looked = false;
  uv_timer_start(&self->timer, on_timer, (uint64_t)ms, 0);
}

static void free_child(ck_child *self) {
  ck_buffer_clear(&self->input);
  ck_buffer_clear(&self->output);
  ck_buffer_clear(&self->error);
  free(self);
}

static void on_closed(uv_handle_t *handle) {
  ck_child *self = handle->data;
  if (--self->handles) return;
  self->end.output = ck_buffer_bytes(&self->output);
  self->end.error = ck_buffer_bytes(&self->error);
  ck_sweep_collect(handle->loop);
  if (!self->dropped) self->ended(self->to, &self->end);
  free_child(self);
}

/* The process group bears the child's pid; it can outlive the child. */
static void kill_group(ck_child *self, int signal_number) {
  if (self->process.pid > 0) kill(-self->process.pid, signal_number);
}

/* What a person or a service manager sends to all processes at once is no failure of this one. */
static void judge_signal(ck_child *self) {
  if (self->end.ending != CK_CHILD_KILLED || !ck_loop_was_given(self->loop, self->end.code)) return;
  self->end.ending = CK_CHILD_CANCELLED;
  self->end.code = -1;
}

static void finish(ck_child *self) {
  if (self->finishing) return;
  self->finishing = true;
  judge_signal(self);
  kill_group(self, SIGKILL);
  uv_handle_t *handles[HANDLE_COUNT] = {(uv_handle_t *)&self->process, (uv_handle_t *)&self->timer};
  for (int i = 0; i < PIPE_COUNT; i++) handles[2 + i] = (uv_handle_t *)&self->pipes[i];
  for (int i = 0; i < HANDLE_COUNT; i++) {
    if (!uv_is_closing(handles[i])) uv_close(handles[i], on_closed);
  }
}

/* A child that gets SIGTERM may report its outcome first. */
static bool is_heard(const ck_child *self) {
  return self->killed == UNTOUCHED || (self->killed == TERMINATED && !self->talks);
}

/* The rest in the pipes is read first; for others that hold them open the wait is bounded. */
static void finish_when_drained(ck_child *self) {
  bool drained = !self->open[STDOUT_FILENO] && !self->open[STDERR_FILENO];
  if (self->wonders_ms > 0) return;
  if (self->exited && (drained || !is_heard(self))) finish(self);
}

/* Until the process's own signal has come, or no time is left for it. */
static void wonder(ck_child *self) {
  if (self->wonders_ms > 0 && ck_loop_was_given(self->loop, self->end.code)) self->wonders_ms = 0;
  start_timer(self, self->wonders_ms > 0 ? SIGNAL_TICK_MS : self->grace_ms);
  finish_when_drained(self);
}

static void on_exit_of(uv_process_t *process, int64_t code, int signal_number) {
  ck_child *self = process->data;
  self->exited = true;
  if (self->killed == UNTOUCHED) {
    self->end.ending = signal_number ? CK_CHILD_KILLED : CK_CHILD_EXITED;
    self->end.code = signal_number ? signal_number : (int)code;
  } else if (self->killed == TERMINATED && !signal_number && code < SIGNALLED &&
             ck_ending_status_tells((int)code)) {
    self->end.code = (int)code;
  }
  bool for_all = signal_number == SIGHUP || signal_number == SIGINT || signal_number == SIGTERM;
  self->wonders_ms = for_all && self->killed == UNTOUCHED ? self->signal_ms : 0;
  wonder(self);
}

/* The first reason counts. */
static void end_it(ck_child *self, ck_child_ending why, int signal_number) {
  if (self->killed == UNTOUCHED) self->end.ending = why;
  self->end.code = -1;
  self->killed = signal_number == SIGKILL ? SHOT : TERMINATED;
  kill_group(self, signal_number);
  if (self->exited)
    finish(self);
  else
    start_timer(self, self->killed == SHOT && self->kill_ms < DEATH_MS ? DEATH_MS : self->kill_ms);
}

/* When this process was held up, the timer fires before the loop has read the child's output or
 * seen its end: the loop polls once more before anything is given up. (A timer of 0 would fire
 * again without a poll.) */
static void on_timer(uv_timer_t *timer) {
  ck_child *self = timer->data;
  if (!self->looked) {
    start_timer(self, 1);
    self->looked = true;
  } else if (self->wonders_ms > 0) {
    self->wonders_ms -= SIGNAL_TICK_MS;
    wonder(self);
  } else if (self->exited || self->killed == SHOT) {
    finish(self);
  } else if (self->killed == TERMINATED) {
    end_it(self, CK_CHILD_CANCELLED, SIGKILL);
  } else {
    end_it(self, CK_CHILD_LATE, SIGTERM);
  }
}

static void on_room_wanted(uv_handle_t *handle, size_t suggested, uv_buf_t *out) {
  (void)suggested;
  ck_child *self = handle->data;
  *out = uv_buf_init(self->chunk, sizeof self->chunk);
}

/* Drops half of the kept bytes at a time, so that no byte is moved often. */
static void keep_tail(ck_child *self, const char *data, size_t len) {
  ck_buffer_append(&self->error, data, len);
  if (self->error.failed || self->error.len < 2 * self->error_max + CHUNK_SIZE) return;
  memmove(self->error.data, self->error.data + self->error.len - self->error_max, self->error_max);
  self->error.len = self->error_max;
  self->error.data[self->error.len] = '\0';
}

static void keep_output(ck_child *self, const char *data, size_t len) {
  if (len > self->output_max - self->output.len) {
    end_it(self, CK_CHILD_FLOODED, SIGKILL);
    return;
  }
  ck_buffer_append(&self->output, data, len);
  if (self->output.failed) end_it(self, CK_CHILD_NO_MEMORY, SIGKILL);
}

static void keep(ck_child *self, int which, const char *data, size_t len) {
  if (self->take) {
    bool room = !is_heard(self) || self->take(self->to, which, (ck_bytes){data, len});
    if (!room) end_it(self, CK_CHILD_FLOODED, SIGKILL);
  } else if (which == STDERR_FILENO) {
    keep_tail(self, data, len);
  } else if (is_heard(self)) {
    keep_output(self, data, len);
  }
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *chunk) {
  ck_child *self = stream->data;
  int which = stream == (uv_stream_t *)&self->pipes[STDOUT_FILENO] ? STDOUT_FILENO : STDERR_FILENO;
  if (len == 0) return; /* no bytes for now; passing them on would mean the output's end */
  if (len < 0) {
    self->open[which] = false;
    uv_read_stop(stream);
    if (self->talks) keep(self, which, NULL, 0);
    finish_when_drained(self);
  } else {
    keep(self, which, chunk->base, (size_t)len);
  }
}

/* The child must see the end of its input; a broken pipe is its own affair. */
static void on_written(uv_write_t *write, int failed) {
  (void)failed;
  ck_child *self = write->handle->data;
  if (!uv_is_closing((uv_handle_t *)write->handle))
    uv_close((uv_handle_t *)&self->pipes[STDIN_FILENO], on_closed);
}

static void write_input(ck_child *self) {
  if (self->talks) return;
  uv_buf_t bytes = uv_buf_init(self->input.data, (unsigned)self->input.len);
  uv_stream_t *to = (uv_stream_t *)&self->pipes[STDIN_FILENO];
  if (!self->input.len || uv_write(&self->write, to, &bytes, 1, on_written))
    uv_close((uv_handle_t *)to, on_closed);
}

/* ---- continued input ---- */

typedef struct piece {
  uv_write_t write;
  ck_child *child;
  size_t len;
  char data[];
} piece;

static void on_piece_written(uv_write_t *write, int failed) {
  (void)failed;
  piece *it = (piece *)write;
  it->child->queued -= it->len;
  free(it);
}

ck_status ck_child_write(ck_child *self, ck_bytes bytes, size_t most, ck_error *err) {
  uv_stream_t *to = (uv_stream_t *)&self->pipes[STDIN_FILENO];
  if (self->exited || self->closing_input || uv_is_closing((uv_handle_t *)to)) {
    return ck_error_set(err, CK_E_UNAVAILABLE, "its standard input is closed");
  }
  if (bytes.len > most - (self->queued < most ? self->queued : most)) {
    return ck_error_set(err, CK_E_OVERSIZE, "it does not read its standard input: %zu bytes wait",
                        self->queued);
  }
  piece *it = malloc(sizeof *it + bytes.len);
  if (!it) return ck_error_no_memory(err);
  it->child = self;
  it->len = bytes.len;
  memcpy(it->data, bytes.data, bytes.len);
  uv_buf_t buffer = uv_buf_init(it->data, (unsigned)bytes.len);
  int failed = uv_write(&it->write, to, &buffer, 1, on_piece_written);
  if (failed) {
    free(it);
    return ck_error_set(err, CK_E_UNAVAILABLE, "cannot write to it: %s", uv_strerror(failed));
  }
  self->queued += bytes.len;
  return CK_OK;
}

static void on_input_drained(uv_shutdown_t *shutdown, int failed) {
  (void)failed;
  if (!uv_is_closing((uv_handle_t *)shutdown->handle))
    uv_close((uv_handle_t *)shutdown->handle, on_closed);
}

void ck_child_close_input(ck_child *self) {
  uv_stream_t *input = (uv_stream_t *)&self->pipes[STDIN_FILENO];
  if (self->closing_input || self->finishing || uv_is_closing((uv_handle_t *)input)) return;
  self->closing_input = true;
  if (uv_shutdown(&self->shutdown, input, on_input_drained))
    uv_close((uv_handle_t *)input, on_closed);
  if (!self->exited && self->killed == UNTOUCHED) start_timer(self, self->kill_ms);
}

/* From here on every handle exists and must be closed by the loop. */
static int attach(ck_child *self, uv_loop_t *loop, int ours[PIPE_COUNT]) {
  int failed = 0;
  self->handles = HANDLE_COUNT;
  uv_timer_init(loop, &self->timer);
  self->process.data = self->timer.data = self;
  for (int i = 0; i < PIPE_COUNT; i++) {
    uv_pipe_init(loop, &self->pipes[i], 0);
    self->pipes[i].data = self;
    int refused = uv_pipe_open(&self->pipes[i], ours[i]);
    if (refused) close(ours[i]);
    if (refused) failed = refused;
  }
  return failed;
}

static void begin(ck_child *self, int64_t deadline_ms) {
  for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++) {
    self->open[i] = uv_read_start((uv_stream_t *)&self->pipes[i], on_room_wanted, on_read) == 0;
  }
  write_input(self);
  if (!deadline_ms) return;
  int64_t left_ms = deadline_ms - (int64_t)(uv_hrtime() / 1000000);
  start_timer(self, left_ms > 0 ? left_ms : 0);
}

static void launch(ck_child *self, const ck_child_options *options, int ours[PIPE_COUNT],
                   int its[PIPE_COUNT]) {
  uv_loop_t *loop = ck_loop_uv(options->loop);
  int refused = ck_child_spawn(&self->process, options, its, on_exit_of);
  for (int i = 0; i < PIPE_COUNT; i++) close(its[i]);
  int failed = attach(self, loop, ours);
  if (!refused && !failed) {
    begin(self, options->deadline_ms);
    return;
  }
  self->end.ending = CK_CHILD_UNSTARTED;
  self->end.code = refused ? -refused : -failed;
  finish(self);
}

int64_t ck_child_deadline(int64_t deadline_ms, int64_t timeout_ms) {
  if (timeout_ms == 0) return deadline_ms;
  int64_t own = (int64_t)(uv_hrtime() / 1000000) + timeout_ms;
  return deadline_ms && deadline_ms < own ? deadline_ms : own;
}

ck_status ck_child_start(ck_child **out, const ck_child_options *options, ck_error *err) {
  int ours[PIPE_COUNT], its[PIPE_COUNT];
  *out = NULL;
  ck_child *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->output_max = options->output_max;
  self->error_max = options->error_max;
  self->loop = options->loop;
  self->grace_ms = options->grace_ms;
  self->signal_ms = options->signal_ms ? options->signal_ms : CK_CHILD_SIGNAL_MS;
  self->kill_ms = options->kill_ms;
  self->talks = options->talks;
  self->take = options->take;
  self->ended = options->ended;
  self->to = options->to;
  ck_buffer_append_bytes(&self->input, options->input);
  ck_status status = ck_buffer_check(&self->input, err);
  if (!status) status = ck_child_open_pipes(ours, its, err);
  if (status) {
    free_child(self);
    return status;
  }
  launch(self, options, ours, its);
  *out = self;
  return CK_OK;
}

void ck_child_cancel(ck_child *self) {
  if (!self->exited && !self->finishing && self->killed == UNTOUCHED)
    end_it(self, CK_CHILD_CANCELLED, SIGTERM);
}

static bool wait_for(ck_child *self, int64_t ms) {
  int fd = (int)syscall(SYS_pidfd_open, self->process.pid, 0);
  if (fd < 0) return false;
  struct pollfd it = {.fd = fd, .events = POLLIN};
  bool ended = poll(&it, 1, (int)ms) > 0;
  close(fd);
  return ended;
}

void ck_child_dismiss(ck_child *self, int64_t patience_ms) {
  uv_handle_t *input = (uv_handle_t *)&self->pipes[STDIN_FILENO];
  bool alive = !self->exited && !self->finishing && self->killed != SHOT;
  if (alive && !uv_is_closing(input)) uv_close(input, on_closed);
  if (alive && !wait_for(self, patience_ms / 2)) {
    kill_group(self, SIGTERM);
    wait_for(self, patience_ms / 2);
  }
  ck_child_drop(self);
}

/* Without a running loop nobody else would collect the process: a zombie would stay. */
void ck_child_drop(ck_child *self) {
  self->dropped = true;
  if (self->finishing) return;
  kill_group(self, SIGKILL);
  bool mortal = !self->exited && kill(self->process.pid, SIGKILL) == 0;
  while (mortal && waitpid(self->process.pid, NULL, 0) < 0 && errno == EINTR) continue;
  finish(self);
}
