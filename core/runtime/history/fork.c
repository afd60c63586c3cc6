/* fork.c - a session that goes on from a checkpoint of another one. */
#include "core/runtime/history/fork.h"

#include <string.h>

#include "core/base/text.h"
#include "core/runtime/history/history_edit_private.h"
#include "core/runtime/history/pending_calls.h"
#include "core/runtime/session/opening/opening.h"

/* As if the origin had ended at the checkpoint: the fork's timelines and seqs follow those that it
 * sees. */
static ck_status set_position(ck_history_edit *self, ck_error *err) {
  ck_timeline timeline = self->session->timeline;
  uint32_t attempt = 1;
  for (size_t i = 0; i < self->head.timeline_count; i++) {
    const ck_timeline *at = &self->head.timelines[i];
    if (at->no <= self->from.timeline && at->attempt > attempt) attempt = at->attempt;
  }
  timeline.no = self->from.timeline + 1;
  timeline.begin = self->from.seq + 1;
  timeline.attempt = attempt + 1;
  ck_session_set_timeline(self->session, &timeline);
  ck_session_begin_totals(self->session, &self->from.totals);
  return ck_session_load_sums(self->session, self->head.session.no, self->from.seq, err);
}

/* What agents have spent has no base: limits of theirs count anew. Rounds are the session's. */
static ck_status put_spending(ck_history_edit *self, ck_spending *spending, ck_error *err) {
  ck_value *value = NULL;
  for (size_t i = 0; i < spending->count; i++)
    spending->agents[i] = (ck_agent_spending){.agent = spending->agents[i].agent};
  ck_status status = ck_spending_write(&value, spending, err);
  if (status == CK_OK) status = ck_session_put(self->session, "spending", value, err);
  ck_value_free(value);
  return status;
}

/* Rounds are counted by the state, all else by the totals. */
static ck_status put_base(ck_history_edit *self, ck_error *err) {
  ck_spending spending = {0};
  ck_status status = ck_spending_read(&spending, self->session->state, err);
  self->session->spent.rounds_base = spending.rounds;
  if (status == CK_OK && spending.count > 0) status = put_spending(self, &spending, err);
  ck_spending_clear(&spending);
  return status == CK_OK ? ck_session_put_base(self->session, err) : status;
}

/* A secret stays the reference that it was given as. */
static ck_status make_edit(ck_history_edit *self, const ck_state_edit *edit, ck_error *err) {
  ck_value *body = NULL;
  ck_status status = ck_state_edit_check(edit, self->session->redactor, err);
  if (status == CK_OK) status = ck_state_edit_write(&body, edit, err);
  if (status == CK_OK)
    status = ck_session_append(self->session, CK_EVENT_EDIT, NULL, NULL, body, err);
  if (status == CK_OK)
    status = edit->ref ? ck_session_put_reference(self->session, edit->key, NULL, edit->ref, err)
                       : ck_session_put(self->session, edit->key, edit->value, err);
  ck_value_free(body);
  return status;
}

/* The fork's record: it is started as its origin was. */
static ck_status make_record(ck_session_record *out, const ck_history_edit *self, const char *id,
                             ck_error *err) {
  const ck_session_record *origin = &self->head.session;
  ck_clock *clock = &self->runtime->clock;
  *out = (ck_session_record){.created_ms = clock->wall_ms(clock->self)};
  if (id) {
    ck_status checked = ck_id_check_new("session id", id, err);
    if (checked != CK_OK) return checked;
    strcpy(out->id, id);
  } else {
    ck_id_make_session(out->id, out->created_ms);
  }
  out->updated_ms = out->created_ms;
  out->origin = (ck_origin){.session = self->from.session ? self->from.session : origin->no,
                            .cut = self->from.seq};
  memcpy(out->run, self->session->timeline.run, sizeof out->run);
  out->input = ck_value_share(origin->input);
  ck_status status = ck_text_copy(&out->profile, origin->profile, err);
  if (status == CK_OK) status = ck_text_copy(&out->flow, origin->flow, err);
  if (status != CK_OK) ck_session_record_clear(out);
  return status;
}

/* Of a checkpoint that is itself of an origin, both may have gone on. */
static ck_status doubt_pending(ck_history_edit *self, ck_error *err) {
  ck_status status =
      ck_pending_calls_doubt(self->session, self->head.session.no, self->from.seq, err);
  if (status != CK_OK || !self->from.session) return status;
  return ck_pending_calls_doubt(self->session, self->from.session, self->from.seq, err);
}

static ck_status fork_from(ck_history_edit_result *out, ck_history_edit *self,
                           const ck_history_edit_options *options, ck_error *err) {
  ck_session_record record = {0};
  const ck_state_edits *edits = options->edits;
  ck_status status = ck_history_edit_begin(self, options, err);
  if (status != CK_OK) return status;
  status = set_position(self, err);
  if (status == CK_OK) status = ck_history_edit_announce(self, CK_EVENT_SESSION_FORKED, 0, err);
  if (status == CK_OK) status = doubt_pending(self, err);
  for (size_t i = 0; edits && i < edits->count && status == CK_OK; i++)
    status = make_edit(self, &edits->items[i], err);
  if (status == CK_OK) status = put_base(self, err);
  if (status == CK_OK) status = make_record(&record, self, options->fork, err);
  if (status == CK_OK) status = ck_history_edit_commit(out, self, &record, "forked", err);
  ck_session_record_clear(&record);
  return status;
}

ck_status ck_session_fork(ck_history_edit_result *out, ck_runtime *runtime, const char *id,
                          const ck_history_edit_options *options, ck_error *err) {
  *out = (ck_history_edit_result){0};
  ck_history_edit self = {.runtime = runtime};
  ck_status status = ck_id_check("session id", id, err);
  if (status == CK_OK) status = ck_store_get_head(&self.head, runtime->store, id, err);
  if (status == CK_OK) status = fork_from(out, &self, options, err);
  ck_history_edit_close(&self);
  return status;
}

static ck_status read_behind(ck_ledger *ledger, ck_store *store, int64_t session, int64_t after,
                             ck_error *err) {
  ck_ledger_fold fold = {.ledger = ledger, .status = CK_OK, .err = err};
  ck_event_query query = {.session = session,
                          .after = after,
                          .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME};
  ck_status status = ck_store_read_events(store, &query, ck_ledger_fold_event, &fold, err);
  return status == CK_OK ? fold.status : status;
}

static ck_status read_fork(ck_ledger *ledger, ck_store *store, const char *fork, int64_t after,
                           ck_error *err) {
  ck_head head = {0};
  ck_status status = ck_store_get_head(&head, store, fork, err);
  if (status == CK_OK) status = read_behind(ledger, store, head.session.no, after, err);
  ck_head_clear(&head);
  return status;
}

static void show(const ck_ledger *own, const ck_ledger *known, ck_effect_visit visit, void *to) {
  const ck_ledger_entry *entry;
  for (size_t i = 0; (entry = ck_ledger_at(own, i)) != NULL; i++)
    if (entry->class != CK_EFFECT_PURE && entry->intent)
      visit(to, &(ck_effect_behind){.key = entry->key,
                                    .kind = ck_effect_kind_name(entry->kind),
                                    .class = ck_effect_class_name(entry->class),
                                    .open = entry->open,
                                    .asked = ck_ledger_get(known, entry->key) != NULL});
}

ck_status ck_session_list_effects(ck_runtime *runtime, const ck_history_edit_result *made,
                                  int64_t origin, ck_effect_visit visit, void *to, ck_error *err) {
  ck_ledger *own = NULL, *known = NULL;
  ck_status status = ck_ledger_new(&own, err);
  if (status == CK_OK) status = ck_ledger_new(&known, err);
  if (status == CK_OK) status = read_behind(own, runtime->store, origin, made->from_seq, err);
  if (status == CK_OK)
    status = read_fork(known, runtime->store, made->session, made->from_seq, err);
  if (status == CK_OK) show(own, known, visit, to);
  ck_ledger_free(known);
  ck_ledger_free(own);
  return status;
}
