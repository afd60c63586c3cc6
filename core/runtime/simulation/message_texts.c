/* message_texts.c - folds the conversation of each scope on each timeline, once, and looks at its
 * last message at each place. */
#include "core/runtime/simulation/message_texts.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/scope_events.h"

/* The places of one scope on one timeline. */
typedef struct finding {
  const ck_message_place *list;
  size_t count, at; /* at: the next place */
  bool *done;
  const ck_message_place *first;
  ck_value *last; /* the message that counts by now; owned, NULL: none */
  ck_status status;
  ck_error *err;
} finding;

static bool is_wanted(const ck_message_place *place) {
  return !place->message->with.len && place->message->without.len;
}

static bool is_same(const ck_message_place *a, const ck_message_place *b) {
  return a->timeline == b->timeline && strcmp(a->scope, b->scope) == 0;
}

/* Places before the event `seq` are shown what came before it. 0: all that are left. */
static void settle(finding *self, int64_t seq) {
  for (; self->at < self->count && self->status == CK_OK; self->at++) {
    const ck_message_place *place = &self->list[self->at];
    if (seq && place->seq > seq) return;
    if (!is_same(place, self->first)) continue;
    self->done[self->at] = true;
    if (is_wanted(place))
      self->status = ck_shown_message_complete(place->message, self->last, self->err);
  }
}

static void see(void *to, const ck_scope *scope, int64_t seq, const ck_value *rewind) {
  finding *self = to;
  (void)rewind;
  settle(self, seq);
  const ck_value *found = ck_turn_find_message(ck_scope_conversation((ck_scope *)scope));
  ck_value_free(self->last);
  self->last = found ? ck_value_share(found) : NULL;
}

/* What was done to the scope behind the last place is not what was seen there. */
static int64_t last_seq(const finding *self) {
  int64_t last = 0;
  for (size_t i = self->at; i < self->count; i++)
    if (is_same(&self->list[i], self->first)) last = self->list[i].seq;
  return last;
}

static ck_status find_of_scope(finding *self, ck_store *store, const ck_head *head) {
  ck_view view = {0};
  ck_scope *scope = NULL;
  const ck_scope_fold_watch watch = {see, self};
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, self->first->timeline, self->err);
  if (status == CK_OK) status = ck_scope_new(&scope, self->first->scope, self->err);
  if (status == CK_OK)
    status = ck_scope_fold_watched(scope, store, head->session.no, &view, last_seq(self), &watch,
                                   self->err);
  if (status == CK_OK) settle(self, 0);
  ck_scope_free(scope);
  ck_view_clear(&view);
  ck_value_free(self->last);
  self->last = NULL;
  return status == CK_OK ? self->status : status;
}

ck_status ck_message_texts_find(const ck_message_place *list, size_t count, ck_store *store,
                                const ck_head *head, ck_error *err) {
  ck_status status = CK_OK;
  bool *done = calloc(count + 1, sizeof *done);
  if (!done) return ck_error_no_memory(err);
  for (size_t i = 0; status == CK_OK && i < count; i++) {
    if (done[i] || !is_wanted(&list[i])) continue;
    finding of = {
        .list = list, .count = count, .at = i, .done = done, .first = &list[i], .err = err};
    status = find_of_scope(&of, store, head);
  }
  free(done);
  return status;
}
