/* server.c - HTTP by libmicrohttpd, a thread for each connection. */
#include "core/host/ui/server.h"

#if __has_include(<microhttpd.h>)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/host/ui/page.h"
#include "core/host/ui/private.h"

/* Connections that are closed take their place a moment longer. */
enum { CONNECTIONS_MAX = CK_UI_KNOWN_MAX + 2 * CK_UI_STRANGERS_MAX, BODY_MAX = 1 << 20 };
enum { STRANGER_S = 10, IDLE_S = 60 }; /* so long a connection may be silent */

#define API "/api/"

static enum MHD_Result send_settings(ck_ui_request *self) {
  ck_buffer json = {0};
  ck_buffer_append_format(&json, "{\"version\":\"%s\",\"actions\":%s,\"store\":", CK_VERSION,
                          self->server->service->actions ? "true" : "false");
  ck_json_append_string(&json, ck_bytes_text(self->server->service->store));
  ck_buffer_append_text(&json, "}\n");
  enum MHD_Result sent =
      json.failed ? MHD_NO : ck_ui_reply_json(self, MHD_HTTP_OK, ck_buffer_bytes(&json));
  ck_buffer_clear(&json);
  return sent;
}

static enum MHD_Result call(ck_ui_request *self, const char *path, bool post) {
  if (!post && strcmp(path, "settings") == 0) return send_settings(self);
  self->route = ck_ui_route_find(path);
  if (!self->route) return ck_ui_reply_error(self, MHD_HTTP_NOT_FOUND, "there is no such request");
  if (self->route->acts != post)
    return ck_ui_reply_error(self, MHD_HTTP_METHOD_NOT_ALLOWED,
                             post ? "GET asks this" : "POST asks this");
  if (post && !self->server->service->actions)
    return ck_ui_reply_error(self, MHD_HTTP_FORBIDDEN,
                             "this page only shows: start 'ckrun ui --allow-actions'");
  return ck_ui_reply_command(self);
}

static enum MHD_Result send_file(ck_ui_request *self, const char *path, const char *cookie) {
  ck_ui_file file = ck_ui_page_get(path);
  if (!file.type) return ck_ui_reply_error(self, MHD_HTTP_NOT_FOUND, "there is no such file");
  struct MHD_Response *response = ck_ui_reply_copy(self, file.text);
  if (response && cookie) self->server->http.add_response_header(response, "Set-Cookie", cookie);
  return ck_ui_reply(self, MHD_HTTP_OK, response, file.type);
}

static const char *header(const ck_ui_request *self, const char *name) {
  return ck_ui_request_get(self, MHD_HEADER_KIND, name);
}

static ck_ui_verdict judge(ck_ui_request *self, const char *path, bool post) {
  ck_ui_server *server = self->server;
  ck_ui_visitor visitor = {
      .host = header(self, "Host"),
      .origin = header(self, "Origin"),
      .fetch_site = header(self, "Sec-Fetch-Site"),
      .session = ck_ui_request_get(self, MHD_COOKIE_KIND, server->gate.cookie),
      .key = header(self, "Ckrun-Page"),
      .changes = post,
      .asks = strncmp(path, API, sizeof API - 1) == 0,
  };
  if (!visitor.key) visitor.key = ck_ui_request_get(self, MHD_GET_ARGUMENT_KIND, "page");
  if (strcmp(path, "/") == 0)
    visitor.token = ck_ui_request_get(self, MHD_GET_ARGUMENT_KIND, "token");
  pthread_mutex_lock(&server->lock);
  ck_ui_verdict verdict = ck_ui_gate_check(&server->gate, &visitor);
  pthread_mutex_unlock(&server->lock);
  return verdict;
}

static enum MHD_Result welcome(ck_ui_request *self) {
  char cookie[CK_UI_COOKIE_SIZE + CK_UI_TOKEN_SIZE + 64];
  snprintf(cookie, sizeof cookie, "%s=%s; Path=/; HttpOnly; SameSite=Strict",
           self->server->gate.cookie, self->server->gate.session);
  return send_file(self, "/", cookie);
}

/* Nobody's body is read who may not ask. */
static enum MHD_Result refuse(ck_ui_request *self) {
  if (self->verdict == CK_UI_FOREIGN)
    return ck_ui_reply_error(
        self, MHD_HTTP_FORBIDDEN,
        "this request comes from another page, or by another name of the machine");
  return ck_ui_reply_error(self, MHD_HTTP_UNAUTHORIZED,
                           "open the link that ckrun ui printed; it is good once: press Enter "
                           "there for a new one");
}

static bool is_refused(const ck_ui_request *self) {
  return self->verdict == CK_UI_FOREIGN || self->verdict == CK_UI_STRANGER;
}

static enum MHD_Result respond(ck_ui_request *self, const char *path, bool post) {
  if (self->verdict == CK_UI_WELCOME) return welcome(self);
  if (self->refused)
    return ck_ui_reply_error(self, MHD_HTTP_CONTENT_TOO_LARGE, "the text is longer than 1 MiB");
  if (strncmp(path, API, sizeof API - 1) == 0) return call(self, path + sizeof API - 1, post);
  if (post) return ck_ui_reply_error(self, MHD_HTTP_METHOD_NOT_ALLOWED, "GET asks this");
  return send_file(self, path, NULL);
}

/* From here on no stranger takes the place of this connection. */
static enum MHD_Result admit(ck_ui_request *self) {
  ck_ui_server *server = self->server;
  const union MHD_ConnectionInfo *info =
      server->http.get_connection_info(self->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (!info || !ck_ui_guests_admit(&server->guests, info->socket_context))
    return ck_ui_reply_error(self, MHD_HTTP_SERVICE_UNAVAILABLE,
                             "too many connections of this page are open: close some of its tabs");
  server->http.set_connection_option(self->connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                     (unsigned)IDLE_S);
  return MHD_YES;
}

static enum MHD_Result begin(void **kept, ck_ui_server *server, struct MHD_Connection *connection,
                             const char *path, const char *method) {
  ck_ui_request *self = *kept = calloc(1, sizeof *self);
  if (!self) return MHD_NO;
  *self = (ck_ui_request){.server = server, .connection = connection};
  self->verdict = judge(self, path, strcmp(method, "POST") == 0);
  return is_refused(self) ? refuse(self) : admit(self);
}

static void take_body(ck_ui_request *self, const char *data, size_t len) {
  self->refused |= self->body.len + len > BODY_MAX;
  if (!self->refused) ck_buffer_append(&self->body, data, len);
}

/* libmicrohttpd calls it with the headers, with each part of the body, and at its end. */
static enum MHD_Result on_request(void *server, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *data,
                                  size_t *len, void **kept) {
  (void)version;
  ck_ui_request *self = *kept;
  if (!self) return begin(kept, server, connection, path, method);
  if (*len) {
    take_body(self, data, *len);
    *len = 0;
    return MHD_YES;
  }
  bool post = strcmp(method, "POST") == 0;
  if (self->body.failed || (!post && strcmp(method, "GET") != 0))
    return ck_ui_reply_error(self, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and POST are answered");
  return respond(self, path, post);
}

static void on_end(void *server, struct MHD_Connection *connection, void **kept,
                   enum MHD_RequestTerminationCode code) {
  (void)server, (void)connection, (void)code;
  ck_ui_request *self = *kept;
  if (!self) return;
  ck_buffer_clear(&self->body);
  free(self);
  *kept = NULL;
}

/* A connection comes, or goes. */
static void on_connection(void *given, struct MHD_Connection *connection, void **guest,
                          enum MHD_ConnectionNotificationCode code) {
  ck_ui_server *server = given;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    ck_ui_guests_leave(&server->guests, *guest);
    *guest = NULL;
    return;
  }
  const union MHD_ConnectionInfo *info =
      server->http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  *guest = info ? ck_ui_guests_arrive(&server->guests, info->connect_fd) : NULL;
}

/* ---- life ---- */

static ck_status start(ck_ui_server *self, ck_error *err) {
  self->daemon = self->http.start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL, on_request,
      self, MHD_OPTION_LISTEN_SOCKET, self->service->at.fd, MHD_OPTION_CONNECTION_LIMIT,
      CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, STRANGER_S, MHD_OPTION_NOTIFY_COMPLETED,
      on_end, self, MHD_OPTION_NOTIFY_CONNECTION, on_connection, self, MHD_OPTION_END);
  return self->daemon ? CK_OK : ck_error_set(err, CK_E_UNAVAILABLE, "the server cannot be started");
}

ck_status ck_ui_server_start(ck_ui_server **out, const ck_ui_service *service, ck_error *err) {
  ck_ui_server *self = *out = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->service = service;
  pthread_mutex_init(&self->lock, NULL);
  ck_ui_guests_init(&self->guests);
  ck_ui_gate_init(&self->gate, service->at.host, service->at.port);
  ck_status status = ck_microhttpd_load(&self->http, NULL, err);
  if (status == CK_OK) status = ck_ui_runs_new(&self->runs, err);
  if (status == CK_OK) status = start(self, err);
  if (status == CK_OK) return CK_OK;
  ck_ui_server_stop(self);
  *out = NULL;
  return status;
}

void ck_ui_server_append_link(ck_buffer *out, ck_ui_server *self, bool fresh) {
  pthread_mutex_lock(&self->lock);
  if (fresh) ck_ui_gate_renew(&self->gate);
  ck_buffer_append_format(out, "http://%s/?token=%s#key=%s", self->gate.hosts[0], self->gate.token,
                          self->gate.key);
  pthread_mutex_unlock(&self->lock);
}

size_t ck_ui_server_count_runs(ck_ui_server *self) { return ck_ui_runs_count(self->runs); }

void ck_ui_server_stop(ck_ui_server *self) {
  if (!self) return;
  self->ending = true;
  if (self->daemon) self->http.stop_daemon(self->daemon);
  ck_ui_runs_free(self->runs);
  ck_ui_guests_clear(&self->guests);
  pthread_mutex_destroy(&self->lock);
  free(self);
}

#else

ck_status ck_ui_server_start(ck_ui_server **out, const ck_ui_service *service, ck_error *err) {
  (void)service;
  *out = NULL;
  return ck_error_set(err, CK_E_UNSUPPORTED,
                      "this ckrun was built without libmicrohttpd, which serves the page: install "
                      "libmicrohttpd-dev and build it again");
}

void ck_ui_server_append_link(ck_buffer *out, ck_ui_server *self, bool fresh) {
  (void)out, (void)self, (void)fresh;
}

size_t ck_ui_server_count_runs(ck_ui_server *self) { return self != NULL; }

void ck_ui_server_stop(ck_ui_server *self) { (void)self; }

#endif
