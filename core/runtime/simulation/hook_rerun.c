/* hook_rerun.c - walks through a session's events, and asks at the places of one hook. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/redact/redact.h"
#include "core/runtime/simulation/hook_rerun_private.h"

static const struct {
  const char *name, *about;
} hooks[CK_RERUN_HOOK_COUNT] = {
#define X(enumerator, name, about) [enumerator] = {name, about},
    CK_RERUN_HOOK_TABLE(X)
#undef X
};

const char *ck_rerun_hook_name(ck_rerun_hook hook) { return hooks[hook].name; }
const char *ck_rerun_hook_about(ck_rerun_hook hook) { return hooks[hook].about; }

bool ck_rerun_hook_of(ck_rerun_hook *out, const char *name) {
  for (int i = 0; i < CK_RERUN_HOOK_COUNT; i++) {
    if (strcmp(hooks[i].name, name) != 0) continue;
    *out = (ck_rerun_hook)i;
    return true;
  }
  return false;
}

void ck_hook_rerun_clear(ck_hook_rerun *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->list[i].about);
    ck_rerun_said_clear(&self->list[i].then);
    ck_rerun_said_clear(&self->list[i].now);
  }
  free(self->list);
  *self = (ck_hook_rerun){0};
}

static bool says_same(const ck_rerun_said *then, const ck_rerun_said *now) {
  if (!then->whole) return true;
  if (!then->text || !now->text) return !then->text && !now->text;
  return ck_redact_matches(ck_bytes_text(then->text), ck_bytes_text(now->text));
}

bool ck_hook_rerun_differs(const ck_rerun_place *self) {
  const ck_rerun_said *then = &self->then, *now = &self->now;
  if (!then->word || !now->word) return false;
  return strcmp(then->word, now->word) != 0 || !says_same(then, now);
}

/* ---- the walk ---- */

static const ck_hook recorded_as[CK_RERUN_HOOK_COUNT] = {
    [CK_RERUN_IN_DOUBT] = CK_HOOK_IN_DOUBT,
    [CK_RERUN_PERMIT] = CK_HOOK_PERMIT,
    [CK_RERUN_ON_FAILURE] = CK_HOOK_ON_FAILURE,
};

/* The timelines come one behind another. */
static bool note_asked(void *to, const ck_event *event) {
  ck_asking *self = to;
  ck_answers answers;
  if (ck_asking_was_asked(self, event->timeline)) return true;
  ck_rerun_read_answers(&answers, event, recorded_as[self->hook]);
  if (!answers.hook) return true;
  int64_t *list = ck_array_grow(self->asked, self->asked_count, &self->asked_cap, sizeof *list);
  self->status = list ? CK_OK : ck_error_no_memory(self->err);
  if (!list) return false;
  self->asked = list;
  self->asked[self->asked_count++] = event->timeline;
  return true;
}

/* These are asked once all is read: they read the store themselves. */
static ck_status note_place(ck_asking *self, const ck_event *event) {
  ck_bytes via = ck_json_get(ck_value_bytes(event->body), "via");
  bool tail = event->kind == CK_EVENT_OUTCOME && ck_json_is_text(via, "tail");
  if (self->hook == CK_RERUN_TAIL && !tail) return CK_OK;
  if (event->kind == CK_EVENT_BOUNDARY &&
      !ck_json_get(ck_value_bytes(event->body), "checkpoint").len)
    return CK_OK;
  ck_event **list = ck_array_grow(self->later, self->later_count, &self->later_cap, sizeof *list);
  if (!list) return ck_error_no_memory(self->err);
  self->later = list;
  ck_status status = ck_event_new(&list[self->later_count], event, self->err);
  self->later_count += status == CK_OK;
  return status;
}

static ck_status ask_later(ck_asking *self) {
  if (self->hook == CK_RERUN_PRUNE) return ck_rerun_prune_ask(self);
  for (size_t i = 0; i < self->later_count && self->status == CK_OK; i++) {
    if (self->hook == CK_RERUN_RESUME)
      ck_rerun_resume_take(self, self->later[i]);
    else
      ck_rerun_tail_take(self, self->later[i]);
  }
  return self->status;
}

static bool take_event(void *to, const ck_event *event) {
  ck_asking *self = to;
  switch (self->hook) {
    case CK_RERUN_PERMIT:
      ck_rerun_permit_take(self, event);
      break;
    case CK_RERUN_IN_DOUBT:
      ck_rerun_in_doubt_take(self, event);
      break;
    case CK_RERUN_ON_FAILURE:
      ck_rerun_on_failure_take(self, event);
      break;
    case CK_RERUN_RESUME:
    case CK_RERUN_TAIL:
    case CK_RERUN_PRUNE:
      self->status = note_place(self, event);
      break;
    default:
      break;
  }
  if (self->status == CK_OK) self->status = ck_begun_effects_take(&self->effects, event, self->err);
  return self->status == CK_OK;
}

static const uint64_t kinds_of[CK_RERUN_HOOK_COUNT] = {
    [CK_RERUN_IN_DOUBT] = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME |
                          1ull << CK_EVENT_RESOLUTION | 1ull << CK_EVENT_SESSION_PAUSED,
    [CK_RERUN_PERMIT] = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME,
    [CK_RERUN_ON_FAILURE] = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME,
    [CK_RERUN_RESUME] = 1ull << CK_EVENT_SESSION_RESUMED | 1ull << CK_EVENT_RESUME_REFUSED |
                        1ull << CK_EVENT_RESUME_APPROVAL,
    [CK_RERUN_TAIL] = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME,
    [CK_RERUN_PRUNE] = 1ull << CK_EVENT_BOUNDARY | 1ull << CK_EVENT_PRUNE |
                       1ull << CK_EVENT_SESSION_REWOUND | 1ull << CK_EVENT_SESSION_UNDONE,
};

static ck_status ask_all(ck_asking *self) {
  ck_event_query query = {.session = self->head.session.no, .kinds = kinds_of[self->hook]};
  ck_status status = CK_OK;
  if (recorded_as[self->hook])
    status = ck_store_read_events(self->store, &query, note_asked, self, self->err);
  if (status == CK_OK) status = self->status;
  const ck_shown_as as = ck_shown_as_profile(self->source->profile);
  if (status == CK_OK && self->hook == CK_RERUN_PERMIT)
    status = ck_permit_texts_read(&self->texts, self->store, &self->head, &as, self->err);
  if (status == CK_OK)
    status = ck_store_read_events(self->store, &query, take_event, self, self->err);
  if (status == CK_OK) status = self->status;
  return status == CK_OK ? ask_later(self) : status;
}

ck_status ck_hook_rerun_ask(ck_hook_rerun *out, ck_store *store, const char *session_id,
                            ck_rerun_hook hook, const ck_rerun_source *source, ck_error *err) {
  ck_asking self = {.out = out, .store = store, .hook = hook, .source = source, .err = err};
  *out = (ck_hook_rerun){.failure = CK_ERROR_INIT};
  ck_status status = ck_store_get_head(&self.head, store, session_id, err);
  if (status == CK_OK) status = ask_all(&self);
  ck_asking_close(&self);
  ck_begun_effects_clear(&self.effects);
  ck_permit_texts_clear(&self.texts);
  free(self.asked);
  for (size_t i = 0; i < self.later_count; i++) ck_event_free(self.later[i]);
  free(self.later);
  ck_head_clear(&self.head);
  if (status != CK_OK) ck_hook_rerun_clear(out);
  return status;
}
