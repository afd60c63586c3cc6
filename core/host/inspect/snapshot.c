/* snapshot.c - opens one checkpoint of a session with everything that is shown of it. */
#include "core/host/inspect/snapshot.h"

#include <stdlib.h>

#include "core/base/log.h"
#include "core/host/session/place.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/session/profile_secrets.h"
#include "lua/policy/policy.h"
#include "lua/profile/profile.h"

ck_status ck_snapshot_load_profile(ck_profile **out, ck_policy_engine *policies,
                                   const ck_inspection *inspection, const char *given,
                                   ck_error *err) {
  ck_launch launch = {0};
  ck_error absent = CK_ERROR_INIT;
  *out = NULL;
  *policies = (ck_policy_engine){0};
  ck_status status =
      given ? CK_OK : ck_place_read_launch(&launch, inspection->store, &inspection->head, &absent);
  if (status == CK_E_REFUSED) return CK_OK;
  if (status != CK_OK) return ck_error_set(err, status, "%s", absent.text);
  const char *name = given ? given : launch.profile ? launch.profile : "default";
  status = ck_profile_load(out, name, &absent);
  if (status == CK_OK) status = ck_policy_engine_open(policies, *out, &absent);
  if (status == CK_E_NOT_FOUND && !given) {
    ck_log_line(CK_LOG_WARN, "%s: shown without it", absent.text);
    ck_profile_free(*out);
    *out = NULL;
    status = CK_OK;
  }
  if (status != CK_OK) ck_error_set(err, status, "%s", absent.text);
  ck_launch_clear(&launch);
  return status;
}

static ck_status load_state(ck_snapshot *self, ck_error *err) {
  const ck_inspection *inspection = self->inspection;
  ck_status status = self->has_checkpoint ? ck_store_get_state(&self->state, inspection->store,
                                                               inspection->head.session.no,
                                                               self->checkpoint.seq, err)
                                          : ck_state_new(&self->state, err);
  return status == CK_OK ? ck_state_list(&self->entries, &self->entry_count, self->state, err)
                         : status;
}

static ck_status select_checkpoint(ck_snapshot *self, const char *word, ck_error *err) {
  const ck_head *head = &self->inspection->head;
  if (!word && !head->has_checkpoint) return CK_OK;
  self->has_checkpoint = true;
  return ck_resolve_checkpoint(&self->checkpoint, self->inspection, word ? word : "latest", err);
}

ck_status ck_snapshot_open(ck_snapshot *out, const ck_inspection *inspection, ck_output *output,
                           const char *word, ck_error *err) {
  const ck_head *head = &inspection->head;
  *out = (ck_snapshot){.inspection = inspection, .named = word != NULL};
  ck_status status = ck_profile_secrets_hide(output, inspection->store, head->session.id, err);
  if (status == CK_OK) status = select_checkpoint(out, word, err);
  if (status == CK_OK) status = load_state(out, err);
  int64_t timeline = out->has_checkpoint ? out->checkpoint.timeline : head->session.timeline;
  out->until = out->has_checkpoint ? out->checkpoint.seq : head->last_seq;
  if (status == CK_OK)
    status = ck_view_make(&out->view, head->timelines, head->timeline_count, timeline, err);
  if (status == CK_OK)
    status = ck_snapshot_load_profile(&out->profile, &out->policies, inspection, NULL, err);
  return status;
}

void ck_snapshot_clear(ck_snapshot *self) {
  if (self->policies.free) self->policies.free(self->policies.self);
  ck_profile_free(self->profile);
  ck_view_clear(&self->view);
  free(self->entries);
  ck_state_free(self->state);
  ck_checkpoint_info_clear(&self->checkpoint);
  *self = (ck_snapshot){0};
}
