/* events.c - reads events: the ranges of a view, the filters, the tail. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/store/store_core.h"
#include "core/store/format/row.h"

typedef struct event_reading {
  ck_store *store;
  const ck_event_query *query;
  int64_t session; /* the one that is being read: the query's, or one it inherits from */
  ck_event_visit visit;
  void *to;
  bool stopped;
  ck_compress compress;
  ck_buffer space;
  ck_event **kept; /* with query->last: the events so far, newest first */
  size_t kept_count, kept_cap;
  ck_status status;
  ck_error *err;
} event_reading;

static bool passes(const ck_event_query *query, const ck_event_row *row) {
  if (query->kinds && ((unsigned)row->kind > 63 || !(query->kinds >> row->kind & 1))) return false;
  if (query->scope && strcmp(query->scope, row->scope) != 0) return false;
  if (!query->agent || (row->agent && strcmp(query->agent, row->agent) == 0)) return true;
  uint64_t also = row->agent ? query->others : query->others | query->nobodys;
  return (unsigned)row->kind <= 63 && also >> row->kind & 1;
}

static ck_status keep_event(event_reading *self, const ck_event *event) {
  ck_event **kept = ck_array_grow(self->kept, self->kept_count, &self->kept_cap, sizeof *kept);
  if (!kept) return ck_error_no_memory(self->err);
  self->kept = kept;
  ck_status status = ck_event_new(&self->kept[self->kept_count], event, self->err);
  if (!status) self->kept_count++;
  return status;
}

static void prefix_failure(event_reading *self, const ck_event_row *row) {
  char session_id[CK_ID_SIZE];
  if (ck_store_core_get_name(session_id, self->store, self->session, NULL) == CK_OK)
    ck_error_prefix(self->err, "session %s, event %lld", session_id, (long long)row->seq);
}

/* Filters come first, so that only bodies of matching rows are unpacked. */
static bool visit_event(void *to, const ck_event_row *row) {
  event_reading *self = to;
  ck_event event;
  if (!passes(self->query, row)) return true;
  self->status = ck_row_decode_event(&event, &self->compress, &self->space, row, self->err);
  if (self->status) prefix_failure(self, row);
  if (self->status) return false;
  if (self->query->last) {
    self->status = keep_event(self, &event);
    self->stopped = self->kept_count == self->query->last;
  } else {
    self->stopped = !self->visit(self->to, &event);
  }
  ck_value_free(event.body);
  return !self->status && !self->stopped;
}

static int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/* One range, limited to the query's after and until. */
static ck_status read_range(event_reading *self, const ck_range *range, bool backward) {
  int64_t first = range->first, last = range->last;
  const ck_event_query *query = self->query;
  const ck_backend *backend = &self->store->backend;
  int64_t after = greater(first - 1, query->after), until = query->until ? query->until : INT64_MAX;
  if (last < until) until = last;
  if (until <= after || self->stopped) return CK_OK;
  self->session = range->session ? range->session : query->session;
  ck_event_rows rows = {.session = self->session,
                        .after = after,
                        .until = until == INT64_MAX ? 0 : until,
                        .backward = backward,
                        .kinds = query->kinds,
                        .agent = query->agent,
                        .others = query->others | query->nobodys};
  ck_status status = backend->read_events(backend->self, &rows, visit_event, self, self->err);
  return status ? status : self->status;
}

/* Without a view: all timelines, inherited ones too. */
static ck_status read_all(event_reading *self, bool backward) {
  ck_store_core_lineage lineage;
  ck_status status =
      ck_store_core_get_lineage(&lineage, self->store, self->query->session, self->err);
  for (size_t i = 0; i < lineage.count && !status; i++) {
    const ck_store_core_part *part = &lineage.parts[backward ? lineage.count - 1 - i : i];
    ck_range range = {part->after + 1, part->until ? part->until : INT64_MAX, part->session};
    status = read_range(self, &range, backward);
  }
  ck_store_core_lineage_clear(&lineage);
  return status;
}

static ck_status read_ranges(event_reading *self, bool backward) {
  const ck_view *view = self->query->view;
  if (!view) return read_all(self, backward);
  ck_status status = CK_OK;
  for (size_t i = 0; i < view->count && !status; i++) {
    const ck_range *range = &view->ranges[backward ? view->count - 1 - i : i];
    status = read_range(self, range, backward);
  }
  return status;
}

/* The last N were found walking backward; they are visited in the query's order. */
static void visit_kept(event_reading *self) {
  bool more = true;
  for (size_t i = 0; i < self->kept_count && more; i++) {
    size_t at = self->query->backward ? i : self->kept_count - 1 - i;
    more = self->visit(self->to, self->kept[at]);
  }
}

ck_status ck_store_read_events(ck_store *self, const ck_event_query *query, ck_event_visit visit,
                               void *to, ck_error *err) {
  event_reading reading = {.store = self, .query = query, .visit = visit, .to = to, .err = err};
  ck_status status = read_ranges(&reading, query->backward || query->last > 0);
  if (!status) visit_kept(&reading);
  for (size_t i = 0; i < reading.kept_count; i++) ck_event_free(reading.kept[i]);
  free(reading.kept);
  ck_compress_clear(&reading.compress);
  ck_buffer_clear(&reading.space);
  return status;
}
