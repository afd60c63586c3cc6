/* tails_check.c - the tails that the runtime reads against those that are worked out. */
#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/opening/select.h"
#include "core/runtime/session/tail/tail.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/money.h"
#include "tests/worlds/tails.h"

static bool is_same(const ck_tail *tail, const tails_list *want, size_t from) {
  bool same = tail->count == want->count - from;
  for (size_t i = 0; same && i < tail->count; i++)
    same = tail->events[i]->seq == the_tails.events[want->at[from + i]]->seq;
  return same;
}

/* The transcript, for whoever finds out which of the two is wrong. */
static void log_events(void) {
  for (size_t i = 0; i < the_tails.count; i++) {
    const ck_event *event = the_tails.events[i];
    ck_bytes body = ck_value_bytes(event->body);
    world_log("event %lld, timeline %lld, %s, %s (%s): %.*s", (long long)event->seq,
              (long long)event->timeline, ck_event_kind_name(event->kind), event->scope,
              event->agent ? event->agent : "", (int)body.len, body.data);
  }
}

static void log_position(void *to, const char *scope, ck_bytes position) {
  (void)to;
  world_log("position of %s: %.*s", scope, (int)position.len, position.data);
}

static void log_difference(const ck_tail *tail, const tails_list *want, size_t from,
                           const ck_tail_query *query) {
  ck_error err = CK_ERROR_INIT;
  log_events();
  if (query->state &&
      ck_replay_range_visit_positions(query->state, log_position, NULL, &err) != CK_OK)
    world_log("positions: %s", err.text);
  world_log("cut %lld, attempt %u", (long long)query->cut, query->attempt);
  for (size_t i = 0; i < tail->count; i++)
    world_log("in the tail of %s: %lld", query->agent, (long long)tail->events[i]->seq);
  for (size_t i = from; i < want->count; i++)
    world_log("should be: %lld", (long long)the_tails.events[want->at[i]]->seq);
}

static void compare(world *self, const ck_tail *tail, const tails_list *want,
                    const ck_tail_query *query) {
  size_t from = want->count > query->n ? want->count - query->n : 0;
  if (tail->count)
    cover("a tail of %s is as it should be, %s", query->agent,
          the_tails.over ? "at the end" : "at rest");
  if (is_same(tail, want, from)) return;
  model_fail(&self->model, "the tail of %s has %zu events, not %zu, of at most %zu", query->agent,
             tail->count, want->count - from, query->n);
  log_difference(tail, want, from, query);
}

static void check_tail(world *self, ck_store *store, const ck_tail_query *query) {
  ck_error err = CK_ERROR_INIT;
  ck_tail tail;
  static tails_list want;
  ck_status status = ck_tail_read(&tail, store, query, &err);
  if (!life_check(self, status, &err, "read a tail")) return;
  tails_work_out(&want, query->agent);
  compare(self, &tail, &want, query);
  ck_tail_clear(&tail);
}

/* Each of some depth, another one in each life. */
static void check_tails(world *self, ck_store *store, ck_tail_query *query) {
  static const char *const agents[] = {"a", "b", MONEY_HELPER, "nobody"};
  static const size_t depths[] = {TAILS_EVENTS, 0, 1, 5};
  enum { DEPTHS = sizeof depths / sizeof *depths };
  for (size_t i = 0; i < sizeof agents / sizeof *agents; i++) {
    query->agent = agents[i];
    query->n = depths[(i + (size_t)self->lives) % DEPTHS];
    check_tail(self, store, query);
  }
}

/* As a resume reads it: with the cuts of the checkpoint that it goes on from. */
static bool find_cut(world *self, ck_tail_query *query, ck_state **state, ck_store *store,
                     const ck_head *head) {
  ck_error err = CK_ERROR_INIT;
  ck_checkpoint_info from = {0};
  *state = NULL;
  if (the_tails.over) return true;
  ck_status status = ck_select_checkpoint(&from, store, head, &(ck_choice){0}, &err);
  if (status == CK_OK && from.seq)
    status = ck_store_get_state(state, store, head->session.no, from.seq, &err);
  query->cut = from.seq;
  query->attempt = ck_next_attempt(head, from.seq, false);
  query->state = *state;
  ck_checkpoint_info_clear(&from);
  return life_check(self, status, &err, "find where it goes on");
}

void tails_check(world *self, ck_store *store, const ck_head *head) {
  ck_error err = CK_ERROR_INIT;
  ck_view view = {0};
  ck_state *state = NULL;
  ck_event_query events = {.session = head->session.no};
  ck_tail_query query = {.session = head->session.no, .view = &view};
  ck_status status = ck_store_read_events(store, &events, tails_take, NULL, &err);
  if (status == CK_OK)
    status =
        ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, &err);
  if (life_check(self, status, &err, "read it for tails") && !the_tails.too_long &&
      find_cut(self, &query, &state, store, head)) {
    tails_find_newest();
    check_tails(self, store, &query);
  }
  ck_view_clear(&view);
  ck_state_free(state);
  tails_clear();
}
