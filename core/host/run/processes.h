/* processes.h - a flow's processes by protocol, and the drivers that talk to them. */
#ifndef CK_HOST_RUN_PROCESSES_H
#define CK_HOST_RUN_PROCESSES_H

#include "core/model/driver.h"
#include "core/effect/jsonrpc/service.h"
#include "core/host/run/driver_context.h"

/* Zero-initialise; ck_processes_clear after the drivers were freed. */
typedef struct ck_processes {
  const ck_driver_context *context;
  ck_process *servers; /* MCP */
  size_t server_count;
  ck_process *agents; /* ACP */
  size_t agent_count;
} ck_processes;

/* Reads the manifest of `context`, which is borrowed. */
CK_CHECKED ck_status ck_processes_sort(ck_processes *self, const ck_driver_context *context,
                                       ck_error *err);
/* The driver of the MCP servers. It borrows `self`. */
CK_CHECKED ck_status ck_processes_open_servers(ck_effect_driver **out, ck_processes *self,
                                               ck_error *err);
/* The driver of the ACP agents. It borrows `self`. */
CK_CHECKED ck_status ck_processes_open_agents(ck_effect_driver **out, ck_processes *self,
                                              ck_error *err);
void ck_processes_clear(ck_processes *self);

#endif
