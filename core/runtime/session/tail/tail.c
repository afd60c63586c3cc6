/* tail.c - walks back from the newest event until it has enough of one agent's. */
#include "core/runtime/session/tail/tail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/tail/abandoned.h"

enum { FIRST_CAP = 16 };

/* One target: its name, or an object that has it. */
static bool names_agent(ck_bytes target, const char *agent) {
  static const char *const members[] = {"agent", "target", "agentId"};
  if (ck_json_type_of(target) != CK_JSON_OBJECT) return ck_json_is_text(target, agent);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    if (ck_json_is_text(ck_json_get(target, members[i]), agent)) return true;
  }
  return false;
}

static bool lists_agent(ck_bytes targets, const char *agent) {
  if (ck_json_type_of(targets) != CK_JSON_ARRAY) return names_agent(targets, agent);
  for (ck_json_iterator it = ck_json_iterate(targets); ck_json_next(&it);) {
    if (names_agent(it.value, agent)) return true;
  }
  return false;
}

static bool delegates_to(ck_bytes body, const char *agent) {
  static const char *const members[] = {"target", "targets", "parallel", "sequential"};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    if (lists_agent(ck_json_get(body, members[i]), agent)) return true;
  }
  return false;
}

/* memchr is several times as fast as a memmem for two bytes. */
static bool has_unicode_escape(ck_bytes body) {
  const char *end = body.data + body.len;
  for (const char *at = body.data; at && at + 1 < end; at += 2) {
    at = memchr(at, '\\', (size_t)(end - at));
    if (!at || at + 1 >= end) return false;
    if (at[1] == 'u') return true;
  }
  return false;
}

/* Most bodies are long and name no child: a search for the bytes spares the scan. A name of letters
 * can only be spelt otherwise with \u. */
static bool may_have_child(ck_bytes body) {
  return memmem(body.data, body.len, "childAgentId", 12) || has_unicode_escape(body);
}

/* The kinds of events that can name another agent than their own. */
static const uint64_t naming_kinds =
    1ull << CK_EVENT_DELEGATION | 1ull << CK_EVENT_NOTE | 1ull << CK_EVENT_UPDATE;

bool ck_tail_involves(const ck_event *event, const char *agent) {
  if (!agent || !*agent) return false;
  if (event->agent && strcmp(event->agent, agent) == 0) return true;
  if ((unsigned)event->kind > 63 || !(naming_kinds >> event->kind & 1)) return false;
  ck_bytes body = ck_value_bytes(event->body);
  if (may_have_child(body) && ck_json_is_text(ck_json_get(body, "childAgentId"), agent))
    return true;
  return event->kind == CK_EVENT_DELEGATION && delegates_to(body, agent);
}

/* Filled by a visit of the store; newest first until the walk is over. */
typedef struct walk {
  const ck_tail_query *query;
  ck_abandoned abandoned;
  ck_tail tail;
  size_t cap;
  ck_status status;
  ck_error *err;
} walk;

static bool reserve_event(walk *self) {
  if (self->tail.count < self->cap) return true;
  size_t cap = self->cap ? self->cap * 2 : FIRST_CAP;
  ck_event **events = reallocarray(self->tail.events, cap, sizeof *events);
  if (!events) return false;
  self->tail.events = events;
  self->cap = cap;
  return true;
}

static bool agreed(const ck_tail_query *query, const ck_event *event) {
  const ck_policy_engine *policies = query->policies;
  bool in = true;
  ck_error failure = CK_ERROR_INIT;
  if (policies && policies->tail &&
      policies->tail(&in, policies->self, event, query->agent, &failure) != CK_OK)
    return false;
  return in;
}

/* Whether a resume has the event: all up to its cut, and outcomes behind it, which it replays. */
static bool survives_resume(const ck_tail_query *query, const ck_event *event) {
  if (query->cut == 0 || event->seq <= query->cut) return true;
  return event->kind == CK_EVENT_OUTCOME || event->kind == CK_EVENT_REPLAY;
}

static bool take_event(void *to, const ck_event *event) {
  walk *self = to;
  if (!survives_resume(self->query, event) || ck_abandoned_has(&self->abandoned, event))
    return true;
  if (!ck_tail_involves(event, self->query->agent) || !agreed(self->query, event)) return true;
  ck_event *copy = NULL;
  self->status =
      reserve_event(self) ? ck_event_new(&copy, event, self->err) : ck_error_no_memory(self->err);
  if (self->status != CK_OK) return false;
  self->tail.events[self->tail.count++] = copy;
  return self->tail.count < self->query->n;
}

static void reverse(ck_tail *tail) {
  for (size_t i = 0, j = tail->count; i + 1 < j; i++) {
    ck_event *other = tail->events[--j];
    tail->events[j] = tail->events[i];
    tail->events[i] = other;
  }
}

typedef struct original {
  ck_event *replay; /* the replay, which becomes a copy of the original */
  bool found;
} original;

static bool put_original(void *to, const ck_event *event) {
  original *self = to;
  ck_value_free(self->replay->body);
  self->replay->body = ck_value_share(event->body);
  self->replay->kind = event->kind;
  self->replay->at_ms = event->at_ms;
  self->found = true;
  return false;
}

/* The original is on a branch that the view may not see. */
static ck_status read_through(ck_event *replay, ck_store *store, int64_t session, ck_error *err) {
  int64_t of = 0;
  bool named = ck_json_read_int(&of, ck_json_get(ck_value_bytes(replay->body), "of"));
  original at = {.replay = replay};
  int64_t seq = replay->seq;
  if (named && of >= 1 && of < seq) {
    ck_event_query query = {.session = session, .after = of - 1, .until = of};
    ck_status status = ck_store_read_events(store, &query, put_original, &at, err);
    if (status != CK_OK) return status;
  }
  if (at.found) return CK_OK;
  return ck_error_set(err, CK_E_CORRUPT,
                      "event %" PRId64 " replays event %" PRId64 ", which is missing", seq, of);
}

void ck_tail_clear(ck_tail *self) {
  for (size_t i = 0; i < self->count; i++) ck_event_free(self->events[i]);
  free(self->events);
  *self = (ck_tail){0};
}

ck_status ck_tail_read(ck_tail *out, ck_store *store, const ck_tail_query *query, ck_error *err) {
  *out = (ck_tail){0};
  if (query->n == 0 || !query->agent || !*query->agent) return CK_OK;
  walk at = {.query = query, .err = err};
  ck_event_query backward = {.session = query->session,
                             .view = query->view,
                             .until = query->until,
                             .agent = query->agent,
                             .others = naming_kinds,
                             .backward = true};
  ck_status status =
      ck_abandoned_read(&at.abandoned, store, query->session, query->view, query->until, err);
  if (status == CK_OK) status = ck_store_read_events(store, &backward, take_event, &at, err);
  if (status == CK_OK) status = at.status;
  ck_abandoned_clear(&at.abandoned);
  for (size_t i = 0; status == CK_OK && i < at.tail.count; i++) {
    if (at.tail.events[i]->kind != CK_EVENT_REPLAY) continue;
    status = read_through(at.tail.events[i], store, query->session, err);
  }
  if (status != CK_OK) {
    ck_tail_clear(&at.tail);
    return status;
  }
  reverse(&at.tail);
  *out = at.tail;
  return CK_OK;
}

typedef struct involvement {
  const char *agent;
  bool taken;
} involvement;

static bool find_involvement(void *to, const ck_event *event) {
  involvement *self = to;
  self->taken = ck_tail_involves(event, self->agent);
  return !self->taken;
}

ck_status ck_tail_find_agent(bool *out, ck_store *store, int64_t session, const char *agent,
                             ck_error *err) {
  involvement at = {.agent = agent};
  ck_event_query query = {
      .session = session, .agent = agent, .others = naming_kinds, .backward = true};
  ck_status status =
      agent && *agent ? ck_store_read_events(store, &query, find_involvement, &at, err) : CK_OK;
  *out = status == CK_OK && at.taken;
  return status;
}
