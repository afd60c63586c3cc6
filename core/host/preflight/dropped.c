/* dropped.c - the recorded work that an edit of the state drops, in words. */
#include "core/host/preflight/preflight.h"
#include "core/host/print/format.h"
#include "core/runtime/budget/usage.h"

bool ck_preflight_edits_memory(const ck_preflight *self) {
  const ck_state_edits *edits = self->options.edits;
  for (size_t i = 0; edits && i < edits->count; i++)
    if (!ck_limits_is_key(edits->items[i].key)) return true;
  return false;
}

/* Without an edit it would be replayed: not after a failure, nor from an older checkpoint. */
static bool would_replay(const ck_preflight *self) {
  const ck_head *head = &self->head;
  return head->session.status != CK_SESSION_FAILED &&
         self->checkpoint.seq == (head->has_checkpoint ? head->checkpoint.seq : 0);
}

bool ck_preflight_append_dropped(ck_buffer *out, const ck_preflight *self) {
  int64_t models = 0, others = 0;
  if (!self->planned || !would_replay(self) || !ck_preflight_edits_memory(self)) return false;
  for (size_t i = 0; i < self->effect_count; i++) {
    const ck_dry_run_effect *effect = &self->effects[i].is;
    if (effect->what != CK_DRY_RUN_ANEW) continue;
    models += effect->kind == CK_EFFECT_MODEL;
    others += effect->kind != CK_EFFECT_MODEL;
  }
  if (models) ck_format_of(out, models, "model call");
  if (self->cost_micros > 0) {
    ck_buffer_append_text(out, ", recorded at ");
    ck_format_money(out, self->cost_micros);
  }
  if (models && others) ck_buffer_append_text(out, self->cost_micros > 0 ? ", and " : " and ");
  if (others) ck_format_of(out, others, models ? "other effect" : "effect");
  return models + others > 0;
}
