/* pool.c - processes that answer, and one thread that starts them: a child ends with the thread
 * that started it. */
#include "core/host/mcp/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/id.h"
#include "core/effect/jsonrpc/jsonrpc.h"
#include "core/host/session/handover.h"

enum { CHUNK = 1 << 16 };

typedef enum { NONE, IDLE, BUSY } state;

typedef struct worker {
  state state;
  pid_t pid;
  int to, from; /* its standard input and output; -1: closed */
} worker;

/* A request that has no answer yet. */
typedef struct flight {
  const ck_mcp_caller *caller;
  int wake; /* an eventfd: it is taken back */
  bool taken_back;
  struct flight *next;
} flight;

struct ck_mcp_pool {
  const char *const *argv;
  pthread_t keeper;
  pthread_mutex_t lock;
  pthread_cond_t changed; /* anything of these */
  worker workers[CK_MCP_CALLS_MAX];
  flight *flights;
  size_t waiting;    /* calls that have no process yet */
  uint64_t failures; /* of starts */
  ck_error failure;  /* the last */
  bool ending;
};

/* ---- a process ---- */

static void close_one(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static ck_status start(worker *out, const char *const *argv, ck_error *err) {
  int in[2] = {-1, -1}, from[2] = {-1, -1};
  *out = (worker){.to = -1, .from = -1};
  ck_status status = CK_OK;
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
    status = ck_error_set(err, CK_E_UNAVAILABLE, "pipe: %s", strerror(errno));
  if (status == CK_OK)
    status = ck_handover_start(&out->pid, (char *const *)argv, (ck_bytes){0},
                               (ck_handover_streams){in[0], from[1], STDERR_FILENO}, err);
  close_one(&in[0]);
  close_one(&from[1]);
  if (status != CK_OK) close_one(&in[1]), close_one(&from[0]);
  out->to = in[1];
  out->from = from[0];
  return status;
}

/* It ends with its input, and the sessions that it resumed are paused before. */
static void finish(worker *self) {
  close_one(&self->to);
  close_one(&self->from);
  while (self->pid && waitpid(self->pid, NULL, 0) < 0 && errno == EINTR) continue;
  *self = (worker){.to = -1, .from = -1};
}

static bool write_all(int fd, ck_bytes text) {
  while (text.len) {
    ssize_t len = write(fd, text.data, text.len);
    if (len < 0 && errno == EINTR) continue;
    if (len <= 0) return false;
    text = (ck_bytes){text.data + len, text.len - (size_t)len};
  }
  return true;
}

/* Line breaks between the tokens of JSON are mere space, and strings contain none. */
static bool write_line(const worker *self, ck_bytes line, ck_error *err) {
  ck_buffer text = {0};
  ck_buffer_append_bytes(&text, line);
  for (size_t i = 0; !text.failed && i < text.len; i++)
    if (text.data[i] == '\n' || text.data[i] == '\r') text.data[i] = ' ';
  ck_buffer_append_char(&text, '\n');
  bool written =
      ck_buffer_check(&text, err) == CK_OK && write_all(self->to, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
  return written;
}

static bool read_line(ck_buffer *out, const worker *self) {
  for (;;) {
    char *room = ck_buffer_extend(out, CHUNK);
    if (!room) return false;
    ssize_t len = read(self->from, room, CHUNK);
    out->len -= (size_t)(CHUNK - (len > 0 ? len : 0));
    if (len > 0 && out->data[out->len - 1] == '\n') return true;
    if (len == 0 || (len < 0 && errno != EINTR)) return false;
  }
}

/* ---- the keeper ---- */

static worker *find(ck_mcp_pool *self, state wanted) {
  for (worker *it = self->workers; it < self->workers + CK_MCP_CALLS_MAX; it++)
    if (it->state == wanted) return it;
  return NULL;
}

/* Behind the lock, but for the start itself. */
static void add_worker(ck_mcp_pool *self, worker *place) {
  worker made;
  ck_error err = CK_ERROR_INIT;
  pthread_mutex_unlock(&self->lock);
  ck_status status = start(&made, self->argv, &err);
  pthread_mutex_lock(&self->lock);
  if (status != CK_OK) {
    self->failures++;
    self->failure = err;
  } else {
    *place = made;
    place->state = IDLE;
  }
  pthread_cond_broadcast(&self->changed);
}

static void *keep(void *to) {
  ck_mcp_pool *self = to;
  pthread_mutex_lock(&self->lock);
  while (!self->ending) {
    worker *place = find(self, NONE);
    uint64_t failures = self->failures;
    if (place && self->waiting && !find(self, IDLE)) add_worker(self, place);
    bool again =
        failures == self->failures && self->waiting && !find(self, IDLE) && find(self, NONE);
    if (!self->ending && !again) pthread_cond_wait(&self->changed, &self->lock);
  }
  pthread_mutex_unlock(&self->lock);
  return NULL; /* a SIGTERM to all of them, which end behind what they are just asked */
}

/* ---- calls ---- */

static struct timespec deadline(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  at.tv_sec += CK_MCP_CALLS_WAIT_S;
  return at;
}

/* Behind the lock: why there is no process for the call; CK_OK: there will be one. */
static ck_status check(const ck_mcp_pool *self, const flight *of, uint64_t failures, bool late,
                       ck_error *err) {
  if (of->taken_back) return ck_error_set(err, CK_E_INTERRUPTED, "it was taken back");
  if (self->ending) return ck_error_set(err, CK_E_UNAVAILABLE, "the server ends");
  if (failures != self->failures)
    return ck_error_set(err, CK_E_UNAVAILABLE, "no process can be started for the call: %s",
                        self->failure.text);
  if (late)
    return ck_error_set(err, CK_E_BUSY, "%d calls are under way, and none has ended within %d s",
                        CK_MCP_CALLS_MAX, CK_MCP_CALLS_WAIT_S);
  return CK_OK;
}

/* Nothing is asked of it, so it has nothing to say: it has ended. */
static bool has_ended(const worker *self) {
  struct pollfd from = {.fd = self->from, .events = POLLIN};
  return poll(&from, 1, 0) != 0;
}

/* Behind the lock. */
static worker *find_idle(ck_mcp_pool *self) {
  for (worker *it; (it = find(self, IDLE)); finish(it))
    if (!has_ended(it)) return it;
  return NULL;
}

static ck_status take(worker **out, ck_mcp_pool *self, const flight *of, ck_error *err) {
  struct timespec until = deadline();
  bool late = false;
  pthread_mutex_lock(&self->lock);
  uint64_t failures = self->failures;
  ck_status status = check(self, of, failures, late, err);
  while (status == CK_OK && !(*out = find_idle(self))) {
    self->waiting++;
    pthread_cond_broadcast(&self->changed);
    late = pthread_cond_timedwait(&self->changed, &self->lock, &until) == ETIMEDOUT;
    self->waiting--;
    status = check(self, of, failures, late && !find_idle(self), err);
  }
  if (status == CK_OK) (*out)->state = BUSY;
  if (status == CK_OK && self->waiting) pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->lock);
  return status;
}

/* While one that is of no use ends its place is busy: a free one is taken by the keeper. */
static void give_back(ck_mcp_pool *self, worker *it, bool sound) {
  worker left = *it;
  if (!sound) finish(&left);
  pthread_mutex_lock(&self->lock);
  *it = left;
  it->state = sound ? IDLE : NONE;
  pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->lock);
}

/* False: it is taken back before there is an answer to read. */
static bool await_answer(const worker *it, const flight *of) {
  struct pollfd fds[] = {{.fd = it->from, .events = POLLIN},
                         {.fd = of->wake, .events = POLLIN},
                         {.fd = of->caller->connection, .events = POLLRDHUP}};
  while (poll(fds, sizeof fds / sizeof *fds, -1) < 0 && errno == EINTR) continue;
  return fds[0].revents != 0;
}

static bool ends_with(const ck_buffer *text, ck_bytes end) {
  return text->len >= end.len && memcmp(text->data + text->len - end.len, end.data, end.len) == 0;
}

/* The process is told, and pinged behind that: the ping's answer is the end of what it says, be the
 * request answered or not. */
static bool take_back(const worker *it, ck_bytes id, ck_error *err) {
  char mark[CK_ID_SIZE + 2], own[CK_ID_SIZE];
  ck_buffer params = {0}, lines = {0}, pong = {0}, said = {0};
  ck_id_make_run(own); /* nobody's else */
  snprintf(mark, sizeof mark, "\"%s\"", own);
  ck_buffer_append_format(&params, "{\"requestId\":%.*s}", (int)id.len, id.data);
  ck_rpc_write_notification(&lines, "notifications/cancelled", ck_buffer_bytes(&params));
  ck_buffer_append_format(&lines, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}\n", mark);
  ck_rpc_write_result(&pong, ck_bytes_text(mark), ck_bytes_text("{}"));
  bool sound = !params.failed && !pong.failed && ck_buffer_check(&lines, err) == CK_OK &&
               write_all(it->to, ck_buffer_bytes(&lines));
  while (sound && !ends_with(&said, ck_buffer_bytes(&pong))) sound = read_line(&said, it);
  ck_buffer_clear(&params);
  ck_buffer_clear(&lines);
  ck_buffer_clear(&pong);
  ck_buffer_clear(&said);
  return sound;
}

static ck_status exchange(ck_buffer *out, bool *sound, const worker *it, const flight *of,
                          ck_bytes line, ck_error *err) {
  size_t before = out->len;
  *sound = write_line(it, line, err);
  if (*sound && !await_answer(it, of)) {
    *sound = take_back(it, of->caller->id, err);
    return ck_error_set(err, CK_E_INTERRUPTED, "it was taken back");
  }
  *sound = *sound && read_line(out, it);
  if (*sound) return CK_OK;
  out->len = before;
  return ck_error_set(err, CK_E_IO,
                      "the process of the call ended amid it: what it did is not known");
}

static ck_status begin(flight *out, ck_mcp_pool *self, const ck_mcp_caller *caller, ck_error *err) {
  *out = (flight){.caller = caller, .wake = eventfd(0, EFD_CLOEXEC)};
  if (out->wake < 0) return ck_error_set(err, CK_E_UNAVAILABLE, "eventfd: %s", strerror(errno));
  pthread_mutex_lock(&self->lock);
  out->next = self->flights;
  self->flights = out;
  pthread_mutex_unlock(&self->lock);
  return CK_OK;
}

static void end(flight *it, ck_mcp_pool *self) {
  pthread_mutex_lock(&self->lock);
  flight **at = &self->flights;
  while (*at != it) at = &(*at)->next;
  *at = it->next;
  pthread_mutex_unlock(&self->lock);
  close(it->wake);
}

ck_status ck_mcp_pool_ask(ck_buffer *out, ck_mcp_pool *self, const ck_mcp_caller *caller,
                          ck_bytes line, ck_error *err) {
  worker *it = NULL;
  flight of;
  bool sound;
  ck_status status = begin(&of, self, caller, err);
  if (status != CK_OK) return status;
  status = take(&it, self, &of, err);
  if (status == CK_OK) {
    status = exchange(out, &sound, it, &of, line, err);
    give_back(self, it, sound);
  }
  end(&of, self);
  return status;
}

void ck_mcp_pool_take_back(ck_mcp_pool *self, const char *session, ck_bytes id) {
  pthread_mutex_lock(&self->lock);
  for (flight *it = self->flights; session && it; it = it->next) {
    const ck_mcp_caller *of = it->caller;
    if (!of->session || strcmp(of->session, session) != 0 || !ck_bytes_equal(of->id, id)) continue;
    it->taken_back = true;
    eventfd_write(it->wake, 1);
  }
  pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->lock);
}

/* ---- life ---- */

ck_status ck_mcp_pool_new(ck_mcp_pool **out, const char *const *argv, ck_error *err) {
  pthread_condattr_t how;
  ck_mcp_pool *self = *out = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->argv = argv;
  for (size_t i = 0; i < CK_MCP_CALLS_MAX; i++) self->workers[i].to = self->workers[i].from = -1;
  pthread_mutex_init(&self->lock, NULL);
  pthread_condattr_init(&how);
  pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
  pthread_cond_init(&self->changed, &how);
  pthread_condattr_destroy(&how);
  int code = pthread_create(&self->keeper, NULL, keep, self);
  if (code == 0) return CK_OK;
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->lock);
  free(self);
  *out = NULL;
  return ck_error_set(err, CK_E_UNAVAILABLE, "a thread cannot be started: %s", strerror(code));
}

void ck_mcp_pool_close(ck_mcp_pool *self) {
  if (!self) return;
  pthread_mutex_lock(&self->lock);
  self->ending = true;
  pthread_cond_broadcast(&self->changed);
  pthread_mutex_unlock(&self->lock);
}

void ck_mcp_pool_free(ck_mcp_pool *self) {
  if (!self) return;
  ck_mcp_pool_close(self);
  pthread_join(self->keeper, NULL);
  for (size_t i = 0; i < CK_MCP_CALLS_MAX; i++) finish(&self->workers[i]);
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->lock);
  free(self);
}
