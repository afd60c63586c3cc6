/* run_policies.c - the list of policies that a run of a session had, as it was recorded. */
#include "core/host/explain/run_policies.h"

void ck_run_policies_clear(ck_run_policies *self) {
  ck_value_free(self->about);
  self->about = NULL;
  self->timeline = 0;
}

static int64_t owner_of(const ck_head *head, int64_t timeline) {
  for (size_t i = 0; i < head->timeline_count; i++) {
    const ck_timeline *at = &head->timelines[i];
    if (at->no == timeline && at->session) return at->session;
  }
  return head->session.no;
}

ck_status ck_run_policies_get(ck_bytes *out, ck_run_policies *self, int64_t timeline,
                              ck_error *err) {
  *out = (ck_bytes){0};
  if (timeline != self->timeline) {
    ck_run_policies_clear(self);
    int64_t owner = owner_of(&self->of->head, timeline);
    ck_status status = ck_store_get_about(&self->about, self->of->store, owner, timeline, err);
    if (status != CK_OK) return status;
    self->timeline = timeline;
  }
  if (self->about) *out = ck_json_get(ck_value_bytes(self->about), "policies");
  return CK_OK;
}
