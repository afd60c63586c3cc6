/* preflight.c - what stands against a resume and what it would do, found out before anything is touched. */
#include "core/host/preflight.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/host/amend.h"
#include "core/host/models.h"
#include "core/runtime/choose.h"
#include "core/runtime/ledger.h"
#include "core/runtime/unseen.h"

void ck_preflight_clear(ck_preflight *self) {
  ck_head_clear(&self->head);
  ck_checkpoint_info_clear(&self->checkpoint);
  ck_launch_clear(&self->launch);
  ck_buffer_clear(&self->problems);
}

__attribute__((format(printf, 3, 4))) static void add_problem(ck_preflight *self, ck_status status, const char *format, ...) {
  char text[CK_ERROR_TEXT_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ck_buffer_append(&self->problems, text, strlen(text) + 1);
  self->problem_count++;
  bool integrity = ck_status_exit(status) == ck_status_exit(CK_E_CORRUPT);
  bool first = self->verdict == CK_OK, only_secrets = self->verdict == CK_E_SECRET_MISSING;
  if (integrity) self->verdict = status;
  else if (status == CK_E_SECRET_MISSING && first) self->verdict = status;
  else if (status != CK_E_SECRET_MISSING && (first || only_secrets)) self->verdict = CK_E_REFUSED;
}

/* A part that could not be loaded is a problem, unless the program itself is in trouble. */
static ck_status take_problem(ck_preflight *self, ck_status status, const ck_error *failure, ck_error *err) {
  if (status == CK_OK) return CK_OK;
  if (status == CK_E_NO_MEMORY || ck_status_exit(status) == ck_status_exit(CK_E_IO))
    return ck_error_set(err, status, "%s", failure->text);
  add_problem(self, status, "%s", failure->text);
  return CK_OK;
}

static ck_status replace(char **text, ck_status (*take)(char **out, const char *given, ck_error *err), const char *given,
    ck_error *err) {
  char *taken;
  if (!given) return CK_OK;
  ck_status status = take(&taken, given, err);
  if (status != CK_OK) return status;
  free(*text);
  *text = taken;
  return CK_OK;
}

static ck_status load_flow(ck_preflight *self, ck_engine *engine, bool accept_changed, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  char digest[CK_DIGEST_HEX_SIZE];
  ck_status status = ck_engine_load_flow(engine, self->launch.flow, &failure);
  if (status != CK_OK) return take_problem(self, status, &failure, err);
  ck_digest_hex(digest, &ck_engine_manifest(engine)->digest);
  self->flow_changed = strcmp(digest, self->launch.flow_digest) != 0;
  if (self->flow_changed && !accept_changed)
    add_problem(self, CK_E_REFUSED, "flow %s has changed since the session was started; --accept-changed goes on with it as it is now",
                self->launch.flow);
  return CK_OK;
}

static ck_status check_policies(ck_preflight *self, const ck_engine *engine, ck_error *err) {
  ck_value *now;
  ck_status status = ck_engine_describe_policies(&now, engine, err);
  if (status != CK_OK) return status;
  const ck_value *then = self->launch.policies;
  if (then && !ck_bytes_equal(ck_value_bytes(then), ck_value_bytes(now)))
    add_problem(self, CK_E_REFUSED, "the policies of profile %s have changed since the session was started; --accept-changed goes on "
                                    "with them as they are now", self->head.session.profile);
  ck_value_free(now);
  return CK_OK;
}

static void take_secret(void *to, const ck_error *problem) { add_problem(to, problem->status, "%s", problem->text); }

/* A profile that is given anew is meant to differ. */
static ck_status load_profile(ck_preflight *self, ck_engine *engine, bool accepted, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status = ck_engine_load_profile(engine, self->launch.profile, &failure);
  if (status != CK_OK) return take_problem(self, status, &failure, err);
  status = ck_engine_hide_secrets(engine, take_secret, self, err);
  return status != CK_OK || accepted ? status : check_policies(self, engine, err);
}

static void take_model(void *to, const ck_error *problem) { add_problem(to, CK_E_REFUSED, "%s", problem->text); }

static void check_models(ck_preflight *self, const ck_engine *engine) {
  bool asked = engine->flow && engine->profile && !self->launch.cassette;
  if (asked) ck_models_check(ck_engine_manifest(engine), engine->profile, take_model, self);
}

/* Tools run where the session was started. */
static ck_status check_directory(ck_preflight *self, ck_engine *engine, ck_error *err) {
  const char *directory = self->launch.directory;
  if (directory && access(directory, X_OK) != 0)
    add_problem(self, CK_E_REFUSED, "the folder %s, where the session was started and its tools run, cannot be entered: %s",
                directory, strerror(errno));
  return ck_engine_set_directory(engine, directory, err);
}

static ck_status load_cassette(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status = CK_OK;
  if (self->launch.cassette) status = ck_engine_load_cassette(engine, self->launch.cassette, &failure);
  return take_problem(self, status, &failure, err);
}

static bool is_edited(const ck_preflight *self, const char *key) {
  for (size_t i = 0; self->edits && i < self->edits->count; i++)
    if (strcmp(self->edits->items[i].key, key) == 0) return true;
  return false;
}

static void check_reads(ck_preflight *self, const ck_flow_manifest *manifest, const ck_state *state) {
  for (const char *const *key = manifest->reads; key && *key; key++)
    if (!ck_state_get(state, *key) && !is_edited(self, *key))
      add_problem(self, CK_E_REFUSED, "the flow reads %s, which the checkpoint does not have", *key);
}

/* What was kept as a reference is filled again: that it can be is found out now. */
static ck_status check_slots(ck_preflight *self, ck_engine *engine, const ck_state *state, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, state, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    ck_buffer ref = {0};
    ck_error failure = CK_ERROR_INIT;
    bool slot = !is_edited(self, entries[i].key) && ck_redact_read_ref(&ref, ck_value_bytes(entries[i].value));
    ck_status told = slot ? ck_buffer_check(&ref, &failure) : CK_OK;
    if (slot && told == CK_OK) told = ck_secret_tell(engine->output->redactor, entries[i].key, ref.data, &failure);
    if (told == CK_E_NO_MEMORY) status = ck_error_no_memory(err);
    else if (told != CK_OK) take_secret(self, &failure);
    ck_buffer_clear(&ref);
  }
  free(entries);
  return status;
}

static ck_status check_state(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_state *state;
  if (!self->checkpoint.seq) return CK_OK;
  if (!self->checkpoint.resumable)
    add_problem(self, CK_E_REFUSED, "checkpoint %s is not one to resume from", self->checkpoint.id);
  ck_status status = ck_store_get_state(&state, engine->runtime->store, self->head.session.no, self->checkpoint.seq, &failure);
  if (status != CK_OK) return take_problem(self, status, &failure, err);
  if (engine->flow) check_reads(self, ck_engine_manifest(engine), state);
  status = check_slots(self, engine, state, err);
  ck_state_free(state);
  return status;
}

/* ---- what lies behind the checkpoint ---- */

static bool has_tool(const ck_flow_manifest *manifest, ck_bytes name) {
  for (size_t i = 0; i < manifest->tool_count; i++)
    if (ck_json_is_text(name, manifest->tools[i].name)) return true;
  return false;
}

/* A flow that is accepted as it is now may have lost a tool: what was asked of it is not asked again, or diverges. */
static void check_tool(ck_preflight *self, const ck_engine *engine, const ck_ledger_entry *entry) {
  if (!engine->flow || self->flow_accepted || entry->kind != CK_EFFECT_TOOL || !entry->intent) return;
  ck_bytes name = ck_json_get(ck_json_get(ck_value_bytes(entry->intent), "request"), "name");
  if (name.len && !has_tool(ck_engine_manifest(engine), name))
    add_problem(self, CK_E_REFUSED, "tool %.*s, called at %s, is not in the flow any more", (int)name.len, name.data,
        entry->key);
}

/* The rules of the ledger, as far as they can be known before the flow asks. `anew`: the attempt rises. */
static void count_work(ck_preflight_work *work, const ck_ledger_entry *entry, bool anew) {
  int64_t reserve = 0;
  bool again = entry->class == CK_EFFECT_PURE || entry->class == CK_EFFECT_IDEMPOTENT;
  bool asked_anew = anew && entry->class == CK_EFFECT_PURE;
  if (entry->verdict == CK_VERDICT_DONE || entry->verdict == CK_VERDICT_ABORT || (!entry->open && !asked_anew)) {
    work->replayed++;
    return;
  }
  if (!again && entry->verdict == CK_VERDICT_NONE) {
    if (entry->class == CK_EFFECT_RECONCILABLE) work->probed++;
    else work->in_doubt++;
    return;
  }
  work->rerun++;
  if (entry->intent && ck_json_read_int(&reserve, ck_json_get(ck_value_bytes(entry->intent), "reserve")) && reserve > 0)
    work->reserve_micros += reserve;
}

/* The ledger that a resume from the chosen checkpoint would have. */
static ck_status read_ledger(ck_ledger_fold *read, const ck_preflight *self, ck_store *store, ck_error *err) {
  const ck_head *head = &self->head;
  const ck_checkpoint_info *from = &self->checkpoint;
  ck_view view = {0};
  ck_state *state = NULL;
  ck_status status = ck_view_make(&view, head->timelines, head->timeline_count, from->seq ? from->timeline : 1, err);
  ck_error told = CK_ERROR_INIT; /* a state that cannot be read is a problem of its own, and told as one */
  bool loaded = status == CK_OK && from->seq && ck_store_get_state(&state, store, head->session.no, from->seq, &told) == CK_OK;
  if (status == CK_OK && !loaded) status = ck_state_new(&state, err);
  ck_unseen what = {.session = head->session.no, .view = &view, .state = state, .cut = from->seq ? from->seq : 1};
  if (status == CK_OK) status = ck_unseen_read(store, &what, ck_ledger_fold_event, read, err);
  ck_view_clear(&view);
  ck_state_free(state);
  return status == CK_OK ? read->status : status;
}

static ck_status check_work(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_ledger_fold read = {.err = err};
  bool anew = self->head.session.status == CK_SESSION_FAILED || (self->edits && self->edits->count > 0) ||
              (self->head.has_checkpoint && self->checkpoint.seq != self->head.checkpoint.seq);
  ck_status status = ck_ledger_new(&read.ledger, err);
  if (status == CK_OK) status = read_ledger(&read, self, engine->runtime->store, err);
  const ck_ledger_entry *entry;
  for (size_t i = 0; status == CK_OK && (entry = ck_ledger_at(read.ledger, i)) != NULL; i++) {
    count_work(&self->work, entry, anew);
    check_tool(self, engine, entry);
  }
  ck_ledger_free(read.ledger);
  return status;
}

static ck_status read_session(ck_preflight *self, ck_engine *engine, const ck_preflight_options *options, ck_error *err) {
  ck_store *store = engine->runtime->store;
  ck_status status = ck_store_get_head(&self->head, store, options->session, err);
  if (status == CK_OK) status = ck_store_check_owner(store, options->session, err);
  if (status == CK_OK) status = ck_choose_checkpoint(&self->checkpoint, store, &self->head, &(ck_choice){.id = options->checkpoint}, err);
  if (status != CK_OK) return status;
  const ck_session_record *record = &self->head.session;
  if (!ck_session_status_resumable(record->status))
    return ck_error_set(err, CK_E_REFUSED, "session %s is %s and cannot be resumed", record->id,
        ck_session_status_name(record->status));
  return ck_launch_read(&self->launch, record, err);
}

ck_status ck_preflight_check(ck_preflight *self, ck_engine *engine, const ck_preflight_options *options, ck_error *err) {
  ck_status status = read_session(self, engine, options, err);
  if (status == CK_OK) status = replace(&self->launch.cassette, ck_launch_take_cassette, options->cassette, err);
  if (status == CK_OK) status = replace(&self->launch.profile, ck_launch_take_profile, options->profile, err);
  self->flow_accepted = options->accept_changed;
  self->edits = options->edits;
  if (status == CK_OK) status = load_flow(self, engine, options->accept_changed, err);
  if (status == CK_OK) status = check_directory(self, engine, err);
  if (status == CK_OK) status = load_cassette(self, engine, err);
  if (status == CK_OK) status = load_profile(self, engine, options->accept_changed || options->profile, err);
  if (status == CK_OK && engine->profile) status = ck_amend_check(options->edits, engine->output, engine->profile, take_secret, self, err);
  if (status == CK_OK) check_models(self, engine);
  if (status == CK_OK) status = check_state(self, engine, err);
  if (status == CK_OK) status = check_work(self, engine, err);
  if (status == CK_OK) status = ck_buffer_check(&self->problems, err);
  return status;
}
