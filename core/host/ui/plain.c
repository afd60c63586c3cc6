/* plain.c - HTTP by libmicrohttpd, one thread for all connections or one for each. */
#include "core/host/ui/plain.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#if __has_include(<microhttpd.h>)

#include "core/host/ui/guests.h"
#include "core/host/ui/microhttpd.h"

/* Connections that are closed take their place a moment longer. */
enum { CONNECTIONS_MAX = 32, GUESTS_MAX = CK_UI_KNOWN_MAX + 2 * CK_UI_STRANGERS_MAX };
enum { IDLE_S = 10, KNOWN_S = 60 }; /* so long a connection may be silent */

struct ck_ui_plain {
  ck_microhttpd http;
  struct MHD_Daemon *daemon;
  ck_ui_plain_service service;
  ck_ui_guests guests;
  bool pages_reach; /* browsers reach it, as they do no Unix socket */
};

typedef struct asked {
  ck_ui_plain_request request;
  ck_buffer body;
  bool oversize;
} asked;

const char *ck_ui_plain_header(const ck_ui_plain_request *self, const char *name) {
  return self->server->http.lookup_connection_value(self->connection, MHD_HEADER_KIND, name);
}

int ck_ui_plain_socket(const ck_ui_plain_request *self) {
  const union MHD_ConnectionInfo *info =
      self->server->http.get_connection_info(self->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/* A page that somebody visits reads what answers under the page's own name, and that name can be
 * pointed at this machine. An address is no such name, nor is "localhost"; a program may say none.
 */
static bool is_by_name(const char *host) {
  struct in_addr address;
  char name[INET_ADDRSTRLEN] = "";
  size_t len = host ? strcspn(host, ":") : 0;
  if (!host || *host == '[') return false;
  if (len == strlen("localhost") && strncasecmp(host, "localhost", len) == 0) return false;
  if (len < sizeof name) memcpy(name, host, len);
  return inet_pton(AF_INET, name, &address) != 1;
}

static enum MHD_Result send_answer(ck_ui_plain *self, struct MHD_Connection *connection,
                                   const ck_ui_plain_answer *answer) {
  bool whole = !answer->text.failed;
  struct MHD_Response *response = self->http.create_response_from_buffer(
      whole ? answer->text.len : 0, whole ? answer->text.data : NULL, MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  enum MHD_Result good = self->http.add_response_header(
      response, "Content-Type", answer->type ? answer->type : "text/plain; charset=utf-8");
  if (good == MHD_YES)
    good = self->http.add_response_header(response, "X-Content-Type-Options", "nosniff");
  if (good == MHD_YES && answer->name)
    good = self->http.add_response_header(response, answer->name, answer->value);
  if (good == MHD_YES)
    good = self->http.queue_response(
        connection, whole ? answer->status : MHD_HTTP_INTERNAL_SERVER_ERROR, response);
  self->http.destroy_response(response);
  return good;
}

static enum MHD_Result refuse(ck_ui_plain *self, const ck_ui_plain_request *request) {
  ck_ui_plain_answer answer = {.status = MHD_HTTP_FORBIDDEN};
  ck_buffer_append_text(&answer.text, "the request names this machine otherwise than by an address "
                                      "or localhost\n");
  enum MHD_Result sent = send_answer(self, request->connection, &answer);
  ck_buffer_clear(&answer.text);
  return sent;
}

static enum MHD_Result answer(ck_ui_plain *self, const ck_ui_plain_request *request) {
  ck_ui_plain_answer answer = {.status = MHD_HTTP_NOT_FOUND};
  bool gets = strcmp(request->method, "GET") == 0 || strcmp(request->method, "HEAD") == 0;
  if (!gets && !self->service.body_max)
    answer.status = MHD_HTTP_METHOD_NOT_ALLOWED;
  else
    self->service.respond(&answer, self->service.to, request);
  enum MHD_Result sent = send_answer(self, request->connection, &answer);
  ck_buffer_clear(&answer.text);
  return sent;
}

/* From here on no stranger takes the place of this connection. */
static enum MHD_Result admit(ck_ui_plain *self, const ck_ui_plain_request *request) {
  const union MHD_ConnectionInfo *info =
      self->http.get_connection_info(request->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  if (info && ck_ui_guests_admit(&self->guests, info->socket_context)) {
    self->http.set_connection_option(request->connection, MHD_CONNECTION_OPTION_TIMEOUT,
                                     (unsigned)KNOWN_S);
    return MHD_YES;
  }
  ck_ui_plain_answer full = {.status = MHD_HTTP_SERVICE_UNAVAILABLE};
  ck_buffer_append_text(&full.text, "too many connections are open\n");
  enum MHD_Result sent = send_answer(self, request->connection, &full);
  ck_buffer_clear(&full.text);
  return sent;
}

/* Who may not ask is refused before the body is read. */
static enum MHD_Result begin(void **kept, ck_ui_plain *self, const ck_ui_plain_request *request) {
  ck_ui_plain_answer refusal = {0};
  asked *made = *kept = calloc(1, sizeof *made);
  enum MHD_Result result = MHD_YES;
  if (!made) return MHD_NO;
  made->request = *request;
  made->request.begun = true;
  self->service.respond(&refusal, self->service.to, &made->request);
  if (refusal.status)
    result = send_answer(self, request->connection, &refusal);
  else if (self->service.parallel)
    result = admit(self, request);
  ck_buffer_clear(&refusal.text);
  return result;
}

static enum MHD_Result end(ck_ui_plain *self, asked *it, const ck_ui_plain_request *request) {
  const ck_ui_plain_answer oversize = {.status = MHD_HTTP_CONTENT_TOO_LARGE};
  ck_ui_plain_request whole = *request;
  whole.body = ck_buffer_bytes(&it->body);
  if (it->body.failed) return MHD_NO;
  return it->oversize ? send_answer(self, request->connection, &oversize) : answer(self, &whole);
}

static enum MHD_Result on_request(void *to, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *data,
                                  size_t *len, void **kept) {
  (void)version;
  ck_ui_plain *self = to;
  const ck_ui_plain_request request = {
      .method = method, .path = path, .connection = connection, .server = self};
  asked *it = *kept;
  size_t got = *len;
  *len = 0;
  if (!it && self->pages_reach && is_by_name(ck_ui_plain_header(&request, "Host")))
    return refuse(self, &request);
  if (!self->service.body_max) return answer(self, &request);
  if (!it) return begin(kept, self, &request);
  if (!got) return end(self, it, &request);
  it->oversize |= it->body.len + got > self->service.body_max;
  if (!it->oversize) ck_buffer_append(&it->body, data, got);
  return MHD_YES;
}

static void on_end(void *to, struct MHD_Connection *connection, void **kept,
                   enum MHD_RequestTerminationCode code) {
  (void)to, (void)connection, (void)code;
  asked *it = *kept;
  if (!it) return;
  ck_buffer_clear(&it->body);
  free(it);
  *kept = NULL;
}

/* A connection comes, or goes. */
static void on_connection(void *to, struct MHD_Connection *connection, void **guest,
                          enum MHD_ConnectionNotificationCode code) {
  ck_ui_plain *self = to;
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    ck_ui_guests_leave(&self->guests, *guest);
    *guest = NULL;
    return;
  }
  const union MHD_ConnectionInfo *info =
      self->http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  *guest = info ? ck_ui_guests_arrive(&self->guests, info->connect_fd) : NULL;
}

static struct MHD_Daemon *start(ck_ui_plain *self, int fd) {
  if (!self->service.parallel)
    return self->http.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL, on_request, self,
                                   MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
                                   CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
                                   MHD_OPTION_NOTIFY_COMPLETED, on_end, self, MHD_OPTION_END);
  return self->http.start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0, NULL, NULL, on_request,
      self, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, GUESTS_MAX,
      MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_NOTIFY_COMPLETED, on_end, self,
      MHD_OPTION_NOTIFY_CONNECTION, on_connection, self, MHD_OPTION_END);
}

ck_status ck_ui_plain_start(ck_ui_plain **out, const ck_ui_listen *at,
                            const ck_ui_plain_service *service, ck_error *err) {
  ck_ui_plain *self = *out = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->service = *service;
  self->pages_reach = at->path == NULL;
  ck_ui_guests_init(&self->guests);
  ck_status status = ck_microhttpd_load(&self->http, NULL, err);
  if (status == CK_OK) self->daemon = start(self, at->fd);
  if (status == CK_OK && !self->daemon)
    status = ck_error_set(err, CK_E_UNAVAILABLE, "the server cannot be started");
  if (status == CK_OK) return CK_OK;
  ck_ui_guests_clear(&self->guests);
  free(self);
  *out = NULL;
  return status;
}

/* The daemon closes the socket that it listens at. */
void ck_ui_plain_stop(ck_ui_plain *self) {
  if (!self) return;
  self->http.stop_daemon(self->daemon);
  ck_ui_guests_clear(&self->guests);
  free(self);
}

#else

ck_status ck_ui_plain_start(ck_ui_plain **out, const ck_ui_listen *at,
                            const ck_ui_plain_service *service, ck_error *err) {
  (void)at, (void)service;
  *out = NULL;
  return ck_error_set(err, CK_E_UNSUPPORTED,
                      "this ckrun was built without libmicrohttpd, which serves over HTTP: install "
                      "libmicrohttpd-dev and build it again");
}

int ck_ui_plain_socket(const ck_ui_plain_request *self) {
  (void)self;
  return -1;
}

const char *ck_ui_plain_header(const ck_ui_plain_request *self, const char *name) {
  (void)self, (void)name;
  return NULL;
}

void ck_ui_plain_stop(ck_ui_plain *self) { (void)self; }

#endif
