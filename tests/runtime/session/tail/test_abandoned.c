/* test_abandoned.c - an event is abandoned exactly when a later resume went on from before it. */
#include "core/runtime/session/tail/abandoned.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { EVENTS = 700, SCOPES = 5 };

static const char *const scopes[SCOPES] = {"main", "main.a", "main.b", "a \"b\" \\ c", "b"};

static uint64_t seed = 0x9e3779b97f4a7c15;
static uint64_t next_random(void) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return seed;
}

/* What was written, beside the store that has it. */
static ck_event *events[EVENTS];
static int64_t cuts[EVENTS][SCOPES]; /* of a resume; -1: the scope has none */

static ck_value *make_body(size_t at) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *body = NULL;
  ck_json_begin(&w, '{');
  ck_json_name(&w, "cuts");
  ck_json_begin(&w, '{');
  for (size_t i = 0; i < SCOPES; i++)
    if (cuts[at][i] >= 0) ck_json_member_int(&w, scopes[i], cuts[at][i]);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  if (ck_value_from(&body, &buffer, NULL) != CK_OK) abort();
  ck_buffer_clear(&buffer);
  return body;
}

static ck_event_kind choose_kind(size_t at) {
  static const ck_event_kind kinds[] = {
      CK_EVENT_MESSAGE,   CK_EVENT_INTENT,   CK_EVENT_OUTCOME,    CK_EVENT_REPLAY,
      CK_EVENT_REWIND,    CK_EVENT_BOUNDARY, CK_EVENT_DELEGATION, CK_EVENT_UPDATE,
      CK_EVENT_NOTE,      CK_EVENT_EDIT,     CK_EVENT_CONSTRAINT, CK_EVENT_POLICY_ERROR,
      CK_EVENT_DIVERGENCE};
  if (at == 0) return CK_EVENT_SESSION_STARTED;
  if (next_random() % 9) return kinds[next_random() % (sizeof kinds / sizeof *kinds)];
  return next_random() % 2 ? CK_EVENT_SESSION_RESUMED : CK_EVENT_SESSION_REWOUND;
}

static bool is_resume(size_t at) {
  return events[at]->kind == CK_EVENT_SESSION_RESUMED ||
         events[at]->kind == CK_EVENT_SESSION_REWOUND;
}

/* Cuts a little before a resume, so that many fall on an event of the scope, and rise and fall. */
static void make_event(size_t at) {
  ck_event_kind kind = choose_kind(at);
  bool resumes = kind == CK_EVENT_SESSION_RESUMED || kind == CK_EVENT_SESSION_REWOUND;
  for (size_t i = 0; i < SCOPES; i++) {
    int64_t back = (int64_t)(next_random() % 40);
    int64_t cut = (int64_t)at > back ? (int64_t)at - back : 0;
    cuts[at][i] = resumes && next_random() % 3 ? cut : -1;
  }
  ck_value *body = make_body(at);
  ck_event from = {.seq = (int64_t)at + 1,
                   .timeline = 1,
                   .kind = kind,
                   .scope = scopes[next_random() % SCOPES],
                   .body = body};
  if (ck_event_new(&events[at], &from, NULL) != CK_OK) abort();
  ck_value_free(body);
}

static ck_lease fill(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  ck_lease lease;
  ck_session_record record = {
      .id = "s", .status = CK_SESSION_RUNNING, .run = "run_1", .profile = strdup("p")};
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1, .run = "run_1"};
  for (size_t i = 0; i < EVENTS; i++) make_event(i);
  ck_opening opening = {.timeline = &timeline, .events = events, .event_count = EVENTS};
  ck_status status = ck_store_create_session(&lease, store, &record, &opening, &err);
  tap_must(status == CK_OK, "a session is made %s", err.text);
  ck_session_record_clear(&record);
  return lease;
}

static bool does_work(ck_event_kind kind) {
  return (kind >= CK_EVENT_MESSAGE && kind <= CK_EVENT_REPLAY) || kind == CK_EVENT_DIVERGENCE ||
         kind == CK_EVENT_REWIND || kind == CK_EVENT_DELEGATION || kind == CK_EVENT_UPDATE ||
         kind == CK_EVENT_NOTE;
}

/* By going through all resumes behind the event. */
static bool is_left(size_t at, size_t until) {
  size_t scope = 0;
  while (strcmp(scopes[scope], events[at]->scope) != 0) scope++;
  for (size_t i = at + 1; i < until && does_work(events[at]->kind); i++)
    if (is_resume(i) && cuts[i][scope] >= 0 && cuts[i][scope] < events[at]->seq) return true;
  return false;
}

static void compare(ck_store *store, ck_lease lease, size_t until) {
  ck_error err = CK_ERROR_INIT;
  ck_abandoned abandoned;
  ck_status status = ck_abandoned_read(&abandoned, store, lease.session, NULL,
                                       until < EVENTS ? (int64_t)until : 0, &err);
  tap_must(status == CK_OK, "the resumes up to %zu are read %s", until, err.text);
  size_t wrong = 0, left = 0;
  for (size_t i = 0; i < until; i++) {
    wrong += ck_abandoned_has(&abandoned, events[i]) != is_left(i, until);
    left += is_left(i, until);
  }
  tap_is_int((int64_t)wrong, 0, "what lies before a later cut is abandoned, up to event %zu",
             until);
  tap_ok(until == 0 || (left > until / 20 && left < until), "some are, and some are not: %zu",
         left);
  ck_abandoned_clear(&abandoned);
}

static void show_view(ck_store *store, ck_lease lease) {
  ck_range range = {.first = 1, .last = EVENTS / 2};
  ck_view view = {.ranges = &range, .count = 1};
  ck_abandoned abandoned;
  ck_status status = ck_abandoned_read(&abandoned, store, lease.session, &view, 0, NULL);
  tap_must(status == CK_OK, "a view is read");
  size_t behind = 0;
  for (size_t i = EVENTS / 2; i < EVENTS; i++) behind += ck_abandoned_has(&abandoned, events[i]);
  tap_is_int((int64_t)behind, EVENTS - EVENTS / 2, "all that the view does not show is abandoned");
  ck_abandoned_clear(&abandoned);
}

int main(void) {
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_store_open(&store, "memory:", &(ck_store_options){.create = true}, &err);
  tap_must(status == CK_OK, "a store opens %s", err.text);
  ck_lease lease = fill(store);
  compare(store, lease, 100);
  compare(store, lease, 333);
  compare(store, lease, EVENTS);
  show_view(store, lease);
  ck_store_release(store, lease);
  ck_store_close(store);
  for (size_t i = 0; i < EVENTS; i++) ck_event_free(events[i]);
  return tap_done();
}
