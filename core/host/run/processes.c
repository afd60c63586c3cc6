/* processes.c - sorts a flow's processes by protocol, and opens a driver for each protocol. */
#include "core/host/run/processes.h"

#include <stdlib.h>

#include "core/effect/acp/acp.h"
#include "core/effect/mcp/mcp.h"
#include "core/host/cli/command.h"
#include "core/runtime/session/secret.h"

static ck_process process_of(const ck_flow_process *from) {
  return (ck_process){.name = from->name,
                      .argv = from->argv,
                      .url = from->url,
                      .headers = from->headers,
                      .roots = from->roots,
                      .elicitation = from->elicitation,
                      .sampling = from->sampling,
                      .environment = from->environment,
                      .probes = from->probes,
                      .timeout_ms = from->timeout_ms,
                      .total_ms = from->total_ms};
}

ck_status ck_processes_sort(ck_processes *self, const ck_driver_context *context, ck_error *err) {
  const ck_flow_manifest *manifest = context->manifest;
  self->context = context;
  self->servers = calloc(manifest->process_count + 1, sizeof *self->servers);
  self->agents = calloc(manifest->process_count + 1, sizeof *self->agents);
  if (!self->servers || !self->agents) return ck_error_no_memory(err);
  for (size_t i = 0; i < manifest->process_count; i++) {
    const ck_flow_process *process = &manifest->processes[i];
    if (process->protocol == CK_FLOW_MCP)
      self->servers[self->server_count++] = process_of(process);
    else
      self->agents[self->agent_count++] = process_of(process);
  }
  return CK_OK;
}

static ck_permit permit(void *to, const char *kind, ck_bytes request) {
  ck_processes *self = to;
  (void)request;
  return ck_permissions_find(&self->context->profile->permissions, kind);
}

static bool unmetered(void *to, const char *name) {
  const ck_processes *self = to;
  const ck_profile_agent *agent = ck_profile_get_agent(self->context->profile, name);
  return agent && agent->unmetered;
}

/* By its name in the profile, for one request. */
static ck_status read_secret(void *to, ck_buffer *out, const char *name, ck_error *err) {
  const ck_processes *self = to;
  const ck_profile_secret *secret = ck_profile_get_secret(self->context->profile, name);
  if (!secret)
    return ck_error_set(err, CK_E_SECRET_MISSING, "the profile has no secret \"%s\"", name);
  ck_status status = ck_secret_read(out, secret->ref, err);
  if (status == CK_E_SECRET_MISSING) ck_error_prefix(err, "secret \"%s\"", name);
  return status;
}

static ck_service_options service_options(const ck_processes *self) {
  return (ck_service_options){
      .loop = self->context->loop, .directory = self->context->directory, .version = CK_VERSION};
}

ck_status ck_processes_open_servers(ck_effect_driver **out, ck_processes *self, ck_error *err) {
  const ck_mcp_options options = {.service = service_options(self),
                                  .servers = self->servers,
                                  .server_count = self->server_count,
                                  .read_secret = read_secret,
                                  .to = self};
  return ck_mcp_driver_new(out, &options, err);
}

ck_status ck_processes_open_agents(ck_effect_driver **out, ck_processes *self, ck_error *err) {
  const ck_acp_options options = {
      .service = service_options(self),
      .agents = self->agents,
      .agent_count = self->agent_count,
      .permit = permit,
      .unmetered = unmetered,
      .to = self,
      .media = self->context->media,
      .files = self->context->profile->agent_files,
  };
  return ck_acp_driver_new(out, &options, err);
}

void ck_processes_clear(ck_processes *self) {
  free(self->servers);
  free(self->agents);
  *self = (ck_processes){0};
}
