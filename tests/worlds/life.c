/* life.c - one process: it opens the store, takes the session, acts, and ends or dies. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/history/resolve.h"
#include "tests/worlds/baton.h"
#include "tests/worlds/disk.h"
#include "tests/worlds/world.h"

enum { MOVES_MAX = 3000, DOUBTS_MAX = 32 };
static const char id[] = "s";

static bool is_dead(const world *self) { return disk_is_dead(self->process.number); }

/* A failure that a disk or a death explains is none of the runtime's. */
static bool check(world *self, ck_status status, const ck_error *err, const char *doing) {
  if (status == CK_OK) return true;
  world_log("%s: %s", doing, ck_status_name(status));
  bool explained = is_dead(self) || status == CK_E_IO || status == CK_E_FULL ||
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

static ck_status decide(ck_decision *out, void *to, const ck_boundary *at, ck_error *err) {
  world *self = to;
  (void)err;
  if (at->kind == CK_BOUNDARY_STEP_COMPLETE) model_boundary(&self->model, at->seq);
  *out = (ck_decision){.take = !chance_happens(CHANCE_TAKE, 300),
                       .sync = !chance_happens(CHANCE_SYNC, 500)};
  return CK_OK;
}

static const ck_policy_engine policies = {.self = &the_world, .checkpoint = decide};

static void show(void *to, const ck_progress *progress) {
  world *self = to;
  world_log("%s %s", progress->what, progress->key ? progress->key : "");
  model_progress(&self->model, progress, ck_session_attempt(self->process.session));
}

/* ---- beginning ---- */

typedef struct keys {
  char list[DOUBTS_MAX][CK_STATE_KEY_MAX];
  size_t count;
} keys;

static void keep_key(void *to, const ck_open_effect *effect) {
  keys *self = to;
  if (self->count < DOUBTS_MAX)
    snprintf(self->list[self->count++], CK_STATE_KEY_MAX, "%s", effect->key);
}

static ck_value *answer_to(const world_fact *fact) {
  char json[64];
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  outside_text(json, fact->key, fact->kind);
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s", err.text);
  return value;
}

/* A person finds out what became of it, and says the truth. */
static bool resolve(world *self, world_fact *fact) {
  ck_error err = CK_ERROR_INIT;
  bool happened = fact->done > 0;
  ck_value *value = happened ? answer_to(fact) : NULL;
  ck_status status = ck_session_resolve(self->process.runtime, id, fact->key,
                                        happened ? "done" : "retry", value, &err);
  ck_value_free(value);
  world_log("resolve %s: %s", fact->key, happened ? "done" : "retry");
  if (happened)
    fact->said = true;
  else
    fact->retry = true;
  return check(self, status, &err, "resolve");
}

static bool reply(world *self, world_fact *fact) {
  ck_error err = CK_ERROR_INIT;
  if (chance_happens(CHANCE_PERSON, 300)) return true;
  ck_value *value = answer_to(fact);
  ck_status status = ck_session_answer(self->process.runtime, id, fact->key, value, &err);
  ck_value_free(value);
  fact->said = true;
  /* behind the checkpoint it is asked once more before it can be answered */
  return status == CK_E_REFUSED || check(self, status, &err, "answer");
}

static bool say(world *self) {
  ck_error err = CK_ERROR_INIT;
  static keys all;
  all.count = 0;
  ck_status status = ck_session_list_doubts(self->process.runtime, id, keep_key, &all, &err);
  if (!check(self, status, &err, "list doubts")) return false;
  for (size_t i = 0; i < all.count; i++)
    if (!resolve(self, model_fact(&self->model, all.list[i]))) return false;
  all.count = 0;
  status = ck_session_list_questions(self->process.runtime, id, keep_key, &all, &err);
  if (!check(self, status, &err, "list questions")) return false;
  for (size_t i = 0; i < all.count; i++)
    if (!reply(self, model_fact(&self->model, all.list[i]))) return false;
  return true;
}

static bool start(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_session_options options = {.id = id, .policies = &policies};
  ck_status status =
      ck_session_start(&self->process.session, self->process.runtime, &options, &err);
  if (!check(self, status, &err, "start")) return false;
  self->model.created = true;
  return true;
}

static bool resume(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_resume_options options = {.policies = &policies, .retry = true};
  if (!say(self)) return false;
  ck_status status =
      ck_session_resume(&self->process.session, self->process.runtime, id, &options, &err);
  if (!check(self, status, &err, "resume")) return false;
  int64_t from = ck_session_resumed_from(self->process.session);
  world_log("resumed from %lld, attempt %u", (long long)from,
            ck_session_attempt(self->process.session));
  model_resumed(&self->model, from);
  return true;
}

static bool is_there(world *self, bool *out) {
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  ck_status status = ck_store_get_head(&head, self->process.runtime->store, id, &err);
  *out = status == CK_OK;
  ck_session_status stands = head.session.status;
  ck_head_clear(&head);
  if (*out && stands == CK_SESSION_COMPLETED) self->model.completed = true;
  if (status == CK_E_NOT_FOUND && !self->model.created) return true;
  return check(self, status, &err, "find the session");
}

static bool open_all(world *self) {
  ck_error err = CK_ERROR_INIT;
  ck_clock clock = {.mono_us = read_mono, .wall_ms = read_wall};
  static const ck_effect_driver *const drivers[] = {&world_driver, NULL};
  world_process *process = &self->process;
  bool there;
  ck_status status = ck_runtime_open(&process->runtime, self->url,
                                     &(ck_store_options){.create = true}, &clock, &err);
  if (!check(self, status, &err, "open") || !is_there(self, &there) || self->model.completed ||
      !(there ? resume(self) : start(self)))
    return false;
  ck_execution_options options = {.session = process->session,
                                  .engine = &world_flow_engine,
                                  .flow = process->flow,
                                  .drivers = drivers,
                                  .clock = clock,
                                  .waker = process->runtime->waker,
                                  .progress = show,
                                  .to = self};
  status = ck_execution_open(&process->execution, &options, &err);
  return check(self, status, &err, "execute");
}

/* ---- acting ---- */

static void turn(world *self) {
  ck_error err = CK_ERROR_INIT;
  world_process *process = &self->process;
  process->status = ck_execution_turn(&process->ending, process->execution, &err);
  if (process->status != CK_OK && process->status != CK_E_PENDING)
    check(self, process->status, &err, "turn");
  if (!chance_happens(CHANCE_LATE, 300)) baton_pass();
}

static void act(world *self) {
  switch (chance_pick(CHANCE_ACTION, 40)) {
    case 1:
      world_log("pause");
      ck_execution_pause(self->process.execution, NULL);
      break;
    case 2:
      if (!ck_execution_is_ending(self->process.execution)) break;
      world_log("stop");
      ck_execution_stop(self->process.execution);
      break;
    case 3:
      world_log("kill");
      disk_kill(self->process.number);
      break;
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      break;
    default:
      if (!outside_answer(self)) ck_execution_pause(self->process.execution, "nothing moves");
  }
}

/* Nothing is pending but what is under way: then somebody outside does something. */
static void run(world *self) {
  world_process *process = &self->process;
  ck_error err = CK_ERROR_INIT;
  for (int move = 0; move < MOVES_MAX; move++) {
    size_t before = process->running_count;
    turn(self);
    if (process->status != CK_E_PENDING || is_dead(self)) return;
    bool moved = process->running_count != before;
    if (moved) continue;
    if (chance_happens(CHANCE_LATE, 200)) {
      act(self);
      continue;
    }
    if (ck_session_flush(process->session, CK_DURABLE_PROCESS, &err) != CK_OK) return;
    size_t still = process->running_count;
    turn(self);
    if (process->status != CK_E_PENDING || is_dead(self)) return;
    if (process->running_count == still) act(self);
    if (is_dead(self)) return;
  }
  model_fail(&self->model, "the session does not get on");
}

static void close_all(world *self) {
  world_process *process = &self->process;
  ck_execution_close(process->execution);
  process->execution = NULL;
  ck_session_close(process->session);
  process->session = NULL;
  ck_runtime_close(process->runtime);
  process->runtime = NULL;
}

bool life_live(world *self) {
  world_process *process = &self->process;
  ck_error err = CK_ERROR_INIT;
  process->status = CK_E_PENDING;
  process->ending = (ck_execution_result){0};
  process->running_count = 0;
  baton_set_process(process->number);
  tap_must(world_flow_engine.load(&process->flow, NULL, "flow", &err) == CK_OK, "a flow");
  if (open_all(self)) run(self);
  bool over = process->status == CK_OK && process->ending.status == CK_SESSION_COMPLETED;
  world_log("life %d ends: %s, %s", self->lives, ck_status_name(process->status),
            ck_session_status_name(process->ending.status));
  if (over && !self->model.completed) self->model.completed = true;
  if (process->status != CK_OK) model_died(&self->model, disk_power_is_out());
  outside_forget(self);
  close_all(self);
  world_flow_engine.unload(process->flow);
  baton_set_process(0);
  disk_restart();
  return self->model.completed;
}
