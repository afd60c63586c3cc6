/* schema.h - the schemas of a tool's arguments and result, as JSON Schema. */
#ifndef CK_HOST_MCP_SCHEMA_H
#define CK_HOST_MCP_SCHEMA_H

#include "core/base/json.h"
#include "core/host/mcp/tools.h"

/* Members inputSchema and outputSchema. */
void ck_mcp_write_schemas(ck_json_writer *w, const ck_mcp_tool *tool);

#endif
