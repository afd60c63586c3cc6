/* failure.h - what a client of `ckrun mcp` is told of a failure. */
#ifndef CK_HOST_MCP_FAILURE_H
#define CK_HOST_MCP_FAILURE_H

#include "core/host/mcp/tools.h"

/* Appends its text, redacted like all output; the text of its status where that fails. */
void ck_mcp_append_failure(ck_buffer *out, const ck_mcp *self, const ck_error *failure);

#endif
