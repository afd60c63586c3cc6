/* active.c - adds up the time between the events of each run. */
#include "core/runtime/budget/active.h"

void ck_active_begin(ck_active *self, const ck_checkpoint_info *latest) {
  *self = (ck_active){0};
  if (!latest) return;
  self->timeline = latest->timeline;
  self->at_ms = latest->created_ms;
}

static bool is_closing(ck_event_kind kind) {
  return kind == CK_EVENT_SESSION_PAUSED || kind == CK_EVENT_SESSION_FAILED ||
         kind == CK_EVENT_SESSION_COMPLETED || kind == CK_EVENT_SESSION_CANCELLED;
}

/* What only a run writes; the rest may be a person's, hours after it has died. */
static bool is_of_run(ck_event_kind kind) {
  return kind == CK_EVENT_INTENT || kind == CK_EVENT_OUTCOME || kind == CK_EVENT_REPLAY ||
         kind == CK_EVENT_MESSAGE || kind == CK_EVENT_BOUNDARY || is_closing(kind);
}

void ck_active_take(ck_active *self, const ck_event *event) {
  if (event->timeline != self->timeline) {
    self->timeline = event->timeline;
    self->at_ms = event->at_ms;
    self->rests = false;
    return;
  }
  if (self->rests || !is_of_run(event->kind)) return;
  if (event->at_ms > self->at_ms) self->us += (event->at_ms - self->at_ms) * 1000;
  self->at_ms = event->at_ms;
  self->rests = is_closing(event->kind);
}
