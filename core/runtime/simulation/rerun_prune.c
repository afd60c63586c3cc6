/* rerun_prune.c - asks prune again: over the checkpoints that there were before each prune. */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/simulation/hook_rerun_private.h"

/* ---- the checkpoints that there were ---- */

static void take_away(ck_checkpoint_list *self, const char *id) {
  for (size_t i = 0; i < self->count; i++) {
    if (strcmp(self->list[i].id, id) != 0) continue;
    ck_checkpoint_info_clear(&self->list[i]);
    memmove(&self->list[i], &self->list[i + 1], (self->count - i - 1) * sizeof *self->list);
    self->count--;
    return;
  }
}

/* Those of an origin are the origin's to prune; of one whose row is gone nothing is known. */
static ck_status add_checkpoint(ck_asking *self, int64_t seq) {
  ck_checkpoint_info info;
  ck_error failure = CK_ERROR_INIT;
  ck_status status =
      ck_store_get_checkpoint(&info, self->store, self->head.session.no, NULL, seq, &failure);
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(self->err);
  if (status != CK_OK) return CK_OK;
  if (info.session) {
    ck_checkpoint_info_clear(&info);
    return CK_OK;
  }
  ck_checkpoint_list *all = &self->checkpoints;
  ck_checkpoint_info *list = ck_array_grow(all->list, all->count, &all->cap, sizeof *list);
  if (!list) {
    ck_checkpoint_info_clear(&info);
    return ck_error_no_memory(self->err);
  }
  all->list = list;
  list[all->count++] = info;
  return CK_OK;
}

/* ---- one prune ---- */

static bool was_dropped(const ck_event *event, const char *id) {
  ck_json_iterator it = ck_json_iterate(ck_json_get(ck_value_bytes(event->body), "ids"));
  while (ck_json_next(&it))
    if (ck_json_is_text(it.value, id)) return true;
  return false;
}

/* The last one, that from which the run went on, and pinned ones stay whatever policies say. */
static bool is_protected(const ck_asking *self, const ck_event *event, size_t index) {
  const ck_checkpoint_list *all = &self->checkpoints;
  const ck_timeline *timeline = ck_asking_timeline(self, event->timeline);
  return index + 1 == all->count || all->list[index].pinned ||
         (timeline && timeline->checkpoint == all->list[index].seq);
}

/* What storing and pruning have made of them since is not what it was. */
static void find_unknown(ck_unknown *out, const ck_checkpoint_list *all) {
  bool pruned = false;
  for (size_t i = 0; i < all->count; i++) pruned |= all->list[i].pruned;
  if (!pruned) return;
  ck_unknown_add(out, "checkpoint.bytes");
  ck_unknown_add(out, "checkpoint.is_keyframe");
}

static ck_status put_word(char **word, bool drop, ck_error *err) {
  *word = strdup(drop ? "drop" : "keep");
  return *word ? CK_OK : ck_error_no_memory(err);
}

/* Where nobody was asked, as by a person's own choice, there is no answer then. */
static ck_status add_place(ck_asking *self, const ck_event *event, size_t index, bool drop,
                           const ck_answers *then) {
  ck_rerun_place *place;
  const char *id = self->checkpoints.list[index].id;
  bool asked = false, dropped = was_dropped(event, id);
  for (int i = 0; then->hook && i < CK_ANSWER_COUNT; i++) asked |= then->policies[i] != 0;
  drop = drop && (dropped || !is_protected(self, event, index));
  if (!drop && !dropped) return CK_OK;
  ck_status status = ck_asking_add(&place, self, event->seq, id);
  if (status != CK_OK) return status;
  if (asked) place->then.answers = *then;
  if (asked) status = put_word(&place->then.word, dropped, self->err);
  place->unknown = self->looked_at;
  return status == CK_OK && !place->unknown ? put_word(&place->now.word, drop, self->err) : status;
}

static ck_status ask(ck_asking *self, const ck_event *event, bool *flags) {
  const ck_checkpoint_list *all = &self->checkpoints;
  const ck_history history = {
      .checkpoints = all->list, .count = all->count, .now_ms = event->at_ms};
  ck_prune_plan plan = {.drop = flags, .keep = flags + all->count};
  ck_unknown unknown = {0};
  ck_answers then;
  ck_error failure = CK_ERROR_INIT;
  ck_status asked = CK_OK, status = CK_OK;
  ck_rerun_read_answers(&then, event, CK_HOOK_PRUNE);
  find_unknown(&unknown, all);
  ck_asking_watch(self, &unknown);
  if (self->engine.prune) asked = self->engine.prune(&plan, self->engine.self, &history, &failure);
  if (self->engine.watch) self->engine.watch(self->engine.self, NULL, NULL);
  if (asked == CK_E_NO_MEMORY) return ck_error_no_memory(self->err);
  if (asked != CK_OK && self->out->failures++ == 0) self->out->failure = failure;
  for (size_t i = 0; i < all->count && status == CK_OK; i++)
    status = add_place(self, event, i, asked == CK_OK && plan.drop[i], &then);
  return status;
}

static ck_status pass_prune(ck_asking *self, const ck_event *event) {
  bool *flags = calloc(self->checkpoints.count * 2 + 1, sizeof *flags);
  if (!flags) return ck_error_no_memory(self->err);
  ck_status status = ck_asking_open(self, event->timeline);
  if (status == CK_OK) status = ask(self, event, flags);
  free(flags);
  ck_json_iterator it = ck_json_iterate(ck_json_get(ck_value_bytes(event->body), "ids"));
  while (status == CK_OK && ck_json_next(&it)) {
    char *id = ck_json_dup_string(it.value);
    if (!id) return ck_error_no_memory(self->err);
    take_away(&self->checkpoints, id);
    free(id);
  }
  return status;
}

void ck_rerun_prune_take(ck_asking *self, const ck_event *event) {
  ck_bytes id = ck_json_get(ck_value_bytes(event->body), "checkpoint");
  if (event->kind == CK_EVENT_PRUNE)
    self->status = pass_prune(self, event);
  else if (ck_json_type_of(id) == CK_JSON_STRING)
    self->status = add_checkpoint(self, event->seq);
}
