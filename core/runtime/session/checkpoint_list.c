/* checkpoint_list.c - lists a session's checkpoints, asks policies which of them to drop, and
 * describes which were dropped. */
#include "core/runtime/session/checkpoint_list.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/store/checkpoint_list.h"

void ck_checkpoint_list_clear(ck_checkpoint_list *self) {
  for (size_t i = 0; i < self->count; i++) ck_checkpoint_info_clear(&self->list[i]);
  free(self->list);
  *self = (ck_checkpoint_list){0};
}

static bool add(void *to, const ck_checkpoint_info *checkpoint) {
  ck_checkpoint_list *self = to;
  if (checkpoint->session) return true; /* a checkpoint of its origin is the origin's to prune */
  ck_checkpoint_info *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) {
    self->cap = SIZE_MAX;
    return false;
  }
  self->list = list;
  self->list[self->count] = *checkpoint;
  self->list[self->count++].info = ck_value_share(checkpoint->info);
  return true;
}

static ck_status end_reading(ck_checkpoint_list *self, ck_status status, ck_error *err) {
  if (status == CK_OK && self->cap == SIZE_MAX) status = ck_error_no_memory(err);
  if (status != CK_OK) ck_checkpoint_list_clear(self);
  return status;
}

ck_status ck_checkpoint_list_read(ck_checkpoint_list *out, ck_store *store, int64_t session,
                                  ck_error *err) {
  *out = (ck_checkpoint_list){0};
  return end_reading(out, ck_store_list_checkpoints(store, session, add, out, err), err);
}

ck_status ck_checkpoint_list_read_held(ck_checkpoint_list *out, ck_store *store, ck_lease lease,
                                       ck_error *err) {
  *out = (ck_checkpoint_list){0};
  return end_reading(out, ck_store_list_own_checkpoints(store, lease, add, out, err), err);
}

/* ---- what the policies say ---- */

/* Of all from place range[0] to before range[1] the same was said. */
static void write_element(ck_json_writer *w, const ck_checkpoint_list *self,
                          const ck_prune_plan *plan, const size_t *range) {
  size_t first = range[0], last = range[1] - 1;
  ck_json_begin(w, '{');
  ck_json_member_int(w, "from", self->list[first].seq);
  if (last > first) ck_json_member_int(w, "to", self->list[last].seq);
  ck_answers_write_places(w, "drop", plan->dropped_by[first]);
  ck_answers_write_places(w, "keep", plan->kept_by[first]);
  ck_json_end(w, '}');
}

/* Neighbours of whom the same was said are one element: a plan mostly has two or three. */
static ck_status write_candidates(ck_value **out, const ck_checkpoint_list *self,
                                  const ck_prune_plan *plan, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  size_t count = 0, more = 0;
  ck_json_begin(&w, '[');
  for (size_t i = 0, next; i < self->count; i = next) {
    uint64_t drop = plan->dropped_by[i], keep = plan->kept_by[i];
    for (next = i + 1; next < self->count; next++)
      if (plan->dropped_by[next] != drop || plan->kept_by[next] != keep) break;
    if (!drop && !keep) continue;
    if (count++ < CK_PRUNE_CANDIDATES_MAX)
      write_element(&w, self, plan, (size_t[]){i, next});
    else
      more += next - i;
  }
  if (more) {
    ck_json_begin(&w, '{');
    ck_json_member_int(&w, "more", (int64_t)more);
    ck_json_end(&w, '}');
  }
  ck_json_end(&w, ']');
  ck_status status = count ? ck_value_from(out, &buffer, err) : CK_OK;
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status take_choice(ck_prune_choice *out, const ck_checkpoint_list *self,
                             const ck_prune_plan *plan, ck_error *err) {
  for (size_t i = 0; i < self->count; i++)
    if (plan->drop[i]) out->seqs[out->count++] = self->list[i].seq;
  return out->count ? write_candidates(&out->candidates, self, plan, err) : CK_OK;
}

ck_status ck_checkpoint_list_ask(ck_prune_choice *out, const ck_checkpoint_list *self,
                                 const ck_policy_engine *policies, int64_t now_ms, ck_error *err) {
  size_t count = self->count;
  out->count = 0;
  if (!policies->prune || count == 0) return CK_OK;
  uint64_t *masks = calloc(count, 2 * sizeof *masks + 2 * sizeof(bool));
  if (!masks) return ck_error_no_memory(err);
  bool *flags = (bool *)(masks + 2 * count);
  ck_history of = {.checkpoints = self->list, .count = count, .now_ms = now_ms};
  ck_prune_plan plan = {
      .drop = flags, .keep = flags + count, .dropped_by = masks, .kept_by = masks + count};
  ck_status status = policies->prune(&plan, policies->self, &of, err);
  if (status == CK_OK) status = take_choice(out, self, &plan, err);
  out->said = plan.answers;
  free(masks);
  return status;
}

ck_status ck_prune_report_describe(ck_value **out, const ck_prune_report *report,
                                   const ck_value *policies, const ck_value *candidates,
                                   ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "ids");
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < report->count; i++) ck_json_put_text(&w, report->ids[i]);
  ck_json_end(&w, ']');
  ck_json_member_int(&w, "bytes", report->bytes);
  if (policies) ck_json_member_raw(&w, "policies", ck_value_bytes(policies));
  if (candidates) ck_json_member_raw(&w, "candidates", ck_value_bytes(candidates));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}
