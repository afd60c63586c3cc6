/* test_failed_again.c - what failed for good beside others, just before a crash, fails again out of
 * the ledger: it is not begun anew, and every run that meets it has an event of it, so that the
 * tail of its agent ends with it, once. */
#include <string.h>

#include "core/runtime/session/tail/tail.h"
#include "tests/runtime/execution/limits_fixture.h"
#include "tests/tap.h"

static const char two[] = HEAD
    "if ctx.task then return ctx.effect { kind = 'tool', class = ctx.task == 'a' and 'once' or "
    "'idempotent', agent = ctx.task == 'a' and 'alice' or 'bob', request = { name = ctx.task, "
    "arguments = {} } }.result end "
    "ctx.fork { { scope = 'a', task = 'a' }, { scope = 'b', task = 'b' } } "
    "local r = ctx.join { 'a', 'b' } return r.a.error or 'no error'" TAIL;

/* Worked out from the events alone. */
typedef struct found {
  int64_t timeline; /* the last one */
  int64_t failed;   /* the seq of the outcome */
  int64_t replays;  /* of it, in the last timeline, by alice */
  int64_t intents;  /* of alice, in all */
} found;

static bool look(void *to, const ck_event *event) {
  found *self = to;
  int64_t of = 0;
  ck_bytes body = ck_value_bytes(event->body);
  bool hers = event->agent && strcmp(event->agent, "alice") == 0;
  if (event->timeline != self->timeline) self->replays = 0;
  self->timeline = event->timeline;
  self->intents += hers && event->kind == CK_EVENT_INTENT;
  if (event->kind == CK_EVENT_OUTCOME && ck_json_is_text(ck_json_get(body, "status"), "failed"))
    self->failed = event->seq;
  if (event->kind == CK_EVENT_REPLAY && hers && ck_json_read_int(&of, ck_json_get(body, "of")))
    self->replays += of == self->failed;
  return true;
}

static found read_events(fake_flow *s, const ck_head *head) {
  ck_error err = CK_ERROR_INIT;
  found out = {0};
  ck_event_query query = {.session = head->session.no};
  tap_must(ck_store_read_events(s->runtime->store, &query, look, &out, &err) == CK_OK, "events");
  return out;
}

static size_t count_failures(fake_flow *s, const ck_head *head) {
  ck_error err = CK_ERROR_INIT;
  ck_tail tail;
  ck_view view = {0};
  size_t count = 0;
  tap_must(ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline,
                        &err) == CK_OK,
           "a view");
  ck_tail_query query = {.session = head->session.no, .view = &view, .agent = "alice", .n = 50};
  tap_must(ck_tail_read(&tail, s->runtime->store, &query, &err) == CK_OK, "a tail");
  for (size_t i = 0; i < tail.count; i++)
    count += tail.events[i]->kind == CK_EVENT_OUTCOME &&
             ck_json_is_text(ck_json_get(ck_value_bytes(tail.events[i]->body), "status"), "failed");
  ck_tail_clear(&tail);
  ck_view_clear(&view);
  return count;
}

static void check(fake_flow *s, const char *when) {
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  tap_must(ck_store_get_head(&head, s->runtime->store, "two", &err) == CK_OK, "the head");
  found got = read_events(s, &head);
  tap_is_int(got.replays, 1, "%s the run has one event of the failure", when);
  tap_is_int(got.intents, 1, "%s it was begun once", when);
  tap_is_int((int64_t)count_failures(s, &head), 1, "%s her tail has it, once", when);
  ck_head_clear(&head);
}

int main(void) {
  fake_flow s = {0};
  fake_flow_open(&s, two);
  fake_flow_start(&s, "two");
  fake_flow_failed(&s, "a@", CK_E_FAILED, "no such card");
  for (int i = 0; i < 2; i++) {
    fake_flow_crash(&s);
    fake_flow_resume(&s, "two");
    tap_ok(!strstr(s.log.data ? s.log.data : "", "a@"), "what failed is not begun anew");
    check(&s, i ? "behind another crash" : "behind a crash");
  }
  fake_flow_ok(&s, "b@", "\"B\"", 0);
  tap_ok(strstr(fake_flow_result(&s, "two"), "no such card"), "the flow has the same failure: %s",
         fake_flow_result(&s, "two"));
  check(&s, "at the end");
  fake_flow_close(&s);
  return tap_done();
}
