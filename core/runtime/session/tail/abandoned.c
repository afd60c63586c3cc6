/* abandoned.c - gathers the cuts of a view's resumes, and compares events with them. */
#include "core/runtime/session/tail/abandoned.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* The kinds of events that open a timeline and hold from where each scope goes on. */
static const uint64_t opening_kinds =
    1ull << CK_EVENT_SESSION_RESUMED | 1ull << CK_EVENT_SESSION_REWOUND;

/* What a scope does, and does again. */
static const uint64_t scope_kinds =
    1ull << CK_EVENT_MESSAGE | 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME |
    1ull << CK_EVENT_REPLAY | 1ull << CK_EVENT_DIVERGENCE | 1ull << CK_EVENT_REWIND |
    1ull << CK_EVENT_DELEGATION | 1ull << CK_EVENT_UPDATE | 1ull << CK_EVENT_NOTE;

/* What no resume undoes: an effect, and what it told on its way. */
static const uint64_t effect_kinds =
    1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_UPDATE;

typedef struct gathering {
  ck_abandoned of;
  size_t cap;
  ck_status status;
  ck_error *err;
} gathering;

static ck_status add(gathering *self, ck_bytes scope, int64_t at, int64_t cut) {
  ck_abandoned *of = &self->of;
  ck_abandoned_cut *cuts = ck_array_grow(of->cuts, of->count, &self->cap, sizeof *cuts);
  if (!cuts) return ck_error_no_memory(self->err);
  of->cuts = cuts;
  char *name = ck_json_dup_string(scope);
  if (!name) return ck_error_no_memory(self->err);
  of->cuts[of->count++] = (ck_abandoned_cut){.scope = name, .at = at, .least = cut};
  return CK_OK;
}

static bool take_resume(void *to, const ck_event *event) {
  gathering *self = to;
  ck_bytes cuts = ck_json_get(ck_value_bytes(event->body), "cuts");
  for (ck_json_iterator it = ck_json_iterate(cuts); ck_json_next(&it);) {
    int64_t cut;
    if (ck_json_read_int(&cut, it.value) && self->status == CK_OK)
      self->status = add(self, it.name, event->seq, cut);
  }
  return self->status == CK_OK;
}

/* A timeline opens with its resume, so a view has resumes only where its ranges begin. */
static ck_status read_resumes(gathering *self, ck_store *store, int64_t session, int64_t until) {
  const ck_view *view = self->of.view;
  ck_event_query resumed = {
      .session = session, .view = view, .until = until, .kinds = opening_kinds};
  size_t count = view ? view->count : 1;
  for (size_t i = 0; i < count && self->status == CK_OK; i++) {
    int64_t first = view ? view->ranges[i].first : 0;
    if (first && until && first > until) break;
    if (first) resumed.after = first - 1, resumed.until = first;
    ck_status status = ck_store_read_events(store, &resumed, take_resume, self, self->err);
    if (status != CK_OK) return status;
  }
  return self->status;
}

static int compare(const void *left, const void *right) {
  const ck_abandoned_cut *a = left, *b = right;
  int order = strcmp(a->scope, b->scope);
  return order ? order : (a->at > b->at) - (a->at < b->at);
}

static void sort(ck_abandoned *self) {
  if (self->count) qsort(self->cuts, self->count, sizeof *self->cuts, compare);
  for (size_t i = self->count; i-- > 1;) {
    ck_abandoned_cut *before = &self->cuts[i - 1];
    const ck_abandoned_cut *cut = &self->cuts[i];
    if (strcmp(before->scope, cut->scope) == 0 && cut->least < before->least)
      before->least = cut->least;
  }
}

ck_status ck_abandoned_read(ck_abandoned *out, ck_store *store, int64_t session,
                            const ck_view *view, int64_t until, ck_error *err) {
  gathering self = {.of = {.view = view}, .err = err};
  ck_status status = read_resumes(&self, store, session, until);
  if (status != CK_OK) ck_abandoned_clear(&self.of);
  sort(&self.of);
  *out = self.of;
  return status;
}

void ck_abandoned_clear(ck_abandoned *self) {
  for (size_t i = 0; i < self->count; i++) free(self->cuts[i].scope);
  free(self->cuts);
  *self = (ck_abandoned){0};
}

/* A resume behind the event went on from before it. */
static bool is_done_again(const ck_abandoned *self, const ck_event *event) {
  ck_abandoned_cut key = {.scope = (char *)event->scope, .at = event->seq};
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare(&self->cuts[middle], &key) <= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < self->count && strcmp(self->cuts[low].scope, event->scope) == 0 &&
         self->cuts[low].least < event->seq;
}

static bool is_left(const ck_abandoned *self, const ck_event *event, uint64_t kinds) {
  if (self->view && !ck_view_contains(self->view, event->seq)) return true;
  bool one_of_them = (unsigned)event->kind <= 63 && kinds >> event->kind & 1;
  return one_of_them && is_done_again(self, event);
}

bool ck_abandoned_has(const ck_abandoned *self, const ck_event *event) {
  return is_left(self, event, scope_kinds);
}

bool ck_abandoned_is_of_session(ck_event_kind kind) {
  return kind == CK_EVENT_RESUME_REFUSED || kind == CK_EVENT_RESUME_APPROVAL;
}

bool ck_abandoned_has_record(const ck_abandoned *self, const ck_event *event) {
  if (ck_abandoned_is_of_session(event->kind)) return false;
  return is_left(self, event, scope_kinds & ~effect_kinds);
}
