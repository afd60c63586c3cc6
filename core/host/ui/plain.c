/* plain.c - HTTP by libmicrohttpd, one thread for all connections. */
#include "core/host/ui/plain.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<microhttpd.h>)

#include "core/host/ui/microhttpd.h"

enum { CONNECTIONS_MAX = 32, IDLE_S = 10 };

struct ck_ui_plain {
  ck_microhttpd http;
  struct MHD_Daemon *daemon;
  ck_ui_plain_respond respond;
  void *to;
  bool pages_reach; /* browsers reach it, as they do no Unix socket */
};

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
  if (good == MHD_YES)
    good = self->http.queue_response(
        connection, whole ? answer->status : MHD_HTTP_INTERNAL_SERVER_ERROR, response);
  self->http.destroy_response(response);
  return good;
}

static void refuse(ck_ui_plain_answer *out) {
  out->status = MHD_HTTP_FORBIDDEN;
  ck_buffer_append_text(&out->text, "the request names this machine otherwise than by an address "
                                    "or localhost\n");
}

static enum MHD_Result on_request(void *to, struct MHD_Connection *connection, const char *path,
                                  const char *method, const char *version, const char *data,
                                  size_t *len, void **kept) {
  (void)version, (void)data, (void)kept;
  ck_ui_plain *self = to;
  ck_ui_plain_answer answer = {.status = MHD_HTTP_NOT_FOUND};
  *len = 0;
  if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
    answer.status = MHD_HTTP_METHOD_NOT_ALLOWED;
  else if (self->pages_reach &&
           is_by_name(self->http.lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
    refuse(&answer);
  else
    self->respond(&answer, self->to, path);
  enum MHD_Result sent = send_answer(self, connection, &answer);
  ck_buffer_clear(&answer.text);
  return sent;
}

ck_status ck_ui_plain_start(ck_ui_plain **out, const ck_ui_listen *at, ck_ui_plain_respond respond,
                            void *to, ck_error *err) {
  ck_ui_plain *self = *out = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->respond = respond;
  self->to = to;
  self->pages_reach = at->path == NULL;
  ck_status status = ck_microhttpd_load(&self->http, NULL, err);
  if (status == CK_OK)
    self->daemon = self->http.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD, 0, NULL, NULL,
                                           on_request, self, MHD_OPTION_LISTEN_SOCKET, at->fd,
                                           MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
                                           MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_END);
  if (status == CK_OK && !self->daemon)
    status = ck_error_set(err, CK_E_UNAVAILABLE, "the server cannot be started");
  if (status == CK_OK) return CK_OK;
  free(self);
  *out = NULL;
  return status;
}

/* The daemon closes the socket that it listens at. */
void ck_ui_plain_stop(ck_ui_plain *self) {
  if (!self) return;
  self->http.stop_daemon(self->daemon);
  free(self);
}

#else

ck_status ck_ui_plain_start(ck_ui_plain **out, const ck_ui_listen *at, ck_ui_plain_respond respond,
                            void *to, ck_error *err) {
  (void)at, (void)respond, (void)to;
  *out = NULL;
  return ck_error_set(err, CK_E_UNSUPPORTED,
                      "this ckrun was built without libmicrohttpd, which serves metrics");
}

void ck_ui_plain_stop(ck_ui_plain *self) { (void)self; }

#endif
