/* test_incidents.c - retries and failures count from the session's start along its lineage: over
 * crashes, replays and resumes, and in sessions of earlier versions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/opening/select.h"
#include "core/runtime/session/session_private.h"
#include "tests/runtime/execution/fake_flow.h"
#include "tests/tap.h"

/* Node "work" has one effect, then "rest" has one. */
static const char flow[] =
    "local flow = require 'ck.flow' return flow.custom { name = 'x', run = function(ctx) "
    "local n = ctx.position and ctx.position.n or 0 "
    "if n < 1 then ctx.boundary('node_start', { node = 'work', position = { path = 'w', n = 1 } }) "
    "end "
    "if n < 2 then ctx.effect { kind = 'exec', class = 'pure', request = { argv = { 'w' } } } "
    "ctx.boundary('node_complete', { node = 'work', position = { path = 'we', n = 2 } }) end "
    "if n < 3 then ctx.boundary('node_start', { node = 'rest', position = { path = 'r', n = 3 } }) "
    "end "
    "ctx.effect { kind = 'exec', class = 'pure', request = { argv = { 'r' } } } "
    "ctx.boundary('node_complete', { node = 'rest', position = { path = 're', n = 4 } }) "
    "return 1 end }";

static uint64_t takes; /* bit per kind of boundary */

static ck_status decide(ck_decision *out, void *self, const ck_boundary *at, ck_error *err) {
  (void)self, (void)err;
  *out = (ck_decision){.take = takes >> at->kind & 1};
  return CK_OK;
}

static ck_status try_again(ck_failure_answer *out, void *self, const ck_failure *failure,
                           ck_error *err) {
  (void)self, (void)err;
  if (out->word == CK_FAILURE_LEAVE) return CK_OK; /* a program's bad end is the flow's */
  out->word = strstr(failure->error, "for good") ? CK_FAILURE_FAIL : CK_FAILURE_RETRY;
  return CK_OK;
}

static const ck_policy_engine policies = {.checkpoint = decide, .on_failure = try_again};

static void append_one(ck_buffer *out, const ck_checkpoint_info *checkpoint) {
  int64_t retries = 0;
  char *node = ck_json_dup_string(ck_json_get(ck_value_bytes(checkpoint->info), "node"));
  ck_bytes failed = ck_json_get(ck_value_bytes(checkpoint->info), "failed");
  ck_json_read_int(&retries, ck_json_get(ck_value_bytes(checkpoint->info), "retries"));
  ck_buffer_append_format(out, "%s%s%s", out->len ? " " : "", node ? node : "",
                          checkpoint->clean ? "" : "!");
  if (retries) ck_buffer_append_format(out, "%d", (int)retries);
  ck_buffer_append_bytes(out, failed);
  free(node);
}

typedef struct listing {
  const ck_view *view;
  ck_buffer text;
} listing;

static bool take(void *to, const ck_checkpoint_info *checkpoint) {
  listing *self = to;
  if (ck_view_contains(self->view, checkpoint->seq)) append_one(&self->text, checkpoint);
  return true;
}

/* Node of each checkpoint in the live view, "!" when it is not clean, retries, nodes that failed.
 */
static void is_past(fake_flow *self, const char *id, const char *wanted, const char *name) {
  ck_head head;
  ck_view view;
  ck_error err = CK_ERROR_INIT;
  ck_store *store = self->runtime->store;
  tap_must(ck_store_get_head(&head, store, id, &err) == CK_OK &&
               ck_view_make(&view, head.timelines, head.timeline_count, head.session.timeline,
                            &err) == CK_OK,
           "head: %s", err.text);
  listing all = {.view = &view};
  tap_must(ck_store_list_checkpoints(store, head.session.no, take, &all, &err) == CK_OK, "list");
  tap_is_text(all.text.data, wanted, name);
  ck_buffer_clear(&all.text);
  ck_view_clear(&view);
  ck_head_clear(&head);
}

enum { EVERY = ~0 };
#define ONLY(kind) (1ull << CK_BOUNDARY_##kind)

static void begin(fake_flow *out, uint64_t kinds) {
  *out = (fake_flow){.policies = &policies};
  takes = kinds;
  fake_flow_open(out, flow);
  fake_flow_start(out, "x");
}

static void test_effect_retry(void) {
  fake_flow s;
  begin(&s, (uint64_t)EVERY);
  fake_flow_failed(&s, "/w/", CK_E_UNAVAILABLE, "away");
  fake_flow_ok(&s, "/w/", "1", 0);
  fake_flow_ok(&s, "/r/", "1", 0);
  is_past(&s, "x", "work work!1[\"work\"] rest!1[\"work\"] rest!1[\"work\"] rest!1[\"work\"]",
          "an effect that was tried again: nothing behind it is clean");
  fake_flow_close(&s);
}

/* No checkpoint lies between the retry and the crash: what is replayed had been tried twice. */
static void test_replayed_retry(void) {
  fake_flow s;
  begin(&s, ONLY(NODE_START));
  fake_flow_failed(&s, "/w/", CK_E_UNAVAILABLE, "away");
  takes = 0;
  fake_flow_ok(&s, "/w/", "1", 0);
  fake_flow_crash(&s);
  takes = (uint64_t)EVERY;
  fake_flow_resume(&s, "x");
  tap_ok(!fake_flow_is_running(&s, "/w/"), "its outcome is replayed");
  is_past(&s, "x", "work work!1[\"work\"] rest!1[\"work\"]", "and so is that it was a retry");
  fake_flow_close(&s);
}

/* The flow goes on behind a program that has failed; nothing is tried again. */
static void test_replayed_error(void) {
  fake_flow s;
  begin(&s, ONLY(NODE_START));
  takes = 0;
  fake_flow_error(&s, "/w/", "exit status 1");
  fake_flow_crash(&s);
  takes = (uint64_t)EVERY;
  fake_flow_resume(&s, "x");
  tap_ok(!fake_flow_is_running(&s, "/w/"), "a program's bad end is replayed");
  is_past(&s, "x", "work work! rest!", "nothing behind it is clean, and it is no retry");
  fake_flow_close(&s);
}

static void test_lost(void) {
  fake_flow s;
  begin(&s, (uint64_t)EVERY);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "x");
  fake_flow_ok(&s, "/w/", "1", 0);
  is_past(&s, "x", "work work!1 rest!1", "an effect that a crash has lost is tried again");
  fake_flow_close(&s);
}

/* What is replayed as it was, and what is asked anew although it had succeeded, is no retry. */
static void test_not_tried_again(void) {
  ck_error err = CK_ERROR_INIT;
  ck_checkpoint_info first;
  fake_flow s;
  begin(&s, (uint64_t)EVERY);
  fake_flow_ok(&s, "/w/", "1", 0);
  fake_flow_crash(&s);
  fake_flow_resume(&s, "x");
  is_past(&s, "x", "work work rest", "a crash with an effect to come");
  fake_flow_failed(&s, "/r/", CK_E_FAILED, "for good");
  is_past(&s, "x", "work work rest rest!1[\"rest\"]",
          "then the effect that it lost fails: both count, for its node");
  ck_execution_close(s.execution);
  ck_session_close(s.session);
  s.execution = NULL;
  tap_must(ck_store_get_checkpoint(&first, s.runtime->store, 1, NULL, 2, &err) == CK_OK, "first");
  ck_resume_options options = {.policies = &policies, .checkpoint = first.id};
  tap_must(ck_session_resume(&s.session, s.runtime, "x", &options, &err) == CK_OK, "resume: %s",
           err.text);
  ck_execution_options execution = {.session = s.session,
                                    .engine = s.engine,
                                    .flow = s.flow,
                                    .drivers = s.drivers,
                                    .clock = s.clock,
                                    .waker = s.runtime->waker};
  tap_must(ck_execution_open(&s.execution, &execution, &err) == CK_OK, "open: %s", err.text);
  fake_flow_turn(&s);
  fake_flow_ok(&s, "/w/", "1", 0);
  is_past(&s, "x", "work work rest", "from before it nothing has failed, nor was tried again");
  fake_flow_ok(&s, "/r/", "1", 0);
  is_past(&s, "x", "work work rest rest rest", "nor what had failed in what was left behind");
  ck_checkpoint_info_clear(&first);
  fake_flow_close(&s);
}

/* ---- earlier versions: a checkpoint was unclean for what had happened since the one before ----
 */

static void commit(ck_runtime *runtime, ck_lease lease, int64_t seq, bool clean) {
  ck_error err = CK_ERROR_INIT;
  ck_value *body, *info;
  ck_event *event;
  tap_must(ck_value_copy(&body, ck_bytes_text("{\"kind\":\"node_start\"}"), &err) == CK_OK &&
               ck_value_copy(&info, ck_bytes_text("{\"node\":\"n\"}"), &err) == CK_OK,
           "body");
  ck_event made = {
      .seq = seq, .timeline = 1, .kind = CK_EVENT_BOUNDARY, .scope = "main", .body = body};
  tap_must(ck_event_new(&event, &made, &err) == CK_OK, "event");
  ck_checkpoint checkpoint = {.seq = seq,
                              .parent = seq > 2 ? seq - 1 : 0,
                              .kind = CK_BOUNDARY_NODE_START,
                              .clean = clean,
                              .resumable = true,
                              .info = info};
  snprintf(checkpoint.id, sizeof checkpoint.id, "checkpoint_%d", (int)seq);
  ck_batch batch = {.lease = lease,
                    .events = &event,
                    .event_count = 1,
                    .checkpoint = &checkpoint,
                    .durability = CK_DURABLE_PROCESS};
  tap_must(ck_store_commit(runtime->store, &batch, 1, &err) == CK_OK && batch.status == CK_OK,
           "commit: %s", err.text);
  ck_event_free(event);
  ck_value_free(body);
  ck_value_free(info);
}

static ck_session *open_earlier(ck_runtime *runtime) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = "old"}, &err) == CK_OK,
           "start: %s", err.text);
  commit(runtime, session->lease, 2, true);
  commit(runtime, session->lease, 3, false);
  commit(runtime, session->lease, 4, true);
  ck_session_set_next_seq(session, 5);
  return session;
}

static void test_earlier_versions(void) {
  ck_runtime *runtime;
  ck_head head;
  ck_checkpoint_info chosen;
  ck_saved saved;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "runtime");
  ck_session *session = open_earlier(runtime);
  ck_session_close(session);
  tap_must(ck_store_get_head(&head, runtime->store, "old", &err) == CK_OK, "head");
  tap_must(ck_select_checkpoint(&chosen, runtime->store, &head, &(ck_choice){.clean = true},
                                &err) == CK_OK,
           "select");
  tap_is_int(chosen.seq, 2, "the latest clean one lies before what went wrong");
  ck_checkpoint_info_clear(&chosen);
  ck_head_clear(&head);
  tap_must(ck_session_resume(&session, runtime, "old", &(ck_resume_options){0}, &err) == CK_OK,
           "resume: %s", err.text);
  tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_NODE_START},
                               &err) == CK_OK &&
               ck_session_wait(session, saved.ticket, &err) == CK_OK &&
               ck_store_get_checkpoint(&chosen, runtime->store, 1, saved.id, 0, &err) == CK_OK,
           "boundary: %s", err.text);
  tap_ok(!chosen.clean, "and a resume behind it stays unclean");
  ck_checkpoint_info_clear(&chosen);
  ck_session_close(session);
  ck_runtime_close(runtime);
}

int main(void) {
  test_effect_retry();
  test_replayed_retry();
  test_replayed_error();
  test_lost();
  test_not_tried_again();
  test_earlier_versions();
  return tap_done();
}
