/* scope_events.c - folds the events of scopes in the order of the transcript; the store is not
 * asked for another event while it reads some. */
#include "core/runtime/session/scope_events.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/model/sums.h"
#include "core/runtime/session/tail/cuts.h"

enum { PAGE_BYTES = 256 * 1024 }; /* of bodies */

typedef struct page_event {
  ck_scope *scope;
  int64_t seq;
  ck_event_kind kind;
  ck_value *body; /* of the event, or (for a replay) the reference to another one */
} page_event;

typedef struct page {
  const ck_scope_folding *of;
  page_event *items;
  size_t count, cap, bytes;
  int64_t after, until; /* what is yet to be read */
  bool full;
  ck_status status;
  ck_error *err;
} page;

static ck_status keep(page *self, ck_scope *scope, const ck_event *event) {
  page_event *items = ck_array_grow(self->items, self->count, &self->cap, sizeof *items);
  if (!items) return ck_error_no_memory(self->err);
  self->items = items;
  self->items[self->count++] =
      (page_event){scope, event->seq, event->kind, ck_value_share(event->body)};
  self->bytes += ck_value_bytes(event->body).len;
  return CK_OK;
}

static bool collect(void *to, const ck_event *event) {
  page *self = to;
  ck_scope *scope;
  self->status = self->of->find(&scope, self->of->to, event, self->err);
  if (self->status == CK_OK && scope) self->status = keep(self, scope, event);
  self->after = event->seq;
  self->full = self->bytes >= PAGE_BYTES;
  return self->status == CK_OK && !self->full;
}

static ck_status read_page(page *self) {
  const ck_scope_folding *of = self->of;
  const ck_event_query query = {.session = of->session,
                                .view = of->view,
                                .after = self->after,
                                .until = self->until,
                                .kinds = ck_sums_said_kinds};
  self->bytes = 0;
  self->full = false;
  ck_status status = ck_store_read_events(of->store, &query, collect, self, self->err);
  return status == CK_OK ? self->status : status;
}

static bool keep_body(void *to, const ck_event *event) {
  *(ck_value **)to = ck_value_share(event->body);
  return false;
}

/* The body of the event at `seq`; a replay refers to an outcome, never to a replay. */
static ck_status read_body(ck_value **out, const ck_scope_folding *of, int64_t seq, ck_error *err) {
  ck_event_query query = {.session = of->session, .after = seq - 1, .until = seq};
  *out = NULL;
  ck_status status = ck_store_read_events(of->store, &query, keep_body, out, err);
  if (status == CK_OK && !*out)
    status =
        ck_error_set(err, CK_E_CORRUPT, "a replay refers to event %lld, which is not in the store",
                     (long long)seq);
  return status;
}

static ck_status fold_one(const page_event *event, const ck_scope_folding *of, ck_error *err) {
  int64_t seq;
  if (event->kind == CK_EVENT_REWIND) return ck_scope_rewind(event->scope, event->body, err);
  if (event->kind != CK_EVENT_REPLAY ||
      !ck_json_read_int(&seq, ck_json_get(ck_value_bytes(event->body), "of")))
    return ck_scope_apply(event->scope, event->body, err);
  ck_value *referred;
  ck_status status = read_body(&referred, of, seq, err);
  if (status == CK_OK) status = ck_scope_apply(event->scope, referred, err);
  ck_value_free(referred);
  return status;
}

/* Frees each body once it is folded, so that the next message finds its room. */
static ck_status fold_page(page *self) {
  const ck_scope_folding *of = self->of;
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->count; i++) {
    page_event *item = &self->items[i];
    if (status == CK_OK) status = fold_one(item, of, self->err);
    if (of->watch && status == CK_OK)
      of->watch->see(of->watch->to, item->scope, item->seq,
                     item->kind == CK_EVENT_REWIND ? item->body : NULL);
    if (of->packer && status == CK_OK)
      ck_conversation_pack(ck_scope_conversation(item->scope), of->packer);
    ck_value_free(item->body);
  }
  self->count = 0;
  return status;
}

static ck_status fold_range(page *self, int64_t after, int64_t until) {
  ck_status status = CK_OK;
  self->after = after;
  self->until = until;
  do {
    ck_status read = read_page(self);
    status = fold_page(self);
    if (read != CK_OK) status = read;
  } while (status == CK_OK && self->full);
  return status;
}

ck_status ck_scope_events_fold(const ck_scope_folding *folding, ck_error *err) {
  page self = {.of = folding, .err = err};
  const ck_stretches *within = folding->within;
  ck_status status = within ? CK_OK : fold_range(&self, 0, folding->until);
  for (size_t i = 0; within && i < within->count && status == CK_OK; i++) {
    const ck_stretch *stretch = &within->list[i];
    if (stretch->first > folding->until) break;
    bool ends = stretch->last < folding->until;
    status = fold_range(&self, stretch->first - 1, ends ? stretch->last : folding->until);
  }
  free(self.items);
  return status;
}

/* ---- one scope ---- */

typedef struct single {
  ck_scope *scope;
  ck_cuts cuts;
} single;

static ck_status find_single(ck_scope **out, void *to, const ck_event *event, ck_error *err) {
  const single *self = to;
  const char *name = ck_scope_name(self->scope);
  (void)err;
  bool counts =
      strcmp(event->scope, name) == 0 && !ck_cuts_take_back(&self->cuts, name, event->seq);
  *out = counts ? self->scope : NULL;
  return CK_OK;
}

ck_status ck_scope_fold_watched(ck_scope *self, ck_store *store, int64_t session,
                                const ck_view *view, int64_t until,
                                const ck_scope_fold_watch *watch, ck_error *err) {
  single of = {.scope = self};
  const ck_cuts_query cuts = {.session = session, .view = view, .until = until};
  const ck_scope_folding folding = {.store = store,
                                    .session = session,
                                    .view = view,
                                    .until = until,
                                    .find = find_single,
                                    .to = &of,
                                    .watch = watch};
  ck_status status = ck_cuts_read(&of.cuts, store, &cuts, err);
  if (status == CK_OK) status = ck_scope_events_fold(&folding, err);
  ck_cuts_clear(&of.cuts);
  return status;
}

ck_status ck_scope_fold(ck_scope *self, ck_store *store, int64_t session, const ck_view *view,
                        int64_t until, ck_error *err) {
  return ck_scope_fold_watched(self, store, session, view, until, NULL, err);
}
