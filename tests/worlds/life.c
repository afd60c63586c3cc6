/* life.c - one process: it opens the store, takes the session, acts, and ends or dies. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/worlds/baton.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/disk.h"
#include "tests/worlds/money.h"
#include "tests/worlds/requests.h"
#include "tests/worlds/world.h"

enum { MOVES_MAX = 3000 };
const char world_session[] = "s";

static bool is_dead(const world *self) { return disk_is_dead(self->process->number); }

bool life_check(world *self, ck_status status, const ck_error *err, const char *doing) {
  if (status == CK_OK) return true;
  world_log("%s: %s", doing, ck_status_name(status));
  bool explained = disk_is_dead(baton_process()) || status == CK_E_IO || status == CK_E_FULL ||
                   status == CK_E_UNKNOWN || status == CK_E_BUSY;
  if (!explained) model_fail(&self->model, "%s: %s", doing, err->text);
  return false;
}

static int64_t read_mono(void *self) {
  (void)self;
  return baton_now_us();
}
static int64_t read_wall(void *self) {
  (void)self;
  return 1700000000000 + baton_now_us() / 1000;
}

ck_clock life_clock(void) { return (ck_clock){.mono_us = read_mono, .wall_ms = read_wall}; }

static ck_status decide(ck_decision *out, void *to, const ck_boundary *at, ck_error *err) {
  world *self = to;
  (void)err;
  if (at->kind == CK_BOUNDARY_STEP_COMPLETE) model_boundary(&self->model, at->scope, at->seq);
  *out = (ck_decision){.take = !chance_happens(CHANCE_TAKE, 300),
                       .sync = !chance_happens(CHANCE_SYNC, 500)};
  return CK_OK;
}

static const ck_policy_engine policies = {.self = &the_world, .checkpoint = decide};

static void show(void *to, const ck_progress *progress) {
  world_process *process = to;
  world *self = &the_world;
  world_log("%s %s", progress->what, progress->key ? progress->key : "");
  model_progress(&self->model, progress, ck_session_attempt(process->session));
  if (strcmp(progress->what, "boundary") == 0) requests_boundary(process, progress->saved);
}

/* ---- beginning ---- */

static bool start(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_session_options options = {
      .id = world_session, .policies = &policies, .profile = self->profile};
  ck_status status =
      ck_session_start(&self->process->session, self->process->runtime, &options, &err);
  if (!life_check(self, status, &err, "start")) return false;
  self->model.created = true;
  requests_run_begun(self, self->process);
  return true;
}

static bool resume(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_resume_options options = {.policies = &policies, .profile = self->profile, .retry = true};
  if (!person_speaks(self)) return false;
  /* now and then, so that they are met */
  if (self->lives % 3 == 0 || self->calm) money_raise_limits(self);
  ck_status status = ck_session_resume(&self->process->session, self->process->runtime,
                                       world_session, &options, &err);
  if (!life_check(self, status, &err, "resume")) return false;
  int64_t from = ck_session_resumed_from(self->process->session);
  world_log("resumed from %lld, attempt %u", (long long)from,
            ck_session_attempt(self->process->session));
  model_resumed(&self->model, from, ck_session_first_seq(self->process->session));
  requests_run_begun(self, self->process);
  return true;
}

static void note_end(world *self, ck_session_status status) {
  self->model.completed |= status == CK_SESSION_COMPLETED;
  self->model.cancelled |= status == CK_SESSION_CANCELLED;
  if (status == CK_SESSION_CANCELLED && !requests_may_cancel())
    model_fail(&self->model, "the session is cancelled, and nobody asked for it");
}

static bool is_over(const world *self) { return self->model.completed || self->model.cancelled; }

static bool is_there(world *self, bool *out) {
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  ck_status status = ck_store_get_head(&head, self->process->runtime->store, world_session, &err);
  *out = status == CK_OK;
  if (*out) cover("session is found %s", ck_session_status_name(head.session.status));
  if (*out) visit_settle(self, &head);
  if (*out) note_end(self, head.session.status);
  if (*out) requests_found(head.session.status);
  ck_head_clear(&head);
  if (status == CK_E_NOT_FOUND && !self->model.created) return true;
  return life_check(self, status, &err, "find the session");
}

static bool open_all(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_clock clock = life_clock();
  world_process *process = self->process;
  bool there;
  ck_store_options store = world_store(true);
  ck_status status = ck_runtime_open(&process->runtime, self->url, &store, &clock, &err);
  if (!life_check(self, status, &err, "open") || !is_there(self, &there) || is_over(self) ||
      !(there ? resume(self) : start(self)))
    return false;
  ck_execution_options options = {.session = process->session,
                                  .engine = &world_flow_engine,
                                  .flow = process->flow,
                                  .drivers = process->drivers,
                                  .clock = clock,
                                  .waker = process->runtime->waker,
                                  .commits = chance_pick(CHANCE_HERE, 2) != 0,
                                  .progress = show,
                                  .to = process};
  status = ck_execution_open(&process->execution, &options, &err);
  return life_check(self, status, &err, "execute");
}

/* ---- acting ---- */

static void turn(world *self, world_process *process) {
  ck_error err = CK_ERROR_INIT;
  process->status = ck_execution_turn(&process->ending, process->execution, &err);
  bool fenced = process->replaced && process->status == CK_E_FENCED;
  if (process->status != CK_OK && process->status != CK_E_PENDING && !fenced)
    life_check(self, process->status, &err, "turn");
  if (process->replaced && process->status == CK_OK)
    model_fail(&self->model, "a process that was replaced has ended the session");
  if (!chance_happens(CHANCE_LATE, 300)) baton_pass();
}

static void close_process(world_process *process) {
  int before = baton_process();
  baton_set_process(process->number);
  ck_execution_close(process->execution);
  ck_session_close(process->session);
  ck_runtime_close(process->runtime);
  process->execution = NULL;
  process->session = NULL;
  process->runtime = NULL;
  baton_set_process(before);
}

static bool begin_process(world *self, int index) {
  world_process *process = &self->processes[index];
  *process = (world_process){.number = index + 1, .status = CK_E_PENDING, .flow = process->flow};
  process->driver = outside_driver(process);
  process->drivers[0] = &process->driver;
  self->process = process;
  baton_set_process(process->number);
  return open_all(self);
}

/* The lock of a process that does nothing is removed, and another takes the session: the first
 * goes on without knowing it. Nothing of it is on its way to the store; what it has under way is
 * carried out now, or never. */
static void take_over(world *self) {
  char name[440];
  ck_error err = CK_ERROR_INIT;
  world_process *old = self->process;
  int next = (int)(old - self->processes) + 1;
  if (next >= WORLD_PROCESSES || ck_execution_is_ending(old->execution)) return;
  for (int64_t before = -1; before != ck_session_last_seq(old->session);) {
    before = ck_session_last_seq(old->session);
    if (ck_session_flush(old->session, CK_DURABLE_PROCESS, &err) != CK_OK) return;
    turn(self, old);
    if (old->status != CK_E_PENDING || is_dead(self)) return;
  }
  world_log("take over");
  cover("corner: replaced while it lives");
  if (disk_faults() != self->faults) cover("corner: replaced while the disk fails");
  outside_settle(old);
  model_died(&self->model, false);
  old->replaced = true;
  snprintf(name, sizeof name, "%.400s.sessions/%s.lock", self->path, world_session);
  disk_remove(name);
  begin_process(self, next);
}

/* A process that was replaced still moves; it must not be heard any more. */
static void poke(world *self, world_process *old) {
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  int before = baton_process();
  if (!old->replaced || !old->execution || disk_is_dead(old->number)) return;
  baton_set_process(old->number);
  world_log("the replaced one moves");
  bool ends = chance_pick(CHANCE_ACTION, 4) == 1;
  if (old->status == CK_E_PENDING && !ends) {
    if (!outside_answer(self, old)) ck_execution_pause(old->execution, NULL);
    turn(self, old);
  }
  baton_set_process(before);
  if (!ends) return;
  close_process(old);
  if (ck_store_get_head(&head, self->process->runtime->store, world_session, &err) == CK_OK &&
      self->process->status == CK_E_PENDING && head.session.status != CK_SESSION_RUNNING)
    model_fail(&self->model, "a process that was replaced has left the session as %s",
               ck_session_status_name(head.session.status));
  ck_head_clear(&head);
}

/* All that is under way hangs: a pause waits for it, a stop does not. */
static void give_up(world_process *process) {
  if (ck_execution_is_ending(process->execution))
    ck_execution_stop(process->execution);
  else
    ck_execution_pause(process->execution, "nothing moves");
}

static bool asks(const world_process *process) {
  for (size_t i = 0; i < process->running_count; i++)
    if (process->running[i].fact->kind == CK_EFFECT_ASK) return true;
  return false;
}

static void act(world *self) {
  world_process *process = self->process;
  if (asks(process) && chance_happens(CHANCE_WORD, 300)) visit_beside(self, true);
  for (int i = 0; i < WORLD_PROCESSES; i++) poke(self, &self->processes[i]);
  switch (chance_pick(CHANCE_ACTION, 40)) {
    case 1:
      world_log("pause");
      ck_execution_pause(process->execution, NULL);
      break;
    case 2:
      if (!ck_execution_is_ending(process->execution)) break;
      world_log("stop");
      ck_execution_stop(process->execution);
      break;
    case 3:
      world_log("kill");
      disk_kill(process->number);
      break;
    case 4:
      world_log("the power goes");
      disk_cut_power();
      break;
    case 5:
      take_over(self);
      break;
    case 6:
    case 7:
    case 8:
    case 9:
      visit_beside(self, false);
      break;
    default:
      if (!outside_answer(self, process)) give_up(process);
  }
}

/* Goes on as far as it can; then somebody outside does something. */
static bool move(world *self) {
  ck_error err = CK_ERROR_INIT;
  world_process *process = self->process;
  size_t before = process->running_count;
  turn(self, process);
  if (process->status != CK_E_PENDING || is_dead(self)) return false;
  if (process->running_count != before) return true;
  if (!chance_happens(CHANCE_LATE, 200)) {
    if (ck_session_flush(process->session, CK_DURABLE_PROCESS, &err) != CK_OK) return false;
    requests_take(self, process);
    turn(self, process);
    if (process->status != CK_E_PENDING || is_dead(self)) return false;
    if (process->running_count != before) return true;
  }
  act(self);
  return self->process->execution && !is_dead(self);
}

static void note_death(world *self, const world_process *last) {
  bool opening = !last->execution && disk_is_dead(last->number);
  self->deaths_in_a_row = opening ? self->deaths_in_a_row + 1 : 0;
  if (self->deaths_in_a_row == 2) cover("corner: a death in the recovery of a recovery");
  if (self->deaths_in_a_row == 3) cover("corner: and in the recovery of that");
}

bool life_live(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_flow *flow;
  tap_must(world_flow_engine.load(&flow, NULL, "flow", &err) == CK_OK, "a flow");
  memset(self->processes, 0, sizeof self->processes);
  for (int i = 0; i < WORLD_PROCESSES; i++) self->processes[i].flow = flow;
  self->faults = disk_faults();
  bool goes_on = begin_process(self, 0);
  for (int moves = 0; goes_on && !self->model.problem[0]; moves++) {
    goes_on = move(self);
    if (moves > MOVES_MAX) model_fail(&self->model, "the session does not get on");
  }
  world_process *last = self->process;
  world_log("life %d ends: %s, %s", self->lives, ck_status_name(last->status),
            ck_session_status_name(last->ending.status));
  if (last->status == CK_OK) note_end(self, last->ending.status);
  if (last->status == CK_OK) requests_run_ended(last);
  cover("session ends %s, %s",
        last->status == CK_OK ? ck_session_status_name(last->ending.status) : "nowhere",
        ck_status_name(last->status));
  note_death(self, last);
  if (last->status != CK_OK) model_died(&self->model, disk_power_is_out());
  if (disk_power_is_out()) requests_lost_power();
  outside_settle(last);
  for (int i = 0; i < WORLD_PROCESSES; i++) close_process(&self->processes[i]);
  world_flow_engine.unload(flow);
  baton_set_process(0);
  disk_restart();
  return is_over(self);
}
