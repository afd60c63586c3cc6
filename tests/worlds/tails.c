/* tails.c - the tail of each agent, worked out from the transcript, and from which agents came to
 * their end: of a session that is over, and of one that would be resumed now.
 *
 * A resume or a rewind goes back to a checkpoint: what came behind it is left, and what a scope had
 * said behind its own cut it says anew. A replay stands for its outcome, which counts once. */
#include <stdio.h>
#include <string.h>

#include "tests/worlds/tails.h"

struct tails_transcript the_tails;

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

static struct tails_point *find_point(ck_bytes id) {
  for (size_t i = 0; i < the_tails.point_count; i++)
    if (ck_json_is_text(id, the_tails.points[i].id)) return &the_tails.points[i];
  return NULL;
}

static void go_back(const ck_event *event) {
  const uint64_t said_anew = KIND(MESSAGE) | KIND(REPLAY) | KIND(DIVERGENCE) | KIND(REWIND) |
                             KIND(DELEGATION) | KIND(NOTE);
  const struct tails_point *from = find_point(ck_json_get(body_of(event), "checkpoint"));
  tails_list living = {.count = 0};
  size_t count = from ? from->living.count : 1;
  for (size_t i = 0; i < count; i++) {
    uint16_t at = from ? from->living.at[i] : 0;
    const ck_event *one = the_tails.events[at];
    if (!is_one_of(one->kind, said_anew) || !is_behind(one, event)) living.at[living.count++] = at;
  }
  the_tails.living = living;
}

static void note_point(const ck_event *event) {
  ck_bytes id = ck_json_get(body_of(event), "checkpoint");
  if (event->kind != CK_EVENT_BOUNDARY || id.len < 3 || id.len - 2 >= CK_ID_SIZE) return;
  if (the_tails.point_count == TAILS_POINTS) {
    the_tails.too_long = true;
    return;
  }
  struct tails_point *made = &the_tails.points[the_tails.point_count++];
  snprintf(made->id, sizeof made->id, "%.*s", (int)id.len - 2, id.data + 1);
  made->living = the_tails.living;
}

/* A person who goes back, and a failure, begin a new one. */
static void note_attempt(const ck_event *event) {
  if (event->kind == CK_EVENT_SESSION_STARTED) the_tails.attempt = 1;
  if (begins_timeline(event) || event->kind == CK_EVENT_SESSION_FAILED) the_tails.attempt = 0;
  if (event->kind == CK_EVENT_SESSION_RESUMED)
    ck_json_read_int(&the_tails.attempt, ck_json_get(body_of(event), "attempt"));
}

bool tails_take(void *to, const ck_event *event) {
  ck_error err = CK_ERROR_INIT;
  (void)to;
  the_tails.too_long |= the_tails.count == TAILS_EVENTS;
  if (the_tails.too_long) return false;
  tap_must(ck_event_new(&the_tails.events[the_tails.count], event, &err) == CK_OK, "an event");
  if (begins_timeline(event)) go_back(event);
  the_tails.living.at[the_tails.living.count++] = (uint16_t)the_tails.count++;
  the_tails.over |= is_one_of(event->kind, KIND(SESSION_COMPLETED) | KIND(SESSION_CANCELLED));
  note_point(event);
  note_attempt(event);
  return true;
}

void tails_find_newest(void) {
  the_tails.newest = NULL;
  for (size_t i = 0; i < the_tails.living.count; i++) {
    const ck_event *event = the_tails.events[the_tails.living.at[i]];
    const struct tails_point *point = find_point(ck_json_get(body_of(event), "checkpoint"));
    if (event->kind != CK_EVENT_BOUNDARY || !point) continue;
    the_tails.newest = point;
    the_tails.newest_at = the_tails.living.at[i];
  }
}

/* ---- what a resume would have ---- */

/* A pause and the like are boundaries of the session, not of a scope; so is the user_checkpoint at
 * which it waits for a person, the only one here: the flow takes none. */
static bool is_of_scope(const ck_event *event) {
  static const char *const others[] = {"pause", "user_checkpoint", "failure", "edit", "final"};
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
  for (size_t i = 0; i < the_tails.count; i++)
    if (the_tails.events[i]->seq == of) return the_tails.events[i];
  return event;
}

/* Not for now, as a service that was away, but for good, in the attempt that goes on. */
static bool failed_for_good(const ck_event *said) {
  int64_t attempt = 0;
  const ck_event *event = outcome_of(said);
  ck_json_read_int(&attempt, ck_json_get(body_of(event), "attempt"));
  return is_status(event, "failed") && attempt == the_tails.attempt &&
         ck_json_is_text(ck_json_get(body_of(event), "cause"), "CK_E_FAILED");
}

/* `later` is an outcome of the same effect as `event`, or stands for one. */
static bool tells(const ck_event *later, const ck_event *event) {
  return is_one_of(later->kind, KIND(OUTCOME) | KIND(REPLAY)) &&
         ck_bytes_equal(ck_json_get(body_of(later), "key"), ck_json_get(body_of(event), "key"));
}

/* What was begun at `place` is under way at the end; a run that ended has nothing under way. */
static bool is_under_way(const tails_list *living, size_t place) {
  const ck_event *event = the_tails.events[living->at[place]];
  if (event->kind != CK_EVENT_INTENT) return false;
  for (size_t i = place + 1; i < living->count; i++) {
    const ck_event *later = the_tails.events[living->at[i]];
    if (begins_timeline(later) || tells(later, event)) return false;
  }
  return true;
}

/* An agent that failed behind its cut, and had nothing under way any more at the newest checkpoint,
 * is not run again in the same attempt. A pause leaves what is under way. */
static bool has_ended_badly(const char *scope, int64_t cut) {
  const tails_list *living = &the_tails.newest->living;
  bool failed = false, under_way = false;
  ck_bytes kind = ck_json_get(body_of(the_tails.events[the_tails.newest_at]), "kind");
  bool pauses = ck_json_is_text(kind, "pause") || ck_json_is_text(kind, "user_checkpoint");
  for (size_t i = 0; i < living->count; i++) {
    const ck_event *event = the_tails.events[living->at[i]];
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
  const tails_list *living = &the_tails.newest->living;
  for (size_t i = 0; i < living->count; i++) {
    const ck_event *event = the_tails.events[living->at[i]];
    ck_bytes cuts = ck_json_get(body_of(event), "cuts");
    if (!begins_timeline(event) || event->seq <= cut || ck_json_get(cuts, scope).len) continue;
    while (++i < living->count && is_before_scopes(the_tails.events[living->at[i]]))
      cut = the_tails.events[living->at[i]]->seq;
    i--;
  }
  return cut;
}

/* Whether the newest checkpoint goes on from behind the event `seq`. */
static bool is_passed(int64_t seq) {
  const tails_list *living = &the_tails.newest->living;
  for (size_t i = 0; i < living->count; i++) {
    const ck_event *event = the_tails.events[living->at[i]];
    if (event->kind == CK_EVENT_BOUNDARY && event->seq > seq &&
        event->timeline == the_tails.events[seq - 1]->timeline)
      return true;
  }
  return false;
}

/* An agent that came to its end behind its cut is not run again, in no attempt: it keeps the_tails.
 * No event tells of that, the flow does. */
static int64_t end_of(const world_model *model, const char *scope, int64_t cut) {
  for (size_t i = model->end_count; i-- > 0;) {
    const struct world_end *end = &model->ends[i];
    if (model_scope_child(end->scope) == scope[0] - 'a' && end->seq > cut && is_passed(end->seq))
      return end->seq;
  }
  return cut;
}

/* Where a scope stands in the newest checkpoint; 0: at its beginning. The main scope is at none of
 * its boundaries before it has joined the agents that it forked: what they did is over then. */
static int64_t cut_of(const char *scope) {
  int64_t cut = 0;
  const tails_list *living = &the_tails.newest->living;
  bool is_main = strcmp(scope, "main") == 0;
  for (size_t i = 0; i < living->count; i++) {
    const ck_event *event = the_tails.events[living->at[i]];
    bool counts = strcmp(event->scope, scope) == 0 || strcmp(event->scope, "main") == 0;
    if (is_of_scope(event) && counts) cut = event->seq;
  }
  if (is_main) return cut;
  cut = end_of(&the_world.model, scope, begin_of(scope, cut));
  return has_ended_badly(scope, cut) ? the_tails.events[the_tails.newest_at]->seq : cut;
}

/* The outcome is told again by a later replay, or in its place came another one. */
static bool is_told_again(const tails_list *living, size_t place) {
  for (size_t i = place + 1; i < living->count; i++)
    if (tells(the_tails.events[living->at[i]], the_tails.events[living->at[place]])) return true;
  return false;
}

/* All up to the checkpoint, and the outcomes behind it, which are replayed; but what a scope has
 * behind its own cut is tried again when it failed, and counts once. */
static bool survives(size_t place) {
  const ck_event *event = the_tails.events[the_tails.living.at[place]];
  if (!the_tails.newest || the_tails.over) return true;
  if (!is_one_of(event->kind, KIND(OUTCOME) | KIND(REPLAY)))
    return event->seq <= the_tails.events[the_tails.newest_at]->seq;
  if (event->seq <= cut_of(event->scope)) return true;
  return !is_status(event, "failed") && !is_told_again(&the_tails.living, place);
}

static bool acts_in(const ck_event *event, const char *scope) {
  return event->agent && is_one_of(event->kind, KIND(INTENT) | KIND(OUTCOME) | KIND(MESSAGE)) &&
         strcmp(event->scope, scope) == 0;
}

static bool asks_for_nobody(const ck_event *event, const char *scope) {
  return !event->agent && event->kind == CK_EVENT_INTENT && strcmp(event->scope, scope) == 0 &&
         ck_json_is_text(ck_json_get(body_of(event), "kind"), "model");
}

/* Whose the scope is, as its boundaries say; here no scope has several. */
static const char *owner_of(const char *scope) {
  for (size_t i = 0; i < the_tails.living.count; i++) {
    const ck_event *event = the_tails.events[the_tails.living.at[i]];
    if (event->kind == CK_EVENT_BOUNDARY && event->agent && strcmp(event->scope, scope) == 0)
      return event->agent;
  }
  return NULL;
}

/* A message that names nobody is of the agent whose scope it is in, or of the only one that acts
 * there; but where a model was asked for nobody, it may have been told it. */
static const char *agent_of(const ck_event *event) {
  if (event->agent || event->kind != CK_EVENT_MESSAGE) return event->agent;
  const char *only = owner_of(event->scope);
  if (only) return only;
  for (size_t i = 0; i < the_tails.living.count; i++) {
    const ck_event *other = the_tails.events[the_tails.living.at[i]];
    if (asks_for_nobody(other, event->scope)) return NULL;
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

void tails_work_out(tails_list *out, const char *agent) {
  out->count = 0;
  for (size_t i = 0; i < the_tails.living.count; i++) {
    uint16_t at = the_tails.living.at[i];
    const ck_event *event = the_tails.events[at];
    size_t kept = 0;
    for (size_t k = 0; k < out->count && begins_timeline(event); k++) {
      const ck_event *before = the_tails.events[out->at[k]];
      if (before->kind != CK_EVENT_OUTCOME || !is_behind(before, event))
        out->at[kept++] = out->at[k];
    }
    if (begins_timeline(event)) out->count = kept;
    if (event->kind != CK_EVENT_INTENT && is_of(event, agent) && survives(i))
      out->at[out->count++] = at;
  }
}

void tails_clear(void) {
  for (size_t i = 0; i < the_tails.count; i++) ck_event_free(the_tails.events[i]);
  the_tails.count = the_tails.point_count = the_tails.living.count = 0;
  the_tails.over = the_tails.too_long = false;
}
