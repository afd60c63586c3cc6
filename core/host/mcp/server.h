/* server.h - the server's side of the Model Context Protocol: one message in, at most one line
 * out. */
#ifndef CK_HOST_MCP_SERVER_H
#define CK_HOST_MCP_SERVER_H

#include "core/host/mcp/era.h"
#include "core/host/mcp/tools.h"

enum { CK_MCP_LINE_MAX = 4 << 20 }; /* bytes of a message from the client */

/* Appends the answer to one line, if it has one: a notification has none, nor has a request
 * that was taken back. No line, however malformed, has any other effect. */
void ck_mcp_answer(ck_buffer *out, ck_mcp *self, ck_bytes line);
/* The first part of that: false, and the line's answer, when it is no message. */
bool ck_mcp_read(ck_buffer *out, ck_rpc_message *message, ck_bytes line);
/* The answer to a line that is longer than CK_MCP_LINE_MAX. */
void ck_mcp_refuse_line(ck_buffer *out);

#endif
