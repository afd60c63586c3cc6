/* untrusted.c - what a scope's context holds of sources that are not trusted, and what it gives
 * on. */
#include "core/runtime/execution/untrusted.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/model/sources.h"
#include "core/runtime/session/flow_manifest.h"

/* A checkpoint that is damaged can make a scope its own parent. */
enum { CK_UNTRUSTED_DEPTH_MAX = 1000 };

/* Of the scope alone, without those above it. */
static ck_status add_own(ck_value **to, const ck_runner *self, ck_error *err) {
  ck_scope *scope;
  ck_status status = ck_session_scope(&scope, self->execution->session, self->scope, err);
  if (status == CK_OK) status = ck_sources_add(to, ck_scope_untrusted(scope), err);
  return status == CK_OK ? ck_sources_add(to, ck_sources_bytes(self->joined_untrusted), err)
                         : status;
}

ck_status ck_untrusted_add(ck_value **to, ck_runner *self, ck_error *err) {
  ck_status status = CK_OK;
  for (const ck_runner *at = self; at && status == CK_OK; at = at->parent)
    status = add_own(to, at, err);
  return status;
}

/* *above: the scope that forked it, owned; NULL: none. */
static ck_status add_saved(ck_value **to, char **above, ck_session *session, const char *name,
                           ck_error *err) {
  char key[2 * CK_STATE_KEY_MAX];
  ck_scope *scope;
  snprintf(key, sizeof key, "position.%s", name);
  const ck_value *saved = ck_session_get(session, key);
  ck_bytes record = saved ? ck_value_bytes(saved) : (ck_bytes){0};
  *above = ck_json_dup_string(ck_json_get(record, "parent"));
  ck_status status = ck_sources_add_member(to, record, err);
  if (status == CK_OK) status = ck_session_scope(&scope, session, name, err);
  return status == CK_OK ? ck_sources_add(to, ck_scope_untrusted(scope), err) : status;
}

ck_status ck_untrusted_add_saved(ck_value **to, ck_session *session, const char *scope,
                                 ck_error *err) {
  char *above;
  ck_status status = add_saved(to, &above, session, scope, err);
  for (int depth = 0; above && status == CK_OK && depth < CK_UNTRUSTED_DEPTH_MAX; depth++) {
    char *name = above;
    status = add_saved(to, &above, session, name, err);
    free(name);
  }
  free(above);
  return status;
}

ck_status ck_untrusted_look(ck_runner *self, ck_error *err) {
  ck_value_free(self->context);
  self->context = NULL;
  return ck_untrusted_add(&self->context, self, err);
}

ck_status ck_untrusted_join(ck_runner *self, const ck_runner *child, ck_error *err) {
  return add_own(&self->joined_untrusted, child, err);
}

/* ---- what a process has heard ---- */

/* Its name, a JSON string; no bytes: none is prompted. */
static ck_bytes prompted(ck_effect_kind kind, ck_bytes request) {
  ck_bytes name = ck_json_get(request, "process");
  bool prompts = kind == CK_EFFECT_AGENT && ck_json_type_of(name) == CK_JSON_STRING;
  return prompts ? name : (ck_bytes){0};
}

static ck_status add_prompt(ck_value **to, const ck_ledger_entry *entry, ck_bytes process,
                            ck_error *err) {
  ck_bytes intent = entry->intent ? ck_value_bytes(entry->intent) : (ck_bytes){0},
           outcome = entry->outcome ? ck_value_bytes(entry->outcome) : (ck_bytes){0};
  ck_bytes name = prompted(entry->kind, ck_json_get(intent, "request"));
  if (!name.len || !ck_bytes_equal(name, process)) return CK_OK;
  ck_status status = ck_sources_add_member(to, intent, err);
  return status == CK_OK ? ck_sources_add_member(to, outcome, err) : status;
}

ck_status ck_untrusted_add_process(ck_value **to, const ck_session *session,
                                   const ck_effect *effect, ck_error *err) {
  ck_bytes process = prompted(effect->kind, effect->request);
  const ck_ledger_entry *entry;
  ck_status status = CK_OK;
  for (size_t i = 0; process.len && status == CK_OK && (entry = ck_ledger_at(session->ledger, i));
       i++)
    status = add_prompt(to, entry, process, err);
  return status;
}

/* The key of execution->prompted; owned; NULL: none is prompted, or no memory. */
static char *process_key(const ck_effect *effect) {
  return ck_json_dup_string(prompted(effect->kind, effect->request));
}

/* Of this process's own prompts, which the ledger does not have. */
static ck_status add_live(ck_value **to, ck_call *self, ck_error *err) {
  char *key = process_key(&self->effect);
  const ck_value *told = key ? ck_state_get(self->runner->execution->prompted, key) : NULL;
  free(key);
  return told ? ck_sources_add(to, ck_value_bytes(told), err) : CK_OK;
}

static ck_status add_heard(ck_value **to, ck_call *self, ck_error *err) {
  ck_status status = ck_untrusted_add_process(to, ck_call_session(self), &self->effect, err);
  return status == CK_OK ? add_live(to, self, err) : status;
}

ck_status ck_untrusted_tell(ck_call *self, ck_bytes sources, ck_error *err) {
  char *key = sources.len ? process_key(&self->effect) : NULL;
  ck_value *told = NULL;
  if (!key) return CK_OK;
  ck_status status = add_live(&told, self, err);
  if (status == CK_OK) status = ck_sources_add(&told, sources, err);
  if (status == CK_OK) status = ck_state_put(self->runner->execution->prompted, key, told, err);
  ck_value_free(told);
  free(key);
  return status;
}

ck_status ck_untrusted_show(ck_call *self, ck_error *err) {
  ck_value_free(self->untrusted);
  self->untrusted = NULL;
  ck_status status = ck_sources_add(&self->untrusted, ck_sources_bytes(self->runner->context), err);
  if (status == CK_OK) status = add_heard(&self->untrusted, self, err);
  self->effect.untrusted = ck_sources_bytes(self->untrusted);
  return status;
}

/* ---- what an effect is a source of ---- */

static bool is_untrusted_tool(const ck_flow_manifest *manifest, ck_bytes name) {
  for (size_t i = 0; i < manifest->tool_count; i++)
    if (manifest->tools[i].untrusted && ck_json_is_text(name, manifest->tools[i].name)) return true;
  return false;
}

static bool is_untrusted_process(const ck_flow_manifest *manifest, ck_bytes name) {
  for (size_t i = 0; i < manifest->process_count; i++)
    if (manifest->processes[i].untrusted && ck_json_is_text(name, manifest->processes[i].name))
      return true;
  return false;
}

/* The name, a JSON string, under which the flow declares where it comes from; no bytes: as trusted.
 * A tool of a server is the server's. */
static ck_bytes find_source(const ck_call *self) {
  const ck_execution_options *options = &self->runner->execution->options;
  const ck_flow_manifest *manifest =
      options->engine->manifest ? options->engine->manifest(options->flow) : NULL;
  ck_bytes request = self->effect.request, name = {0};
  bool untrusted = false;
  if (!manifest) return name;
  if (self->effect.kind == CK_EFFECT_TOOL) {
    ck_bytes server = ck_json_get(request, "server");
    name = server.len ? server : ck_json_get(request, "name");
    untrusted =
        server.len ? is_untrusted_process(manifest, name) : is_untrusted_tool(manifest, name);
  } else if (self->effect.kind == CK_EFFECT_AGENT) {
    name = ck_json_get(request, "process");
    untrusted = is_untrusted_process(manifest, name);
  }
  return untrusted ? name : (ck_bytes){0};
}

static ck_status add_source(ck_value **to, const ck_call *self, ck_error *err) {
  ck_bytes declared = find_source(self);
  if (self->effect.source) return ck_sources_add_name(to, self->effect.source, err);
  if (!declared.len) return CK_OK;
  char *name = ck_json_dup_string(declared);
  if (!name) return ck_error_no_memory(err);
  ck_status status = ck_sources_add_name(to, name, err);
  free(name);
  return status;
}

ck_status ck_untrusted_show_action(ck_call *self, const ck_call *of, ck_error *err) {
  ck_status status = ck_sources_add(&self->untrusted, of->effect.untrusted, err);
  if (status == CK_OK) status = add_source(&self->untrusted, of, err);
  self->effect.untrusted = ck_sources_bytes(self->untrusted);
  return status;
}

ck_status ck_untrusted_mark(ck_call *self, ck_error *err) {
  ck_outcome *outcome = self->outcome;
  if (!ck_effect_asks_leave(&self->effect) || outcome->denied) return CK_OK;
  ck_status status = ck_sources_add(&outcome->untrusted, self->effect.untrusted, err);
  if (status == CK_OK) status = add_heard(&outcome->untrusted, self, err);
  if (status == CK_OK) status = add_source(&outcome->untrusted, self, err);
  return status == CK_OK ? ck_untrusted_tell(self, ck_sources_bytes(outcome->untrusted), err)
                         : status;
}
