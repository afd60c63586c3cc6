/* era.h - the two eras of the protocol, told apart by each request alone.
 *
 * Up to 2025-11-25 a client begins with `initialize`. Since 2026-07-28 there is no beginning: each
 * request says in its `_meta` which revision it is of and what the client can do, and over HTTP its
 * headers say the same as its body, so that what routes it by them and what carries it out do not
 * differ. */
#ifndef CK_HOST_MCP_ERA_H
#define CK_HOST_MCP_ERA_H

#include "core/base/json.h"
#include "core/effect/jsonrpc/jsonrpc.h"

#define CK_MCP_MODERN "2026-07-28" /* the one revision without a beginning */

enum { CK_MCP_HEADER_MISMATCH = -32020, CK_MCP_UNSUPPORTED_VERSION = -32022 };

/* Revisions with a beginning, the newest first; ends with NULL. They do not differ in anything that
 * is used here. */
extern const char *const ck_mcp_legacy[];

/* The headers of a request over HTTP; NULL: it has none of that name. */
typedef struct ck_mcp_headers {
  const char *revision, *method, *name;
} ck_mcp_headers;

/* It is of the newer era. `headers`: NULL on standard input. */
bool ck_mcp_asks_modern(const ck_rpc_message *request, const ck_mcp_headers *headers);
/* What the era demands of a request, but for its own parameters. 0, or the code of an error with
 * its message and, in `data`, what the protocol wants beside it. */
int ck_mcp_era_check(ck_buffer *data, const ck_rpc_message *request, const ck_mcp_headers *headers,
                     ck_error *err);
/* Appends ["2026-07-28"]. */
void ck_mcp_append_modern(ck_json_writer *w);

#endif
