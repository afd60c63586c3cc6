/* rewound.c - folds the scopes that an agent has rewound, and notes from which events the messages
 * came that each rewind took out. */
#include "core/runtime/session/tail/rewound.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/session/scope_events.h"

void ck_rewound_clear(ck_rewound *self) {
  for (size_t i = 0; i < self->count; i++) free(self->ranges[i].scope);
  free(self->ranges);
  *self = (ck_rewound){0};
}

bool ck_rewound_has(const ck_rewound *self, const ck_event *event) {
  if (self->count == 0 || !event->agent || strcmp(event->agent, self->agent) != 0) return false;
  for (size_t i = 0; i < self->count; i++) {
    const ck_rewound_range *range = &self->ranges[i];
    if (event->seq >= range->first && event->seq < range->end &&
        strcmp(event->scope, range->scope) == 0)
      return true;
  }
  return false;
}

/* ---- the agent's rewinds ---- */

typedef struct rewind_event {
  char *scope;
  int64_t seq;
} rewind_event;

typedef struct rewinds {
  rewind_event *list;
  size_t count, cap;
  bool failed;
} rewinds;

static void clear_rewinds(rewinds *self) {
  for (size_t i = 0; i < self->count; i++) free(self->list[i].scope);
  free(self->list);
}

static bool take_rewind(void *to, const ck_event *event) {
  rewinds *self = to;
  rewind_event *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (list) self->list = list;
  char *scope = list ? strdup(event->scope) : NULL;
  if (scope) list[self->count++] = (rewind_event){.scope = scope, .seq = event->seq};
  self->failed = !scope;
  return !self->failed;
}

static bool has_rewind(const rewinds *self, int64_t seq) {
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].seq == seq) return true;
  return false;
}

/* ---- one scope ---- */

typedef struct tracking {
  ck_rewound *out;
  const rewinds *own;
  const char *scope;
  int64_t *seqs; /* of the event that each message came from */
  size_t count, cap;
  bool failed;
} tracking;

static void add_range(tracking *self, int64_t first, int64_t end) {
  ck_rewound *out = self->out;
  ck_rewound_range *ranges = ck_array_grow(out->ranges, out->count, &out->cap, sizeof *ranges);
  if (ranges) out->ranges = ranges;
  char *scope = ranges ? strdup(self->scope) : NULL;
  if (scope)
    ranges[out->count++] = (ck_rewound_range){.scope = scope, .first = first, .end = end};
  else
    self->failed = true;
}

static void push(tracking *self, int64_t seq) {
  int64_t *seqs = ck_array_grow(self->seqs, self->count, &self->cap, sizeof *seqs);
  if (!seqs) {
    self->failed = true;
    return;
  }
  self->seqs = seqs;
  self->seqs[self->count++] = seq;
}

/* The first `to` messages stay, the report, and the last `keep`. */
static void rewind_to(tracking *self, int64_t seq, ck_bytes body) {
  int64_t to = 0, keep = 0;
  ck_json_read_int(&to, ck_json_get(body, "to"));
  ck_json_read_int(&keep, ck_json_get(body, "keep"));
  size_t before = self->count;
  if (to < 0 || keep < 0 || (size_t)(to + keep) > before) return; /* the fold refuses it */
  size_t first = (size_t)to, kept = before - (size_t)keep;
  if (kept > first && has_rewind(self->own, seq))
    add_range(self, self->seqs[first], keep ? self->seqs[kept] : seq);
  push(self, seq); /* room for the report */
  if (self->failed) return;
  memmove(self->seqs + first + 1, self->seqs + kept, (size_t)keep * sizeof *self->seqs);
  self->seqs[first] = seq;
  self->count = first + 1 + (size_t)keep;
}

static void see_fold(void *to, const ck_scope *scope, int64_t seq, const ck_value *rewind) {
  tracking *self = to;
  if (rewind && !self->failed) rewind_to(self, seq, ck_value_bytes(rewind));
  size_t count = ck_conversation_count(ck_scope_conversation((ck_scope *)scope));
  while (!rewind && !self->failed && self->count < count) push(self, seq);
}

static ck_status track(tracking *self, ck_store *store, int64_t session, const ck_view *view,
                       int64_t until, ck_error *err) {
  ck_scope *scope = NULL;
  ck_status status = ck_scope_new(&scope, self->scope, err);
  ck_scope_fold_watch watch = {.see = see_fold, .to = self};
  if (status == CK_OK)
    status = ck_scope_fold_watched(scope, store, session, view, until, &watch, err);
  if (status == CK_OK && self->failed) status = ck_error_no_memory(err);
  ck_scope_free(scope);
  free(self->seqs);
  return status;
}

static bool is_first_of_scope(const rewinds *self, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (strcmp(self->list[i].scope, self->list[at].scope) == 0) return false;
  return true;
}

ck_status ck_rewound_read(ck_rewound *out, ck_store *store, int64_t session, const ck_view *view,
                          int64_t until, const char *agent, ck_error *err) {
  rewinds own = {0};
  ck_event_query query = {.session = session,
                          .view = view,
                          .until = until,
                          .kinds = 1ull << CK_EVENT_REWIND,
                          .agent = agent};
  *out = (ck_rewound){.agent = agent};
  ck_status status = ck_store_read_events(store, &query, take_rewind, &own, err);
  if (status == CK_OK && own.failed) status = ck_error_no_memory(err);
  for (size_t i = 0; status == CK_OK && i < own.count; i++) {
    tracking scope = {.out = out, .own = &own, .scope = own.list[i].scope};
    if (is_first_of_scope(&own, i)) status = track(&scope, store, session, view, until, err);
  }
  clear_rewinds(&own);
  if (status != CK_OK) ck_rewound_clear(out);
  return status;
}
