/* asking.c - the questions of a hook that is asked again: the engine, the places, the answers. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/simulation/hook_rerun_private.h"
#include "core/runtime/simulation/recorded_prunes.h"

void ck_unknown_add(ck_unknown *self, const char *field) {
  if (self->count < CK_UNKNOWN_MAX) self->list[self->count++] = field;
}

/* ---- the engines ---- */

const ck_timeline *ck_asking_timeline(const ck_asking *self, int64_t no) {
  return ck_recorded_timeline(&self->head, no);
}

void ck_asking_close(ck_asking *self) {
  if (self->opened_for) self->engine.free(self->engine.self);
  self->opened_for = 0;
}

ck_status ck_asking_open(ck_asking *self, int64_t timeline) {
  if (self->opened_for == timeline) return CK_OK;
  ck_asking_close(self);
  ck_status status = self->source->open(&self->engine, self->source->to, self->err);
  if (status == CK_OK) self->opened_for = timeline;
  return status;
}

bool ck_asking_was_asked(const ck_asking *self, int64_t timeline) {
  for (size_t i = self->asked_count; i-- > 0;)
    if (self->asked[i] == timeline) return true;
  return false;
}

/* ---- the places ---- */

void ck_rerun_said_clear(ck_rerun_said *self) {
  free(self->word);
  free(self->policies);
  free(self->text);
  *self = (ck_rerun_said){0};
}

ck_status ck_asking_add(ck_rerun_place **out, ck_asking *self, int64_t seq, const char *about) {
  ck_hook_rerun *to = self->out;
  ck_rerun_place *list = ck_array_grow(to->list, to->count, &to->cap, sizeof *list);
  if (!list) return ck_error_no_memory(self->err);
  to->list = list;
  *out = &list[to->count++];
  **out = (ck_rerun_place){.seq = seq, .about = about ? strdup(about) : NULL};
  return about && !(*out)->about ? ck_error_no_memory(self->err) : CK_OK;
}

void ck_asking_watch(ck_asking *self, const ck_unknown *unknown) {
  self->looked_at = NULL;
  if (self->engine.watch) self->engine.watch(self->engine.self, unknown->list, &self->looked_at);
}

ck_status ck_asking_settle(ck_asking *self, ck_rerun_place *place, ck_status status,
                           const ck_error *failure) {
  if (self->engine.watch) self->engine.watch(self->engine.self, NULL, NULL);
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(self->err);
  place->unknown = self->looked_at;
  if (place->unknown) {
    ck_rerun_said_clear(&place->now);
    return CK_OK;
  }
  place->failed = status != CK_OK;
  if (place->failed && self->out->failures++ == 0) self->out->failure = *failure;
  return CK_OK;
}

/* ---- answers ---- */

void ck_rerun_read_answers(ck_answers *out, const ck_event *event, ck_hook hook) {
  ck_bytes rest = event->decision;
  while (ck_answers_decode(out, &rest, NULL) == CK_OK)
    if (out->hook == hook) return;
  *out = (ck_answers){0};
}

char *ck_rerun_word(const ck_answers *answers) {
  enum { CLOSED = 1 }; /* permit: ask; in_doubt: stop; on_failure: pause */
  int word = 0;
  for (int answer = 1; answer < CK_ANSWER_FAILED; answer++)
    if (answers->policies[answer]) word = answer;
  if (!word && answers->policies[CK_ANSWER_FAILED]) word = CLOSED;
  return strdup(ck_answer_name(answers->hook, word));
}
