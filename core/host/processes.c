/* processes.c - sorts a flow's processes by protocol, and opens a driver for each. */
#include "core/host/processes.h"

#include <stdlib.h>

#include "core/host/command.h"

static ck_process process_of(const ck_flow_process *from) {
  return (ck_process){.name = from->name, .argv = from->argv, .environment = from->environment, .timeout_ms = from->timeout_ms};
}

static ck_status sort(ck_processes *self, const ck_flow_manifest *manifest, ck_error *err) {
  self->servers = calloc(manifest->process_count + 1, sizeof *self->servers);
  if (!self->servers) return ck_error_no_memory(err);
  for (size_t i = 0; i < manifest->process_count; i++) {
    const ck_flow_process *process = &manifest->processes[i];
    if (process->protocol == CK_FLOW_MCP) self->servers[self->server_count++] = process_of(process);
  }
  return CK_OK;
}

ck_status ck_processes_open_drivers(ck_effect_driver **drivers, size_t *count, ck_processes *self, const ck_flow_manifest *manifest,
                                    ck_error *err) {
  const ck_service_options service = {.loop = self->loop, .directory = self->directory, .version = CK_VERSION};
  ck_status status = sort(self, manifest, err);
  if (status == CK_OK && self->server_count > 0) {
    ck_mcp_options options = {.service = service, .servers = self->servers, .server_count = self->server_count};
    status = ck_mcp_driver_new(&drivers[*count], &options, err);
    if (status == CK_OK) ++*count;
  }
  return status;
}

void ck_processes_clear(ck_processes *self) {
  free(self->servers);
  *self = (ck_processes){0};
}
