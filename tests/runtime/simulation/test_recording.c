/* test_recording.c - a recording of odd boundaries can be simulated, and losses are measured. */
#include <string.h>

#include "core/runtime/session/session.h"
#include "core/runtime/simulation/simulate.h"
#include "tests/tap.h"

static ck_runtime *runtime;

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static ck_recording *read_recording(const char *id) {
  ck_recording *recording;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_recording_read(&recording, runtime->store, id, &err) == CK_OK, "recording: %s",
           err.text);
  return recording;
}

static void test_measure(void) {
  for (size_t count = 0; count <= 100; count++) {
    int64_t list[100];
    ck_loss loss;
    for (size_t i = 0; i < count; i++) list[i] = (int64_t)((i * 101) % count) + 1;
    ck_loss_measure(&loss, list, count);
    size_t covered = 0;
    for (size_t i = 0; i < count; i++) covered += list[i] <= loss.p95;
    bool good = loss.worst == (int64_t)count && covered * 100 >= count * 95 &&
                (covered - 1) * 100 < count * 95 + (count == 0) * 1000;
    if (count && !good) tap_ok(false, "of %zu losses: p95 %lld", count, (long long)loss.p95);
  }
  ck_loss loss;
  int64_t one[] = {5};
  ck_loss_measure(&loss, one, 1);
  tap_ok(loss.p95 == 5 && loss.worst == 5 && loss.mean > 4.9 && loss.mean < 5.1,
         "one loss is mean, p95 and worst");
  ck_loss_measure(&loss, NULL, 0);
  tap_ok(loss.p95 == 0 && loss.worst == 0, "none is nothing");
}

/* Boundaries that a host wrote itself, with nothing in them, of the wrong types, of an unknown
 * kind. */
static void test_odd_boundaries(void) {
  static const char *const bodies[] = {
      "{}",
      "{\"kind\":\"tool_round\"}",
      "{\"kind\":\"from_the_future\"}",
      "{\"kind\":7}",
      "{\"kind\":\"tool_round\",\"since\":3,\"next\":[],\"now\":\"x\",\"random\":-1,\"reasons\":{},"
      "\"checkpoint\":true}",
      "{\"kind\":\"tool_round\",\"since\":{\"ms\":-5,\"cost\":-9,\"bytes\":-1,\"keys\":-3}}"};
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = "odd"}, &err) == CK_OK,
           "start: %s", err.text);
  for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
    ck_value *body;
    tap_must(ck_value_new(&body, ck_bytes_text(bodies[i]), &err) == CK_OK, "body: %s", err.text);
    tap_must(ck_session_append(session, CK_EVENT_BOUNDARY, "main", NULL, body, &err) == CK_OK,
             "append: %s", err.text);
    ck_value_free(body);
  }
  ck_session_close(session);
  ck_recording *recording = read_recording("odd");
  ck_simulation simulation;
  tap_is_int((int64_t)recording->boundary_count, 3,
             "what is no boundary of a known kind is an event only");
  tap_ok(recording->boundaries[0].at.random != recording->boundaries[1].at.random,
         "boundaries without a number get one each");
  tap_ok(recording->boundaries[0].at.now_ms > 0 &&
             same_text(recording->boundaries[0].at.scope, "main"),
         "and a time");
  tap_is_status(ck_simulate(&simulation, recording, &ck_policy_always,
                            &(ck_shown_as){.limit_micros = -1}, NULL, &err),
                CK_OK, &err, "they can be simulated");
  for (size_t i = 0; i < simulation.lost_count; i++) {
    if (simulation.lost[i].ms < 0 || simulation.lost[i].cost_micros < 0)
      tap_ok(false, "a loss is below nothing");
  }
  ck_simulation_clear(&simulation);
  ck_recording_free(recording);
  tap_is_status(ck_recording_read(&recording, runtime->store, "none", &err), CK_E_NOT_FOUND, &err,
                "a session that is not there");
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "open: %s", err.text);
  test_measure();
  test_odd_boundaries();
  ck_runtime_close(runtime);
  return tap_done();
}
