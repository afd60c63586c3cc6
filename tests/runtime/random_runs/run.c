/* run.c - runs of a random flow: it dies, pauses, fails, goes back and goes on, and what has come
 * of it is compared with an undisturbed run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/call_private.h"
#include "core/runtime/history/resolve.h"
#include "core/runtime/session/session_private.h"
#include "lua/flow/flow.h"
#include "tests/clock.h"
#include "tests/lua/flow/flow_driver.h"
#include "tests/runtime/random_runs/random_runs.h"
#include "tests/tap.h"

static ck_status sometimes(ck_decision *out, void *to, const ck_boundary *at, ck_error *err) {
  random_run *self = to;
  (void)at, (void)err;
  *out = (ck_decision){.take = self->calm || random_runs_draw(self, 2),
                       .sync = self->calm || random_runs_draw(self, 2)};
  return CK_OK;
}

static void execute(random_run *self) {
  ck_error err = CK_ERROR_INIT;
  ck_execution_options options = {.session = self->session,
                                  .engine = self->engine,
                                  .flow = self->flow,
                                  .drivers = self->drivers,
                                  .clock = self->runtime->clock,
                                  .waker = self->runtime->waker};
  self->count = 0;
  self->runs++;
  tap_must(ck_execution_open(&self->execution, &options, &err) == CK_OK, "execution: %s", err.text);
  random_runs_turn(self);
}

/* What was begun and not delivered may have happened. */
static void crash(random_run *self) {
  const ck_execution *execution = self->execution;
  for (const ck_runner *runner = execution->runners.first; runner; runner = runner->place.next)
    for (size_t i = 0; i < runner->call_count; i++) {
      const ck_call *call = runner->calls[i];
      self->lost += call->effect.kind == CK_EFFECT_MODEL &&
                    (call->phase == CK_CALL_INTENT || call->phase == CK_CALL_DRIVER);
    }
  if (random_runs_draw(self, 2) == 0) ck_session_discard_pending(self->session);
  ck_execution_close(self->execution);
  ck_session_close(self->session);
  self->execution = NULL;
  self->session = NULL;
}

typedef struct keys {
  char list[64][CK_STATE_KEY_MAX];
  size_t count;
} keys;

static void keep_key(void *to, const ck_open_effect *effect) {
  keys *self = to;
  if (self->count < 64) snprintf(self->list[self->count++], CK_STATE_KEY_MAX, "%s", effect->key);
}

/* Room for one call at least. */
static int64_t raise_limit(random_run *self) {
  return self->paid + (self->lost + 1 + random_runs_draw(self, 4)) * RESERVE;
}

/* A person says what they know: of a doubt whether it happened, to a question its answer. */
static void say(random_run *self) {
  keys *all = calloc(1, sizeof *all);
  ck_error err = CK_ERROR_INIT;
  char json[128];
  tap_must(ck_session_list_doubts(self->runtime, self->id, keep_key, all, &err) == CK_OK,
           "doubts: %s", err.text);
  for (size_t i = 0; i < all->count; i++) {
    bool happened = random_runs_draw(self, 2) == 0;
    fact *known = random_runs_note(self, all->list[i]);
    random_runs_answer(json, all->list[i], CK_EFFECT_TOOL);
    ck_value *value = random_runs_value_of(json);
    if (!happened) known->times = 0;
    self->doubts++;
    tap_must(ck_session_resolve(self->runtime, self->id, all->list[i], happened ? "done" : "retry",
                                happened ? value : NULL, &err) == CK_OK,
             "resolve: %s", err.text);
    ck_value_free(value);
  }
  all->count = 0;
  tap_must(ck_session_list_questions(self->runtime, self->id, keep_key, all, &err) == CK_OK,
           "questions: %s", err.text);
  for (size_t i = 0; i < all->count; i++) {
    if (self->calm || random_runs_draw(self, 3) == 0) continue;
    random_runs_answer(json, all->list[i], CK_EFFECT_ASK);
    if (strstr(all->list[i], "/limit/"))
      snprintf(json, sizeof json, "\"%.6f\"", (double)raise_limit(self) / 1e6);
    ck_value *value = random_runs_value_of(json);
    err = (ck_error)CK_ERROR_INIT; /* a question behind the checkpoint is asked once more before it
                                      can be answered */
    ck_status status = ck_session_answer(self->runtime, self->id, all->list[i], value, &err);
    tap_must(status == CK_OK || status == CK_E_REFUSED, "answer: %s", err.text);
    ck_value_free(value);
  }
  free(all);
}

typedef struct picking {
  random_run *random_run;
  char id[CK_ID_SIZE];
  uint32_t seen;
} picking;

static bool pick(void *to, const ck_checkpoint_info *checkpoint) {
  picking *self = to;
  if (checkpoint->resumable && random_runs_draw(self->random_run, ++self->seen) == 0)
    snprintf(self->id, sizeof self->id, "%s", checkpoint->id);
  return true;
}

static bool resume(random_run *self, bool rewinds) {
  ck_error err = CK_ERROR_INIT;
  picking p = {.random_run = self};
  ck_resume_options options = {
      .policies = &self->policies, .profile = self->profile, .retry = true};
  ck_head head;
  tap_must(ck_store_get_head(&head, self->runtime->store, self->id, &err) == CK_OK, "head: %s",
           err.text);
  if (rewinds && random_runs_draw(self, 6) == 0)
    tap_must(
        ck_store_list_checkpoints(self->runtime->store, head.session.no, pick, &p, &err) == CK_OK,
        "list: %s", err.text);
  ck_head_clear(&head);
  if (self->profile && self->profile->on_limit == CK_LIMIT_PAUSE)
    self->profile->budget_micros = raise_limit(self);
  if (*p.id) options.checkpoint = p.id, self->rewinds++;
  ck_status status = ck_session_resume(&self->session, self->runtime, self->id, &options, &err);
  if (status != CK_OK) {
    snprintf(self->why, sizeof self->why, "resume: %.400s", err.text);
    return false;
  }
  execute(self);
  return true;
}

static ck_status failure_for(random_run *self, const running *one, bool fails) {
  static const ck_status causes[] = {CK_E_UNAVAILABLE, CK_E_FAILED, CK_E_FAILED};
  if (self->calm) return CK_OK;
  if (one->cancelled && random_runs_draw(self, 3)) return CK_E_INTERRUPTED;
  if (one->kind == CK_EFFECT_ASK && random_runs_draw(self, 2)) return CK_E_WAITING;
  if (!fails || random_runs_draw(self, 25)) return CK_OK;
  self->failures++;
  return causes[random_runs_draw(self, 3)];
}

/* One thing happens; false when nothing can. */
static bool move(random_run *self, bool fails) {
  ck_error err = CK_ERROR_INIT;
  uint32_t what = self->calm ? 50 : random_runs_draw(self, 100);
  if (what < 4) {
    ck_execution_pause(self->execution, NULL);
  } else if (what < 6 && ck_execution_is_ending(self->execution)) {
    ck_execution_stop(self->execution);
  } else if (self->count > 0) {
    size_t index = self->calm ? 0 : random_runs_draw(self, (uint32_t)self->count);
    random_runs_deliver(self, index, failure_for(self, &self->list[index], fails));
  }
  bool idle = self->count == 0;
  if (idle && ck_session_flush(self->session, CK_DURABLE_PROCESS, &err) != CK_OK) return false;
  random_runs_turn(self);
  return true;
}

static bool keep_result(void *to, const ck_event *event) {
  ck_bytes result = ck_json_get(ck_value_bytes(event->body), "result");
  snprintf(to, 256, "%.*s", (int)result.len, result.data ? result.data : "");
  return true;
}

static void read_result(random_run *self) {
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = ck_session_get_record(self->session)->no,
                          .kinds = 1ull << CK_EVENT_SESSION_COMPLETED};
  tap_must(
      ck_store_read_events(self->runtime->store, &query, keep_result, self->result, &err) == CK_OK,
      "%s", err.text);
}

static int count_keys(random_run *self) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t count;
  int found = 0;
  tap_must(ck_state_list(&entries, &count, ck_session_state(self->session), &err) == CK_OK, "%s",
           err.text);
  for (size_t i = 0; i < count; i++) {
    bool left = strncmp(entries[i].key, "branch.", 7) == 0 ||
                (strncmp(entries[i].key, "position.", 9) == 0 &&
                 strcmp(entries[i].key, "position.main") != 0);
    if (left) snprintf(self->why, sizeof self->why, "left: %.400s", entries[i].key);
    found += left;
  }
  free(entries);
  return found;
}

static void begin(random_run *self, const char *id, unsigned seed, bool strict) {
  ck_error err = CK_ERROR_INIT;
  char input[128];
  snprintf(input, sizeof input, "{\"input\":{\"seed\":%u,\"strict\":%s}}", seed,
           strict ? "true" : "false");
  ck_value *given = random_runs_value_of(input);
  self->driver = (ck_effect_driver){.name = "hand",
                                    .self = self,
                                    .serves = random_runs_serves,
                                    .start = random_runs_start,
                                    .cancel = random_runs_cancel,
                                    .reserve = random_runs_reserve};
  self->drivers[0] = &self->driver;
  self->policies = (ck_policy_engine){.self = self, .checkpoint = sometimes};
  snprintf(self->id, sizeof self->id, "%s", id);
  ck_session_options options = {
      .id = id, .input = given, .policies = &self->policies, .profile = self->profile};
  tap_must(ck_session_start(&self->session, self->runtime, &options, &err) == CK_OK, "start: %s",
           err.text);
  ck_value_free(given);
  execute(self);
}

/* A line of what went wrong; "" when nothing did. */
static const char *live(random_run *self, const random_runs_mode *m) {
  for (int moves = 0; self->runs < RUNS_MAX; moves++) {
    if (self->status == CK_OK && self->ending.status == CK_SESSION_COMPLETED) return "";
    if (self->status != CK_OK && self->status != CK_E_PENDING) return "error";
    if (moves > 20000) return "hangs";
    bool over = self->status == CK_OK,
         dies = !over && !self->calm && random_runs_draw(self, 12) == 0;
    bool troubled =
        self->runs < FAULTY_RUNS; /* then nothing fails or goes back any more: it must end */
    if (!over && !dies) {
      if (!move(self, m->fails && troubled)) return "flush";
      continue;
    }
    if (over && m->diverges && self->ending.cause == CK_E_DIVERGED && !troubled) return "";
    self->crashes += dies;
    crash(self);
    say(self);
    if (!resume(self, m->rewinds && troubled)) return "cannot be resumed";
  }
  snprintf(self->why, sizeof self->why, "%.400s", self->ending.text);
  return "does not end";
}

static const char *check(random_run *self, const random_runs_mode *m, const random_run *whole) {
  int64_t known = ck_session_totals(self->session)->cost_micros,
          most = self->paid + self->lost * RESERVE;
  if (self->twice) return "a once effect ran twice";
  if (self->paid_twice) return "a call was paid twice";
  if (m->same && self->other) return "it was asked something else";
  if (m->same && strcmp(self->result, whole->result) != 0) return "another result";
  if (self->over_limit) return "a limit was passed";
  if (self->ending.status == CK_SESSION_COMPLETED && count_keys(self)) return "keys are left";
  bool exact = !m->fails && !m->rewinds;
  if (known < self->paid || known > most || (exact && known != most)) {
    snprintf(self->why, sizeof self->why, "%lld known, %lld paid, %lld lost", (long long)known,
             (long long)self->paid, (long long)self->lost);
    return "money";
  }
  return "";
}

static void clear(random_run *self) {
  ck_execution_close(self->execution);
  ck_session_close(self->session);
  free(self->facts);
}

static void open_all(random_run *base, const char *store) {
  ck_error err = CK_ERROR_INIT;
  ck_clock clock = clock_of_readings();
  ck_status status =
      ck_runtime_open(&base->runtime, store, &(ck_store_options){.create = true}, &clock, &err);
  if (status == CK_OK) status = ck_flow_engine_new(&base->engine, NULL, &err);
  static const char *path;
  if (!path) path = flow_file(random_runs_program);
  if (status == CK_OK) status = base->engine->load(&base->flow, base->engine->self, path, &err);
  tap_must(status == CK_OK, "open: %s", err.text);
}

void random_runs_test_mode(const random_runs_mode *m, const char *store, unsigned first,
                           unsigned rounds) {
  int wrong = 0, runs = 0, crashes = 0, failures = 0, rewinds = 0, doubts = 0;
  size_t effects = 0;
  static int sessions;
  for (unsigned round = first; round < first + rounds; round++) {
    random_run base = {0};
    char id[32];
    if (store[0] == 's') {
      static const char *database;
      char name[128];
      if (!database) database = tap_tmpfile("random_runs.db");
      snprintf(name, sizeof name, "sqlite:%s", database);
      open_all(&base, name);
    } else {
      open_all(&base, store);
    }
    random_run whole = base, one = base;
    whole.calm = true;
    snprintf(id, sizeof id, "whole-%u-%d", round, ++sessions);
    begin(&whole, id, round * 2654435761u % 1000003u, m->strict);
    const char *problem = live(&whole, m);
    if (!*problem) read_result(&whole);
    one.random = round;
    one.whole = m->same ? &whole : NULL;
    snprintf(id, sizeof id, "one-%u-%d", round, sessions);
    if (m->limited) {
      ck_error err = CK_ERROR_INIT;
      tap_must(ck_profile_new(&one.profile, "limits", &err) == CK_OK, "profile");
      one.profile->budget_micros = 2 * RESERVE;
      one.profile->on_limit = round % 2 ? CK_LIMIT_ASK : CK_LIMIT_PAUSE;
    }
    if (!*problem) {
      begin(&one, id, round * 2654435761u % 1000003u, m->strict);
      problem = live(&one, m);
    }
    if (!*problem && one.ending.status == CK_SESSION_COMPLETED) read_result(&one);
    if (!*problem) problem = check(&one, m, &whole);
    const random_run *bad = one.runs ? &one : &whole;
    if (*problem)
      tap_diag("%s, round %u: %s %s (%s) life %d: %s", m->name, round,
               one.runs ? "" : "undisturbed", problem, bad->why, bad->runs, bad->ending.text);
    wrong += *problem != 0;
    runs += one.runs, crashes += one.crashes, failures += one.failures, rewinds += one.rewinds,
        doubts += one.doubts;
    effects += whole.fact_count;
    clear(&one);
    ck_profile_free(one.profile);
    clear(&whole);
    base.engine->unload(base.flow);
    base.engine->free(base.engine->self);
    ck_runtime_close(base.runtime);
  }
  tap_is_int(wrong, 0,
             "%s, %s: %u sessions, %zu effects, %d runs, %d crashes, %d failures, %d steps back, "
             "%d doubts",
             m->name, store, rounds, effects, runs, crashes, failures, rewinds, doubts);
}

static unsigned number(const char *text, unsigned otherwise) {
  return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

void random_runs_test_modes(const random_runs_mode *modes, size_t count, int argc, char **argv) {
  unsigned rounds = number(argc > 1 ? argv[1] : getenv("RANDOM_RUNS_COUNT"), 12),
           first = number(argc > 2 ? argv[2] : getenv("RANDOM_RUNS_FIRST"), 1);
  unsigned only = number(argc > 3 ? argv[3] : NULL, (unsigned)count);
  for (size_t i = 0; i < count; i++) {
    if (only < count && i != only) continue;
    random_runs_test_mode(&modes[i], "memory:", first, rounds);
    random_runs_test_mode(&modes[i], "sqlite:", first + rounds, rounds / 5);
  }
}
