/* request.h - a request of a client of `ckrun mcp`, and what its handlers fill in. For this folder
 * only. */
#ifndef CK_HOST_MCP_REQUEST_H
#define CK_HOST_MCP_REQUEST_H

#include "core/base/json.h"
#include "core/effect/jsonrpc/jsonrpc.h"
#include "core/host/mcp/tools.h"

enum { CK_MCP_RESOURCE_NOT_FOUND = -32002 }; /* up to 2025-11-25; then an invalid parameter */

typedef struct ck_mcp_request {
  ck_mcp *mcp;
  ck_bytes params;
  bool modern;      /* stateless (era.h) */
  ck_json_writer w; /* the result: its object is open, and is closed by the caller */
  bool stored, cut; /* of the result's _meta: it has a session's texts; some are cut */
  ck_buffer data;   /* of an error: JSON; empty: it has none */
  ck_error *err;    /* of an error: its message */
} ck_mcp_request;

/* 0: the result has its members; else the code of an error. */
typedef int (*ck_mcp_handler)(ck_mcp_request *self);

int ck_mcp_list_tools(ck_mcp_request *self);
int ck_mcp_call_tool(ck_mcp_request *self);
int ck_mcp_list_resources(ck_mcp_request *self);
int ck_mcp_list_templates(ck_mcp_request *self);
int ck_mcp_read_resource(ck_mcp_request *self);
int ck_mcp_complete(ck_mcp_request *self);

/* `uri` (JSON) is a template of ck_mcp_list_templates. */
bool ck_mcp_is_template(ck_bytes uri);

#endif
