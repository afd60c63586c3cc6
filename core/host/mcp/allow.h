/* allow.h - the tools that a client of `ckrun mcp` may call. */
#ifndef CK_HOST_MCP_ALLOW_H
#define CK_HOST_MCP_ALLOW_H

#include "core/host/mcp/tools.h"

/* Whether `self` leaves the tool to its client. */
bool ck_mcp_allows(const ck_mcp *self, const ck_mcp_tool *tool);
/* CK_E_USAGE: a word of `allow`, a list with commas, is the name of no tool that acts, such as
 * "resume_session" or "resume"; or there is none in it. */
CK_CHECKED ck_status ck_mcp_allow_check(const char *allow, ck_error *err);
/* CK_E_USAGE: why its client cannot have it. */
CK_CHECKED ck_status ck_mcp_refuse(const ck_mcp *self, const ck_mcp_tool *tool, ck_error *err);

#endif
