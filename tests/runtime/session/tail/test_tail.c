/* test_tail.c - an agent's tail is the last N events it took part in, in order, and never
 * another's. */
/* link: -Wl,--wrap=ck_store_read_events */
#include "core/runtime/session/tail/tail_section.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { RANDOM_EVENTS = 600, EVENTS_MAX = 1000 };

static uint64_t seed = 0x9e3779b97f4a7c15;
static uint64_t next_random(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return seed;
}

/* ---- a session in a store, and beside it a plain list of what went in ---- */

static const char *url;

typedef struct history {
  ck_store *store;
  ck_lease lease;
  int64_t timeline;
  ck_event *events[EVENTS_MAX]; /* index = seq - 1 */
  size_t count, committed;
} history;

static void add(history *self, ck_event_kind kind, const char *agent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void add(history *self, ck_event_kind kind, const char *agent, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ck_value *body = NULL;
  if (ck_value_new(&body, ck_bytes_text(text), NULL) != CK_OK || self->count == EVENTS_MAX) abort();
  int64_t seq = (int64_t)self->count + 1;
  ck_event from = {seq, self->timeline, kind, seq * 1000, "main", agent, body, {NULL, 0}};
  if (ck_event_new(&self->events[self->count++], &from, NULL) != CK_OK) abort();
  ck_value_free(body);
}

static void commit(history *self) {
  ck_error err = CK_ERROR_INIT;
  ck_batch batch = {.lease = self->lease,
                    .events = self->events + self->committed,
                    .event_count = self->count - self->committed};
  ck_status status = ck_store_commit(self->store, &batch, 1, &err);
  if (status == CK_OK) status = batch.status;
  self->committed = self->count;
  if (status != CK_OK) tap_must(false, "events are committed: %s", err.text);
}

static void start(history *self) {
  *self = (history){.timeline = 1};
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_store_open(&self->store, url, &(ck_store_options){.create = true}, &err);
  tap_must(status == CK_OK, "the store %s opens %s", url, err.text);
  ck_session_record record = {
      .id = "s", .status = CK_SESSION_RUNNING, .run = "run_1", .profile = strdup("p")};
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1, .run = "run_1"};
  add(self, CK_EVENT_SESSION_STARTED, NULL, "{}");
  ck_opening opening = {.timeline = &timeline, .events = self->events, .event_count = 1};
  status = ck_store_create_session(&self->lease, self->store, &record, &opening, &err);
  tap_must(status == CK_OK, "a session is made %s", err.text);
  self->committed = self->count;
  ck_session_record_clear(&record);
}

/* A resume that goes on after seq `cut`. */
static void branch(history *self, int64_t cut) {
  ck_error err = CK_ERROR_INIT;
  ck_store_release(self->store, self->lease);
  ck_timeline timeline = {.no = self->timeline + 1,
                          .parent = self->timeline,
                          .cut = cut,
                          .begin = (int64_t)self->count + 1,
                          .attempt = 1,
                          .run = "run_2",
                          .parent_run = "run_1"};
  self->timeline++;
  add(self, CK_EVENT_SESSION_RESUMED, NULL, "{}");
  ck_opening opening = {
      .timeline = &timeline, .events = self->events + self->committed, .event_count = 1};
  ck_status status =
      ck_store_acquire(&self->lease, self->store, "s", self->lease.epoch, &opening, &err);
  tap_must(status == CK_OK, "the session is taken over %s", err.text);
  self->committed = self->count;
}

static ck_view live_view(history *self) {
  ck_head head = {0};
  ck_view view = {0};
  if (ck_store_get_head(&head, self->store, "s", NULL) != CK_OK) abort();
  ck_status status =
      ck_view_make(&view, head.timelines, head.timeline_count, head.session.timeline, NULL);
  ck_head_clear(&head);
  if (status != CK_OK) abort();
  return view;
}

static void finish(history *self) {
  ck_store_release(self->store, self->lease);
  ck_store_close(self->store);
  for (size_t i = 0; i < self->count; i++) ck_event_free(self->events[i]);
}

/* ---- reading, with the events counted that the store had to hand out ---- */

static size_t visited;
typedef struct visit {
  ck_event_visit visit;
  void *to;
} visit;
static bool count_visit(void *to, const ck_event *event) {
  visit *self = to;
  visited++;
  return self->visit(self->to, event);
}
ck_status __real_ck_store_read_events(ck_store *self, const ck_event_query *query,
                                      ck_event_visit to_call, void *to, ck_error *err);
ck_status __wrap_ck_store_read_events(ck_store *self, const ck_event_query *query,
                                      ck_event_visit to_call, void *to, ck_error *err);
ck_status __wrap_ck_store_read_events(ck_store *self, const ck_event_query *query,
                                      ck_event_visit to_call, void *to, ck_error *err) {
  visit counted = {to_call, to};
  return __real_ck_store_read_events(self, query, count_visit, &counted, err);
}

static ck_status read_tail(ck_tail *out, history *of, const ck_view *view, const char *agent,
                           size_t n) {
  ck_error err = CK_ERROR_INIT;
  ck_tail_query query = {.session = of->lease.session, .view = view, .agent = agent, .n = n};
  visited = 0;
  return ck_tail_read(out, of->store, &query, &err);
}

/* "3 5 9" */
static void is_tail(history *of, const ck_view *view, const char *agent, size_t n,
                    const char *want) {
  ck_tail tail;
  ck_buffer seqs = {0};
  tap_is_status(read_tail(&tail, of, view, agent, n), CK_OK, NULL, "the tail of %s can be read",
                agent);
  for (size_t i = 0; i < tail.count; i++)
    ck_buffer_append_format(&seqs, "%s%" PRId64, i ? " " : "", tail.events[i]->seq);
  tap_is_bytes(ck_buffer_bytes(&seqs), ck_bytes_text(want), "the last %zu of %s", n, agent);
  ck_buffer_clear(&seqs);
  ck_tail_clear(&tail);
}

/* A session in which main's messages name nobody, as before each named who acts; and one scope of
 * two agents. */
static void test_nobody(void) {
  history of;
  start(&of);                                                        /* 1 */
  add(&of, CK_EVENT_MESSAGE, NULL, "{\"message\":{}}");              /* 2 */
  add(&of, CK_EVENT_INTENT, "solo", "{\"request\":{\"tools\":[]}}"); /* 3 */
  add(&of, CK_EVENT_OUTCOME, "solo", "{}");                          /* 4 */
  add(&of, CK_EVENT_MESSAGE, NULL, "{\"message\":{}}");              /* 5 */
  add(&of, CK_EVENT_BOUNDARY, NULL, "{}");                           /* 6 */
  commit(&of);
  is_tail(&of, NULL, "solo", 50, "2 4 5");
  is_tail(&of, NULL, "solo", 2, "4 5");
  is_tail(&of, NULL, "nobody", 50, "");
  ck_tail tail;
  tap_is_status(read_tail(&tail, &of, NULL, "solo", 1), CK_OK, NULL, "a message of nobody");
  tap_must(tail.count == 1, "is in the tail");
  tap_is_text(tail.events[0]->agent, "solo", "of the only agent of its scope");
  ck_tail_clear(&tail);
  add(&of, CK_EVENT_OUTCOME, "other", "{}");         /* 7 */
  add(&of, CK_EVENT_MESSAGE, "other", "{\"m\":{}}"); /* 8 */
  commit(&of);
  is_tail(&of, NULL, "solo", 50, "4");
  is_tail(&of, NULL, "other", 50, "7 8");
  finish(&of);
}

static void test_small(void) {
  history of;
  start(&of);                                                                    /* 1 */
  add(&of, CK_EVENT_MESSAGE, "lead", "{}");                                      /* 2 */
  add(&of, CK_EVENT_DELEGATION, "lead", "{\"targets\":[\"ann\",\"bob\"]}");      /* 3 */
  add(&of, CK_EVENT_MESSAGE, "ann", "{}");                                       /* 4 */
  add(&of, CK_EVENT_NOTE, "bob", "{\"file\":\"ann\"}");                          /* 5 */
  add(&of, CK_EVENT_NOTE, "lead", "{\"childAgentId\":\"ann\"}");                 /* 6 */
  add(&of, CK_EVENT_DELEGATION, "lead", "{\"parallel\":[{\"agent\":\"bob\"}]}"); /* 7 */
  commit(&of);
  is_tail(&of, NULL, "ann", 50, "3 4 6");
  is_tail(&of, NULL, "bob", 50, "3 5 7");
  is_tail(&of, NULL, "lead", 50, "2 3 6 7");
  is_tail(&of, NULL, "ann", 2, "4 6");
  is_tail(&of, NULL, "ann", 1, "6");
  is_tail(&of, NULL, "ann", SIZE_MAX, "3 4 6");
  is_tail(&of, NULL, "ann", 0, "");
  is_tail(&of, NULL, "nobody", 50, "");
  is_tail(&of, NULL, "", 50, "");
  ck_tail tail;
  tap_is_status(read_tail(&tail, &of, NULL, NULL, 5), CK_OK, NULL, "no agent");
  tap_is_int((int64_t)tail.count, 0, "has an empty tail");
  tap_is_status(read_tail(&tail, &of, NULL, "nobody", 50), CK_OK, NULL,
                "the tail of an agent that is not there");
  tap_is_int((int64_t)visited, 4, "opens only the bodies that can name it");
  tap_is_status(read_tail(&tail, &of, NULL, "bob", 1), CK_OK, NULL, "a tail of one");
  tap_is_int((int64_t)visited, 1, "is read without a look at older events");
  tap_is_text(tail.events[0]->agent, "lead", "events keep their agent");
  tap_ok(tail.events[0]->at_ms == 7000 && tail.events[0]->kind == CK_EVENT_DELEGATION,
         "and their time and kind");
  ck_tail_clear(&tail);
  ck_tail_query until = {.session = of.lease.session, .agent = "ann", .n = 2, .until = 5};
  tap_is_status(ck_tail_read(&tail, of.store, &until, NULL), CK_OK, NULL,
                "a tail as of an earlier event");
  tap_ok(tail.count == 2 && tail.events[0]->seq == 3 && tail.events[1]->seq == 4, "ends there");
  ck_tail_clear(&tail);
  ck_tail_clear(&tail);
  until.session = of.lease.session + 1;
  ck_status status = ck_tail_read(&tail, of.store, &until, NULL);
  tap_ok((status == CK_OK || status == CK_E_NOT_FOUND) && tail.count == 0,
         "another session has none of it");
  finish(&of);
}

static ck_status no_notes(bool *out, ck_answers *said, void *self, const ck_event *event,
                          const char *agent, ck_error *err) {
  ck_answers_put(said, 0, event->kind == CK_EVENT_NOTE ? CK_ANSWER_OUT : CK_ANSWER_IN);
  bool fails = event->kind == CK_EVENT_DELEGATION && strcmp(agent, self) == 0;
  *out = event->kind != CK_EVENT_NOTE;
  return fails ? ck_error_set(err, CK_E_POLICY, "no") : CK_OK;
}

/* The policies have a say in each event; one that fails leaves it out, and the count is of what is
 * left. */
static void test_policies(void) {
  history of;
  char failing[] = "bob";
  ck_policy_engine policies = {.self = failing, .tail = no_notes};
  start(&of);                                                               /* 1 */
  add(&of, CK_EVENT_DELEGATION, "lead", "{\"targets\":[\"ann\",\"bob\"]}"); /* 2 */
  add(&of, CK_EVENT_MESSAGE, "ann", "{}");                                  /* 3 */
  add(&of, CK_EVENT_NOTE, "ann", "{}");                                     /* 4 */
  add(&of, CK_EVENT_MESSAGE, "bob", "{}");                                  /* 5 */
  commit(&of);
  ck_tail tail;
  ck_tail_query query = {
      .session = of.lease.session, .agent = "ann", .n = 2, .policies = &policies};
  tap_is_status(ck_tail_read(&tail, of.store, &query, NULL), CK_OK, NULL,
                "a tail that policies look at");
  tap_ok(tail.count == 2 && tail.events[0]->seq == 2 && tail.events[1]->seq == 3,
         "has the last N of those they let in");
  ck_tail_clear(&tail);
  query.agent = "bob";
  tap_is_status(ck_tail_read(&tail, of.store, &query, NULL), CK_OK, NULL, "a policy fails");
  tap_ok(tail.count == 1 && tail.events[0]->seq == 5, "and the event is left out");
  ck_tail_clear(&tail);
  finish(&of);
}

/* What a branch that was left has seen is in no tail; what was replayed is, through its
 * reference. */
static void test_branches(void) {
  history of;
  start(&of);                                                               /* 1 */
  add(&of, CK_EVENT_MESSAGE, "ann", "{\"n\":2}");                           /* 2 */
  add(&of, CK_EVENT_OUTCOME, "ann", "{\"key\":\"k\",\"result\":\"kept\"}"); /* 3: after the cut */
  add(&of, CK_EVENT_MESSAGE, "ann", "{\"n\":4}");                           /* 4: after the cut */
  commit(&of);
  branch(&of, 2);                                               /* 5 */
  add(&of, CK_EVENT_REPLAY, "ann", "{\"key\":\"k\",\"of\":3}"); /* 6 */
  add(&of, CK_EVENT_MESSAGE, "ann", "{\"n\":7}");               /* 7 */
  commit(&of);
  ck_view view = live_view(&of);
  is_tail(&of, &view, "ann", 50, "2 6 7");
  is_tail(&of, &view, "ann", 2, "6 7");
  is_tail(&of, NULL, "ann", 50, "2 3 4 6 7");
  ck_tail tail;
  tap_is_status(read_tail(&tail, &of, &view, "ann", 2), CK_OK, NULL, "a replay is read through");
  const ck_event *replay = tail.events[0];
  tap_is_bytes(ck_value_bytes(replay->body), ck_value_bytes(of.events[2]->body),
               "it shows the original's body");
  tap_ok(replay->kind == CK_EVENT_OUTCOME && replay->at_ms == 3000, "and kind and time");
  tap_ok(replay->seq == 6 && replay->timeline == 2, "at its own place");
  ck_tail_clear(&tail);
  ck_view_clear(&view);
  finish(&of);
}

static ck_status no_outcomes(bool *out, ck_answers *said, void *self, const ck_event *event,
                             const char *agent, ck_error *err) {
  ck_answers_put(said, 0, event->kind == CK_EVENT_NOTE ? CK_ANSWER_OUT : CK_ANSWER_IN);
  (void)agent, (void)err;
  tap_ok(event->kind != CK_EVENT_REPLAY, "nobody is asked about a replay as such");
  *out = event->kind != CK_EVENT_OUTCOME;
  ++*(int *)self;
  return CK_OK;
}

/* Policies are asked about what a replay stands for; what it leaves room for comes from further
 * back. */
static void test_asked_about_replays(void) {
  history of;
  int asked = 0;
  ck_policy_engine policies = {.self = &asked, .tail = no_outcomes};
  start(&of);                                                               /* 1 */
  add(&of, CK_EVENT_MESSAGE, "ann", "{\"n\":2}");                           /* 2 */
  add(&of, CK_EVENT_OUTCOME, "ann", "{\"key\":\"k\",\"result\":\"left\"}"); /* 3: after the cut */
  commit(&of);
  branch(&of, 2);                                               /* 4 */
  add(&of, CK_EVENT_REPLAY, "ann", "{\"key\":\"k\",\"of\":3}"); /* 5 */
  add(&of, CK_EVENT_MESSAGE, "ann", "{\"n\":6}");               /* 6 */
  commit(&of);
  ck_view view = live_view(&of);
  ck_tail tail;
  ck_tail_query query = {
      .session = of.lease.session, .view = &view, .agent = "ann", .n = 2, .policies = &policies};
  tap_is_status(ck_tail_read(&tail, of.store, &query, NULL), CK_OK, NULL, "a tail over a replay");
  tap_ok(tail.count == 2 && tail.events[0]->seq == 2 && tail.events[1]->seq == 6,
         "is filled from before what was left out");
  tap_is_int(asked, 3, "each event is asked about once");
  ck_tail_clear(&tail);
  ck_view_clear(&view);
  finish(&of);
}

static void add_text(ck_buffer *out, history *of, const ck_tail_query *query) {
  if (ck_tail_section(out, of->store, query, NULL) != CK_OK) abort();
}

/* What is told before a resume is what is told behind it: all up to the cut, and from there on the
 * outcomes. */
static void test_cut(void) {
  history of;
  ck_buffer before = {0}, after = {0};
  start(&of);                                                               /* 1 */
  add(&of, CK_EVENT_MESSAGE, "ann", "{\"n\":2}");                           /* 2 */
  add(&of, CK_EVENT_BOUNDARY, "ann", "{\"kind\":\"tool_round\"}");          /* 3: the cut */
  add(&of, CK_EVENT_INTENT, "ann", "{\"key\":\"k\"}");                      /* 4 */
  add(&of, CK_EVENT_OUTCOME, "ann", "{\"key\":\"k\",\"result\":\"kept\"}"); /* 5 */
  add(&of, CK_EVENT_INTENT, "ann", "{\"key\":\"lost\"}");                   /* 6 */
  commit(&of);
  ck_view view = live_view(&of);
  ck_tail_query query = {
      .session = of.lease.session, .view = &view, .agent = "ann", .n = 50, .cut = 3};
  add_text(&before, &of, &query);
  ck_view_clear(&view);
  branch(&of, 3);                                               /* 7 */
  add(&of, CK_EVENT_REPLAY, "ann", "{\"key\":\"k\",\"of\":5}"); /* 8 */
  commit(&of);
  view = live_view(&of);
  query.cut = 0;
  add_text(&after, &of, &query);
  tap_ok(strstr(before.data, "kept") && !strstr(before.data, "lost"),
         "events that are not done again are in the tail, lost ones are not");
  tap_is_bytes(ck_buffer_bytes(&after), ck_buffer_bytes(&before),
               "the text is the same before a resume and behind it");
  ck_buffer_clear(&before);
  ck_buffer_clear(&after);
  ck_view_clear(&view);
  finish(&of);
}

static bool tells(history *of, ck_tail_query *query, const char *what) {
  ck_buffer text = {0};
  add_text(&text, of, query);
  bool told = text.data && strstr(text.data, what);
  ck_buffer_clear(&text);
  return told;
}

/* A scope that has failed is not run again in the same attempt, so that what failed stays; in the
 * next one, which a failed session is resumed in, it is tried again. */
static void test_failed_scope(void) {
  history of;
  ck_error err = CK_ERROR_INIT;
  ck_state *state;
  ck_value *position;
  start(&of);                                                      /* 1 */
  add(&of, CK_EVENT_BOUNDARY, "ann", "{\"kind\":\"tool_round\"}"); /* 2: the scope's cut */
  add(&of, CK_EVENT_OUTCOME, "ann",
      "{\"key\":\"k\",\"status\":\"failed\",\"error\":\"away\"}"); /* 3 */
  add(&of, CK_EVENT_BOUNDARY, "ann", "{\"kind\":\"failure\"}");    /* 4: the checkpoint */
  commit(&of);
  ck_view view = live_view(&of);
  tap_must(ck_state_new(&state, &err) == CK_OK &&
               ck_value_new(&position, ck_bytes_text("{\"cut\":2,\"end\":4,\"attempt\":1}"),
                            &err) == CK_OK &&
               ck_state_put(state, "position.main", position, &err) == CK_OK,
           "a state: %s", err.text);
  ck_tail_query query = {.session = of.lease.session,
                         .view = &view,
                         .agent = "ann",
                         .n = 50,
                         .cut = 4,
                         .state = state,
                         .attempt = 1};
  tap_ok(tells(&of, &query, "away"), "in the same attempt what failed is in the tail");
  query.attempt = 2;
  tap_ok(!tells(&of, &query, "away"), "in the next one it is tried again, and is not");
  ck_value_free(position);
  ck_state_free(state);
  ck_view_clear(&view);
  finish(&of);
}

/* A reference that leads nowhere is an error, never an event left out. */
static void test_broken_replays(void) {
  static const char *const bodies[] = {
      "{\"key\":\"k\"}", "{\"of\":0}", "{\"of\":-1}",  "{\"of\":\"1\"}",
      "{\"of\":1.0}",    "{\"of\":9}", "{\"of\":900}", "{\"of\":9223372036854775807}"};
  history of;
  start(&of);
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char agent[16];
    snprintf(agent, sizeof agent, "agent%zu", i);
    add(&of, CK_EVENT_REPLAY, agent, "%s",
        bodies[i]); /* seq i + 2: the one of 9 is its own or a later one's */
  }
  commit(&of);
  for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
    char agent[16];
    snprintf(agent, sizeof agent, "agent%zu", i);
    ck_tail tail;
    tap_is_status(read_tail(&tail, &of, NULL, agent, 5), CK_E_CORRUPT, NULL,
                  "a replay of %s is corrupt", bodies[i]);
    tap_ok(tail.events == NULL && tail.count == 0, "and gives no tail");
  }
  finish(&of);
}

static void add_random(history *of) {
  static const char *const agents[] = {"a", "b", "ab", "c"};
  const char *own = agents[next_random() % 4], *other = agents[next_random() % 4],
             *third = agents[next_random() % 4];
  switch (next_random() % 6) {
    case 0:
      add(of, CK_EVENT_NOTE, own, "{\"text\":\"%s\",\"childAgentId\":\"%s\"}", third, other);
      break;
    case 1:
      add(of, CK_EVENT_DELEGATION, own, "{\"target\":\"%s\"}", other);
      break;
    case 2:
      add(of, CK_EVENT_DELEGATION, own, "{\"sequential\":[\"%s\",{\"agent\":\"%s\"}]}", other,
          third);
      break;
    case 3:
      add(of, CK_EVENT_BOUNDARY, NULL, "{\"kind\":\"%s\"}", other);
      break;
    default:
      add(of, CK_EVENT_MESSAGE, own, "{\"message\":\"%s\"}", other);
  }
}

/* Whether the tail is the last `n` of the plain list that the view sees and the agent took part
 * in. */
static bool is_last(history *of, const ck_view *view, const char *agent, size_t n) {
  ck_tail tail;
  if (read_tail(&tail, of, view, agent, n) != CK_OK) return false;
  size_t left = tail.count;
  bool same = tail.count <= n;
  for (size_t i = of->count; i-- > 0;) {
    const ck_event *want = of->events[i];
    if (!ck_view_contains(view, want->seq) || !ck_tail_involves(want, agent)) continue;
    if (left == 0) {
      same = same && tail.count == n;
      break;
    }
    const ck_event *got = tail.events[--left];
    same = same && got->seq == want->seq && got->kind == want->kind && got->at_ms == want->at_ms &&
           ck_bytes_equal(ck_value_bytes(got->body), ck_value_bytes(want->body));
  }
  ck_tail_clear(&tail);
  return same && left == 0;
}

static void test_random(void) {
  static const char *const agents[] = {"a", "b", "ab", "c", "d"};
  static const size_t sizes[] = {0, 1, 2, 7, 50, 10000};
  history of;
  int bad = 0;
  start(&of);
  for (int i = 0; i < RANDOM_EVENTS; i++) {
    add_random(&of);
    if (i % 60 == 59) {
      commit(&of);
      ck_view live = live_view(&of);
      for (size_t j = 0; j < 5 * 6; j++) bad += !is_last(&of, &live, agents[j / 6], sizes[j % 6]);
      int64_t cut = 1 + (int64_t)(next_random() % of.count);
      while (!ck_view_contains(&live, cut)) cut--;
      ck_view_clear(&live);
      branch(&of, cut);
    }
  }
  tap_is_int(bad, 0, "tails of random sessions with branches are those of brute force");
  finish(&of);
}

/* Each test has a store of its own. */
static void run_tests(bool on_disk) {
  static void (*const tests[])(void) = {
      test_small, test_nobody,       test_policies,       test_branches, test_asked_about_replays,
      test_cut,   test_failed_scope, test_broken_replays, test_random};
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    char text[512], name[16];
    snprintf(name, sizeof name, "tail%zu.db", i);
    snprintf(text, sizeof text, "sqlite:%s", tap_tmpfile(name));
    url = on_disk ? text : "memory:";
    tests[i]();
  }
}

int main(void) {
  run_tests(false);
  run_tests(true);
  return tap_done();
}
