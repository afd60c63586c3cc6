/* runs.c - one thread for each run: a child ends with the thread that started it. */
#include "core/host/ui/runs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AT_ONCE_S = 2, OUTPUT_MAX = 1 << 20, WORDS_MAX = 64 };

/* Shared by its thread and the one that began it, who waits a moment: the last of them frees it. */
typedef struct run {
  struct run *next;
  ck_ui_runs *of;
  char *argv[WORDS_MAX + 1]; /* its own copies */
  ck_ui_child child;
  ck_ui_said said;
  ck_status status;
  ck_error err;
  bool ended, left; /* its command; whoever waited for it */
} run;

struct ck_ui_runs {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  run *list;
  size_t count;
  bool ending;
};

ck_status ck_ui_runs_new(ck_ui_runs **out, ck_error *err) {
  pthread_condattr_t how;
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  pthread_mutex_init(&(*out)->lock, NULL);
  pthread_condattr_init(&how);
  pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
  pthread_cond_init(&(*out)->changed, &how);
  pthread_condattr_destroy(&how);
  return CK_OK;
}

static void free_run(run *self) {
  for (size_t i = 0; self->argv[i]; i++) free(self->argv[i]);
  ck_ui_said_clear(&self->said);
  free(self);
}

static ck_status make_run(run **out, const char *const *argv, ck_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  for (size_t i = 0; argv[i] && i < WORDS_MAX; i++) {
    (*out)->argv[i] = strdup(argv[i]);
    if ((*out)->argv[i]) continue;
    free_run(*out);
    *out = NULL;
    return ck_error_no_memory(err);
  }
  return CK_OK;
}

static void remove_run(ck_ui_runs *of, run *gone) {
  for (run **at = &of->list; *at; at = &(*at)->next)
    if (*at == gone) {
      *at = gone->next;
      of->count--;
      return;
    }
}

/* Behind the lock. */
static void end(run *self) {
  ck_ui_runs *of = self->of;
  self->ended = true;
  remove_run(of, self);
  if (self->left) free_run(self);
  pthread_cond_broadcast(&of->changed);
}

/* Whoever ends the server may signal it while its number is there. */
static void follow_child(run *self, ck_ui_child *child) {
  ck_status status = ck_ui_child_read(&self->said, child, OUTPUT_MAX, &self->err);
  pthread_mutex_lock(&self->of->lock);
  self->status = status;
  self->child.pid = 0;
  pthread_mutex_unlock(&self->of->lock);
  if (status == CK_OK)
    ck_ui_child_wait(&self->said, child);
  else
    ck_ui_child_stop(child);
}

static void *live(void *given) {
  run *self = given;
  ck_ui_runs *of = self->of;
  pthread_mutex_lock(&of->lock);
  self->status = of->ending ? ck_error_set(&self->err, CK_E_REFUSED, "the server is ending")
                            : ck_ui_child_start(&self->child, (const char *const *)self->argv,
                                                (ck_bytes){0}, &self->err);
  ck_ui_child child = self->child;
  ck_status status = self->status;
  pthread_mutex_unlock(&of->lock);
  if (status == CK_OK) follow_child(self, &child);
  pthread_mutex_lock(&of->lock);
  end(self);
  pthread_mutex_unlock(&of->lock);
  return NULL;
}

/* Behind the lock: the run belongs to its thread from here on. */
static ck_status start_thread(run *self, ck_error *err) {
  pthread_t thread;
  int code = pthread_create(&thread, NULL, live, self);
  if (code) return ck_error_set(err, CK_E_UNAVAILABLE, "a thread: %s", strerror(code));
  pthread_detach(thread);
  self->next = self->of->list;
  self->of->list = self;
  self->of->count++;
  return CK_OK;
}

/* Behind the lock. */
static void wait_a_moment(run *self) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += AT_ONCE_S;
  while (!self->ended)
    if (pthread_cond_timedwait(&self->of->changed, &self->of->lock, &until) == ETIMEDOUT) return;
}

static ck_status take_end(ck_ui_said *said, run *self, ck_error *err) {
  ck_status status = self->status;
  if (status != CK_OK) *err = self->err;
  *said = self->said;
  self->said = (ck_ui_said){0};
  free_run(self);
  return status;
}

ck_status ck_ui_runs_begin(bool *ended, ck_ui_said *said, ck_ui_runs *self, const char *const *argv,
                           ck_error *err) {
  run *made = NULL;
  *ended = false;
  ck_status status = make_run(&made, argv, err);
  if (status != CK_OK) return status;
  made->of = self;
  pthread_mutex_lock(&self->lock);
  if (self->count >= CK_UI_RUNS_MAX)
    status =
        ck_error_set(err, CK_E_REFUSED, "%d sessions run already for this page", CK_UI_RUNS_MAX);
  if (status == CK_OK) status = start_thread(made, err);
  bool begun = status == CK_OK;
  if (begun) wait_a_moment(made);
  *ended = begun && made->ended;
  if (!begun)
    free_run(made);
  else if (*ended)
    status = take_end(said, made, err);
  else
    made->left = true;
  pthread_mutex_unlock(&self->lock);
  return status;
}

size_t ck_ui_runs_count(ck_ui_runs *self) {
  pthread_mutex_lock(&self->lock);
  size_t count = self->count;
  pthread_mutex_unlock(&self->lock);
  return count;
}

void ck_ui_runs_free(ck_ui_runs *self) {
  if (!self) return;
  pthread_mutex_lock(&self->lock);
  self->ending = true;
  for (run *at = self->list; at; at = at->next)
    if (at->child.pid) kill(at->child.pid, SIGTERM);
  while (self->list) pthread_cond_wait(&self->changed, &self->lock);
  pthread_mutex_unlock(&self->lock);
  pthread_cond_destroy(&self->changed);
  pthread_mutex_destroy(&self->lock);
  free(self);
}
