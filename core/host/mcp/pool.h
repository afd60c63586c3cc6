/* pool.h - servers on standard streams that answer for the one over HTTP: each call has a process
 * for as long as it takes, so that none holds the others up.
 *
 * Handles of a store, the redactor and the sessions that are resumed are a process's own; nothing
 * is shared between two calls that run at once. A process that is idle is asked before another one
 * is started, so that a client that asks for one thing after another needs one. */
#ifndef CK_HOST_MCP_POOL_H
#define CK_HOST_MCP_POOL_H

#include "core/base/buffer.h"
#include "core/base/error.h"

enum { CK_MCP_CALLS_MAX = 16, CK_MCP_CALLS_WAIT_S = 60 };

typedef struct ck_mcp_pool ck_mcp_pool;

/* `argv`: the command line of such a server, ends with NULL; borrowed. Starts none yet. */
CK_CHECKED ck_status ck_mcp_pool_new(ck_mcp_pool **out, const char *const *argv, ck_error *err);
/* Who asks, and what takes the request back. */
typedef struct ck_mcp_caller {
  const char *session; /* MCP-Session-Id, which tells clients apart; NULL: it has none */
  ck_bytes id;         /* of the request, JSON */
  int connection;      /* a socket whose end takes it back, too; -1: none */
} ck_mcp_caller;

/* From any thread: appends the answer to `line`, a message that has one, in one line.
 * CK_E_INTERRUPTED: it was taken back; CK_E_BUSY: so many calls are under way that none of them
 * ended in time; CK_E_UNAVAILABLE: the pool ends, or a process cannot be started; CK_E_IO: the
 * process ended amid the call, of which nothing is known. */
CK_CHECKED ck_status ck_mcp_pool_ask(ck_buffer *out, ck_mcp_pool *self, const ck_mcp_caller *caller,
                                     ck_bytes line, ck_error *err);
/* From any thread: what this client has asked with this id, and has no answer yet, is taken back.
 * Without a session nobody knows whose it is, and nothing is. */
void ck_mcp_pool_take_back(ck_mcp_pool *self, const char *session, ck_bytes id);
/* Nothing is asked from here on; those that are idle end. */
void ck_mcp_pool_close(ck_mcp_pool *self);
/* Nobody may be asking any more. Sessions that were resumed are paused, and all processes waited
 * for. NULL is fine. */
void ck_mcp_pool_free(ck_mcp_pool *self);

#endif
