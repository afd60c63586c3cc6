/* http.c - who may ask, and the answer to a message. */
#include "core/host/mcp/http.h"

#include <string.h>
#include <strings.h>

#include "core/base/id.h"
#include "core/host/mcp/taken_back.h"
#include "core/runtime/session/secret.h"

#define PATH "/mcp"
#define SESSION "MCP-Session-Id" /* up to 2025-11-25 */

enum {
  OK = 200,
  ACCEPTED = 202,
  BAD = 400,
  UNAUTHORIZED = 401,
  FORBIDDEN = 403,
  NOWHERE = 404,
  NO_METHOD = 405,
  UNAVAILABLE = 503
};

static void say(ck_ui_plain_answer *out, unsigned status, const char *text) {
  out->status = status;
  ck_buffer_append_text(&out->text, text);
  ck_buffer_append_char(&out->text, '\n');
}

static bool has_token(const ck_mcp_http_server *self, const ck_ui_plain_request *request) {
  static const char scheme[] = "Bearer ";
  const char *given = ck_ui_plain_header(request, "Authorization");
  return given && strncasecmp(given, scheme, sizeof scheme - 1) == 0 &&
         ck_ui_gate_is_same(self->token.data, given + sizeof scheme - 1);
}

/* Status 0: it may ask. */
static void check(ck_ui_plain_answer *out, const ck_mcp_http_server *self,
                  const ck_ui_plain_request *request) {
  out->status = 0;
  if (!ck_ui_gate_knows(&self->gate, ck_ui_plain_header(request, "Host"),
                        ck_ui_plain_header(request, "Origin"))) {
    say(out, FORBIDDEN, "this request comes from a page, or by another name of the machine");
  } else if (!has_token(self, request)) {
    out->name = "WWW-Authenticate", out->value = "Bearer";
    say(out, UNAUTHORIZED, "the token of 'ckrun mcp --listen' is missing, or another one");
  } else if (strcmp(request->path, PATH) != 0) {
    say(out, NOWHERE, "the MCP server is at " PATH);
  } else if (strcmp(request->method, "POST") != 0) {
    out->name = "Allow", out->value = "POST";
    say(out, NO_METHOD, "only POST is answered: there is nothing to stream and nothing to end");
  }
}

/* Without the newline of a line; nothing in it can act on a terminal. */
static void append_answer(ck_ui_plain_answer *out, ck_bytes line) {
  line.len -= line.len > 0;
  ck_json_append_visible(&out->text, line);
}

/* What the request's era and headers do not allow is refused; so is a method, in the newer era,
 * with a status of its own: it tells the server from one that has no MCP at that path. */
static unsigned answer_request(ck_buffer *out, ck_mcp_http_server *self,
                               const ck_rpc_message *message, const ck_ui_plain_request *from) {
  const ck_mcp_headers headers = {.revision = ck_ui_plain_header(from, "MCP-Protocol-Version"),
                                  .method = ck_ui_plain_header(from, "Mcp-Method"),
                                  .name = ck_ui_plain_header(from, "Mcp-Name")};
  ck_buffer data = {0};
  ck_error err = CK_ERROR_INIT;
  int64_t said = 0;
  bool modern = ck_mcp_asks_modern(message, &headers);
  ck_status status = CK_OK;
  int code = modern ? ck_mcp_era_check(&data, message, &headers, &err) : 0;
  const ck_mcp_caller caller = {.session = ck_ui_plain_header(from, SESSION),
                                .id = message->id,
                                .connection = modern ? ck_ui_plain_socket(from) : -1};
  if (code)
    ck_rpc_write_error_data(out, message->id, code, err.text, ck_buffer_bytes(&data));
  else
    status = ck_mcp_pool_ask(out, self->pool, &caller, from->body, &err);
  if (status == CK_OK)
    ck_json_read_int(&said, ck_json_get(ck_json_get(ck_buffer_bytes(out), "error"), "code"));
  else if (status != CK_E_INTERRUPTED)
    ck_rpc_write_error(out, message->id, CK_RPC_INTERNAL_ERROR, err.text);
  out->failed |= data.failed;
  ck_buffer_clear(&data);
  if (status != CK_OK) return status == CK_E_INTERRUPTED ? OK : UNAVAILABLE;
  return code ? BAD : modern && said == CK_RPC_METHOD_NOT_FOUND ? NOWHERE : OK;
}

/* A client that goes away in the older era has not taken its request back: it says so. */
static unsigned take_notice(ck_mcp_http_server *self, const ck_rpc_message *message,
                            const ck_ui_plain_request *from) {
  ck_bytes id = ck_mcp_taken_back(message);
  if (id.len) ck_mcp_pool_take_back(self->pool, ck_ui_plain_header(from, SESSION), id);
  return ACCEPTED;
}

/* Ids of requests are a client's own, and clients are told apart by this alone. */
static void name_client(ck_ui_plain_answer *out) {
  ck_id_make_run(out->own);
  out->name = SESSION, out->value = out->own + strlen("run_");
}

static void respond(ck_ui_plain_answer *out, void *to, const ck_ui_plain_request *request) {
  ck_mcp_http_server *self = to;
  ck_buffer line = {0};
  ck_rpc_message message;
  check(out, self, request);
  if (out->status || request->begun) return;
  if (!ck_mcp_read(&line, &message, request->body))
    out->status = BAD;
  else if (message.kind != CK_RPC_REQUEST)
    out->status = take_notice(self, &message, request);
  else
    out->status = answer_request(&line, self, &message, request);
  if (out->status == OK && ck_json_is_text(message.method, "initialize")) name_client(out);
  /* one that was taken back has no answer: it is a stream without one */
  out->type = out->status == OK && !line.len ? "text/event-stream" : "application/json";
  append_answer(out, ck_buffer_bytes(&line));
  out->text.failed |= line.failed;
  ck_buffer_clear(&line);
}

static ck_status take_token(ck_mcp_http_server *self, const char *ref, ck_error *err) {
  if (!ref) {
    ck_buffer_append_text(&self->token, self->gate.key);
    return ck_buffer_check(&self->token, err);
  }
  ck_status status = ck_secret_read(&self->token, ref, err);
  if (status == CK_OK &&
      (self->token.len < CK_MCP_TOKEN_LEAST || memchr(self->token.data, 0, self->token.len)))
    status = ck_error_set(err, CK_E_USAGE, "--token: it has fewer than %d bytes, or a NUL",
                          CK_MCP_TOKEN_LEAST);
  return status;
}

ck_status ck_mcp_http_start(ck_mcp_http_server *out, const char *const *argv, const char *address,
                            const char *token, ck_error *err) {
  *out = (ck_mcp_http_server){.at.fd = -1};
  const ck_ui_plain_service service = {
      .respond = respond, .to = out, .body_max = CK_MCP_LINE_MAX, .parallel = true};
  ck_status status = ck_ui_listen_open(&out->at, "--listen", address, err);
  if (status == CK_OK) ck_ui_gate_init(&out->gate, out->at.host, out->at.port);
  if (status == CK_OK) status = take_token(out, token, err);
  if (status == CK_OK) status = ck_mcp_pool_new(&out->pool, argv, err);
  if (status == CK_OK) status = ck_ui_plain_start(&out->plain, &out->at, &service, err);
  if (status != CK_OK) ck_mcp_http_stop(out);
  return status;
}

void ck_mcp_http_stop(ck_mcp_http_server *self) {
  ck_mcp_pool_close(self->pool);
  ck_ui_plain_stop(self->plain);
  ck_mcp_pool_free(self->pool);
  ck_secret_wipe(&self->token);
  if (self->at.host) ck_ui_listen_close(&self->at);
  *self = (ck_mcp_http_server){0};
}
