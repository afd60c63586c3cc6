/* tails.c - the tail of each agent, worked out from the transcript alone, against the one that the
 * runtime reads: of a session that is over, and of one that would be resumed now.
 *
 * A resume or a rewind goes back to a checkpoint: what came behind it is left, and what a scope had
 * said behind its own cut it says anew. A replay stands for its outcome, which counts once. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/session/opening/select.h"
#include "core/runtime/session/tail/tail.h"
#include "tests/worlds/cover.h"
#include "tests/worlds/money.h"
#include "tests/worlds/world.h"

enum { EVENTS = 2048, POINTS = 512 };

typedef struct list {
  uint16_t at[EVENTS]; /* places of events, by seq */
  size_t count;
} list;

static struct {
  ck_event *events[EVENTS];
  size_t count;
  list living;
  struct point {
    char id[CK_ID_SIZE];
    list living;
  } points[POINTS]; /* checkpoints */
  size_t point_count;
  const struct point *newest; /* that lives */
  size_t newest_at;
  int64_t attempt; /* of a resume; 0: a new one */
  bool over, too_long;
} all;

static ck_bytes body_of(const ck_event *event) { return ck_value_bytes(event->body); }

static bool is_one_of(ck_event_kind kind, uint64_t kinds) { return kinds >> kind & 1; }
#define KIND(name) (UINT64_C(1) << CK_EVENT_##name)

static bool begins_timeline(const ck_event *event) {
  return is_one_of(event->kind, KIND(SESSION_RESUMED) | KIND(SESSION_REWOUND) |
                                    KIND(SESSION_UNDONE) | KIND(SESSION_FORKED));
}

/* Whether `event` lies behind the cut from which its scope goes on at `resumed`. */
static bool is_behind(const ck_event *event, const ck_event *resumed) {
  int64_t cut;
  ck_bytes cuts = ck_json_get(body_of(resumed), "cuts");
  return cuts.len && ck_json_read_int(&cut, ck_json_get(cuts, event->scope)) && event->seq > cut;
}

/* ---- what lives ---- */

static struct point *find_point(ck_bytes id) {
  for (size_t i = 0; i < all.point_count; i++)
    if (ck_json_is_text(id, all.points[i].id)) return &all.points[i];
  return NULL;
}

static void go_back(const ck_event *event) {
  const uint64_t said_anew = KIND(MESSAGE) | KIND(REPLAY) | KIND(DIVERGENCE) | KIND(REWIND) |
                             KIND(DELEGATION) | KIND(NOTE);
  const struct point *from = find_point(ck_json_get(body_of(event), "checkpoint"));
  list living = {.count = 0};
  size_t count = from ? from->living.count : 1;
  for (size_t i = 0; i < count; i++) {
    uint16_t at = from ? from->living.at[i] : 0;
    const ck_event *one = all.events[at];
    if (!is_one_of(one->kind, said_anew) || !is_behind(one, event)) living.at[living.count++] = at;
  }
  all.living = living;
}

static void note_point(const ck_event *event) {
  ck_bytes id = ck_json_get(body_of(event), "checkpoint");
  if (event->kind != CK_EVENT_BOUNDARY || id.len < 3 || id.len - 2 >= CK_ID_SIZE) return;
  if (all.point_count == POINTS) {
    all.too_long = true;
    return;
  }
  struct point *made = &all.points[all.point_count++];
  snprintf(made->id, sizeof made->id, "%.*s", (int)id.len - 2, id.data + 1);
  made->living = all.living;
}

/* A person who goes back, and a failure, begin a new one. */
static void note_attempt(const ck_event *event) {
  if (event->kind == CK_EVENT_SESSION_STARTED) all.attempt = 1;
  if (begins_timeline(event) || event->kind == CK_EVENT_SESSION_FAILED) all.attempt = 0;
  if (event->kind == CK_EVENT_SESSION_RESUMED)
    ck_json_read_int(&all.attempt, ck_json_get(body_of(event), "attempt"));
}

static bool take(void *to, const ck_event *event) {
  ck_error err = CK_ERROR_INIT;
  (void)to;
  all.too_long |= all.count == EVENTS;
  if (all.too_long) return false;
  tap_must(ck_event_new(&all.events[all.count], event, &err) == CK_OK, "an event");
  if (begins_timeline(event)) go_back(event);
  all.living.at[all.living.count++] = (uint16_t)all.count++;
  all.over |= is_one_of(event->kind, KIND(SESSION_COMPLETED) | KIND(SESSION_CANCELLED));
  note_point(event);
  note_attempt(event);
  return true;
}

static void find_newest(void) {
  all.newest = NULL;
  for (size_t i = 0; i < all.living.count; i++) {
    const ck_event *event = all.events[all.living.at[i]];
    const struct point *point = find_point(ck_json_get(body_of(event), "checkpoint"));
    if (event->kind != CK_EVENT_BOUNDARY || !point) continue;
    all.newest = point;
    all.newest_at = all.living.at[i];
  }
}

/* ---- what a resume would have ---- */

/* A pause and the like are boundaries of the session, not of a scope. */
static bool is_of_scope(const ck_event *event) {
  static const char *const others[] = {"pause", "failure", "edit", "final"};
  ck_bytes kind = ck_json_get(body_of(event), "kind");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (ck_json_is_text(kind, others[i])) return false;
  return event->kind == CK_EVENT_BOUNDARY;
}

static bool is_status(const ck_event *event, const char *status) {
  return event->kind == CK_EVENT_OUTCOME &&
         ck_json_is_text(ck_json_get(body_of(event), "status"), status);
}

/* The outcome that an event gives: its own, or the one that a replay stands for. */
static const ck_event *outcome_of(const ck_event *event) {
  int64_t of;
  if (event->kind != CK_EVENT_REPLAY || !ck_json_read_int(&of, ck_json_get(body_of(event), "of")))
    return event;
  for (size_t i = 0; i < all.count; i++)
    if (all.events[i]->seq == of) return all.events[i];
  return event;
}

/* Not for now, as a service that was away, but for good, in the attempt that goes on. */
static bool failed_for_good(const ck_event *said) {
  int64_t attempt = 0;
  const ck_event *event = outcome_of(said);
  ck_json_read_int(&attempt, ck_json_get(body_of(event), "attempt"));
  return is_status(event, "failed") && attempt == all.attempt &&
         ck_json_is_text(ck_json_get(body_of(event), "cause"), "CK_E_FAILED");
}

/* `later` is an outcome of the same effect as `event`, or stands for one. */
static bool tells(const ck_event *later, const ck_event *event) {
  return is_one_of(later->kind, KIND(OUTCOME) | KIND(REPLAY)) &&
         ck_bytes_equal(ck_json_get(body_of(later), "key"), ck_json_get(body_of(event), "key"));
}

/* What was begun at `place` is under way at the end; a run that ended has nothing under way. */
static bool is_under_way(const list *living, size_t place) {
  const ck_event *event = all.events[living->at[place]];
  if (event->kind != CK_EVENT_INTENT) return false;
  for (size_t i = place + 1; i < living->count; i++) {
    const ck_event *later = all.events[living->at[i]];
    if (begins_timeline(later) || tells(later, event)) return false;
  }
  return true;
}

/* An agent that failed behind its cut, and had nothing under way any more at the newest checkpoint,
 * is not run again in the same attempt. A pause leaves what is under way. */
static bool has_ended_badly(const char *scope, int64_t cut) {
  const list *living = &all.newest->living;
  bool failed = false, under_way = false;
  bool pauses = ck_json_is_text(ck_json_get(body_of(all.events[all.newest_at]), "kind"), "pause");
  for (size_t i = 0; i < living->count; i++) {
    const ck_event *event = all.events[living->at[i]];
    if (event->seq <= cut || strcmp(event->scope, scope) != 0) continue;
    under_way |= is_under_way(living, i);
    failed |= failed_for_good(event);
  }
  return failed && (pauses || !under_way);
}

/* What a resume says at its beginning, before any scope goes on: which calls of models were lost.
 */
static bool is_before_scopes(const ck_event *event) {
  if (event->kind == CK_EVENT_OUTCOME)
    return ck_json_is_text(ck_json_get(body_of(event), "via"), "lost");
  return !is_one_of(event->kind, KIND(INTENT) | KIND(REPLAY) | KIND(MESSAGE) | KIND(BOUNDARY));
}

/* An agent that was forked after a resume, since that does not go on with it, begins behind what
 * the resume says. */
static int64_t begin_of(const char *scope, int64_t cut) {
  const list *living = &all.newest->living;
  for (size_t i = 0; i < living->count; i++) {
    const ck_event *event = all.events[living->at[i]];
    ck_bytes cuts = ck_json_get(body_of(event), "cuts");
    if (!begins_timeline(event) || event->seq <= cut || ck_json_get(cuts, scope).len) continue;
    while (++i < living->count && is_before_scopes(all.events[living->at[i]]))
      cut = all.events[living->at[i]]->seq;
    i--;
  }
  return cut;
}

/* Where a scope stands in the newest checkpoint; 0: at its beginning. The main scope is at none of
 * its boundaries before it has joined the agents that it forked: what they did is over then. */
static int64_t cut_of(const char *scope) {
  int64_t cut = 0;
  const list *living = &all.newest->living;
  bool is_main = strcmp(scope, "main") == 0;
  for (size_t i = 0; i < living->count; i++) {
    const ck_event *event = all.events[living->at[i]];
    bool counts = strcmp(event->scope, scope) == 0 || strcmp(event->scope, "main") == 0;
    if (is_of_scope(event) && counts) cut = event->seq;
  }
  if (is_main) return cut;
  cut = begin_of(scope, cut);
  return has_ended_badly(scope, cut) ? all.events[all.newest_at]->seq : cut;
}

/* The outcome is told again by a later replay, or in its place came another one. */
static bool is_told_again(const list *living, size_t place) {
  for (size_t i = place + 1; i < living->count; i++)
    if (tells(all.events[living->at[i]], all.events[living->at[place]])) return true;
  return false;
}

/* All up to the checkpoint, and the outcomes behind it, which are replayed; but what a scope has
 * behind its own cut is tried again when it failed, and counts once. */
static bool survives(size_t place) {
  const ck_event *event = all.events[all.living.at[place]];
  if (!all.newest || all.over) return true;
  if (!is_one_of(event->kind, KIND(OUTCOME) | KIND(REPLAY)))
    return event->seq <= all.events[all.newest_at]->seq;
  if (event->seq <= cut_of(event->scope)) return true;
  return !is_status(event, "failed") && !is_told_again(&all.living, place);
}

static bool acts_in(const ck_event *event, const char *scope) {
  return event->agent && is_one_of(event->kind, KIND(INTENT) | KIND(OUTCOME) | KIND(MESSAGE)) &&
         strcmp(event->scope, scope) == 0;
}

/* A message that names nobody is the only agent's that acts in its scope. */
static const char *agent_of(const ck_event *event) {
  const char *only = NULL;
  if (event->agent || event->kind != CK_EVENT_MESSAGE) return event->agent;
  for (size_t i = 0; i < all.living.count; i++) {
    const ck_event *other = all.events[all.living.at[i]];
    if (!acts_in(other, event->scope)) continue;
    if (only && strcmp(only, other->agent) != 0) return NULL;
    only = other->agent;
  }
  return only;
}

static bool is_of(const ck_event *event, const char *agent) {
  const char *acts = agent_of(event);
  return acts && strcmp(acts, agent) == 0;
}

/* All of the agent's, oldest first. */
static void work_out(list *out, const char *agent) {
  out->count = 0;
  for (size_t i = 0; i < all.living.count; i++) {
    uint16_t at = all.living.at[i];
    const ck_event *event = all.events[at];
    size_t kept = 0;
    for (size_t k = 0; k < out->count && begins_timeline(event); k++) {
      const ck_event *before = all.events[out->at[k]];
      if (before->kind != CK_EVENT_OUTCOME || !is_behind(before, event))
        out->at[kept++] = out->at[k];
    }
    if (begins_timeline(event)) out->count = kept;
    if (event->kind != CK_EVENT_INTENT && is_of(event, agent) && survives(i))
      out->at[out->count++] = at;
  }
}

/* ---- against what is read ---- */

static bool is_same(const ck_tail *tail, const list *want, size_t from) {
  bool same = tail->count == want->count - from;
  for (size_t i = 0; same && i < tail->count; i++)
    same = tail->events[i]->seq == all.events[want->at[from + i]]->seq;
  return same;
}

static void compare(world *self, const ck_tail *tail, const list *want,
                    const ck_tail_query *query) {
  size_t from = want->count > query->n ? want->count - query->n : 0;
  if (tail->count)
    cover("a tail of %s is as it should be, %s", query->agent, all.over ? "at the end" : "at rest");
  if (is_same(tail, want, from)) return;
  model_fail(&self->model, "the tail of %s has %zu events, not %zu, of at most %zu", query->agent,
             tail->count, want->count - from, query->n);
  for (size_t i = 0; i < tail->count; i++)
    world_log("in the tail of %s: %lld", query->agent, (long long)tail->events[i]->seq);
  for (size_t i = from; i < want->count; i++)
    world_log("should be: %lld", (long long)all.events[want->at[i]]->seq);
}

static void check_tail(world *self, ck_store *store, const ck_tail_query *query) {
  ck_error err = CK_ERROR_INIT;
  ck_tail tail;
  static list want;
  ck_status status = ck_tail_read(&tail, store, query, &err);
  if (!life_check(self, status, &err, "read a tail")) return;
  work_out(&want, query->agent);
  compare(self, &tail, &want, query);
  ck_tail_clear(&tail);
}

/* Each of some depth, another one in each life. */
static void check_tails(world *self, ck_store *store, ck_tail_query *query) {
  static const char *const agents[] = {"a", "b", MONEY_HELPER, "nobody"};
  static const size_t depths[] = {EVENTS, 0, 1, 5};
  enum { DEPTHS = sizeof depths / sizeof *depths };
  for (size_t i = 0; i < sizeof agents / sizeof *agents; i++) {
    query->agent = agents[i];
    query->n = depths[(i + (size_t)self->lives) % DEPTHS];
    check_tail(self, store, query);
  }
}

static void clear(void) {
  for (size_t i = 0; i < all.count; i++) ck_event_free(all.events[i]);
  all.count = all.point_count = all.living.count = 0;
  all.over = all.too_long = false;
}

/* As a resume reads it: with the cuts of the checkpoint that it goes on from. */
static bool find_cut(world *self, ck_tail_query *query, ck_state **state, ck_store *store,
                     const ck_head *head) {
  ck_error err = CK_ERROR_INIT;
  ck_checkpoint_info from = {0};
  *state = NULL;
  if (all.over) return true;
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
  ck_status status = ck_store_read_events(store, &events, take, NULL, &err);
  if (status == CK_OK)
    status =
        ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, &err);
  if (life_check(self, status, &err, "read it for tails") && !all.too_long &&
      find_cut(self, &query, &state, store, head)) {
    find_newest();
    check_tails(self, store, &query);
  }
  ck_view_clear(&view);
  ck_state_free(state);
  clear();
}
