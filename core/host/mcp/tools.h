/* tools.h - the tools that `ckrun mcp` offers: their arguments and code. */
#ifndef CK_HOST_MCP_TOOLS_H
#define CK_HOST_MCP_TOOLS_H

#include <sys/types.h>

#include "core/host/cli/command.h"
#include "core/host/print/document.h"

enum { CK_MCP_CHILDREN_MAX = 64, CK_MCP_ARGUMENTS_MAX = 4 };

typedef struct ck_mcp {
  const ck_host *host;
  bool read_only;    /* no tool that acts */
  const char *allow; /* of those that act only these: ck_mcp_allow_check; NULL: all */
  /* Whether the client has taken the request with this id back; NULL: nobody tells. */
  bool (*taken_back)(void *client, ck_bytes id);
  void *client;
  ck_bytes id; /* of the request that is carried out; no bytes: none that can be taken back */
  pid_t children[CK_MCP_CHILDREN_MAX]; /* each a `ckrun resume` that a tool has started */
  size_t child_count;
} ck_mcp;

/* ID: a text that does not begin with '-'. OBJECT: also as a text with its JSON. */
typedef enum { CK_MCP_TEXT, CK_MCP_ID, CK_MCP_COUNT, CK_MCP_FLAG, CK_MCP_OBJECT } ck_mcp_type;

/* An argument; a table of them ends with a NULL name. An empty text is none, unless the argument is
 * required. */
typedef struct ck_mcp_argument {
  const char *name;
  ck_mcp_type type;
  bool required;
  const char *help;
  const char *const *choices; /* of a text; NULL: any */
} ck_mcp_argument;

/* Given by callers that keep the sessions of each agent in a folder of its own. */
#define CK_MCP_AGENT_WORK_DIR                                                         \
  {                                                                                   \
    "agent_work_dir", CK_MCP_TEXT, false,                                             \
        "taken from callers that send it; every session of this store is there", NULL \
  }

/* The arguments of a call, by the tool's own table: absent ones are NULL, -1, false, no bytes. */
typedef struct ck_mcp_value {
  char *text; /* owned; of an object that was given as a text, too */
  int64_t count;
  bool flag;
  ck_bytes object;
} ck_mcp_value;

typedef struct ck_mcp_tool {
  const char *name, *help;
  bool read_only;
  bool own; /* its result is ckrun's own and says its version; else another system's call */
  ck_mcp_argument arguments[CK_MCP_ARGUMENTS_MAX + 1];
  /* the members of its result: "name:string id:string|null at?:string list:[name:string] x:any" */
  const char *output;
  /* Adds its result to an empty document. A failure is reported to the client's model, not to the
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
extern const ck_mcp_tool ck_mcp_checkpoint_session;
extern const ck_mcp_tool ck_mcp_answer_session;

/* Frees the records of children that have ended; waits for none. */
void ck_mcp_reap(ck_mcp *self);
/* Requests a pause of every session that was resumed here, and waits until all have ended. */
void ck_mcp_end_children(ck_mcp *self);

#endif
