/* work_time.c - adds up the time between events, and tells whose it was. */
#include "core/runtime/ledger/work_time.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"

static bool is_closing(ck_event_kind kind) {
  return kind == CK_EVENT_SESSION_PAUSED || kind == CK_EVENT_SESSION_FAILED ||
         kind == CK_EVENT_SESSION_COMPLETED || kind == CK_EVENT_SESSION_CANCELLED;
}

static bool is_opening(ck_event_kind kind) {
  return kind == CK_EVENT_SESSION_STARTED || kind == CK_EVENT_SESSION_RESUMED ||
         kind == CK_EVENT_SESSION_FORKED;
}

/* What a person writes from outside of a run, hours after it has died, too. */
static bool is_of_person(ck_event_kind kind) {
  return kind == CK_EVENT_RESOLUTION || kind == CK_EVENT_EDIT || kind == CK_EVENT_SESSION_REWOUND ||
         kind == CK_EVENT_SESSION_UNDONE || kind == CK_EVENT_RESUME_REFUSED;
}

/* ---- what is under way ---- */

static void forget(ck_work_time *self, const char *key) {
  ck_map_slot was = ck_map_remove(&self->open, key);
  self->working -= was.value != NULL;
  free(was.key);
}

static void forget_all(ck_work_time *self) {
  for (size_t i = 0; i < self->open.cap; i++) free(self->open.slots[i].key);
  ck_map_clear(&self->open);
  self->working = 0;
}

/* Takes `key`. */
static ck_status note_open(ck_work_time *self, char *key, ck_bytes body, ck_error *err) {
  bool works = !ck_json_is_text(ck_json_get(body, "kind"), "ask");
  forget(self, key);
  ck_status status = ck_map_add(&self->open, key, works ? self : NULL, err);
  if (status != CK_OK)
    free(key);
  else
    self->working += works;
  return status;
}

static ck_status note_effect(ck_work_time *self, const ck_event *event, ck_error *err) {
  if (event->kind != CK_EVENT_INTENT && event->kind != CK_EVENT_OUTCOME) return CK_OK;
  ck_bytes body = ck_value_bytes(event->body), name = ck_json_get(body, "key");
  if (ck_json_type_of(name) != CK_JSON_STRING) return CK_OK;
  char *key = ck_json_dup_string(name);
  if (!key) return ck_error_no_memory(err);
  if (event->kind == CK_EVENT_INTENT) return note_open(self, key, body, err);
  forget(self, key);
  free(key);
  return CK_OK;
}

/* ---- time ---- */

static bool is_of_user(const ck_event *event) {
  if (event->kind != CK_EVENT_MESSAGE || !event->scope || strcmp(event->scope, "main") != 0)
    return false;
  ck_bytes message = ck_json_get(ck_value_bytes(event->body), "message");
  return ck_json_is_text(ck_json_get(message, "role"), "user");
}

static bool waited_for_people(const ck_work_time *self, const ck_event *event) {
  return self->working == 0 && (self->open.count > 0 || is_of_user(event));
}

static void pass(ck_work_time *self, const ck_event *event) {
  int64_t step = event->at_ms - self->at_ms;
  if (self->at_ms && step > 0) {
    self->ms += step;
    if (!waited_for_people(self, event)) self->active_ms += step;
  }
  if (!self->at_ms || step > 0 || step <= -CK_WORK_TIME_DISORDER_MS) self->at_ms = event->at_ms;
}

ck_status ck_work_time_take(ck_work_time *self, const ck_event *event, ck_error *err) {
  if (is_opening(event->kind)) {
    forget_all(self);
    self->rests = false;
    self->at_ms = event->at_ms;
    return CK_OK;
  }
  if (event->at_ms && !self->rests && !is_of_person(event->kind)) pass(self, event);
  self->rests |= is_closing(event->kind);
  return note_effect(self, event, err);
}

void ck_work_time_clear(ck_work_time *self) { forget_all(self); }
