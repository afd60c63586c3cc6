/* state.c - the checkpoint that a resume would start from, and the state that it must have. */
#include <stdlib.h>
#include <string.h>

#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/preflight/needs.h"
#include "core/host/preflight/preflight.h"
#include "core/host/preflight/unread.h"
#include "core/runtime/session/opening/select.h"
#include "core/runtime/session/opening/migrate.h"
#include "core/store/kept_state.h"

/* The checkpoint of a word that is no whole id. */
static ck_status pick(ck_preflight *self, ck_store *store, ck_error *err) {
  ck_inspection inspection = {.store = store, .head = self->head};
  return ck_resolve_checkpoint(&self->checkpoint, &inspection, self->options.checkpoint, err);
}

ck_status ck_preflight_select(ck_preflight *self, ck_store *store, ck_error *err) {
  const ck_preflight_options *options = &self->options;
  ck_choice choice = {.id = options->checkpoint, .clean = options->clean};
  ck_error unknown = CK_ERROR_INIT;
  ck_status status = ck_select_checkpoint(&self->checkpoint, store, &self->head, &choice, &unknown);
  if (status == CK_E_NOT_FOUND && options->checkpoint)
    status = pick(self, store, err);
  else if (status != CK_OK)
    return ck_error_set(err, status, "%s", unknown.text);
  if (status != CK_OK) return status;
  if (options->clean && self->checkpoint.seq == 0 && self->head.has_checkpoint)
    ck_preflight_add(self, CK_E_REFUSED, "session %s has no clean checkpoint to go on from",
                     options->session);
  if (self->checkpoint.seq && !self->checkpoint.resumable)
    ck_preflight_add(self, CK_E_REFUSED, "checkpoint %s is not one to resume from",
                     self->checkpoint.id);
  return CK_OK;
}

static bool is_edited(const ck_preflight *self, const char *key) {
  const ck_state_edits *edits = self->options.edits;
  for (size_t i = 0; edits && i < edits->count; i++)
    if (strcmp(edits->items[i].key, key) == 0) return true;
  return false;
}

static void check_reads(ck_preflight *self, const char *subject, const char *const *reads,
                        const ck_state *state) {
  for (const char *const *key = reads; key && *key; key++)
    if (!(state && ck_state_get(state, *key)) && !is_edited(self, *key))
      ck_preflight_add(self, CK_E_REFUSED,
                       "%s reads %s, which the checkpoint does not have; --set gives it a value",
                       subject, *key);
}

static const ck_flow_node *find_node(const ck_flow_manifest *manifest, ck_bytes name) {
  for (size_t i = 0; i < manifest->node_count; i++)
    if (ck_json_is_text(name, manifest->nodes[i].name)) return &manifest->nodes[i];
  return NULL;
}

/* The node where it continues: the next one, else the current one; NULL when there is none. */
static const char *check_node(ck_preflight *self, const ck_flow_manifest *manifest,
                              const ck_state *state) {
  ck_bytes info = self->checkpoint.info ? ck_value_bytes(self->checkpoint.info) : (ck_bytes){0};
  ck_bytes name = ck_json_get(info, "next");
  if (name.len == 0) name = ck_json_get(info, "node");
  if (name.len == 0 || manifest->node_count == 0) return NULL;
  const ck_flow_node *node = find_node(manifest, name);
  if (!node) {
    ck_preflight_add(self, CK_E_REFUSED,
                     "node %.*s, where checkpoint %s goes on, is not in the flow any more",
                     (int)name.len, name.data, self->checkpoint.id);
    return NULL;
  }
  char subject[160];
  snprintf(subject, sizeof subject, "node %.128s", node->name);
  check_reads(self, subject, node->reads, state);
  return node->name;
}

/* Values kept as references are filled in again: a missing secret is found now. */
static ck_status check_references(ck_preflight *self, ck_engine *engine, const ck_state *state,
                                  ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, state, err);
  if (status != CK_OK) return status;
  for (size_t i = 0; i < count && status == CK_OK; i++) {
    ck_buffer ref = {0};
    ck_error failure = CK_ERROR_INIT;
    bool is_reference = !is_edited(self, entries[i].key) &&
                        ck_redact_read_ref(&ref, ck_value_bytes(entries[i].value));
    ck_status registered = is_reference ? ck_buffer_check(&ref, &failure) : CK_OK;
    if (is_reference && registered == CK_OK)
      registered = ck_secret_register(engine->output->redactor, entries[i].key, ref.data, &failure);
    if (registered == CK_E_NO_MEMORY)
      status = ck_error_no_memory(err);
    else if (registered != CK_OK)
      ck_preflight_add(self, registered, "%s", failure.text);
    ck_buffer_clear(&ref);
  }
  free(entries);
  return status;
}

/* A damaged checkpoint can be replaced by an older one. One that another key sealed, another
 * session owns or a newer version wrote cannot: it may have been planted. */
static bool is_damage(ck_status status) {
  return status == CK_E_CORRUPT || status == CK_E_TRUNCATED || status == CK_E_EMPTY ||
         status == CK_E_OVERSIZE;
}

/* The latest one before the selected whose state can be read; NULL in *state when there is none. */
static ck_status find_older(ck_checkpoint_info *out, ck_state **state, const ck_preflight *self,
                            ck_store *store, ck_error *err) {
  ck_choice choice = {.clean = self->options.clean, .before = self->checkpoint.seq};
  for (*state = NULL;; choice.before = out->seq) {
    ck_error failure = CK_ERROR_INIT;
    ck_status status = ck_select_checkpoint(out, store, &self->head, &choice, err);
    if (status != CK_OK || out->seq == 0) return status;
    status = ck_store_get_state(state, store, self->head.session.no, out->seq, &failure);
    if (status == CK_OK) return CK_OK;
    int64_t before = out->seq;
    ck_checkpoint_info_clear(out);
    *out = (ck_checkpoint_info){.seq = before};
    if (!is_damage(status)) return ck_error_set(err, status, "%s", failure.text);
  }
}

static ck_status fall_back(ck_state **state, ck_preflight *self, const ck_engine *engine,
                           const ck_error *failure, ck_error *err) {
  ck_checkpoint_info older = {0};
  ck_error stopped = CK_ERROR_INIT;
  bool of_profile = engine->profile && engine->profile->fallback_on_unreadable;
  ck_status status = find_older(&older, state, self, engine->runtime->store, &stopped);
  if (status != CK_OK) return ck_preflight_take(self, status, &stopped, err);
  if (!*state) {
    ck_preflight_add(self, failure->status, "%s, and no older checkpoint can be read",
                     failure->text);
  } else if (!self->options.fallback && !of_profile) {
    ck_preflight_add(self, failure->status,
                     "%s; --fallback goes on from checkpoint %s (seq %lld) instead", failure->text,
                     older.id, (long long)older.seq);
    ck_state_free(*state);
    *state = NULL;
  } else {
    ck_output_notice(engine->output, "%s: going back to checkpoint %s (seq %lld)", failure->text,
                     older.id, (long long)older.seq);
    ck_checkpoint_info_clear(&self->checkpoint);
    self->checkpoint = older;
    self->fell_back = true;
    self->unasked = !self->options.fallback;
    return CK_OK;
  }
  self->unreadable = true;
  ck_checkpoint_info_clear(&older);
  return CK_OK;
}

static ck_status load_state(ck_state **out, ck_preflight *self, const ck_engine *engine,
                            ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  *out = NULL;
  if (!self->checkpoint.seq) return CK_OK;
  ck_status status = ck_store_get_state_to_go_on(out, engine->runtime->store, self->head.session.no,
                                                 self->checkpoint.seq, &failure);
  if (status == CK_OK) return CK_OK;
  failure.status = status;
  if (is_damage(status) && !self->options.checkpoint)
    return fall_back(out, self, engine, &failure, err);
  self->unreadable = true;
  return ck_preflight_take(self, status, &failure, err);
}

static void take_need(void *to, const ck_error *problem) {
  ck_preflight_add(to, problem->status, "%s", problem->text);
}

static ck_status check_needs(ck_preflight *self, ck_needs *needs, ck_error *err) {
  needs->recorded = self->launch.cassette;
  needs->edits = self->options.edits;
  needs->problem = take_need;
  needs->to = self;
  return needs->engine->flow ? ck_needs_check(needs, err) : CK_OK;
}

ck_status ck_preflight_check_state(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_state *state;
  ck_status status = load_state(&state, self, engine, err);
  if (status != CK_OK) return status;
  ck_needs needs = {.engine = engine, .state = state, .keys_unknown = self->unreadable};
  if (self->unreadable) return check_needs(self, &needs, err);
  const ck_flow_manifest *manifest = engine->flow ? ck_engine_manifest(engine) : NULL;
  /* The state of another version of the flow is migrated first: its nodes and keys are not
   * today's. */
  bool same =
      manifest && state && ck_session_flow_version(&self->head.session, state) == manifest->version;
  if (same) check_reads(self, "the flow", manifest->reads, state);
  const char *here = same ? check_node(self, manifest, state) : NULL;
  if (manifest && (same || !state))
    status = ck_preflight_check_scopes(self, manifest, state, engine->runtime->store, err);
  if (state && status == CK_OK) status = check_references(self, engine, state, err);
  needs.here = here;
  needs.keys_unknown = state && !same;
  if (status == CK_OK) status = check_needs(self, &needs, err);
  if (manifest) ck_unread_report(engine->output, manifest, self->options.edits, state);
  ck_state_free(state);
  return status;
}
