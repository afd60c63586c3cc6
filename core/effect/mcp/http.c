/* http.c - the wire: its exchanges, their headers, its session and its end. */
#include "core/effect/mcp/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/http/headers.h"
#include "core/effect/mcp/exchange.h"

enum { OWN_HEADERS = 6 };

/* ---- requests ---- */

/* Of the threes of a process: name, kind, value. */
static ck_status put_given(ck_http_headers *out, const ck_mcp_http *self, const char *const *given,
                           ck_error *err) {
  const char *prefix = strcmp(given[1], "bearer") == 0 ? "Bearer " : "";
  ck_buffer read = {0};
  if (strcmp(given[1], "text") == 0) {
    ck_http_headers_put(out, given[0], given[2]);
    return CK_OK;
  }
  const ck_mcp_options *mcp = self->options.mcp;
  if (!mcp->read_secret)
    return ck_error_set(err, CK_E_SECRET_MISSING, "nobody has secret \"%s\"", given[2]);
  ck_status status = mcp->read_secret(mcp->to, &read, given[2], err);
  if (status == CK_OK)
    status = ck_http_headers_put_secret(out, given[0], prefix, ck_buffer_bytes(&read), err);
  if (read.data) explicit_bzero(read.data, read.cap);
  ck_buffer_clear(&read);
  return status;
}

/* What the message says, once more for those on the way. */
static void put_message(ck_http_headers *out, const ck_mcp_exchange *of) {
  if (of->takes_up && *of->sse.id) ck_http_headers_put(out, "Last-Event-ID", of->sse.id);
  if (!of->modern) return;
  if (*of->method) ck_http_headers_put(out, "Mcp-Method", of->method);
  if (of->name.len) ck_http_headers_put(out, "Mcp-Name", of->name.data);
}

/* `of` NULL: the session is given back. */
static ck_status list_headers(ck_http_headers *out, const ck_mcp_http *self,
                              const ck_mcp_exchange *of, ck_error *err) {
  bool posts = of && !of->takes_up, initializes = of && of->initializes;
  const char *const *given = self->options.process->headers;
  size_t count = 0;
  while (given && given[count]) count += 3;
  ck_status status = ck_http_headers_init(out, count / 3 + OWN_HEADERS, err);
  if (status != CK_OK) return status;
  ck_http_headers_put(out, "Accept",
                      posts ? "application/json, text/event-stream" : "text/event-stream");
  if (!initializes && *self->session) ck_http_headers_put(out, "MCP-Session-Id", self->session);
  if (!initializes && *self->revision)
    ck_http_headers_put(out, "MCP-Protocol-Version", self->revision);
  if (of) put_message(out, of);
  for (size_t i = 0; status == CK_OK && i < count; i += 3)
    status = put_given(out, self, given + i, err);
  return status;
}

ck_status ck_mcp_http_request(ck_http_request **out, const ck_mcp_exchange *of,
                              ck_http_options options, ck_error *err) {
  ck_mcp_http *self = of->http;
  ck_http_headers headers = {0};
  *out = NULL;
  options.url = self->options.process->url;
  options.connect_ms = CK_MCP_CONNECT_MS;
  ck_status status = list_headers(&headers, self, of, err);
  options.headers = headers.list;
  options.header_count = headers.count;
  if (status == CK_OK) status = ck_http_send(out, self->options.client, &options, err);
  ck_http_headers_clear(&headers);
  return status;
}

/* A session that nobody needs is given back; a server that does not take it will forget it. */
static void give_back(ck_mcp_http *self, int64_t patience_ms) {
  ck_http_headers headers = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (!*self->session) return;
  ck_http_options options = {.url = self->options.process->url,
                             .method = "DELETE",
                             .body_max = 1 << 16,
                             .connect_ms = patience_ms,
                             .total_ms = patience_ms};
  ck_status status = list_headers(&headers, self, NULL, &ignored);
  options.headers = headers.list;
  options.header_count = headers.count;
  if (status == CK_OK) status = ck_http_send_and_wait(self->options.client, &options, &ignored);
  (void)status;
  ck_http_headers_clear(&headers);
  *self->session = '\0';
}

/* ---- the wire ---- */

static void free_exchanges(ck_mcp_http *self, bool all) {
  for (ck_mcp_exchange *it = self->first, *next; it; it = next) {
    next = it->next;
    if (all || it->over) ck_mcp_exchange_free(it);
  }
}

static void free_http(ck_mcp_http *self) {
  free_exchanges(self, true);
  ck_loop_withdraw(&self->task);
  free(self);
}

static void on_tidy(void *to) {
  ck_mcp_http *self = to;
  ck_peer *peer = *self->options.peer;
  free_exchanges(self, self->stopped);
  if (!self->stopped) return;
  free_http(self);
  ck_peer_ended(peer, "it was ended", (ck_bytes){0});
}

void ck_mcp_http_tidy(ck_mcp_http *self) {
  ck_loop_defer(self->options.mcp->service.loop, &self->task, on_tidy, self);
}

void ck_mcp_http_go_on(ck_mcp_http *self) {
  for (ck_mcp_exchange *it = self->first; it && !self->stopped; it = it->next) {
    ck_error failure = CK_ERROR_INIT;
    if (it->over) continue;
    if (!it->begun && ck_mcp_exchange_begin(it, &failure) != CK_OK)
      ck_mcp_exchange_lose(it, CK_PEER_UNSENT, failure.text);
    if (it->opens && !it->over) return;
  }
}

static bool is_held(const ck_mcp_http *self) {
  const ck_mcp_exchange *it = self->first;
  while (it && (it->over || !it->opens)) it = it->next;
  return it != NULL;
}

static ck_status send_message(void *to, const ck_wire_message *message, ck_error *err) {
  ck_mcp_http *self = to;
  ck_mcp_exchange *made;
  bool held = is_held(self);
  if (self->stopped) return ck_error_set(err, CK_E_UNAVAILABLE, "it was ended");
  ck_status status = ck_mcp_exchange_new(&made, self, message, err);
  if (status != CK_OK || held) return status;
  status = ck_mcp_exchange_begin(made, err);
  if (status != CK_OK) ck_mcp_exchange_free(made);
  return status;
}

void ck_mcp_http_stand(ck_mcp_http *self) {
  ck_mcp_exchange *made;
  ck_error ignored = CK_ERROR_INIT;
  for (ck_mcp_exchange *it = self->first; it; it = it->next)
    if (it->stands && !it->over) ck_mcp_exchange_end(it); /* of the session before */
  if (self->stopped || ck_mcp_exchange_new(&made, self, &(ck_wire_message){0}, &ignored) != CK_OK)
    return;
  made->stands = made->takes_up = true;
  if (!is_held(self) && ck_mcp_exchange_begin(made, &ignored) != CK_OK) ck_mcp_exchange_end(made);
}

static void forget(void *to, int64_t id) {
  ck_mcp_http *self = to;
  for (ck_mcp_exchange *it = self->first; it; it = it->next) {
    if (it->id == id) ck_mcp_exchange_end(it);
  }
}

static void stop(void *to) {
  ck_mcp_http *self = to;
  self->stopped = true;
  for (ck_mcp_exchange *it = self->first; it; it = it->next) ck_mcp_exchange_end(it);
  ck_mcp_http_tidy(self);
}

static void dismiss(void *to, int64_t patience_ms) {
  ck_mcp_http *self = to;
  free_exchanges(self, true);
  if (patience_ms > 0) give_back(self, patience_ms);
  free_http(self);
}

ck_wire ck_mcp_http_wire(ck_mcp_http *self) {
  return (ck_wire){.self = self,
                   .send = send_message,
                   .forget = forget,
                   .close = stop,
                   .stop = stop,
                   .dismiss = dismiss};
}

void ck_mcp_http_agree(ck_mcp_http *self, ck_bytes revision) {
  snprintf(self->revision, sizeof self->revision, "%.*s", (int)revision.len, revision.data);
}

ck_status ck_mcp_http_new(ck_mcp_http **out, const ck_mcp_http_options *options, ck_error *err) {
  *out = calloc(1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  (*out)->options = *options;
  return CK_OK;
}
