/* processes.h - the processes that a flow declares, handed to the drivers that talk to them. */
#ifndef CK_HOST_RUN_PROCESSES_H
#define CK_HOST_RUN_PROCESSES_H

#include "core/effect/acp/acp.h"
#include "core/effect/mcp/mcp.h"
#include "core/model/profile.h"
#include "core/runtime/session/flow.h"

/* Zero-initialise; ck_processes_clear after the drivers were freed. */
typedef struct ck_processes {
  ck_loop *loop;
  const char *directory;
  const ck_profile *profile;
  ck_asker *asker;     /* NULL: nobody is there to be asked */
  ck_process *servers; /* MCP */
  size_t server_count;
  ck_process *agents; /* ACP */
  size_t agent_count;
} ck_processes;

/* The drivers of MCP servers and ACP agents, where the flow has any, from drivers[*count] on.
 * `loop`, `directory`, `profile` and `asker` are set. */
CK_CHECKED ck_status ck_processes_open_drivers(ck_effect_driver **drivers, size_t *count,
                                               ck_processes *self, const ck_flow_manifest *manifest,
                                               ck_error *err);
void ck_processes_clear(ck_processes *self);

#endif
