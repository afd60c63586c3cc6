/* resume.c - goes on from a checkpoint: select it, load and verify all that is needed, then
 * acquire.
 *
 * Rows up to the head's last seq never change, and the acquisition answers whether the head is
 * still the head: so everything that can fail comes before it, and a resume that fails has changed
 * nothing. */
#include "core/runtime/session/opening/resume.h"

#include "core/runtime/budget/usage.h"
#include "core/runtime/session/opening/amend.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/opening/load.h"
#include "core/runtime/session/opening/migrate.h"
#include "core/runtime/session/opening/opening.h"
#include "core/runtime/session/opening/place.h"
#include "core/runtime/session/opening/restarts.h"
#include "core/runtime/session/opening/rules.h"
#include "core/runtime/session/opening/select.h"
#include "core/runtime/session/session_private.h"
#include "core/store/kept_state.h"
#include "core/store/server.h"

static ck_status check_resumable(const ck_session_record *record, ck_error *err) {
  if (ck_session_status_resumable(record->status)) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED, "session %s is %s and cannot be resumed", record->id,
                      ck_session_status_name(record->status));
}

/* Fills `*out` (seq 0: from the first event). */
static ck_status select_checkpoint(ck_checkpoint_info *out, ck_store *store, const ck_head *head,
                                   const char *id, ck_error *err) {
  ck_status status = ck_select_checkpoint(out, store, head, &(ck_choice){.id = id}, err);
  if (status == CK_OK && out->seq && !out->resumable)
    status =
        ck_error_set(err, CK_E_REFUSED, "checkpoint %s of session %s is not one to resume from",
                     out->id, head->session.id);
  return status;
}

/* Everything that is loaded before the acquisition. */
typedef struct plan {
  ck_session *session;
  ck_head head;
  ck_checkpoint_info from;
  ck_state_edits edits;
  ck_value *migrated;
  ck_restarts restarts;
  const ck_value *about, *settings, *accepted; /* borrowed */
  bool dry_run;
  bool failing; /* it died too often: this is all that is written */
} plan;

static ck_status write_resumed(ck_value **out, ck_session *self, const plan *p, ck_error *err) {
  ck_value *settings, *accepted = NULL;
  const ck_checkpoint_info *from = &p->from;
  ck_status status = ck_session_clean_settings(&settings, self, p->settings, err);
  if (status == CK_OK) status = ck_session_clean_settings(&accepted, self, p->accepted, err);
  const ck_timeline *timeline = &self->timeline;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "run", timeline->run);
  ck_json_member_text(&w, "parent_run", timeline->parent_run);
  ck_json_member_text(&w, "checkpoint", from->seq ? from->id : NULL);
  ck_json_member_int(&w, "attempt", timeline->attempt);
  if (status == CK_OK) status = ck_session_write_cuts(self, &w, err);
  ck_session_write_rules(self, &w);
  if (settings) ck_json_member_raw(&w, "settings", ck_value_bytes(settings));
  if (accepted) ck_json_member_raw(&w, "accepted", ck_value_bytes(accepted));
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  ck_value_free(settings);
  ck_value_free(accepted);
  return status;
}

static void clear_plan(plan *self) {
  ck_head_clear(&self->head);
  ck_checkpoint_info_clear(&self->from);
  ck_state_edits_clear(&self->edits);
  ck_value_free(self->migrated);
}

static const char died_often[] =
    "it died three times in a row soon after it was resumed, without getting anywhere";

static ck_status write_failing(ck_value **out, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "reason", died_often);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status acquire(ck_session *self, const plan *p, ck_error *err) {
  const ck_session_update failing = {.status = CK_SESSION_FAILING, .reason = died_often};
  ck_value *body;
  ck_status status = p->failing ? write_failing(&body, err) : write_resumed(&body, self, p, err);
  if (status != CK_OK) return status;
  ck_session_opening opening = {
      .kind = p->failing ? CK_EVENT_SESSION_PAUSED : CK_EVENT_SESSION_RESUMED,
      .body = body,
      .at_ms = self->runtime->clock.wall_ms(self->runtime->clock.self),
      .edits = &p->edits,
      .restarts = p->restarts,
      .about = p->about,
      .update = p->failing ? &failing : NULL};
  status = ck_session_acquire(self, &p->head, &opening, err);
  ck_value_free(body);
  return status;
}

/* A new limit changes nothing of what was done. */
static bool changes_memory(const ck_state_edits *edits) {
  for (size_t i = 0; i < edits->count; i++)
    if (!ck_limits_is_key(edits->items[i].key)) return true;
  return false;
}

/* A reference that is about to be edited need not be filled. */
static ck_status load_state(ck_session *self, const ck_head *head, const ck_checkpoint_info *from,
                            const ck_state_edits *edits, bool keep_references, ck_error *err) {
  if (!from->seq) return CK_OK;
  ck_state *state;
  ck_status status =
      ck_store_get_state_to_go_on(&state, self->runtime->store, head->session.no, from->seq, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; !keep_references && i < edits->count; i++)
    ck_state_remove(state, edits->items[i].key);
  status = ck_session_set_state(self, state, err);
  if (status == CK_OK && changes_memory(edits)) status = ck_session_take_end_back(self, err);
  return status == CK_OK ? ck_session_fill_secret_references(self, keep_references, err) : status;
}

static ck_status collect_edits(plan *p, const ck_resume_options *options, ck_error *err) {
  ck_status status = ck_session_find_edits(&p->edits, p->session, &p->head, p->from.seq, err);
  if (status == CK_OK) status = ck_state_edits_append_all(&p->edits, options->edits, err);
  if (status != CK_OK || (options->keep_references && !p->dry_run)) return status;
  return ck_session_check_edits(p->session, &p->edits, p->dry_run, err);
}

static ck_status refuse_failing(const char *id, ck_error *err) {
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s is failing: %s; find out why, then resume it with --retry", id,
                      died_often);
}

/* A caller that only adds events does not go on with the session. */
static ck_status check_restarts(plan *p, const ck_resume_options *options, ck_error *err) {
  bool marked = ck_session_is_failing(&p->head.session);
  p->restarts = p->head.session.restarts;
  if (options->keep_references && !p->dry_run) return CK_OK;
  if (marked && !options->retry && !p->dry_run) return refuse_failing(p->head.session.id, err);
  ck_status status = ck_session_count_restart(&p->restarts, p->session, &p->head, err);
  if (options->retry) p->restarts.count = 1;
  p->failing = p->restarts.count > CK_RESTARTS_MAX || (marked && !options->retry);
  return status;
}

/* A caller that only adds events leaves the state as it is: -1. */
static int64_t version_of(const plan *p, const ck_resume_options *options) {
  return options->keep_references && !p->dry_run ? -1 : options->flow_version;
}

static ck_status load(plan *p, ck_runtime *runtime, const ck_resume_options *options,
                      ck_error *err) {
  ck_status status = ck_session_new(&p->session, runtime, options->profile, options->policies, err);
  if (status != CK_OK) return status;
  ck_session *self = p->session;
  status = check_restarts(p, options, err);
  if (status == CK_OK) status = collect_edits(p, options, err);
  if (status == CK_OK)
    status = load_state(self, &p->head, &p->from, &p->edits, options->keep_references, err);
  if (status == CK_OK)
    status = ck_session_migrate(&p->migrated, self, &p->head.session, version_of(p, options), err);
  self->unchanged = p->about && !p->accepted;
  bool changed = p->migrated || changes_memory(&p->edits);
  bool records = !p->dry_run || options->records_refusal;
  if (status == CK_OK) status = ck_session_load_history(self, &p->head, &p->from, changed, err);
  const ck_rules_question question = {.head = &p->head,
                                      .from = &p->from,
                                      .edits = &p->edits,
                                      .seen = options->seen,
                                      .asker = options->asker,
                                      .records = records,
                                      .takes_denial = !p->dry_run || options->takes_denial,
                                      .unchanged = self->unchanged,
                                      .changed = p->accepted,
                                      .dry_run = p->dry_run};
  if (status == CK_OK) status = ck_session_ask_rules(self, &question, err);
  return status == CK_OK && !p->dry_run ? ck_session_hold_reserve(self, err) : status;
}

/* A person may have paused it since, and was told that it is. */
static ck_status check_seen(const ck_session_record *record, const ck_resume_options *options,
                            ck_error *err) {
  uint64_t epoch = options->seen_epoch;
  bool same = record->epoch == epoch && record->status == options->seen_status;
  if (!epoch || same) return CK_OK;
  return ck_error_set(err, CK_E_OWNED, "session %s was taken by somebody else first: it is %s%s%s",
                      record->id, ck_session_status_name(record->status),
                      record->reason ? ": " : "", record->reason ? record->reason : "");
}

/* Everything that can fail without a trace. */
static ck_status prepare(plan *p, ck_runtime *runtime, const char *id,
                         const ck_resume_options *options, ck_error *err) {
  ck_status status = ck_id_check("session id", id, err);
  if (status == CK_OK) status = ck_store_get_head(&p->head, runtime->store, id, err);
  if (status == CK_OK) status = check_resumable(&p->head.session, err);
  if (status == CK_OK) status = check_seen(&p->head.session, options, err);
  if (status == CK_OK && !p->dry_run) status = ck_store_check_owner(runtime->store, id, err);
  if (status == CK_OK && !p->dry_run && options->profile && options->profile->replicated)
    status = ck_store_replicate(runtime->store, err);
  if (status == CK_OK)
    status = select_checkpoint(&p->from, runtime->store, &p->head, options->checkpoint, err);
  if (status == CK_OK) status = load(p, runtime, options, err);
  if (status == CK_OK) return CK_OK;
  ck_session_close(p->session);
  p->session = NULL;
  return status;
}

static ck_status begin(plan *p, const ck_resume_options *options, ck_error *err) {
  ck_session *self = p->session;
  ck_status status = acquire(self, p, err);
  if (status == CK_OK && p->failing) status = refuse_failing(p->head.session.id, err);
  if (status != CK_OK) return status;
  ck_session_adopt_record(self, &p->head, &p->restarts);
  ck_session_set_resumed_from(self, p->from.seq);
  ck_session_count_from(self, ck_session_last_seq(self));
  status = ck_session_open_channel(self, err);
  /* the defaults need no memory */
  if (status == CK_OK && (self->policies->resume || self->spent.inherits_base))
    status = ck_session_put_base(self, err);
  if (status == CK_OK && !options->keep_references)
    status = ck_session_make_edits(self, &p->edits, err);
  if (status == CK_OK) status = ck_session_find_place(self, err);
  return status == CK_OK ? ck_session_make_migration(self, p->migrated, options->flow_version, err)
                         : status;
}

/* As a resume would have it, but in memory alone. */
static ck_status set_limits(plan *p, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < p->edits.count && status == CK_OK; i++) {
    const ck_state_edit *edit = &p->edits.items[i];
    if (edit->value && ck_limits_is_key(edit->key))
      status = ck_state_put(p->session->state, edit->key, edit->value, err);
  }
  return status;
}

ck_status ck_session_prepare(ck_session **out, bool *failing, ck_runtime *runtime, const char *id,
                             const ck_resume_options *given, ck_error *err) {
  plan p = {.dry_run = true};
  ck_resume_options options = *given;
  options.keep_references = true;
  ck_status status = prepare(&p, runtime, id, &options, err);
  if (status == CK_OK) ck_session_set_number(p.session, p.head.session.no);
  if (status == CK_OK) status = set_limits(&p, err);
  clear_plan(&p);
  if (status != CK_OK) {
    ck_session_close(p.session);
    p.session = NULL;
  }
  *out = p.session;
  *failing = p.failing;
  return status;
}

ck_status ck_session_resume(ck_session **out, ck_runtime *runtime, const char *id,
                            const ck_resume_options *options, ck_error *err) {
  const plan begun = {
      .about = options->about, .settings = options->settings, .accepted = options->accepted};
  plan p = begun;
  ck_resume_options again = *options;
  again.seen_epoch = 0;
  ck_status status = prepare(&p, runtime, id, options, err);
  while (status == CK_E_PENDING) { /* a person has answered: that is recorded, and counts now */
    clear_plan(&p);
    p = begun;
    status = prepare(&p, runtime, id, &again, err);
  }
  if (status == CK_OK) status = begin(&p, options, err);
  clear_plan(&p);
  *out = status == CK_OK ? p.session : NULL;
  if (status != CK_OK) ck_session_close(p.session);
  return status;
}
