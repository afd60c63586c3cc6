/* prune_points.c - counts checkpoints until policies are asked which go. */
#include "core/runtime/simulation/prune_points.h"

#include "core/runtime/simulation/shown_as.h"

ck_prune_rules ck_prune_rules_read(ck_bytes about) {
  ck_prune_rules out = {0};
  ck_bytes rules = ck_json_get(about, "prune");
  out.known = ck_json_type_of(rules) == CK_JSON_OBJECT;
  ck_json_read_bool(&out.asks, ck_json_get(rules, "asks"));
  ck_json_read_bool(&out.single, ck_json_get(rules, "single"));
  ck_json_read_int(&out.every, ck_json_get(rules, "every"));
  return out;
}

ck_prune_rules ck_prune_rules_of(const ck_profile *profile) {
  if (!profile || profile->budget_micros == CK_SIMULATE_AS_RECORDED) return (ck_prune_rules){0};
  return (ck_prune_rules){.known = true,
                          .asks = true,
                          .single = profile->single_checkpoint,
                          .every = profile->prune_every_n_nodes};
}

ck_prune_rules ck_prune_points_rules(const ck_prune_points *self, const ck_prune_rules *recorded) {
  return self->rules.known ? self->rules : *recorded;
}

void ck_prune_points_begin(ck_prune_points *self) { self->unpruned = 0; }

/* A run that completes, pauses or waits asks at its end, behind the checkpoint that it takes there.
 */
bool ck_prune_points_pass(ck_prune_points *self, const ck_prune_rules *recorded,
                          const ck_boundary *at, bool pruned) {
  const ck_prune_rules rules = ck_prune_points_rules(self, recorded);
  int64_t every = rules.single ? 1 : rules.every;
  bool ends = at->kind == CK_BOUNDARY_FINAL || at->kind == CK_BOUNDARY_PAUSE || at->waits;
  self->unpruned++;
  bool due = ends || (every > 0 && self->unpruned >= every) || (!rules.known && pruned);
  if (due) self->unpruned = 0;
  return due;
}
