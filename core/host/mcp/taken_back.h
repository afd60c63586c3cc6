/* taken_back.h - requests that a client of `ckrun mcp` does not want answered any more. */
#ifndef CK_HOST_MCP_TAKEN_BACK_H
#define CK_HOST_MCP_TAKEN_BACK_H

#include "core/effect/jsonrpc/jsonrpc.h"
#include "core/host/mcp/tools.h"

/* The id of the request that its sender takes back (notifications/cancelled), within `message`; no
 * bytes: it takes none back. */
ck_bytes ck_mcp_taken_back(const ck_rpc_message *message);
/* The request that is carried out was taken back: nothing more is to be done for it. Asked in the
 * midst of waits. */
bool ck_mcp_is_taken_back(const ck_mcp *self);

#endif
