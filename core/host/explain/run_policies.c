/* run_policies.c - the list of policies that a run of a session had, as it was recorded. */
#include "core/host/explain/run_policies.h"

void ck_run_policies_clear(ck_run_policies *self) {
  ck_value_free(self->about);
  self->about = NULL;
  self->timeline = 0;
}

static bool has_list(const ck_run_policies *self) {
  return self->about && ck_json_get(ck_value_bytes(self->about), "policies").len;
}

/* What a person did at rest ran nothing: its policies are those of the last run before. */
static ck_status read_about(ck_run_policies *self, int64_t timeline, ck_error *err) {
  const ck_head *head = &self->of->head;
  ck_status status = CK_OK;
  for (size_t i = head->timeline_count; status == CK_OK && !has_list(self) && i-- > 0;) {
    const ck_timeline *at = &head->timelines[i];
    if (at->no > timeline) continue;
    ck_value_free(self->about);
    int64_t owner = at->session ? at->session : head->session.no;
    status = ck_store_get_about(&self->about, self->of->store, owner, at->no, err);
  }
  return status;
}

ck_status ck_run_policies_get(ck_bytes *out, ck_run_policies *self, int64_t timeline,
                              ck_error *err) {
  *out = (ck_bytes){0};
  if (timeline != self->timeline) {
    ck_run_policies_clear(self);
    ck_status status = read_about(self, timeline, err);
    if (status != CK_OK) return status;
    self->timeline = timeline;
  }
  if (self->about) *out = ck_json_get(ck_value_bytes(self->about), "policies");
  return CK_OK;
}
