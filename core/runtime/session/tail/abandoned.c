/* abandoned.c - compares events with a view and the cuts of its resumes. */
#include "core/runtime/session/tail/abandoned.h"

/* What a scope does, and does again. */
static const uint64_t scope_kinds =
    1ull << CK_EVENT_MESSAGE | 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME |
    1ull << CK_EVENT_REPLAY | 1ull << CK_EVENT_DIVERGENCE | 1ull << CK_EVENT_REWIND |
    1ull << CK_EVENT_DELEGATION | 1ull << CK_EVENT_UPDATE | 1ull << CK_EVENT_NOTE;

/* What no resume undoes: an effect, and what it told on its way. */
static const uint64_t effect_kinds =
    1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_UPDATE;

ck_status ck_abandoned_read(ck_abandoned *out, ck_store *store, int64_t session,
                            const ck_view *view, int64_t until, ck_error *err) {
  const ck_cuts_query query = {.session = session, .view = view, .until = until};
  *out = (ck_abandoned){.view = view};
  return ck_cuts_read(&out->cuts, store, &query, err);
}

void ck_abandoned_clear(ck_abandoned *self) {
  ck_cuts_clear(&self->cuts);
  *self = (ck_abandoned){0};
}

static bool is_left(const ck_abandoned *self, const ck_event *event, uint64_t kinds) {
  if (self->view && !ck_view_contains(self->view, event->seq)) return true;
  bool one_of_them = (unsigned)event->kind <= 63 && kinds >> event->kind & 1;
  return one_of_them && ck_cuts_take_back(&self->cuts, event->scope, event->seq);
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
