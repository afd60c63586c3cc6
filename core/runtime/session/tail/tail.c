/* tail.c - walks back from the newest event until it has enough of one agent's. */
#include "core/runtime/session/tail/tail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/tail/abandoned.h"
#include "core/runtime/session/tail/actors.h"
#include "core/runtime/session/tail/rewound.h"
#include "core/runtime/session/tail/targets.h"

static bool is_other(void *agent, ck_bytes name) { return !ck_json_is_text(name, agent); }

static bool delegates_to(ck_bytes body, const char *agent) {
  return !ck_targets_visit(body, is_other, (void *)agent);
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
const uint64_t ck_tail_naming_kinds =
    1ull << CK_EVENT_DELEGATION | 1ull << CK_EVENT_NOTE | 1ull << CK_EVENT_UPDATE;

bool ck_tail_involves(const ck_event *event, const char *agent) {
  if (!agent || !*agent) return false;
  if (event->agent && strcmp(event->agent, agent) == 0) return true;
  if ((unsigned)event->kind > 63 || !(ck_tail_naming_kinds >> event->kind & 1)) return false;
  ck_bytes body = ck_value_bytes(event->body);
  if (may_have_child(body) && ck_json_is_text(ck_json_get(body, "childAgentId"), agent))
    return true;
  return event->kind == CK_EVENT_DELEGATION && delegates_to(body, agent);
}

/* Filled by a visit of the store; newest first until the walk is over. */
typedef struct walk {
  const ck_tail_query *query;
  ck_abandoned abandoned;
  ck_rewound rewound;
  ck_actors actors; /* of the scopes with messages of nobody */
  ck_tail tail;
  size_t cap;
  int64_t last; /* seq at which it had enough; 0: it has seen all */
  ck_status status;
  ck_error *err;
} walk;

static bool reserve_event(walk *self) {
  ck_event **events =
      ck_array_grow(self->tail.events, self->tail.count, &self->cap, sizeof *events);
  if (!events) return false;
  self->tail.events = events;
  return true;
}

/* One that fails leaves the event out. */
static ck_status ask(bool *in, const ck_tail_query *query, const ck_event *event, ck_error *err) {
  const ck_policy_engine *policies = query->policies;
  const ck_clock *clock = query->said ? query->said->clock : NULL;
  ck_answers answers = {0};
  ck_error failure = CK_ERROR_INIT;
  *in = true;
  if (!policies || !policies->tail) return CK_OK;
  int64_t begun_us = clock ? clock->mono_us(clock->self) : 0;
  *in = policies->tail(in, &answers, policies->self, event, query->agent, &failure) == CK_OK && *in;
  if (!query->said) return CK_OK;
  answers.took_us = clock->mono_us(clock->self) - begun_us;
  if (!query->said->failure.status) query->said->failure = failure;
  return ck_tail_said_add(query->said, event->seq, &answers, err);
}

static bool agreed(walk *self, const ck_event *event) {
  bool in;
  self->status = ask(&in, self->query, event, self->err);
  return self->status == CK_OK && in;
}

static bool has_failed(const ck_event *event) {
  return event->kind == CK_EVENT_OUTCOME &&
         ck_json_is_text(ck_json_get(ck_value_bytes(event->body), "status"), "failed");
}

/* Whether a resume has the event: all up to its cut, and outcomes behind it, which it replays; what
 * failed is tried again. */
static bool survives_resume(const ck_tail_query *query, const ck_event *event) {
  if (query->cut == 0) return true;
  if (has_failed(event))
    return event->seq <=
           ck_replay_range_scope_cut(query->state, event->scope, query->attempt, query->cut);
  return event->seq <= query->cut || event->kind == CK_EVENT_OUTCOME ||
         event->kind == CK_EVENT_REPLAY;
}

/* A message that a flow's own scope recorded before each named who acts is the only agent's. */
static bool name_agent(walk *self, ck_event *event) {
  if (event->agent || event->kind != CK_EVENT_MESSAGE) return true;
  self->status = ck_actors_add(&self->actors, event->scope, self->err);
  event->agent = ck_actors_get(&self->actors, event->scope);
  return self->status == CK_OK;
}

static bool take_event(void *to, const ck_event *event) {
  walk *self = to;
  ck_event named = *event;
  /* What was asked of a model or a tool, with the schemas of its tools, is no recent activity: its
   * outcome is. */
  if (event->kind == CK_EVENT_INTENT || !survives_resume(self->query, event) ||
      ck_abandoned_has(&self->abandoned, event))
    return true;
  if (!name_agent(self, &named)) return false;
  if (ck_rewound_has(&self->rewound, &named)) return true;
  if (!ck_tail_involves(&named, self->query->agent)) return true;
  /* A replay is read through before anybody is asked about it. */
  if (named.kind != CK_EVENT_REPLAY && !agreed(self, &named)) return self->status == CK_OK;
  ck_event *copy = NULL;
  self->status =
      reserve_event(self) ? ck_event_new(&copy, &named, self->err) : ck_error_no_memory(self->err);
  if (self->status != CK_OK) return false;
  self->tail.events[self->tail.count++] = copy;
  if (self->tail.count < self->query->n) return true;
  self->last = event->seq;
  return false;
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

/* Replays among the events from `first` on become what they refer to; some are left out then. */
static ck_status settle_replays(walk *self, size_t first, ck_store *store) {
  ck_tail *tail = &self->tail;
  size_t kept = first;
  ck_status status = CK_OK;
  for (size_t i = first; i < tail->count; i++) {
    ck_event *event = tail->events[i];
    bool replay = event->kind == CK_EVENT_REPLAY;
    if (replay && status == CK_OK)
      status = read_through(event, store, self->query->session, self->err);
    bool in = !replay || status != CK_OK || agreed(self, event);
    if (in)
      tail->events[kept++] = event;
    else
      ck_event_free(event);
    if (status == CK_OK) status = self->status;
  }
  tail->count = kept;
  return status;
}

/* On from where it had enough, as long as what was left out makes room. */
static ck_status walk_back(walk *self, ck_store *store) {
  const ck_tail_query *query = self->query;
  ck_event_query backward = {.session = query->session,
                             .view = query->view,
                             .until = query->until,
                             .agent = query->agent,
                             .others = ck_tail_naming_kinds,
                             .nobodys = 1ull << CK_EVENT_MESSAGE,
                             .backward = true};
  ck_tail_clear(&self->tail);
  self->cap = 0;
  if (query->said) ck_tail_said_reset(query->said);
  ck_status status = CK_OK;
  do {
    size_t first = self->tail.count;
    self->last = 0;
    status = ck_store_read_events(store, &backward, take_event, self, self->err);
    if (status == CK_OK) status = self->status;
    if (status == CK_OK) status = settle_replays(self, first, store);
    backward.until = self->last - 1;
  } while (status == CK_OK && self->tail.count < query->n && backward.until > 0);
  return status;
}

/* Once more where messages of nobody were met, with the agents of their scopes. */
static ck_status walk_all(walk *self, ck_store *store) {
  const ck_tail_query *query = self->query;
  ck_status status = walk_back(self, store);
  if (status != CK_OK || self->actors.count == 0) return status;
  status = ck_actors_read(&self->actors, store, query->session, query->view, query->until,
                          &self->abandoned, self->err);
  return status == CK_OK ? walk_back(self, store) : status;
}

ck_status ck_tail_read(ck_tail *out, ck_store *store, const ck_tail_query *query, ck_error *err) {
  *out = (ck_tail){0};
  if (query->n == 0 || !query->agent || !*query->agent) return CK_OK;
  walk at = {.query = query, .err = err};
  ck_status status =
      ck_abandoned_read(&at.abandoned, store, query->session, query->view, query->until, err);
  if (status == CK_OK && query->without_rewound)
    status = ck_rewound_read(&at.rewound, store, query->session, query->view, query->until,
                             query->agent, err);
  if (status == CK_OK) status = walk_all(&at, store);
  ck_rewound_clear(&at.rewound);
  ck_abandoned_clear(&at.abandoned);
  ck_actors_clear(&at.actors);
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
      .session = session, .agent = agent, .others = ck_tail_naming_kinds, .backward = true};
  ck_status status =
      agent && *agent ? ck_store_read_events(store, &query, find_involvement, &at, err) : CK_OK;
  *out = status == CK_OK && at.taken;
  return status;
}
