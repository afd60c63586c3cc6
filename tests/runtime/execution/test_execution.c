/* test_execution.c - a run that ends anywhere goes on elsewhere: nothing runs twice, nothing is
 * missing. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/history/resolve.h"
#include "core/store/verify.h"
#include "tests/clock.h"
#include "tests/runtime/scripted_flow.h"
#include "tests/tap.h"

static ck_runtime *runtime;

typedef scripted_ending ending;

static void open_runtime(const char *url) {
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "open %s: %s", url, err.text);
}

static ending run(ck_session *session, scripted_flow *s, int moves) {
  return scripted_flow_run(s, runtime, session, moves);
}

static ck_session *start(const char *id) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = id}, &err) == CK_OK,
           "start %s: %s", id, err.text);
  return session;
}

static ck_session *resume_with(const char *id, const ck_resume_options *options) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_session_resume(&session, runtime, id, options, &err);
  tap_must(status == CK_OK, "resume %s: %s", id, err.text);
  return session;
}

static ck_session *resume(const char *id) { return resume_with(id, &(ck_resume_options){0}); }

static void append_messages(ck_buffer *out, ck_session *session) {
  ck_conversation *conversation;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_conversation(&conversation, session, "main", &err) == CK_OK,
           "conversation: %s", err.text);
  for (size_t i = 0; i < ck_conversation_count(conversation); i++) {
    ck_buffer_append_bytes(out, ck_value_bytes(ck_conversation_get(conversation, i)));
    ck_buffer_append_char(out, '\n');
  }
}

static bool ran_once(const scripted_flow *s) {
  for (int i = 0; i < s->iterations * s->tools; i++)
    if (s->ran[i] != 1) return false;
  return true;
}

static scripted_flow make_world(void) {
  return (scripted_flow){
      .iterations = 4, .tools = 2, .class = CK_EFFECT_RECONCILABLE, .probes = true};
}

static void reference(ck_buffer *messages, ck_totals *totals, int *moves) {
  scripted_flow s = make_world();
  ck_session *session = start("reference");
  ending e = run(session, &s, 10000);
  tap_ok(e.turn == CK_OK && e.result.status == CK_SESSION_COMPLETED,
         "an undisturbed run completes: %s", e.result.text);
  tap_ok(ran_once(&s) && s.models == 4, "and runs everything once");
  tap_is_int(e.counts.boundaries, 4, "with a boundary per round");
  append_messages(messages, session);
  *totals = *ck_session_totals(session);
  ck_session_close(session);
  *moves = 40;
}

/* Dies after each number of moves, as often as it takes, always after that many. */
static void test_dies_anywhere(const ck_buffer *messages, const ck_totals *totals, int most) {
  int wrong = 0, resumes = 0;
  for (int moves = 1; moves <= most; moves++) {
    char id[32];
    snprintf(id, sizeof id, "dies-%d", moves);
    scripted_flow s = make_world();
    ck_session *session = start(id);
    ending e = run(session, &s, moves);
    for (int more = 0; e.crashed && more < 100; more++, resumes++) {
      ck_session_close(session);
      session = resume(id);
      e = run(session, &s, moves + more);
    }
    ck_buffer got = {0};
    append_messages(&got, session);
    bool good = e.turn == CK_OK && ran_once(&s) &&
                ck_bytes_equal(ck_buffer_bytes(&got), ck_buffer_bytes(messages)) &&
                ck_session_totals(session)->tool_calls == totals->tool_calls;
    if (!good)
      tap_diag("after %d moves: %s; %zu bytes of messages, %zu expected", moves, e.result.text,
               got.len, messages->len);
    wrong += !good;
    ck_buffer_clear(&got);
    ck_session_close(session);
  }
  tap_is_int(
      wrong, 0,
      "died after 1 to %d moves, %d resumes: same messages, each tool ran once, the same spent",
      most, resumes);
}

/* Between intent and outcome of a `once` tool: never run blindly, goes on after a person's word. */
static void test_once_in_doubt(const char *id, const char *verdict, int expected_runs) {
  ck_error err = CK_ERROR_INIT;
  scripted_flow s = {.iterations = 1, .tools = 1, .class = CK_EFFECT_ONCE, .stop_after = 2};
  ck_session *session = start(id);
  ending e = run(session, &s, 1000);
  ck_session_close(session);
  tap_ok(e.crashed && s.ran[0] == 1, "%s: the tool began and the process died", verdict);
  s.stop_after = 0;
  session = resume(id);
  e = run(session, &s, 1000);
  ck_session_close(session);
  tap_ok(e.result.status == CK_SESSION_IN_DOUBT && e.result.cause == CK_E_IN_DOUBT,
         "%s: the resume stops in doubt", verdict);
  tap_is_int(s.ran[0], 1, "%s: and did not run it again", verdict);
  tap_is_status(ck_session_resolve(runtime, id, "main/start/tool/9", verdict, NULL, &err),
                CK_E_NOT_FOUND, &err, "%s: no word on an effect that is not in doubt", verdict);
  tap_is_status(ck_session_resolve(runtime, id, "main/start/tool/1", verdict, NULL, &err), CK_OK,
                &err, "%s: a person's word", verdict);
  session = resume(id);
  e = run(session, &s, 1000);
  tap_ok(e.result.status == CK_SESSION_COMPLETED, "%s: the session goes on: %s", verdict,
         e.result.text);
  tap_is_int(s.ran[0], expected_runs, "%s: the tool ran %d times in all", verdict, expected_runs);
  ck_session_close(session);
}

static void test_changed_request(void) {
  scripted_flow s = {.iterations = 1, .tools = 2, .class = CK_EFFECT_ONCE, .stop_after = 3};
  ck_session *session = start("changed");
  run(session, &s, 1000);
  ck_session_close(session);
  s.stop_after = 0;
  s.salt = "edited";
  session = resume("changed");
  ending e = run(session, &s, 1000);
  tap_ok(e.result.status == CK_SESSION_FAILED && e.result.cause == CK_E_DIVERGED,
         "another request at the key of a once effect stops");
  tap_is_int(s.ran[0], 1, "before anything ran again");
  ck_session_close(session);
}

static void test_flow_error_is_resumable(void) {
  scripted_flow s = make_world();
  s.fail_at = 3;
  ck_session *session = start("raises");
  ending e = run(session, &s, 1000);
  tap_ok(e.result.status == CK_SESSION_FAILED && strstr(e.result.text, "raised"),
         "a flow that raises fails the session with its text");
  ck_session_close(session);
  s.fail_at = 0;
  session = resume("raises");
  e = run(session, &s, 1000);
  tap_ok(e.result.status == CK_SESSION_COMPLETED && ran_once(&s),
         "and goes on once it is mended, repeating nothing");
  tap_is_int(ck_session_attempt(session), 2, "at the next attempt");
  ck_session_close(session);
}

static void test_pause(void) {
  ck_error err = CK_ERROR_INIT;
  scripted_flow s = make_world();
  ck_session *session = start("paused");
  ck_flow_engine engine = scripted_flow_engine(&s);
  ck_effect_driver driver = scripted_flow_driver(&s);
  const ck_effect_driver *drivers[] = {&driver, NULL};
  ck_flow *flow;
  ck_execution *execution;
  ck_execution_result result;
  tap_must(engine.load(&flow, engine.self, "scripted_flow", &err) == CK_OK, "load");
  tap_must(ck_execution_open(&execution,
                             &(ck_execution_options){.session = session,
                                                     .engine = &engine,
                                                     .flow = flow,
                                                     .drivers = drivers,
                                                     .clock = clock_of_readings(),
                                                     .waker = runtime->waker},
                             &err) == CK_OK,
           "open");
  ck_execution_pause(execution, "lid closed");
  ck_status status;
  while ((status = ck_execution_turn(&result, execution, &err)) == CK_E_PENDING)
    if (!scripted_flow_deliver(&s))
      tap_must(ck_session_flush(session, CK_DURABLE_PROCESS, &err) == CK_OK, "flush");
  tap_ok(result.status == CK_SESSION_PAUSED && ck_execution_get_counts(execution)->boundaries == 1,
         "a pause waits for the next boundary");
  ck_execution_close(execution);
  engine.unload(flow);
  ck_session_close(session);
  session = resume("paused");
  ending e = run(session, &s, 1000);
  tap_ok(e.result.status == CK_SESSION_COMPLETED && ran_once(&s) && e.counts.replayed == 0,
         "and the resume replays nothing");
  ck_session_close(session);
}

static void test_ended_is_final(void) {
  ck_error err = CK_ERROR_INIT;
  ck_session *session;
  ck_status status =
      ck_session_resume(&session, runtime, "reference", &(ck_resume_options){0}, &err);
  tap_is_status(status, CK_E_REFUSED, &err, "a completed session is not resumed");
  status = ck_session_resume(&session, runtime, "never", &(ck_resume_options){0}, &err);
  tap_is_status(status, CK_E_NOT_FOUND, &err, "an unknown one is not found");
  status = ck_session_resume(&session, runtime, "../etc", &(ck_resume_options){0}, &err);
  tap_is_status(status, CK_E_USAGE, &err, "a name that is no id is refused");
  ck_session *first = start("owned");
  status = ck_session_resume(&session, runtime, "owned", &(ck_resume_options){0}, &err);
  tap_is_status(status, CK_E_OWNED, &err, "a session that runs is not run again");
  ck_session_close(first);
}

static void test_all(const char *url) {
  ck_buffer messages = {0};
  ck_totals totals;
  int moves;
  tap_diag("%s", url);
  open_runtime(url);
  reference(&messages, &totals, &moves);
  test_dies_anywhere(&messages, &totals, moves);
  test_once_in_doubt("once-done", "done", 1);
  test_once_in_doubt("once-retry", "retry", 2);
  test_once_in_doubt("once-abort", "abort", 1);
  test_changed_request();
  test_flow_error_is_resumable();
  test_pause();
  test_ended_is_final();
  ck_verify_report report;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_store_verify(&report, runtime->store, NULL, NULL, NULL, &err), CK_OK, &err,
                "the store can be verified");
  tap_is_int(report.problems, 0, "and is clean");
  ck_buffer_clear(&messages);
  ck_runtime_close(runtime);
}

int main(void) {
  char url[512];
  test_all("memory:");
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("execution.db"));
  test_all(url);
  return tap_done();
}
