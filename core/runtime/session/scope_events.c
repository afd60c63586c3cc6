/* scope_events.c - keeps a scope's events until all are known that take some of them back. */
#include "core/runtime/session/scope_events.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

const uint64_t ck_scope_event_kinds = CK_SCOPE_RETURNS | 1ull << CK_EVENT_MESSAGE |
                                      1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_REPLAY |
                                      1ull << CK_EVENT_REWIND;

typedef struct ck_scope_event {
  int64_t seq;
  ck_event_kind kind;
  ck_value *body; /* of the event, or (for a replay) the reference to another one */
} ck_scope_event;

void ck_scope_events_clear(ck_scope_events *self) {
  for (size_t i = 0; i < self->count; i++) ck_value_free(self->items[i].body);
  free(self->items);
  *self = (ck_scope_events){0};
}

bool ck_scope_events_keep(ck_scope_events *self, const ck_event *event) {
  ck_scope_event *items = ck_array_grow(self->items, self->count, &self->cap, sizeof *items);
  if (!items) return false;
  self->items = items;
  self->items[self->count++] =
      (ck_scope_event){.seq = event->seq, .kind = event->kind, .body = ck_value_share(event->body)};
  return true;
}

bool ck_scope_is_return(ck_bytes *cuts, const ck_event *event) {
  bool is_return = (1ull << event->kind & CK_SCOPE_RETURNS) != 0;
  *cuts = is_return ? ck_json_get(ck_value_bytes(event->body), "cuts") : (ck_bytes){0};
  return is_return;
}

/* A resume goes on from the scope's own cut, which can lie before the checkpoint's end. So does a
 * rewind. */
void ck_scope_events_cut(ck_scope_events *self, int64_t cut) {
  while (self->count > 0 && self->items[self->count - 1].seq > cut)
    ck_value_free(self->items[--self->count].body);
}

static bool keep_body(void *to, const ck_event *event) {
  *(ck_value **)to = ck_value_share(event->body);
  return false;
}

/* The body of the event at `seq`; a replay refers to an outcome, never to a replay. */
static ck_status read_body(ck_value **out, ck_store *store, int64_t session, int64_t seq,
                           ck_error *err) {
  ck_event_query query = {.session = session, .after = seq - 1, .until = seq};
  *out = NULL;
  ck_status status = ck_store_read_events(store, &query, keep_body, out, err);
  if (status == CK_OK && !*out)
    status =
        ck_error_set(err, CK_E_CORRUPT, "a replay refers to event %lld, which is not in the store",
                     (long long)seq);
  return status;
}

static ck_status fold_one(ck_scope *to, const ck_scope_event *event, ck_store *store,
                          int64_t session, ck_error *err) {
  int64_t of;
  if (event->kind == CK_EVENT_REWIND) return ck_scope_rewind(to, event->body, err);
  if (event->kind != CK_EVENT_REPLAY ||
      !ck_json_read_int(&of, ck_json_get(ck_value_bytes(event->body), "of")))
    return ck_scope_apply(to, event->body, err);
  ck_value *referred;
  ck_status status = read_body(&referred, store, session, of, err);
  if (status == CK_OK) status = ck_scope_apply(to, referred, err);
  ck_value_free(referred);
  return status;
}

static ck_status fold_all(const ck_scope_events *self, ck_scope *to, ck_store *store,
                          int64_t session, const ck_scope_fold_watch *watch, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->count && status == CK_OK; i++) {
    const ck_scope_event *item = &self->items[i];
    status = fold_one(to, item, store, session, err);
    if (watch && status == CK_OK)
      watch->see(watch->to, to, item->seq, item->kind == CK_EVENT_REWIND ? item->body : NULL);
  }
  return status;
}

ck_status ck_scope_events_fold(const ck_scope_events *self, ck_scope *to, ck_store *store,
                               int64_t session, ck_error *err) {
  return fold_all(self, to, store, session, NULL, err);
}

/* ---- one scope ---- */

typedef struct fold {
  const ck_scope *scope;
  ck_scope_events events;
  bool failed;
} fold;

static bool collect(void *to, const ck_event *event) {
  fold *self = to;
  ck_bytes cuts;
  int64_t cut;
  if (ck_scope_is_return(&cuts, event)) {
    if (ck_json_read_int(&cut, ck_json_get(cuts, ck_scope_name(self->scope))))
      ck_scope_events_cut(&self->events, cut);
    return true;
  }
  if (strcmp(event->scope, ck_scope_name(self->scope)) != 0) return true;
  self->failed = !ck_scope_events_keep(&self->events, event);
  return !self->failed;
}

ck_status ck_scope_fold_watched(ck_scope *self, ck_store *store, int64_t session,
                                const ck_view *view, int64_t until,
                                const ck_scope_fold_watch *watch, ck_error *err) {
  fold f = {.scope = self};
  ck_event_query query = {
      .session = session, .view = view, .until = until, .kinds = ck_scope_event_kinds};
  ck_status status = ck_store_read_events(store, &query, collect, &f, err);
  if (status == CK_OK && f.failed) status = ck_error_no_memory(err);
  if (status == CK_OK) status = fold_all(&f.events, self, store, session, watch, err);
  ck_scope_events_clear(&f.events);
  return status;
}

ck_status ck_scope_fold(ck_scope *self, ck_store *store, int64_t session, const ck_view *view,
                        int64_t until, ck_error *err) {
  return ck_scope_fold_watched(self, store, session, view, until, NULL, err);
}
