/* http.c - libcurl's sockets and its timer on the loop. */
#include "core/effect/http/private.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

/* One socket of libcurl's, for as long as libcurl watches it. */
typedef struct watched {
  uv_poll_t poll;
  ck_http *client;
  curl_socket_t fd;
} watched;

/* A request's `ended` may start or drop other requests: so one at a time, from the beginning of the
 * list. */
static void serve_ended(ck_http *self) {
  CURLMsg *message;
  int left;
  while ((message = self->curl.multi_info_read(self->multi, &left)) != NULL) {
    if (message->msg != CURLMSG_DONE) continue;
    char *owner = NULL;
    CURLcode code = message->data.result;
    self->curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
    ck_http_request_finish((ck_http_request *)(void *)owner, code);
  }
}

/* A libcurl client whose callback failed does nothing more until all its transfers are gone, and
 * does not end them itself. */
static void act(ck_http *self, curl_socket_t fd, int flags) {
  int running;
  CURLMcode failed = self->curl.multi_socket_action(self->multi, fd, flags, &running);
  serve_ended(self);
  while (failed && self->requests) ck_http_request_finish(self->requests, CURLE_OUT_OF_MEMORY);
}

static void on_poll(uv_poll_t *poll, int failed, int events) {
  watched *it = poll->data;
  ck_http *self = it->client;
  int flags =
      (events & UV_READABLE ? CURL_CSELECT_IN : 0) | (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);
  act(self, it->fd, failed < 0 ? CURL_CSELECT_ERR : flags);
}

static void on_due(void *to) { act(to, CURL_SOCKET_TIMEOUT, 0); }

static int on_timer(CURLM *multi, long ms, void *to) {
  ck_http *self = to;
  (void)multi;
  if (ms < 0)
    ck_timer_stop(self->timer);
  else
    ck_timer_set(self->timer, ms);
  return 0;
}

static void free_watched(uv_handle_t *handle) { free(handle->data); }

static watched *watch(ck_http *self, curl_socket_t fd) {
  watched *it = calloc(1, sizeof *it);
  if (!it) return NULL;
  it->client = self;
  it->fd = fd;
  it->poll.data = it;
  if (uv_poll_init_socket(ck_loop_uv(self->loop), &it->poll, fd)) {
    free(it);
    return NULL;
  }
  self->curl.multi_assign(self->multi, fd, it);
  return it;
}

/* -1 makes libcurl stop all transfers of this client: no memory is left to go on. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *to, void *assigned) {
  ck_http *self = to;
  watched *it = assigned;
  (void)easy;
  if (what == CURL_POLL_REMOVE) {
    self->curl.multi_assign(self->multi, fd, NULL);
    if (it) uv_close((uv_handle_t *)&it->poll, free_watched);
    return 0;
  }
  if (!it) it = watch(self, fd);
  if (!it) return -1;
  int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
  return uv_poll_start(&it->poll, events, on_poll) ? -1 : 0;
}

ck_status ck_http_new(ck_http **out, ck_loop *loop, const char *library, ck_error *err) {
  *out = NULL;
  ck_http *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->loop = loop;
  ck_status status = ck_curl_load(&self->curl, library, err);
  if (!status) status = ck_timer_new(&self->timer, loop, on_due, self, err);
  if (!status) self->multi = self->curl.multi_init();
  if (!status && !self->multi) status = ck_error_no_memory(err);
  if (status) {
    ck_http_free(self);
    return status;
  }
  self->curl.multi_setopt(self->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
  self->curl.multi_setopt(self->multi, CURLMOPT_SOCKETDATA, self);
  self->curl.multi_setopt(self->multi, CURLMOPT_TIMERFUNCTION, on_timer);
  self->curl.multi_setopt(self->multi, CURLMOPT_TIMERDATA, self);
  *out = self;
  return CK_OK;
}

void ck_http_free(ck_http *self) {
  if (!self) return;
  while (self->requests) ck_http_drop(self->requests);
  if (self->multi) self->curl.multi_cleanup(self->multi);
  ck_timer_free(self->timer);
  free(self);
}

static void link_request(ck_http_request *it) {
  it->next = it->client->requests;
  if (it->next) it->next->previous = it;
  it->client->requests = it;
}

ck_status ck_http_send(ck_http_request **out, ck_http *self, const ck_http_options *options,
                       ck_error *err) {
  ck_status status = ck_http_request_new(out, self, options, err);
  if (status) return status;
  link_request(*out);
  CURLMcode failed = self->curl.multi_add_handle(self->multi, (*out)->easy);
  if (!failed) return CK_OK;
  ck_http_drop(*out);
  *out = NULL;
  if (failed == CURLM_OUT_OF_MEMORY) return ck_error_no_memory(err);
  return ck_error_set(err, CK_E_FAILED, "a request cannot be started: %s",
                      self->curl.multi_strerror(failed));
}

ck_status ck_http_send_and_wait(ck_http *self, const ck_http_options *options, ck_error *err) {
  ck_http_request *request;
  ck_http_options quiet = *options;
  quiet.header = NULL;
  quiet.data = NULL;
  quiet.idle_ms = 0;
  ck_status status = ck_http_request_new(&request, self, &quiet, err);
  if (status) return status;
  CURLcode code = self->curl.easy_perform(request->easy);
  ck_http_request_free(request);
  if (code == CURLE_OK) return CK_OK;
  return ck_error_set(err, CK_E_UNAVAILABLE, "%s", self->curl.easy_strerror(code));
}
