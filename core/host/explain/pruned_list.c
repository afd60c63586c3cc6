/* pruned_list.c - which checkpoints of a session were pruned, and the events that tell of it. */
#include "core/host/explain/pruned_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/host/explain/candidates.h"
#include "core/host/explain/run_policies.h"
#include "core/store/checkpoint_list.h"

typedef struct reading {
  ck_pruned_list *to;
  ck_run_policies policies;
  ck_said_list said;
  int64_t seq; /* that is asked for; 0: all */
  ck_status status;
  ck_error *err;
  bool failed;
} reading;

void ck_pruned_list_clear(ck_pruned_list *self) {
  for (size_t i = 0; i < self->event_count; i++) {
    ck_value_free(self->events[i].droppers);
    ck_value_free(self->events[i].candidates);
  }
  free(self->events);
  free(self->list);
  free(self->there);
  *self = (ck_pruned_list){0};
}

/* An id of another length is none of ours. */
static bool add(ck_pruned_list *self, ck_bytes id, int64_t seq) {
  if (ck_json_type_of(id) != CK_JSON_STRING || id.len - 2 >= CK_ID_SIZE) return true;
  ck_pruned_checkpoint *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return false;
  self->list = list;
  ck_pruned_checkpoint *made = &list[self->count++];
  *made = (ck_pruned_checkpoint){.seq = seq, .event = self->event_count - 1};
  memcpy(made->id, id.data + 1, id.len - 2);
  return true;
}

/* Of a prune at rest the event has the policies that were asked. */
static ck_status find_policies(ck_bytes *out, reading *self, const ck_event *event) {
  *out = ck_json_get(ck_value_bytes(event->body), "policies");
  return out->len ? CK_OK : ck_run_policies_get(out, &self->policies, event->timeline, self->err);
}

static ck_status write_droppers(ck_value **out, const ck_said_list *said, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < said->count; i++)
    if (said->list[i].answer == CK_ANSWER_DROP && said->list[i].name.len)
      ck_json_put_raw(&w, said->list[i].name);
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

static ck_status add_event(reading *self, const ck_event *event) {
  ck_bytes policies;
  ck_pruned_list *to = self->to;
  ck_status status = find_policies(&policies, self, event);
  if (status != CK_OK) return status;
  struct ck_pruning_told *list =
      ck_array_grow(to->events, to->event_count, &to->event_cap, sizeof *list);
  if (!list) return ck_error_no_memory(self->err);
  to->events = list;
  struct ck_pruning_told *made = &list[to->event_count++];
  *made = (struct ck_pruning_told){.seq = event->seq};
  ck_said_read(&self->said, event, CK_HOOK_PRUNE, policies);
  status = write_droppers(&made->droppers, &self->said, self->err);
  return status == CK_OK ? ck_candidates_name(&made->candidates, event, policies, self->err)
                         : status;
}

static bool visit(void *to, const ck_event *event) {
  reading *self = to;
  ck_bytes ids = ck_json_get(ck_value_bytes(event->body), "ids");
  if (ck_json_type_of(ids) != CK_JSON_ARRAY) return true;
  self->status = add_event(self, event);
  if (self->status != CK_OK) return false;
  for (ck_json_iterator it = ck_json_iterate(ids); ck_json_next(&it);)
    self->failed |= !add(self->to, it.value, event->seq);
  return !self->failed;
}

static bool visit_checkpoint(void *to, const ck_checkpoint_info *checkpoint) {
  reading *self = to;
  ck_pruned_list *of = self->to;
  int64_t *there = ck_array_grow(of->there, of->there_count, &of->there_cap, sizeof *there);
  self->failed |= !there;
  if (!there) return false;
  of->there = there;
  there[of->there_count++] = checkpoint->seq;
  return true;
}

static int compare(const void *left, const void *right) {
  const ck_pruned_checkpoint *a = left, *b = right;
  return strcmp(a->id, b->id);
}

static bool visit_one(void *to, const ck_checkpoint_info *checkpoint) {
  reading *self = to;
  if (checkpoint->seq == self->seq) (void)visit_checkpoint(to, checkpoint);
  return false;
}

static ck_status read_there(reading *self, const ck_inspection *of, ck_error *err) {
  int64_t session = of->head.session.no;
  return self->seq ? ck_store_list_checkpoints_backward(of->store, session, self->seq + 1,
                                                        visit_one, self, err)
                   : ck_store_list_checkpoints(of->store, session, visit_checkpoint, self, err);
}

ck_status ck_pruned_list_read(ck_pruned_list *out, const ck_inspection *of, int64_t seq,
                              ck_error *err) {
  *out = (ck_pruned_list){0};
  reading *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  *self = (reading){.to = out, .policies = {.of = of}, .seq = seq, .err = err};
  /* what tells of a checkpoint stands behind it */
  ck_event_query query = {
      .session = of->head.session.no, .after = seq, .kinds = UINT64_C(1) << CK_EVENT_PRUNE};
  ck_status status = ck_store_read_events(of->store, &query, visit, self, err);
  if (status == CK_OK) status = self->status;
  if (status == CK_OK) status = read_there(self, of, err);
  if (status == CK_OK && self->failed) status = ck_error_no_memory(err);
  ck_run_policies_clear(&self->policies);
  free(self);
  if (status != CK_OK) ck_pruned_list_clear(out);
  if (status == CK_OK && out->count) qsort(out->list, out->count, sizeof *out->list, compare);
  return status;
}

static int compare_seqs(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

bool ck_pruned_list_has(const ck_pruned_list *self, int64_t seq) {
  return !self->there_count ||
         !bsearch(&seq, self->there, self->there_count, sizeof *self->there, compare_seqs);
}

/* At the last event at which it stayed though some would drop it. */
static void find_keepers(ck_pruned_fate *out, const ck_pruned_list *self, int64_t seq) {
  for (size_t i = self->event_count; i-- > 0 && !out->kept_at;) {
    ck_bytes spoken = ck_candidates_find(self->events[i].candidates, seq);
    if (self->events[i].seq == out->seq || !spoken.len) continue;
    out->kept_by = ck_json_get(spoken, "keep");
    out->against = ck_json_get(spoken, "drop");
    if (out->against.len) out->kept_at = self->events[i].seq;
  }
}

void ck_pruned_list_get(ck_pruned_fate *out, const ck_pruned_list *self, const char *id,
                        int64_t seq) {
  ck_pruned_checkpoint key = {.seq = 0};
  *out = (ck_pruned_fate){0};
  if (strlen(id) >= sizeof key.id) return;
  strcpy(key.id, id);
  const ck_pruned_checkpoint *found =
      self->count ? bsearch(&key, self->list, self->count, sizeof *self->list, compare) : NULL;
  if (found) {
    const struct ck_pruning_told *event = &self->events[found->event];
    ck_bytes spoken = ck_candidates_find(event->candidates, seq),
             own = spoken.len ? ck_json_get(spoken, "drop") : spoken;
    out->seq = found->seq;
    out->each = own.len > 0;
    out->by = own.len ? own : ck_value_bytes(event->droppers);
  }
  find_keepers(out, self, seq);
}
