/* http.h - the MCP server over HTTP (streamable HTTP of both eras), for this machine.
 *
 * A POST to /mcp is a message, answered with JSON; there are no streams, and of a session nothing
 * but its id, which tells clients apart: GET and DELETE are refused. Whoever asks needs the token,
 * as Authorization: Bearer; a page of another server, and one that has its name resolved to this
 * machine (DNS rebinding), is refused by Origin and Host before anything of its body is read. Each
 * connection has a thread, each call under way a process (pool.h): no client waits for another one,
 * up to CK_MCP_CALLS_MAX. A request that is taken back ends its process's wait, not the process,
 * which may have sessions that it resumed. */
#ifndef CK_HOST_MCP_HTTP_H
#define CK_HOST_MCP_HTTP_H

#include "core/host/mcp/pool.h"
#include "core/host/mcp/server.h"
#include "core/host/ui/gate.h"
#include "core/host/ui/listen.h"
#include "core/host/ui/plain.h"

enum { CK_MCP_TOKEN_LEAST = 16 };

typedef struct ck_mcp_http_server {
  ck_mcp_pool *pool;
  ck_ui_listen at;
  ck_ui_gate gate;
  ck_buffer token; /* wiped at its end */
  ck_ui_plain *plain;
} ck_mcp_http_server;

/* Starts to answer at `address`, as of ck_ui_listen_open, with what `argv` answers, as of
 * ck_mcp_pool_new. `token`: a reference of a secret; NULL: a random one is made. CK_E_USAGE: the
 * token is too short. */
CK_CHECKED ck_status ck_mcp_http_start(ck_mcp_http_server *out, const char *const *argv,
                                       const char *address, const char *token, ck_error *err);
/* Zero-initialised is fine. */
void ck_mcp_http_stop(ck_mcp_http_server *self);

#endif
