/* worker.c - the turns of a worker: reap, look, begin; until a signal ends it. */
#include "core/host/worker/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/host/cli/end_signals.h"
#include "core/host/session/queued.h"
#include "core/host/worker/candidates.h"
#include "core/host/worker/child.h"
#include "core/host/worker/ending.h"
#include "core/host/worker/health.h"
#include "core/host/worker/notify.h"
#include "core/host/worker/tell.h"
#include "core/host/worker/trouble.h"
#include "core/host/worker/unbegun.h"
#include "core/store/lapse.h"
#include "core/store/news.h"

/* Between a word that there is something and the look at it: what comes at once is seen at once. */
enum { NEWS_GAP_MS = 10 };
/* A look at a long queue takes no more than this part of the time, one in so many: the second one
 * while there is enough to begin, so that a run costs the same whatever waits behind it. */
enum { LOOK_SHARE = 20, LOOK_SHARE_BUSY = 1000 };

typedef struct worker {
  const ck_worker_options *options;
  ck_candidates candidates;
  ck_worker_limits limits;
  bool held;                 /* one of the list is not begun, for as many as may run already */
  ck_worker_child *children; /* options->concurrency slots */
  size_t running;            /* of them, also those that are over and not noted */
  int signals;               /* a descriptor */
  int stops;                 /* signals that ask for the end */
  size_t next;               /* of the candidates' list: those before it are seen to */
  /* monotonic: when the store is to be looked into again, for those that run alone, or for all */
  int64_t running_us, look_us;
  int64_t look_took_us; /* the last look at all */
  int64_t later_ms; /* wall: when something will be due without anybody's doing; 0: nothing will */
  ck_trouble trouble;
  ck_metrics metrics;
  ck_health *health; /* NULL: nobody asks */
} worker;

static int64_t now_ms(void) {
  ck_clock clock = ck_clock_system();
  return clock.wall_ms(clock.self);
}

static int64_t mono_us(void) {
  ck_clock clock = ck_clock_system();
  return clock.mono_us(clock.self);
}

/* ---- runs that ended ---- */

static void tell_end(const worker *self, ck_run_ending how, const ck_worker_child *child,
                     const ck_session_record *record) {
  ck_output *output = self->options->host->output;
  if (how == CK_RUN_REFUSED)
    ck_tell_refusal(output, child->session, &child->end);
  else if (how == CK_RUN_TAKEN)
    ck_tell_taken(output, child->session, &child->end);
  else
    ck_tell_end(output, child->session, record, &child->end);
}

static void count_end(worker *self, ck_run_ending how, const ck_worker_child *child,
                      ck_standing standing) {
  ck_buffer said = {0};
  ck_worker_child_read(&said, child);
  ck_metrics_end(&self->metrics, how, standing, &child->end, ck_buffer_bytes(&said));
  ck_buffer_clear(&said);
}

/* Of one whose run has died again and again here. */
static void tell_wait(const worker *self, const ck_candidate *candidate) {
  char text[160], moment[CK_TIME_TEXT_SIZE];
  if (!candidate->not_before_ms) return;
  ck_time_text(moment, candidate->not_before_ms);
  snprintf(text, sizeof text, "its run has died %lld times in a row here: tried again at %s",
           (long long)candidate->deaths, moment);
  ck_unbegun_tell(self->options->store, self->candidates.redactor, candidate->id, text);
}

/* A session whose profile deletes it when it succeeded is gone. A lapse is told to the store first:
 * whoever takes the session would count it as a death. */
static ck_status read_end(bool *gone, ck_session_record *record, const worker *self,
                          const ck_worker_child *child, ck_error *err) {
  ck_store *store = self->options->store;
  ck_status status = ck_store_get_session(record, store, child->session, err);
  *gone = status == CK_E_NOT_FOUND;
  if (status != CK_OK || !child->end.lapsed) return *gone ? CK_OK : status;
  status = ck_store_put_lapse(store, (ck_lease){record->no, child->epoch}, err);
  if (status != CK_OK) ck_session_record_clear(record);
  return status;
}

static ck_status note_end(worker *self, ck_worker_child *child, ck_error *err) {
  ck_worker_end *end = &child->end;
  ck_session_record record = {0};
  bool gone;
  ck_status status = read_end(&gone, &record, self, child, err);
  if (status != CK_OK) return status;
  end->died = end->killed || (!gone && ck_worker_has_left(child, &record, self->options->store));
  ck_run_ending how = gone ? CK_RUN_ENDED : ck_worker_ending_of(child, &record);
  ck_candidate *candidate = gone ? NULL : ck_map_get(&self->candidates.known, child->session);
  if (candidate) ck_candidates_note_end(candidate, end->died, now_ms());
  if (candidate && how == CK_RUN_REFUSED) ck_candidates_put_off(candidate, &record, now_ms());
  if (how == CK_RUN_REFUSED)
    ck_unbegun_tell(self->options->store, self->candidates.redactor, child->session, end->text);
  if (candidate && end->died) tell_wait(self, candidate);
  tell_end(self, how, child, gone ? NULL : &record);
  ck_standing stands = gone ? (ck_standing)CK_SESSION_COMPLETED : ck_standing_of(&record, true);
  count_end(self, how, child, stands);
  ck_session_record_clear(&record);
  return CK_OK;
}

/* How one ended is not lost while the store cannot be read; but a worker that is to end does not
 * wait for it. */
static ck_status note_ends(worker *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < self->options->concurrency; i++) {
    ck_worker_child *child = &self->children[i];
    if (!child->over) continue;
    status = note_end(self, child, err);
    if (status != CK_OK && !self->stops) return status;
    status = CK_OK;
    ck_worker_limits_count(&self->limits, child->limits, false);
    ck_store_unreserve(self->options->store, &child->reserved);
    ck_worker_child_forget(child);
    self->running--;
    if (self->held) self->next = 0;
    self->held = false;
  }
  return status;
}

static void reap(worker *self) {
  for (size_t i = 0; i < self->options->concurrency; i++)
    if (self->children[i].pid) ck_worker_child_reap(&self->children[i]);
}

/* ---- runs that begin ---- */

static bool runs(const worker *self, const char *session) {
  for (size_t i = 0; i < self->options->concurrency; i++)
    if (self->children[i].pid && strcmp(self->children[i].session, session) == 0) return true;
  return false;
}

/* There is room. */
static ck_worker_child *find_slot(worker *self) {
  ck_worker_child *slot = self->children;
  while (slot->pid) slot++;
  return slot;
}

static ck_status begin(worker *self, ck_candidate *candidate, ck_error *err) {
  bool mine;
  ck_reservation reserved;
  ck_worker_child *slot = find_slot(self);
  ck_status status = ck_candidates_reserve(&mine, &reserved, &self->candidates, candidate, err);
  if (status != CK_OK || !mine) return status;
  status = ck_worker_child_start(slot, self->options, candidate->id, err);
  if (status != CK_OK) {
    self->next--; /* it is the next one still */
    ck_store_unreserve(self->options->store, &reserved);
    return status;
  }
  self->running++;
  slot->reserved = reserved;
  slot->limits = candidate->limits;
  slot->epoch = candidate->epoch + 1;
  ck_worker_limits_count(&self->limits, slot->limits, true);
  int64_t due =
      candidate->from_ms > candidate->updated_ms ? candidate->from_ms : candidate->updated_ms;
  ck_metrics_begin(&self->metrics, now_ms() - due, candidate->runs);
  ck_tell_begin(self->options->host->output, candidate->id, slot->pid);
  return CK_OK;
}

static int64_t next_look(const worker *self, int64_t took_us) {
  int64_t wait_us = self->options->poll_ms * 1000;
  return mono_us() + (wait_us > LOOK_SHARE * took_us ? wait_us : LOOK_SHARE * took_us);
}

/* A look reads every session that is paused: with a long queue it is not taken for each run that
 * ends. */
static ck_status look_at_all(worker *self, ck_error *err) {
  self->next = 0;
  self->later_ms = 0;
  self->held = false;
  int64_t begun_us = mono_us();
  ck_status status = ck_candidates_look(&self->candidates, now_ms(), err);
  self->look_took_us = mono_us() - begun_us;
  self->look_us = next_look(self, self->look_took_us);
  self->running_us = self->look_us;
  return status;
}

static ck_status look_at_running(worker *self, ck_error *err) {
  int64_t begun_us = mono_us();
  ck_status status = ck_candidates_look_running(&self->candidates, &self->next, err);
  self->running_us = next_look(self, mono_us() - begun_us);
  return status;
}

static ck_status look(worker *self, ck_error *err) {
  bool more = self->next + self->options->concurrency < self->candidates.count;
  bool through = self->next >= self->candidates.count && !self->running;
  bool woken = self->later_ms && now_ms() >= self->later_ms;
  int64_t now_us = mono_us(), rest_us = LOOK_SHARE_BUSY * self->look_took_us;
  if (more && !woken && now_us < self->look_us + rest_us)
    return now_us < self->running_us ? CK_OK : look_at_running(self, err);
  if (!through && !woken && now_us < self->look_us) return CK_OK;
  return look_at_all(self, err);
}

static ck_status fill(worker *self, ck_error *err) {
  ck_candidates *of = &self->candidates;
  if (self->running >= self->options->concurrency) return CK_OK;
  ck_status status = look(self, err);
  int64_t now = now_ms();
  while (status == CK_OK && self->next < of->count && self->running < self->options->concurrency) {
    bool due;
    int64_t later_ms;
    ck_candidate *candidate = of->list[self->next++];
    if (runs(self, candidate->id)) continue;
    status = ck_candidates_check(&due, &later_ms, of, candidate, now, err);
    if (later_ms && (!self->later_ms || later_ms < self->later_ms)) self->later_ms = later_ms;
    if (status != CK_OK || !due) continue;
    bool allowed = ck_worker_limits_allow(&self->limits, candidate->limits);
    if (allowed)
      status = begin(self, candidate, err);
    else
      self->held = true;
  }
  return status;
}

/* ---- signals ---- */

static ck_status open_signals(worker *self, ck_error *err) {
  sigset_t taken;
  ck_end_signals_fill(&taken);
  sigaddset(&taken, SIGCHLD);
  sigprocmask(SIG_BLOCK, &taken, NULL);
  self->signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  return self->signals >= 0
             ? CK_OK
             : ck_error_set(err, CK_E_IO, "signals cannot be read: %s", strerror(errno));
}

/* Once: at the next boundary. Twice: where it stands. */
static void stop_children(worker *self) {
  for (size_t i = 0; i < self->options->concurrency; i++)
    if (self->children[i].pid && !self->children[i].over) kill(self->children[i].pid, SIGTERM);
}

static void take_signals(worker *self) {
  struct signalfd_siginfo info;
  int before = self->stops;
  while (read(self->signals, &info, sizeof info) == (ssize_t)sizeof info)
    self->stops += info.ssi_signo != SIGCHLD;
  if (self->stops == before) return;
  if (!before) ck_notify_send("STOPPING=1");
  if (!before && self->running)
    ck_output_notice(self->options->host->output,
                     "%zu session%s at the next boundary; once more to stop at once", self->running,
                     self->running == 1 ? " pauses" : "s pause");
  stop_children(self);
}

/* ---- the turns ---- */

/* A poll is long enough for what changes; what is known to be due is begun in time. */
static int64_t find_wait_ms(const worker *self) {
  bool room = self->running < self->options->concurrency && !self->stops;
  int64_t left = self->later_ms && room ? self->later_ms - now_ms() : INT64_MAX;
  int64_t look = room ? (self->look_us - mono_us()) / 1000 + 1 : INT64_MAX;
  if (look < left) left = look;
  if (self->trouble.times) left = (self->trouble.until_us - mono_us()) / 1000 + 1;
  return left > self->options->poll_ms ? self->options->poll_ms : left > 0 ? left : 0;
}

/* Where the store tells that a session was given back, that is looked at soon; but not with each of
 * many: those that are known come first. */
static int take_news(worker *self) {
  bool found, idle = self->next >= self->candidates.count;
  int fd = ck_store_news(&found, self->options->store);
  int64_t soon_us = mono_us() + NEWS_GAP_MS * 1000;
  if (found && idle && self->look_us > soon_us) self->look_us = soon_us;
  return fd;
}

static void wait_for_news(worker *self) {
  ck_metrics_turn(&self->metrics, self->running, self->stops > 0, self->trouble.text);
  bool room = self->running < self->options->concurrency && !self->stops;
  struct pollfd wait[] = {{.fd = self->signals, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
  if (room) wait[1].fd = take_news(self);
  (void)!poll(wait, 2, (int)find_wait_ms(self));
  if (wait[1].revents) take_news(self);
  take_signals(self);
}

static void tell_manager(const worker *self) {
  char text[96 + CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "READY=1\nWATCHDOG=1\nSTATUS=%zu of %zu sessions run%s%s\n",
           self->running, self->options->concurrency, self->trouble.times ? "; " : "",
           self->trouble.text);
  ck_notify_send(text);
}

/* What may pass is waited for; but a worker that is to be done some time ends with it, unless runs
 * of its own go on. */
static ck_status take_trouble(worker *self, ck_status status, const ck_error *problem,
                              ck_error *err) {
  bool ends = !ck_trouble_may_pass(status) || (self->options->until_idle && !self->running);
  if (ends) return ck_error_set(err, status, "%s", problem->text);
  ck_trouble_note(&self->trouble, self->options->host->output, problem->text, mono_us());
  return CK_OK;
}

/* What needs the store, or a new process. */
static ck_status work(worker *self, ck_error *err) {
  ck_error problem = CK_ERROR_INIT;
  if (self->trouble.times && mono_us() < self->trouble.until_us && !self->stops) return CK_OK;
  ck_status status = note_ends(self, &problem);
  if (status == CK_OK && !self->stops) status = fill(self, &problem);
  if (status != CK_OK) return take_trouble(self, status, &problem, err);
  ck_trouble_end(&self->trouble, self->options->host->output);
  return CK_OK;
}

static ck_status turn(worker *self, bool *over, ck_error *err) {
  reap(self);
  ck_status status = work(self, err);
  if (status == CK_OK) status = ck_output_flush(self->options->host->output, err);
  bool idle = self->options->until_idle && !self->later_ms && !self->trouble.times &&
              self->next >= self->candidates.count;
  *over = !self->running && (self->stops || idle);
  return status;
}

/* The runs are left to end by themselves: each pauses, and nobody needs to note it. */
static void leave(worker *self) {
  stop_children(self);
  for (size_t i = 0; i < self->options->concurrency; i++) {
    while (self->children[i].pid && !ck_worker_child_reap(&self->children[i])) wait_for_news(self);
  }
}

static ck_status open_health(worker *self, ck_error *err) {
  const ck_health_options options = {.address = self->options->metrics,
                                     .store = self->options->store,
                                     .metrics = &self->metrics,
                                     .output = self->options->host->output,
                                     .poll_ms = self->options->poll_ms};
  ck_metrics_turn(&self->metrics, 0, false, "");
  return options.address ? ck_health_start(&self->health, &options, err) : CK_OK;
}

static ck_status work_on(worker *self, ck_error *err) {
  bool over = false;
  ck_status status = CK_OK;
  while (status == CK_OK && !over) {
    status = turn(self, &over, err);
    if (status != CK_OK || over) break;
    tell_manager(self);
    wait_for_news(self);
  }
  return status;
}

ck_status ck_worker_run(const ck_worker_options *options, ck_error *err) {
  worker self = {.options = options,
                 .candidates = {.store = options->store,
                                .redactor = options->host->output->redactor,
                                .labels = options->labels},
                 .trouble = {.first_ms = options->poll_ms, .without = "nothing is begun"},
                 .children = calloc(options->concurrency, sizeof *self.children),
                 .signals = -1};
  ck_metrics_init(&self.metrics, options->concurrency);
  self.candidates.limits = &self.limits;
  ck_status status = self.children ? CK_OK : ck_error_no_memory(err);
  if (status == CK_OK) status = ck_worker_limits_read(&self.limits, options->limits, err);
  if (status == CK_OK) status = open_signals(&self, err);
  if (status == CK_OK) status = open_health(&self, err);
  if (status == CK_OK) status = work_on(&self, err);
  if (self.children) leave(&self);
  ck_health_stop(self.health);
  if (self.signals >= 0) close(self.signals);
  ck_candidates_clear(&self.candidates);
  ck_metrics_clear(&self.metrics);
  free(self.children);
  return status;
}
