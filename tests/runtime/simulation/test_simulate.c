/* test_simulate.c - a simulation decides what a live session decided, and counts what a live
 * session would have counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/record.h"
#include "core/runtime/session/session_private.h"
#include "core/runtime/simulation/simulate.h"
#include "tests/tap.h"

enum { SEEN_MAX = 600 };

/* A clock that only the test moves. */
static int64_t now_us;
static int64_t wall_ms(void *self) { return (void)self, 1767225600000 + now_us / 1000; }
static int64_t mono_us(void *self) { return (void)self, now_us; }
static const ck_clock test_clock = {wall_ms, mono_us, NULL};

static ck_runtime *runtime;

/* A policy in C that remembers what it was shown. */
typedef struct judge {
  bool (*takes)(const ck_boundary *at);
  ck_boundary seen[SEEN_MAX];
  bool took[SEEN_MAX];
  char names[SEEN_MAX][96]; /* of the keys that changed, as JSON */
  size_t count;
} judge;

static void keep_names(char out[96], const ck_changed_keys *keys) {
  ck_buffer list = {0};
  ck_error err = CK_ERROR_INIT;
  tap_must(keys && ck_changed_keys_write(&list, keys, false, &err) == CK_OK, "names: %s", err.text);
  snprintf(out, 96, "%s", list.len ? list.data : "");
  ck_buffer_clear(&list);
}

static ck_status decide(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  judge *own = self;
  *out = (ck_decision){.take = own->takes(at), .sync = at->seq % 3 == 0};
  if (own->count < SEEN_MAX) {
    keep_names(own->names[own->count], at->since.changed);
    own->seen[own->count] = *at;
    own->took[own->count++] = out->take;
  }
  if (at->last_error && strcmp(at->last_error, "break the policy") == 0) {
    *out = (ck_decision){.take = true, .sync = true};
    return ck_error_set(err, CK_E_POLICY, "it broke");
  }
  if (!out->take) return CK_OK;
  char text[64];
  snprintf(text, sizeof text, "[{\"policy\":\"judge\",\"version\":1,\"reason\":\"%lld\"}]",
           (long long)at->since.tokens);
  return ck_value_copy(&out->reasons, ck_bytes_text(text), err);
}

static bool takes_all(const ck_boundary *at) { return (void)at, true; }
static bool takes_none(const ck_boundary *at) { return (void)at, false; }
static bool takes_money(const ck_boundary *at) { return at->since.cost_micros >= 5000; }
static bool takes_time(const ck_boundary *at) { return at->since.ms >= 9000; }
static bool takes_events(const ck_boundary *at) { return at->since.events >= 17; }
static bool takes_bytes(const ck_boundary *at) { return at->since.changed_bytes > 200; }
static bool takes_keys(const ck_boundary *at) { return at->since.changed_keys >= 3; }
static bool takes_name(const ck_boundary *at) {
  return ck_changed_keys_has(at->since.changed, "memory.k2");
}
static bool takes_unclean(const ck_boundary *at) { return !at->clean; }
static bool takes_random(const ck_boundary *at) { return at->random % 4 == 0; }
static bool takes_cost(const ck_boundary *at) {
  return at->checkpoint_cost_us % 2 == 0 && at->since.changed_keys > 1;
}

static const struct {
  const char *name;
  bool (*takes)(const ck_boundary *at);
  bool own; /* depends on what differs from run to run */
} rules[] = {{"all", takes_all, false},         {"none", takes_none, false},
             {"money", takes_money, false},     {"time", takes_time, false},
             {"events", takes_events, false},   {"bytes", takes_bytes, false},
             {"keys", takes_keys, false},       {"name", takes_name, false},
             {"unclean", takes_unclean, false}, {"random", takes_random, true},
             {"cost", takes_cost, true}};
enum { RULES = sizeof rules / sizeof rules[0] };

/* ---- a session whose course does not depend on its policy ---- */

static uint32_t course;
static uint32_t next(uint32_t below) {
  course = course * 1664525u + 1013904223u;
  return (course >> 8) % below;
}

static void outcome(ck_session *session, int number) {
  char text[256], key[64];
  bool tool = next(2), failed = next(12) == 0;
  snprintf(key, sizeof key, "main/a#%d/x/1", number);
  snprintf(text, sizeof text,
           "{\"key\":\"%s\",\"attempt\":1,\"kind\":\"%s\",\"status\":\"%s\",\"via\":\"t\",\"cost\":"
           "%d,\"input_tokens\":%u,\"output_tokens\":%u}",
           key, tool ? "tool" : "sleep", failed ? "failed" : "ok", tool ? 0 : (int)next(3000),
           next(900), next(50));
  ck_value *body;
  int64_t seq;
  ck_error err = CK_ERROR_INIT;
  ck_effect effect = {.scope = "main",
                      .key = key,
                      .kind = tool ? CK_EFFECT_TOOL : CK_EFFECT_SLEEP,
                      .class = CK_EFFECT_PURE,
                      .attempt = 1};
  tap_must(ck_value_new(&body, ck_bytes_text(text), &err) == CK_OK, "body: %s", err.text);
  tap_must(ck_session_record_outcome(session, &effect, body, &seq, &err) == CK_OK, "outcome: %s",
           err.text);
  if (failed) ck_session_mark_unclean(session);
  ck_value_free(body);
}

static void put(ck_session *session, int number) {
  char key[32], text[64];
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  snprintf(key, sizeof key, "memory.k%u", next(5));
  if (next(3)) number = 7; /* often the value that it has */
  snprintf(text, sizeof text, "\"%0*d\"", 1 + (int)next(number == 7 ? 2 : 40), number);
  if (next(6) == 0) snprintf(key, sizeof key, "position.main");
  tap_must(ck_value_new(&value, ck_bytes_text(text), &err) == CK_OK &&
               ck_session_put(session, key, value, &err) == CK_OK,
           "put: %s", err.text);
  ck_value_free(value);
}

static void boundary(ck_session *session, int number) {
  static const ck_boundary_kind kinds[] = {CK_BOUNDARY_TOOL_ROUND, CK_BOUNDARY_LOOP_ITERATION,
                                           CK_BOUNDARY_NODE_START, CK_BOUNDARY_USER_CHECKPOINT};
  ck_saved saved;
  ck_error err = CK_ERROR_INIT;
  ck_boundary at = {.kind = kinds[next(20) == 0 ? 3 : next(3)],
                    .scope = "main",
                    .node = number % 3 ? "a \"node\"" : NULL,
                    .agent = number % 2 ? "x" : NULL,
                    .depth = number % 3,
                    .node_latency_ms = next(4000),
                    .next = {.tool = number % 4 ? NULL : "t",
                             .has_class = number % 4 == 0,
                             .effect_class = CK_EFFECT_IDEMPOTENT},
                    .last_error = number % 50 == 49 ? "break the policy" : NULL};
  tap_must(ck_session_boundary(&saved, session, &at, &err) == CK_OK, "boundary: %s", err.text);
}

static void live(ck_session *session, int from, int to) {
  for (int i = from; i < to; i++) {
    for (uint32_t n = next(4); n > 0; n--) {
      now_us += next(2000) * 1000;
      if (next(3))
        outcome(session, i * 10 + (int)n);
      else
        put(session, i);
    }
    now_us += next(1500) * 1000 + next(1000);
    boundary(session, i);
  }
}

/* `resumes` times it is left without an end and goes on, as after a crash. */
static void run_session(const char *id, judge *by, int boundaries, int resumes) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  ck_policy_engine policies = {.self = by, .checkpoint = decide};
  course = 7;
  now_us = 1000000;
  tap_must(ck_session_start(&session, runtime,
                            &(ck_session_options){.id = id, .policies = &policies}, &err) == CK_OK,
           "start: %s", err.text);
  int each = boundaries / (resumes + 1);
  for (int part = 0; part <= resumes; part++) {
    live(session, part * each, part * each + each);
    if (part == resumes) break;
    ck_session_close(session);
    now_us += 86400000000; /* a day in which nobody works is no work */
    ck_resume_options options = {.policies = &policies};
    tap_must(ck_session_resume(&session, runtime, id, &options, &err) == CK_OK, "resume: %s",
             err.text);
  }
  tap_must(ck_session_end(session, CK_SESSION_COMPLETED, NULL, NULL, &err) == CK_OK, "end: %s",
           err.text);
  ck_session_close(session);
}

static ck_recording *read_recording(const char *id) {
  ck_recording *recording;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_recording_read(&recording, runtime->store, id, &err) == CK_OK, "recording: %s",
           err.text);
  return recording;
}

static void simulate(ck_simulation *out, const ck_recording *recording, judge *by) {
  ck_error err = CK_ERROR_INIT;
  ck_policy_engine policies = {.self = by, .checkpoint = decide};
  tap_must(ck_simulate(out, recording, &policies, &(ck_shown_as){.limit_micros = -1}, NULL, &err) ==
               CK_OK,
           "simulate: %s", err.text);
}

/* Texts apart: those of a live boundary are gone by now. */
static bool same_numbers(const ck_boundary *a, const ck_boundary *b) {
  return a->kind == b->kind && a->depth == b->depth && a->seq == b->seq && a->now_ms == b->now_ms &&
         a->random == b->random && a->node_latency_ms == b->node_latency_ms &&
         a->since.ms == b->since.ms && a->since.events == b->since.events &&
         a->since.cost_micros == b->since.cost_micros && a->since.tokens == b->since.tokens &&
         a->since.tool_calls == b->since.tool_calls &&
         a->since.changed_bytes == b->since.changed_bytes &&
         a->since.changed_keys == b->since.changed_keys &&
         a->budget.spent_micros == b->budget.spent_micros &&
         a->budget.limit_micros == b->budget.limit_micros && a->clean == b->clean &&
         a->checkpoint_cost_us == b->checkpoint_cost_us && a->next.has_class == b->next.has_class;
}

static void test_same_policy(int resumes) {
  for (size_t i = 0; i < RULES; i++) {
    char id[32];
    static judge then, again;
    ck_simulation simulation;
    snprintf(id, sizeof id, "same-%s-%d", rules[i].name, resumes);
    then = again = (judge){.takes = rules[i].takes};
    run_session(id, &then, 200, resumes);
    ck_recording *recording = read_recording(id);
    simulate(&simulation, recording, &again);
    size_t differ = 0;
    for (size_t k = 0; k < then.count; k++)
      differ += !same_numbers(&then.seen[k], &again.seen[k]) ||
                strcmp(then.names[k], again.names[k]) != 0;
    tap_ok(then.count == again.count && differ == 0,
           "%s, %d resumes: it is shown what it was shown live (%zu of %zu differ)", rules[i].name,
           resumes, differ, then.count);
    tap_is_int(simulation.as_recorded, (int64_t)simulation.decision_count,
               "%s, %d resumes: and decides as recorded", rules[i].name, resumes);
    ck_simulation_clear(&simulation);
    ck_recording_free(recording);
  }
}

/* What is simulated on the recording of one policy is what the other saw when it ran itself. */
static void test_other_policy(void) {
  static judge alive[RULES], again;
  for (size_t i = 0; i < RULES; i++) {
    char id[32];
    if (rules[i].own) continue;
    snprintf(id, sizeof id, "other-%s", rules[i].name);
    alive[i] = (judge){.takes = rules[i].takes};
    run_session(id, &alive[i], 200, 0);
  }
  for (size_t i = 0; i < RULES; i++) {
    char id[32];
    size_t differ = 0, wrong = 0;
    if (rules[i].own) continue;
    snprintf(id, sizeof id, "other-%s", rules[i].name);
    ck_recording *recording = read_recording(id);
    for (size_t k = 0; k < RULES; k++) {
      if (rules[k].own) continue;
      ck_simulation simulation;
      again = (judge){.takes = rules[k].takes};
      simulate(&simulation, recording, &again);
      for (size_t n = 0; n < again.count && n < alive[k].count; n++) {
        ck_boundary want = alive[k].seen[n];
        /* Chance and what a checkpoint was measured to cost differ from run to run. */
        want.random = again.seen[n].random;
        want.checkpoint_cost_us = again.seen[n].checkpoint_cost_us;
        /* Milliseconds were cut off once for each recorded checkpoint in between. */
        int64_t ms = want.since.ms - again.seen[n].since.ms;
        if (ms >= -1 && ms <= (int64_t)n + 1) want.since.ms = again.seen[n].since.ms;
        differ +=
            !same_numbers(&want, &again.seen[n]) || strcmp(alive[k].names[n], again.names[n]) != 0;
        wrong += alive[k].took[n] != again.took[n];
      }
      differ += again.count != alive[k].count;
      ck_simulation_clear(&simulation);
    }
    tap_ok(differ == 0 && wrong == 0,
           "recorded under %s: every other rule is shown, and decides, what it would have live "
           "(%zu, %zu)",
           rules[i].name, differ, wrong);
    ck_recording_free(recording);
  }
}

/* The losses again, by the plainest way: from each event back to the last checkpoint before it. */
static void test_losses(void) {
  static judge by;
  by = (judge){.takes = takes_money};
  run_session("losses", &by, 300, 2);
  ck_recording *recording = read_recording("losses");
  ck_simulation simulation;
  judge *again = calloc(1, sizeof *again);
  tap_must(again != NULL, "memory");
  again->takes = takes_events;
  simulate(&simulation, recording, again);
  size_t wrong = 0;
  int64_t taken = 0, bytes = 0;
  for (size_t i = 0; i < recording->event_count; i++) {
    ck_work from = {0};
    for (size_t k = i; k-- > 0;) {
      const ck_recorded_event *event = &recording->events[k];
      if (k && !event->resumed &&
          (event->boundary == SIZE_MAX || !simulation.decisions[event->boundary].taken))
        continue;
      from = event->work;
      break;
    }
    const ck_work *here = &recording->events[i].work, *lost = &simulation.lost[i];
    wrong += here->active_ms > here->ms; /* nobody is asked: but for what is cut off, the same */
    wrong += here->ms - here->active_ms > (int64_t)i;
    wrong += here->ms - from.ms != lost->ms ||
             here->active_ms - from.active_ms != lost->active_ms ||
             here->cost_micros - from.cost_micros != lost->cost_micros ||
             here->tokens - from.tokens != lost->tokens ||
             here->tool_calls - from.tool_calls != lost->tool_calls;
  }
  for (size_t i = 0; i < simulation.decision_count; i++) {
    taken += simulation.decisions[i].taken;
    bytes += simulation.decisions[i].bytes;
  }
  tap_is_int((int64_t)wrong, 0,
             "what a crash loses is the work since the last checkpoint, at each of %zu events",
             recording->event_count);
  tap_is_int(simulation.checkpoints, taken, "all checkpoints are counted");
  tap_is_int(simulation.bytes_written, bytes, "and their bytes");
  tap_is_int(simulation.kept, taken, "a policy without prune keeps all");
  tap_ok(simulation.failures > 0 && strcmp(simulation.failure.text, "it broke") == 0,
         "a policy that fails is reported: %s", simulation.failure.text);
  tap_ok(recording->events[recording->event_count - 1].work.ms < 3600000,
         "the days between runs are no work");
  tap_is_int(recording->events[recording->event_count - 1].work.cost_micros,
             recording->totals.cost_micros, "all money is in the work");
  free(again);
  ck_simulation_clear(&simulation);
  ck_recording_free(recording);
}

static ck_status drop_old(ck_prune_plan *out, void *self, const ck_history *history,
                          ck_error *err) {
  (void)self, (void)err;
  for (size_t i = 0; i < history->count; i++) out->drop[i] = true;
  return history->count && history->checkpoints[0].keyframe == history->checkpoints[0].seq
             ? CK_OK
             : CK_E_POLICY;
}

static ck_status fail_to_prune(ck_prune_plan *out, void *self, const ck_history *history,
                               ck_error *err) {
  for (size_t i = 0; i < history->count; i++) out->drop[i] = true;
  return (void)self, ck_error_set(err, CK_E_POLICY, "no");
}

static void test_prune(void) {
  ck_recording *recording = read_recording("losses");
  ck_simulation simulation;
  ck_error err = CK_ERROR_INIT;
  ck_policy_engine greedy = {.checkpoint = ck_policy_always.checkpoint, .prune = drop_old},
                   failing = greedy;
  failing.prune = fail_to_prune;
  tap_is_status(ck_simulate(&simulation, recording, &greedy, &(ck_shown_as){.limit_micros = -1},
                            &(ck_prune_rules){0}, &err),
                CK_OK, &err, "a policy that drops everything");
  tap_is_int(simulation.kept, 3, "keeps the head, and what two resumes went on from");
  tap_ok(simulation.decisions[simulation.decision_count - 1].kept, "which is the last one");
  ck_simulation_clear(&simulation);
  tap_is_status(ck_simulate(&simulation, recording, &failing, &(ck_shown_as){.limit_micros = -1},
                            &(ck_prune_rules){0}, &err),
                CK_OK, &err, "one that fails to prune");
  tap_is_int(simulation.kept, simulation.checkpoints, "drops nothing");
  ck_simulation_clear(&simulation);
  ck_recording_free(recording);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, &test_clock,
                           &err) == CK_OK,
           "open: %s", err.text);
  test_same_policy(0);
  test_same_policy(3);
  test_other_policy();
  test_losses();
  test_prune();
  ck_runtime_close(runtime);
  return tap_done();
}
