/* cuts.c - gathers the cuts of a view's resumes, and compares events with them. */
#include "core/runtime/session/tail/cuts.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

/* The kinds of events that open a timeline and hold from where each scope goes on. */
static const uint64_t opening_kinds =
    1ull << CK_EVENT_SESSION_RESUMED | 1ull << CK_EVENT_SESSION_REWOUND;

typedef struct gathering {
  ck_cuts *out;
  const ck_cuts_query *query;
  ck_status status;
  ck_error *err;
} gathering;

static ck_status add(gathering *self, ck_bytes scope, int64_t at, int64_t cut) {
  ck_cuts *out = self->out;
  ck_cut *list = ck_array_grow(out->list, out->count, &out->cap, sizeof *list);
  if (!list) return ck_error_no_memory(self->err);
  out->list = list;
  char *name = ck_json_dup_string(scope);
  if (!name) return ck_error_no_memory(self->err);
  out->list[out->count++] = (ck_cut){.scope = name, .at = at, .least = cut};
  if (!self->query->until_of || at <= self->query->until_of(self->query->to, name)) return CK_OK;
  free(out->list[--out->count].scope);
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
static ck_status read_resumes(gathering *self, ck_store *store) {
  const ck_cuts_query *of = self->query;
  ck_event_query resumed = {
      .session = of->session, .view = of->view, .until = of->until, .kinds = opening_kinds};
  size_t count = of->view ? of->view->count : 1;
  for (size_t i = 0; i < count && self->status == CK_OK; i++) {
    int64_t first = of->view ? of->view->ranges[i].first : 0;
    if (first && of->until && first > of->until) break;
    if (first) resumed.after = first - 1, resumed.until = first;
    ck_status status = ck_store_read_events(store, &resumed, take_resume, self, self->err);
    if (status != CK_OK) return status;
  }
  return self->status;
}

static int compare(const char *scope, int64_t at, const ck_cut *with) {
  int order = strcmp(scope, with->scope);
  return order ? order : (at > with->at) - (at < with->at);
}

static int compare_cuts(const void *left, const void *right) {
  const ck_cut *a = left;
  return compare(a->scope, a->at, right);
}

static void sort(ck_cuts *self) {
  if (self->count) qsort(self->list, self->count, sizeof *self->list, compare_cuts);
  for (size_t i = self->count; i-- > 1;) {
    ck_cut *before = &self->list[i - 1];
    const ck_cut *cut = &self->list[i];
    if (strcmp(before->scope, cut->scope) == 0 && cut->least < before->least)
      before->least = cut->least;
  }
}

ck_status ck_cuts_read(ck_cuts *out, ck_store *store, const ck_cuts_query *query, ck_error *err) {
  *out = (ck_cuts){0};
  gathering self = {.out = out, .query = query, .err = err};
  ck_status status = read_resumes(&self, store);
  if (status != CK_OK) ck_cuts_clear(out);
  sort(out);
  return status;
}

void ck_cuts_clear(ck_cuts *self) {
  for (size_t i = 0; i < self->count; i++) free(self->list[i].scope);
  free(self->list);
  *self = (ck_cuts){0};
}

bool ck_cuts_take_back(const ck_cuts *self, const char *scope, int64_t seq) {
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare(scope, seq, &self->list[middle]) >= 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low < self->count && strcmp(self->list[low].scope, scope) == 0 &&
         self->list[low].least < seq;
}
