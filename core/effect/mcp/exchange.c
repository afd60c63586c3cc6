/* exchange.c - one message: its POST, the GET that takes its stream up again, and what comes. */
#include "core/effect/mcp/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/base64.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/effect/http/retry.h"

static size_t message_max(const ck_mcp_exchange *self) {
  size_t given = self->http->options.mcp->service.line_max;
  return given ? given : CK_PEER_LINE_MAX;
}

/* ---- what comes ---- */

/* On a stream that stands: answers come where they were asked for, and a flood is no news. */
static bool is_news(ck_mcp_exchange *self, ck_bytes data) {
  if (ck_json_check(data, NULL) != CK_OK)
    ck_buffer_append_text(&self->problem, "no message");
  else if (++self->messages > CK_MCP_STANDING_MAX)
    ck_buffer_append_text(&self->problem, "too many messages");
  return !self->problem.len && ck_json_get(data, "method").len > 0;
}

/* The peer may stop the wire meanwhile; nothing is freed before its task is done. */
static ck_status on_event(void *to, ck_bytes event, ck_bytes data, ck_error *err) {
  ck_mcp_exchange *self = to;
  (void)event;
  self->take_ups = self->polls = 0;
  bool passed_over = self->stands && !self->over && !is_news(self, data);
  if (self->problem.len) return ck_error_set(err, CK_E_PARSE, "%s", self->problem.data);
  if (self->over || passed_over || ck_peer_take(*self->http->options.peer, data, &self->problem))
    return CK_OK;
  return ck_error_set(err, CK_E_PARSE, "no message");
}

void ck_mcp_exchange_begin_session(ck_mcp_exchange *self, int code) {
  if (!self->initializes || self->session || code != 200) return;
  memcpy(self->http->session, self->given, sizeof self->given);
  self->session = ++self->http->sessions;
}

static void read_events(ck_mcp_exchange *self) {
  ck_buffer came = self->inbox;
  ck_error err = CK_ERROR_INIT;
  ck_mcp_exchange_begin_session(self, self->code);
  self->inbox = (ck_buffer){0};
  if (ck_sse_feed(&self->sse, ck_buffer_bytes(&came), &err) == CK_E_NO_MEMORY)
    ck_buffer_append_text(&self->problem, err.text);
  if (self->sse.line.len + self->sse.data.len > message_max(self))
    ck_buffer_append_format(&self->problem, "an event of more than %zu bytes", message_max(self));
  ck_buffer_clear(&came);
}

void ck_mcp_exchange_read(ck_mcp_exchange *self) {
  if (self->over || self->problem.len) return;
  if (self->type == CK_MCP_BODY_EVENTS && self->code == 200) read_events(self);
  bool answered = self->id && !self->over && !ck_peer_waits(*self->http->options.peer, self->id);
  if (answered)
    ck_mcp_exchange_end(self);
  else if (self->problem.len && self->stands)
    ck_mcp_exchange_reopen(self);
  else if (self->problem.len)
    ck_mcp_exchange_lose(self, CK_PEER_ARRIVED, self->problem.data);
}

static void on_due_to_read(void *to) { ck_mcp_exchange_read(to); }

static bool on_data(void *to, int code, ck_bytes chunk) {
  ck_mcp_exchange *self = to;
  self->code = code;
  if (self->inbox.len + chunk.len > message_max(self)) {
    ck_buffer_append_format(&self->problem, "an answer of more than %zu bytes", message_max(self));
    return false;
  }
  ck_buffer_append_bytes(&self->inbox, chunk);
  if (self->type == CK_MCP_BODY_EVENTS)
    ck_loop_defer(self->http->options.mcp->service.loop, &self->task, on_due_to_read, self);
  return !self->inbox.failed;
}

static bool is_named(ck_bytes name, const char *text) {
  return name.len == strlen(text) && strncasecmp(name.data, text, name.len) == 0;
}

static bool begins(ck_bytes value, const char *text) {
  size_t len = strlen(text);
  return value.len >= len && strncasecmp(value.data, text, len) == 0 &&
         (value.len == len || strchr("; \t", value.data[len]));
}

/* Visible ASCII, as the protocol says. */
static void take_session(ck_mcp_exchange *self, ck_bytes value) {
  bool sound = value.len > 0 && value.len < sizeof self->given;
  for (size_t i = 0; sound && i < value.len; i++)
    sound = value.data[i] > 0x20 && value.data[i] < 0x7f;
  if (!sound) {
    ck_buffer_append_text(&self->problem, "it gave an id of a session that is none");
    return;
  }
  memcpy(self->given, value.data, value.len);
  self->given[value.len] = '\0';
}

static void on_header(void *to, ck_bytes name, ck_bytes value) {
  ck_mcp_exchange *self = to;
  ck_clock clock = ck_clock_system();
  if (is_named(name, "content-type"))
    self->type = begins(value, "text/event-stream")  ? CK_MCP_BODY_EVENTS
                 : begins(value, "application/json") ? CK_MCP_BODY_JSON
                                                     : CK_MCP_BODY_OTHER;
  else if (is_named(name, "retry-after"))
    self->after_ms = ck_retry_after(value, clock.wall_ms(clock.self));
  else if (self->initializes && is_named(name, "mcp-session-id"))
    take_session(self, value);
}

/* ---- requests ---- */

static void on_ended(void *to, const ck_http_end *end) {
  ck_mcp_exchange *self = to;
  self->request = NULL;
  ck_loop_withdraw(&self->task);
  if (self->inbox.len && self->type == CK_MCP_BODY_EVENTS) ck_mcp_exchange_read(self);
  if (!self->over) ck_mcp_exchange_settle(self, end);
}

static ck_status request(ck_mcp_exchange *self, ck_error *err) {
  ck_http_options options = {
      .body = ck_buffer_bytes(&self->line),
      .body_max = SIZE_MAX,
      .header = on_header,
      .data = on_data,
      .ended = on_ended,
      .to = self,
  };
  options.method = self->takes_up ? "GET" : NULL;
  if (self->stands) options.idle_ms = CK_MCP_STANDING_IDLE_MS;
  ck_buffer_reset(&self->inbox);
  ck_buffer_clear(&self->sse.line);
  ck_buffer_clear(&self->sse.event);
  ck_buffer_clear(&self->sse.data);
  self->sse.begun = self->sse.after_return = false;
  self->type = CK_MCP_BODY_OTHER;
  self->code = 0;
  self->after_ms = -1;
  *self->given = '\0';
  self->session = *self->http->session && !self->initializes ? self->http->sessions : 0;
  return ck_mcp_http_request(&self->request, self, options, err);
}

static void on_due(void *to) {
  ck_mcp_exchange *self = to;
  ck_error err = CK_ERROR_INIT;
  ck_peer_arrival arrival = self->takes_up ? CK_PEER_ARRIVED : CK_PEER_UNSENT;
  if (self->over) return;
  if (!self->takes_up) self->sendings++;
  if (request(self, &err) != CK_OK) ck_mcp_exchange_lose(self, arrival, err.text);
}

ck_status ck_mcp_exchange_begin(ck_mcp_exchange *self, ck_error *err) {
  self->begun = true;
  self->sendings = 1;
  return request(self, err);
}

void ck_mcp_exchange_again(ck_mcp_exchange *self, int64_t wait_ms) {
  ck_timer_set(self->timer, wait_ms);
}

/* ---- one of them ---- */

void ck_mcp_exchange_end(ck_mcp_exchange *self) {
  self->over = true;
  ck_timer_stop(self->timer);
  ck_mcp_http_tidy(self->http);
  if (self->opens && !self->http->stopped) ck_mcp_http_go_on(self->http);
}

void ck_mcp_exchange_free(ck_mcp_exchange *self) {
  ck_mcp_http *http = self->http;
  *(self->previous ? &self->previous->next : &http->first) = self->next;
  *(self->next ? &self->next->previous : &http->last) = self->previous;
  if (self->request) ck_http_drop(self->request);
  ck_loop_withdraw(&self->task);
  ck_timer_free(self->timer);
  ck_sse_clear(&self->sse);
  ck_buffer_clear(&self->line);
  ck_buffer_clear(&self->inbox);
  ck_buffer_clear(&self->problem);
  ck_buffer_clear(&self->name);
  free(self);
}

static void append(ck_mcp_http *http, ck_mcp_exchange *made) {
  made->http = http;
  made->previous = http->last;
  *(http->last ? &http->last->next : &http->first) = made;
  http->last = made;
}

/* The name of what is called, as a header may have it. */
static void take_name(ck_mcp_exchange *self, ck_bytes line) {
  ck_buffer text = {0};
  if (!ck_json_read_string(&text, ck_json_get(ck_json_get(line, "params"), "name"))) return;
  ck_bytes name = ck_buffer_bytes(&text);
  bool plain = name.len && name.data[0] != ' ' && name.data[name.len - 1] != ' ' &&
               !(name.len > 1 && memcmp(name.data, "=?", 2) == 0);
  for (size_t i = 0; i < name.len; i++) plain &= name.data[i] >= 0x20 && name.data[i] < 0x7f;
  if (plain) {
    ck_buffer_append_bytes(&self->name, name);
  } else {
    ck_buffer_append_text(&self->name, "=?base64?");
    ck_base64_append(&self->name, name);
    ck_buffer_append_text(&self->name, "?=");
  }
  if (text.failed) self->name.failed = true;
  ck_buffer_clear(&text);
}

ck_status ck_mcp_exchange_new(ck_mcp_exchange **out, ck_mcp_http *http,
                              const ck_wire_message *message, ck_error *err) {
  ck_mcp_exchange *self = calloc(1, sizeof *self);
  *out = NULL;
  if (!self) return ck_error_no_memory(err);
  append(http, self);
  self->id = message->id;
  self->initializes = message->method && strcmp(message->method, "initialize") == 0;
  self->opens = message->method && strcmp(message->method, "notifications/initialized") == 0;
  self->repeats = !message->id || message->repeats || self->initializes;
  self->sse = (ck_sse){.take = on_event, .to = self};
  ck_bytes line = message->line;
  line.len -= line.len > 0; /* without its newline */
  ck_buffer_append_bytes(&self->line, line);
  self->modern = strcmp(http->revision, CK_MCP_MODERN_REVISION) == 0;
  if (message->method) snprintf(self->method, sizeof self->method, "%s", message->method);
  if (self->modern && strcmp(self->method, "tools/call") == 0) take_name(self, line);
  ck_status status = ck_buffer_check(&self->line, err);
  if (status == CK_OK) status = ck_buffer_check(&self->name, err);
  if (status == CK_OK)
    status = ck_timer_new(&self->timer, http->options.mcp->service.loop, on_due, self, err);
  if (status != CK_OK)
    ck_mcp_exchange_free(self);
  else
    *out = self;
  return status;
}
