/* tools.h - what `ckrun mcp` offers: tools with their arguments, and the code of each. */
#ifndef CK_HOST_MCP_TOOLS_H
#define CK_HOST_MCP_TOOLS_H

#include <sys/types.h>

#include "core/host/cli/command.h"
#include "core/host/print/document.h"

enum { CK_MCP_CHILDREN_MAX = 64, CK_MCP_ARGUMENTS_MAX = 4 };

typedef struct ck_mcp {
  const ck_host *host;
  pid_t children[CK_MCP_CHILDREN_MAX]; /* each a `ckrun resume` that a tool has started */
  size_t child_count;
} ck_mcp;

typedef enum { CK_MCP_TEXT, CK_MCP_COUNT, CK_MCP_FLAG, CK_MCP_OBJECT } ck_mcp_type;

/* An argument; a table of them ends with a NULL name. */
typedef struct ck_mcp_argument {
  const char *name;
  ck_mcp_type type;
  bool required;
  const char *help;
  const char *const *choices; /* of a text; NULL: any */
} ck_mcp_argument;

/* What a call gives, by the tool's own table: absent ones are NULL, -1, false, no bytes. */
typedef struct ck_mcp_value {
  char *text; /* owned */
  int64_t count;
  bool flag;
  ck_bytes object;
} ck_mcp_value;

typedef struct ck_mcp_tool {
  const char *name, *help;
  bool read_only;
  ck_mcp_argument arguments[CK_MCP_ARGUMENTS_MAX + 1];
  /* Adds its result to an empty document. A failure is told to the client's model, not to the
   * client. */
  CK_CHECKED ck_status (*run)(ck_mcp *self, ck_document *out, const ck_mcp_value *values,
                              ck_error *err);
} ck_mcp_tool;

extern const ck_mcp_tool *const ck_mcp_tools[]; /* ends with NULL */

extern const ck_mcp_tool ck_mcp_list_resumable_sessions;
extern const ck_mcp_tool ck_mcp_list_session_checkpoints;
extern const ck_mcp_tool ck_mcp_inspect_checkpoint;
extern const ck_mcp_tool ck_mcp_diff_checkpoints;
extern const ck_mcp_tool ck_mcp_agent_tail;
extern const ck_mcp_tool ck_mcp_resume_session;
extern const ck_mcp_tool ck_mcp_pause_session;

/* Gives up what children that have ended hold; waits for none. */
void ck_mcp_reap(ck_mcp *self);
/* Asks every session that was resumed here to pause, and waits until all have. */
void ck_mcp_end_children(ck_mcp *self);

#endif
