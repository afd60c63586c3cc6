/* needs.c - finds what a flow names and nobody has: tools, models, secrets, agents, keys. */
#include "core/host/preflight/needs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/preflight/named_tools.h"
#include "core/host/run/models.h"
#include "lua/vm/names.h"

enum { NAMES_MAX = 256 };

void ck_needs_report(const ck_needs *self, const char *file, ck_status status, const char *format,
                     ...) {
  ck_error problem = {.status = status};
  char text[CK_ERROR_TEXT_MAX];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ck_error_set(&problem, status, "%s: %s", file, text);
  self->problem(self->to, &problem);
}

const char *ck_needs_profile_file(const ck_needs *self) {
  const ck_profile *profile = self->engine->profile;
  return profile->path ? profile->path : profile->name;
}

bool ck_needs_is_done(const ck_needs *self, const char *node) {
  char key[CK_STATE_KEY_MAX];
  if (!self->state || !node) return false;
  snprintf(key, sizeof key, "outputs.%s", node);
  return ck_state_get(self->state, key) != NULL;
}

static const ck_flow_manifest *manifest_of(const ck_needs *self) {
  return ck_engine_manifest(self->engine);
}

/* Flows written by hand may ask a server for their tools, and act for agents, as they run. */
static bool is_by_hand(const ck_flow_manifest *manifest) {
  return strcmp(manifest->kind, "custom") == 0;
}

/* ---- tools ---- */

static void check_tools(const ck_needs *self) {
  const ck_flow_manifest *manifest = manifest_of(self);
  if (self->recorded || (is_by_hand(manifest) && manifest->process_count > 0)) return;
  for (size_t i = 0; i < manifest->tool_count; i++) {
    const ck_flow_tool *tool = &manifest->tools[i];
    if (tool->argv) continue;
    ck_needs_report(self, manifest->path, CK_E_REFUSED,
                    "nothing carries out tool \"%s\" (%s): give it a program with flow.command "
                    "{…}, a function with flow.tool(…), or a recording with --cassette FILE%s",
                    tool->name, ck_effect_class_name(tool->class),
                    manifest->process_count ? "; a tool of a server gets its class in the 'tools' "
                                              "of its flow.mcp"
                                            : "");
  }
}

/* ---- models and secrets ---- */

static void take_model(void *to, const ck_error *problem) {
  const ck_needs *self = to;
  ck_needs_report(self, manifest_of(self)->path, CK_E_REFUSED, "%s", problem->text);
}

static void take_price(void *to, const ck_error *problem) {
  const ck_needs *self = to;
  ck_needs_report(self, ck_needs_profile_file(self), CK_E_REFUSED, "%s", problem->text);
}

static void check_models(const ck_needs *self) {
  const ck_flow_manifest *manifest = manifest_of(self);
  const ck_profile *profile = self->engine->profile;
  if (!self->recorded) ck_models_check(manifest, profile, take_model, (void *)self);
  ck_models_check_prices(manifest, profile, self->edits, self->recorded, take_price, (void *)self);
}

/* Of the headers that an MCP server over HTTP is sent. */
static void check_headers(const ck_needs *self, const ck_flow_process *process) {
  const ck_profile *profile = self->engine->profile;
  for (const char *const *at = process->headers; at && *at; at += 3) {
    if (strcmp(at[1], "text") == 0 || ck_profile_get_secret(profile, at[2])) continue;
    ck_needs_report(
        self, manifest_of(self)->path, CK_E_REFUSED,
        "MCP server \"%s\" is sent secret \"%s\" as %s, and profile %s has none of that "
        "name: add secrets = { %s = \"env:VARIABLE\" } to it",
        process->name, at[2], at[0], profile->name, at[2]);
  }
}

static void check_secrets(const ck_needs *self) {
  const ck_flow_manifest *manifest = manifest_of(self);
  const ck_profile *profile = self->engine->profile;
  const char *names[NAMES_MAX] = {NULL};
  char hint[CK_NAMES_HINT_SIZE];
  for (size_t i = 0; i < profile->secret_count && i + 1 < NAMES_MAX; i++)
    names[i] = profile->secrets[i].name;
  for (const char *const *name = manifest->secrets; name && *name; name++) {
    if (ck_profile_get_secret(profile, *name)) continue;
    ck_names_hint(hint, *name, names);
    ck_needs_report(self, manifest->path, CK_E_REFUSED,
                    "the flow needs secret \"%s\", which profile %s does not have%s: add secrets "
                    "= { %s = \"env:VARIABLE\" } to it",
                    *name, profile->name, hint, *name);
  }
  for (size_t i = 0; !self->recorded && i < manifest->process_count; i++)
    check_headers(self, &manifest->processes[i]);
}

/* ---- agents ---- */

static bool has_agent(const ck_flow_manifest *manifest, const char *name) {
  for (const char *const *agent = manifest->agents; agent && *agent; agent++)
    if (strcmp(*agent, name) == 0) return true;
  return false;
}

/* A section for an agent that the flow does not have does nothing: a profile may serve several
 * flows. One whose name is almost that of an agent was meant for it. */
static void check_section(const ck_needs *self, const char *name) {
  const ck_flow_manifest *manifest = manifest_of(self);
  const char *near = manifest->agents ? ck_names_nearest(name, manifest->agents) : NULL;
  if (near)
    ck_needs_report(self, ck_needs_profile_file(self), CK_E_REFUSED,
                    "agents.%s: flow %s has no agent \"%s\"; did you mean \"%s\"? Its limits and "
                    "policies would hold for nobody",
                    name, manifest->name, name, near);
  else
    ck_output_notice(self->engine->output,
                     "%s: agents.%s: flow %s has no agent \"%s\", so this section holds for nobody",
                     ck_needs_profile_file(self), name, manifest->name, name);
}

/* "limits.AGENT.NAME" of --limit AGENT.NAME=N. */
static void check_limit(const ck_needs *self, const char *key) {
  const ck_flow_manifest *manifest = manifest_of(self);
  const char *name = strncmp(key, "limits.", 7) == 0 ? key + 7 : NULL,
             *end = name ? strrchr(name, '.') : NULL;
  char agent[CK_STATE_KEY_MAX], hint[CK_NAMES_HINT_SIZE] = "";
  if (!end) return;
  snprintf(agent, sizeof agent, "%.*s", (int)(end - name), name);
  if (has_agent(manifest, agent)) return;
  if (manifest->agents) ck_names_hint(hint, agent, manifest->agents);
  ck_needs_report(self, manifest->path, CK_E_REFUSED,
                  "--limit %s: flow %s has no agent \"%s\"%s, so the limit would hold for nobody",
                  name, manifest->name, agent, hint);
}

/* "asker, writer". */
static void append_agents(ck_buffer *out, const ck_flow_manifest *manifest) {
  for (const char *const *agent = manifest->agents; agent && *agent; agent++)
    ck_buffer_append_format(out, "%s%s", out->len ? ", " : "", *agent);
}

static void check_named(const ck_needs *self, const char *policy, const char *name, bool alone) {
  const ck_flow_manifest *manifest = manifest_of(self);
  const char *near = ck_names_nearest(name, manifest->agents);
  ck_buffer agents = {0};
  if (strcmp(name, "*") == 0 || has_agent(manifest, name)) return;
  append_agents(&agents, manifest);
  if ((near || alone) && !agents.failed)
    ck_needs_report(self, ck_needs_profile_file(self), CK_E_REFUSED,
                    "option agents of policy %s: flow %s has no agent \"%s\", so it would hold for "
                    "nobody; it has %s",
                    policy, manifest->name, name, agents.data);
  else
    ck_output_notice(self->engine->output,
                     "%s: option agents of policy %s: flow %s has no agent \"%s\"",
                     ck_needs_profile_file(self), policy, manifest->name, name);
  ck_buffer_clear(&agents);
}

/* None of them is an agent of the flow. */
static bool names_nobody(const ck_needs *self, ck_bytes agents) {
  bool found = false;
  for (ck_json_iterator it = ck_json_iterate(agents); ck_json_next(&it) && !found;) {
    char *name = ck_json_dup_string(it.value);
    found = !name || strcmp(name, "*") == 0 || has_agent(manifest_of(self), name);
    free(name);
  }
  return !found;
}

/* A shipped policy that names agents of another flow, too, may serve several. One that names nobody
 * here, or almost, guards in name only. What somebody's own policy calls agents is its own. */
static void check_option(const ck_needs *self, ck_bytes policy, ck_bytes agents) {
  char *whose = ck_json_dup_string(policy);
  bool nobody = names_nobody(self, agents);
  for (ck_json_iterator it = ck_json_iterate(agents); whose && ck_json_next(&it);) {
    char *name = ck_json_dup_string(it.value);
    if (name) check_named(self, whose, name, nobody);
    free(name);
  }
  free(whose);
}

/* A list of tools may be that of several flows: what is not in this one is told. */
static ck_status tell_tools(const ck_needs *self, const ck_value *policies, ck_error *err) {
  ck_buffer notes = {0};
  ck_status status = ck_named_tools_find(&notes, policies, manifest_of(self), err);
  for (size_t at = 0; status == CK_OK && at < notes.len; at += strlen(notes.data + at) + 1)
    ck_output_notice(self->engine->output, "%s: %s", ck_needs_profile_file(self), notes.data + at);
  ck_buffer_clear(&notes);
  return status;
}

static ck_status check_options(const ck_needs *self, ck_error *err) {
  ck_value *list = NULL;
  const ck_flow_manifest *manifest = manifest_of(self);
  bool agents_known = !is_by_hand(manifest) && manifest->agents && *manifest->agents;
  if (!self->engine->policies.self) return CK_OK;
  ck_status status = ck_engine_describe_policies(&list, self->engine, true, err);
  if (status == CK_OK) status = tell_tools(self, list, err);
  for (ck_json_iterator it = ck_json_iterate(list ? ck_value_bytes(list) : (ck_bytes){0});
       agents_known && ck_json_next(&it);) {
    ck_bytes agents = ck_json_get(ck_json_get(it.value, "options"), "agents");
    bool shipped = !ck_json_get(it.value, "file").len;
    if (shipped && ck_json_type_of(agents) == CK_JSON_ARRAY)
      check_option(self, ck_json_get(it.value, "name"), agents);
  }
  ck_value_free(list);
  return status;
}

static void check_agents(const ck_needs *self) {
  const ck_flow_manifest *manifest = manifest_of(self);
  const ck_profile *profile = self->engine->profile;
  if (is_by_hand(manifest)) return;
  for (size_t i = 0; i < profile->agent_count; i++)
    if (!has_agent(manifest, profile->agents[i].name)) check_section(self, profile->agents[i].name);
  for (size_t i = 0; self->edits && i < self->edits->count; i++)
    check_limit(self, self->edits->items[i].key);
}

/* ---- keys ---- */

static bool is_there(const ck_needs *self, const char *key) {
  if (self->state && ck_state_get(self->state, key)) return true;
  for (size_t i = 0; self->edits && i < self->edits->count; i++)
    if (strcmp(self->edits->items[i].key, key) == 0) return true;
  return false;
}

static void check_keys_of(const ck_needs *self, const char *node, const char *const *keys) {
  const char *file = manifest_of(self)->path;
  for (; keys && *keys; keys++) {
    const char *word = strncmp(*keys, "memory.", 7) == 0 ? *keys + 7 : *keys;
    if (is_there(self, *keys)) continue;
    if (node)
      ck_needs_report(self, file, CK_E_REFUSED,
                      "node %s reads %s, which nothing before it writes: give it a value with "
                      "--set %s=… (or --set-env, --set-file)",
                      node, *keys, word);
    else
      ck_needs_report(self, file, CK_E_REFUSED,
                      "the flow reads %s, which nothing writes: give it a value with --set %s=… "
                      "(or --set-env, --set-file)",
                      *keys, word);
  }
}

static void check_keys(const ck_needs *self) {
  const ck_flow_manifest *manifest = manifest_of(self);
  if (self->keys_unknown) return;
  if (!self->state) check_keys_of(self, NULL, manifest->unwritten);
  for (size_t i = 0; i < manifest->node_count; i++) {
    const ck_flow_node *node = &manifest->nodes[i];
    bool checked = self->here && strcmp(node->name, self->here) == 0;
    if (!checked && !ck_needs_is_done(self, node->name))
      check_keys_of(self, node->name, node->unwritten);
  }
}

ck_status ck_needs_check(const ck_needs *self, ck_error *err) {
  bool profiled = self->engine->profile;
  check_tools(self);
  if (profiled) check_models(self);
  if (profiled) check_secrets(self);
  if (profiled) check_agents(self);
  check_keys(self);
  ck_status status = profiled ? check_options(self, err) : CK_OK;
  return status == CK_OK ? ck_needs_check_programs(self, err) : status;
}
