/* mcp_server.h - the parts of the tests' MCP server. */
#ifndef CK_TESTS_EFFECT_MCP_MCP_SERVER_H
#define CK_TESTS_EFFECT_MCP_MCP_SERVER_H

#include "core/effect/jsonrpc/jsonrpc.h"

/* ---- mcp_server_wire.c ---- */
extern const char *mcp_mode;     /* "good", or how it misbehaves */
extern const char *mcp_argument; /* of the mode; "" */
bool mcp_is_mode(const char *name);
void mcp_write(const char *text);
void mcp_answer(ck_bytes id, const char *json);
/* A result of one text. */
void mcp_answer_text(ck_bytes id, const char *text);
/* The request says that it is of revision 2026-07-28, and whose it is. */
bool mcp_is_modern(ck_bytes params);
void mcp_refuse(ck_bytes id, int code, const char *message);
/* The next message; the text lives until the next call. False at the end of the input. */
bool mcp_read(ck_rpc_message *out);

/* ---- mcp_server_tools.c ---- */
void mcp_call_tool(ck_bytes id, ck_bytes params);
/* A page of the tools. */
void mcp_list_tools(ck_bytes id, ck_bytes params);

#endif
