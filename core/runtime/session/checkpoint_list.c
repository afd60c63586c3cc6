/* checkpoint_list.c - lists a session's checkpoints, asks policies which of them to drop, and
 * describes which were dropped. */
#include "core/runtime/session/checkpoint_list.h"

#include <stdlib.h>

#include "core/base/array.h"

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

ck_status ck_checkpoint_list_read(ck_checkpoint_list *out, ck_store *store, int64_t session,
                                  ck_error *err) {
  *out = (ck_checkpoint_list){0};
  ck_status status = ck_store_list_checkpoints(store, session, add, out, err);
  if (status == CK_OK && out->cap == SIZE_MAX) status = ck_error_no_memory(err);
  if (status != CK_OK) ck_checkpoint_list_clear(out);
  return status;
}

ck_status ck_checkpoint_list_ask(int64_t *seqs, size_t *count, ck_answers *said,
                                 const ck_checkpoint_list *self, const ck_policy_engine *policies,
                                 int64_t now_ms, ck_error *err) {
  *count = 0;
  *said = (ck_answers){0};
  if (!policies->prune || self->count == 0) return CK_OK;
  bool *flags = calloc(self->count * 2, sizeof *flags);
  if (!flags) return ck_error_no_memory(err);
  ck_history of = {.checkpoints = self->list, .count = self->count, .now_ms = now_ms};
  ck_prune_plan plan = {.drop = flags, .keep = flags + self->count};
  ck_status status = policies->prune(&plan, policies->self, &of, err);
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    if (plan.drop[i]) seqs[(*count)++] = self->list[i].seq;
  *said = plan.answers;
  free(flags);
  return status;
}

const char *ck_checkpoint_list_id(const ck_checkpoint_list *self, int64_t seq) {
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->list[middle].seq < seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low < self->count && self->list[low].seq == seq ? self->list[low].id : NULL;
}

ck_status ck_checkpoint_list_describe(ck_value **out, const ck_checkpoint_list *self,
                                      const ck_prune_report *report, const ck_value *policies,
                                      ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "ids");
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < report->count; i++) {
    const char *id = ck_checkpoint_list_id(self, report->seqs[i]);
    if (id) ck_json_put_text(&w, id);
  }
  ck_json_end(&w, ']');
  ck_json_member_int(&w, "bytes", report->bytes);
  if (policies) ck_json_member_raw(&w, "policies", ck_value_bytes(policies));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}
