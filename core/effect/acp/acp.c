/* acp.c - carries agent effects out by prompting agents. */
#include "core/effect/acp/acp.h"

#include <stdlib.h>

#include "core/effect/acp/private.h"

typedef struct acp_driver {
  ck_effect_driver driver;
  ck_acp_options options;
  ck_acp_agent *agents;
  size_t count;
} acp_driver;

static void clear_run(ck_effect_run *run) {
  ck_buffer_clear(&run->parts);
  ck_buffer_clear(&run->text);
  free(run->tools);
}

/* ---- the driver ---- */

static ck_acp_agent *find_agent(acp_driver *self, const ck_effect *effect) {
  if (effect->kind != CK_EFFECT_AGENT) return NULL;
  ck_bytes name = ck_json_get(effect->request, "process");
  for (size_t i = 0; name.len && i < self->count; i++) {
    if (ck_json_is_text(name, self->agents[i].service.process->name)) return &self->agents[i];
  }
  return NULL;
}

static bool serves(void *self, const ck_effect *effect) { return find_agent(self, effect) != NULL; }

static ck_status check_request(const ck_effect *effect, ck_error *err) {
  ck_json_type prompt = ck_json_type_of(ck_json_get(effect->request, "prompt"));
  ck_json_type session = ck_json_type_of(ck_json_get(effect->request, "session"));
  if (prompt != CK_JSON_STRING && prompt != CK_JSON_ARRAY) {
    return ck_error_set(err, CK_E_TYPE,
                        "an agent's request needs 'prompt', a text or a list of content blocks");
  }
  if (session == CK_JSON_NONE || session == CK_JSON_NULL || session == CK_JSON_STRING) return CK_OK;
  return ck_error_set(err, CK_E_TYPE,
                      "an agent's 'session' must be the id of an earlier one, a string");
}

static ck_status start(ck_effect_run **out, void *self, const ck_effect *effect,
                       ck_effect_sink *sink, ck_error *err) {
  ck_acp_agent *agent = find_agent(self, effect);
  *out = NULL;
  ck_status status = check_request(effect, err);
  if (status != CK_OK) return status;
  ck_acp_tool *tools = calloc(CK_ACP_TOOLS_MAX, sizeof *tools);
  if (!tools) return ck_error_no_memory(err);
  ck_effect_run *run;
  status = ck_pending_call_new(&run, &agent->runs, effect, sink, err);
  if (status != CK_OK) {
    free(tools);
    return status;
  }
  run->agent = agent;
  run->tools = tools;
  ck_acp_agent_prompt(agent, run);
  *out = run;
  return CK_OK;
}

static void cancel(void *self, ck_effect_run *run) {
  (void)self;
  ck_acp_cancel(run, CK_E_INTERRUPTED, "it was cancelled");
}

/* An agent tells of its cost afterwards, if at all. */
static int64_t reserve(void *to, const ck_effect *effect) {
  const acp_driver *self = to;
  char *name = ck_json_dup_string(ck_json_get(effect->request, "process"));
  bool known = name && self->options.unmetered && self->options.unmetered(self->options.to, name);
  free(name);
  return known ? CK_RESERVE_UNMETERED : CK_RESERVE_UNPRICED;
}

static void free_driver(void *to) {
  acp_driver *self = to;
  for (size_t i = 0; i < self->count; i++) {
    ck_acp_agent_clear(&self->agents[i]);
    ck_pending_calls_clear(&self->agents[i].runs);
  }
  free(self->agents);
  free(self);
}

ck_status ck_acp_driver_new(ck_effect_driver **out, const ck_acp_options *options, ck_error *err) {
  *out = NULL;
  acp_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->options = *options;
  self->agents = calloc(options->agent_count ? options->agent_count : 1, sizeof *self->agents);
  ck_status status = self->agents ? CK_OK : ck_error_no_memory(err);
  for (size_t i = 0; status == CK_OK && i < options->agent_count; i++) {
    ck_pending_calls_init(&self->agents[i].runs, options->service.loop, sizeof(ck_effect_run),
                          clear_run);
    status =
        ck_acp_agent_init(&self->agents[self->count++], &self->options, &options->agents[i], err);
  }
  if (status != CK_OK) {
    free_driver(self);
    return status;
  }
  self->driver = (ck_effect_driver){.name = "acp",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .cancel = cancel,
                                    .reserve = reserve,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
