/* other_hooks.c - puts sessions through a hook of each side, and prints what came of it. */
#include "core/host/simulate/other_hooks.h"

#include <string.h>

bool ck_other_hooks_has(const char *hook) { return hook && strcmp(hook, "checkpoint") != 0; }

static bool redacts(const ck_other_hooks *self) { return strcmp(self->hook, "redact") == 0; }

void ck_other_hooks_begin(ck_other_hooks *self) {
  if (self->list) ck_rerun_list_init(&self->table, self->output, self->count > 1);
}

void ck_other_hooks_clear(ck_other_hooks *self) {
  if (self->list) ck_table_clear(&self->table);
}

static ck_status put_session(ck_other_hooks *self, ck_simulation_side *side, const char *session,
                             const ck_hook_rerun *made, ck_error *err) {
  ck_rerun_sum own = {0};
  ck_status status = ck_rerun_sum_add(&own, made, err);
  struct cJSON *row = ck_document_put_object(self->document, side->sessions, NULL);
  ck_document_put_text(self->document, row, "session", session);
  if (status == CK_OK) ck_rerun_put_sum(self->document, row, &own);
  ck_rerun_sum_clear(&own);
  if (!self->list) return status;
  struct cJSON *list = ck_document_put_array(self->document, row, "places");
  ck_rerun_put_places(self->document, list, made);
  return status;
}

static ck_status rerun(ck_other_hooks *self, ck_simulation_side *side, const char *session,
                       ck_error *err) {
  ck_hook_rerun made;
  ck_rerun_hook hook = CK_RERUN_PERMIT;
  (void)ck_rerun_hook_of(&hook, self->hook);
  ck_status status = ck_rerun_profile(&made, self->store, session, hook, side->profile, err);
  if (status != CK_OK) return status;
  status = ck_rerun_sum_add(&side->rerun, &made, err);
  if (status == CK_OK && self->output->json)
    status = put_session(self, side, session, &made, err);
  else if (self->list)
    ck_rerun_list_add(&self->table, session, self->count > 1 ? side->name : NULL, &made);
  ck_hook_rerun_clear(&made);
  return status;
}

ck_status ck_other_hooks_add(ck_other_hooks *self, const char *session, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < self->count; i++) {
    ck_simulation_side *side = &self->sides[i];
    status = redacts(self)
                 ? ck_simulate_redact(&side->masks, self->store, session, side->profile, err)
                 : rerun(self, side, session, err);
  }
  return status;
}

static ck_status print_table(ck_other_hooks *self, ck_error *err) {
  const char *names[CK_TABLE_COLUMNS_MAX];
  const ck_simulated_masks *masks[CK_TABLE_COLUMNS_MAX];
  const ck_rerun_sum *sums[CK_TABLE_COLUMNS_MAX];
  ck_rerun_hook hook = CK_RERUN_PERMIT;
  for (size_t i = 0; i < self->count; i++) {
    names[i] = self->sides[i].name;
    masks[i] = &self->sides[i].masks;
    sums[i] = &self->sides[i].rerun;
  }
  if (redacts(self)) return ck_simulated_masks_print(self->output, names, masks, self->count, err);
  if (self->list) return ck_table_print(&self->table, err);
  (void)ck_rerun_hook_of(&hook, self->hook);
  return ck_rerun_print_sums(self->output, hook, names, sums, self->count, err);
}

ck_status ck_other_hooks_print(ck_other_hooks *self, ck_error *err) {
  if (!self->output->json) return print_table(self, err);
  for (size_t i = 0; i < self->count; i++) {
    ck_simulation_side *side = &self->sides[i];
    if (redacts(self))
      ck_simulated_masks_put(self->document, side->object, &side->masks);
    else
      ck_rerun_put_sum(self->document, side->object, &side->rerun);
  }
  return ck_document_print(self->document, err);
}
