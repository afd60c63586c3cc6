/* mcp.h - the driver of tools on servers that speak the Model Context Protocol (revisions
 * 2024-11-05 to 2026-07-28) on stdio, or over HTTP (http.h).
 *
 * A request {server, name, arguments} calls a tool: arguments are an object, or a string that holds
 * one. The result is the text of its content (a JSON string of at most CK_MCP_TEXT_MAX bytes, whose
 * last line says how much was left out), or its content (an array) when that has more than text;
 * with structured content it is {content, structuredContent}, and {structuredContent} where the
 * text is the same once more. Content with bytes (images, audio, resources) becomes parts of a
 * message (core/model/media.h): texts, images and PDFs; links and other resources are texts, other
 * bytes are left out, and structured content that no text says is the last text. An error of a tool
 * or its server is an ERROR outcome, reported to the model. A request {server, list: true} gives
 * {tools: [{name, description?, parameters, class}]}, where the class comes from the server's
 * hints: read-only is pure, idempotent is idempotent, the rest is once.
 *
 * A tool may have a probe, another of the server's tools: it is called with {key, attempt, name,
 * arguments} of the effect and answers {done: false}, or {done: true, result?}, as structured
 * content or as text; any other answer leaves the outcome UNKNOWN.
 *
 * A server is started on first use, kept for the driver's life, and started again after it died, a
 * few times. When it dies during a call, a pure or idempotent call is FAILED with CK_E_UNAVAILABLE,
 * any other is UNKNOWN. A call that is cancelled before it is sent is ABSENT; after a cancel of a
 * call that is neither pure nor idempotent the answer is awaited for a while, and counts. Progress
 * becomes updates {method, params}. What a server wants in the midst of a call, of a person where
 * the process has elicitation, is an outcome that `wants` (core/model/effect.h): {requests: {NAME:
 * {method, params}}, …}; the request of the call that goes on has the member input, {of: that
 * result, responses: {NAME: RESULT}}. Other requests of a server to the client are refused, except
 * for pings, and for the roots where the process has them. */
#ifndef CK_EFFECT_MCP_MCP_H
#define CK_EFFECT_MCP_MCP_H

#include "core/effect/jsonrpc/service.h"
#include "core/model/driver.h"

enum { CK_MCP_TEXT_MAX = 1 << 20 };

enum { CK_MCP_SILENCE_MS = 600000, CK_MCP_TOTAL_MS = 3600000, CK_MCP_CANCEL_MS = 1000 };

/* All borrowed for the driver's life. A limit of 0 is the one above, or the service's. */
typedef struct ck_mcp_options {
  ck_service_options service;
  const ck_process *servers;
  size_t server_count;
  int64_t silence_ms; /* the most between sending a call and its result or progress */
  int64_t total_ms;   /* the most in all, with progress; where not given, silence_ms at least */
  int64_t cancel_ms;  /* the wait for an answer after a cancel */
  /* Of servers with a url: reads a secret by its name; wiped after. */
  ck_status (*read_secret)(void *to, ck_buffer *out, const char *name, ck_error *err);
  void *to;
  int64_t retry_base_ms; /* of waits before what did not arrive is sent again; 0: 200 */
  const char *library;   /* libcurl; NULL: from its usual place */
} ck_mcp_options;

/* A driver named "mcp"; serves the tool effects whose request names one of the servers. Freeing it
 * ends them. */
CK_CHECKED ck_status ck_mcp_driver_new(ck_effect_driver **out, const ck_mcp_options *options,
                                       ck_error *err);

#endif
