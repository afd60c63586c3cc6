/* http.h - an MCP server over streamable HTTP, as a wire of its peer.
 *
 * Each message is a POST, answered with JSON or a stream of events. A message that did not arrive
 * (no connection, HTTP 429) is sent again a few times, whatever it is. One that may have arrived is
 * never sent twice: a stream that broke off is taken up again by a GET with the id of its last
 * event, and where that is not offered, the call is lost, and its class decides. Redirects are not
 * followed: the server's secrets go to its own address alone. */
#ifndef CK_EFFECT_MCP_HTTP_H
#define CK_EFFECT_MCP_HTTP_H

#include "core/effect/http/http.h"
#include "core/effect/jsonrpc/wire.h"
#include "core/effect/mcp/mcp.h"

#define CK_MCP_MODERN_REVISION "2026-07-28" /* since then there is no handshake */

typedef struct ck_mcp_http ck_mcp_http;

enum {
  CK_MCP_CONNECT_MS = 15000,
  CK_MCP_SENDINGS_MAX = 4,         /* of a message that does not arrive */
  CK_MCP_TAKE_UPS_MAX = 5,         /* of a stream, without anything new */
  CK_MCP_TAKE_UP_MS = 1000,        /* the wait before, where the server asks for none */
  CK_MCP_STANDING_MAX = 1000,      /* messages of the stream that stands, until it is opened anew */
  CK_MCP_STANDING_IDLE_MS = 300000 /* of its silence: the connection may be dead */
};

typedef struct ck_mcp_http_options {
  const ck_mcp_options *mcp;
  const ck_process *process;
  ck_http *client;
  ck_peer *const *peer; /* whose wire it is, set before the loop runs again */
} ck_mcp_http_options;

/* What `options` names is borrowed for its life. The wire frees it. */
CK_CHECKED ck_status ck_mcp_http_new(ck_mcp_http **out, const ck_mcp_http_options *options,
                                     ck_error *err);
ck_wire ck_mcp_http_wire(ck_mcp_http *self);
/* The revision of the protocol that the following requests are made under. */
void ck_mcp_http_agree(ck_mcp_http *self, ck_bytes revision);
/* Opens a stream for what the server says outside of calls, behind all that was sent so far, in the
 * place of an earlier one. It is opened anew whenever it ends, ever less often where nothing comes;
 * a server that has none is left alone. No call needs it. */
void ck_mcp_http_stand(ck_mcp_http *self);

#endif
