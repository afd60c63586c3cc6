/* exchange_end.c - what the end of a request means for its message: answered, to be sent again, to
 * be taken up again, or lost. */
#include <stdio.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/base/json.h"
#include "core/effect/http/retry.h"
#include "core/effect/mcp/exchange.h"

/* A server that is asked again and has nothing new is asked less often, at last every 3.2 s. */
enum {
  RETRY_BASE_MS = 200,
  SHOWN_MAX = 200,
  LEAST_WAIT_MS = 25,
  POLLS_SHIFT_MAX = 7,
  STANDING_TRIES_MAX = 16
};

void ck_mcp_exchange_lose(ck_mcp_exchange *self, ck_peer_arrival arrival, const char *why) {
  int64_t id = self->id;
  ck_peer *peer = *self->http->options.peer;
  ck_mcp_exchange_end(self);
  if (id) ck_peer_lose(peer, id, arrival, why);
}

/* ---- words ---- */

/* The message of an error in the body, or the front of the body. */
static void append_body(ck_buffer *out, ck_bytes body) {
  ck_buffer text = {0};
  bool told = ck_json_check(body, NULL) == CK_OK &&
              ck_json_read_string(&text, ck_json_get(ck_json_get(body, "error"), "message"));
  ck_bytes shown = told ? ck_buffer_bytes(&text) : body;
  if (shown.len > 0) {
    ck_buffer_append_text(out, ": ");
    ck_json_append_string(out, (ck_bytes){shown.data, ck_peer_cut(shown, SHOWN_MAX)});
  }
  ck_buffer_clear(&text);
}

static const char *hint_of(const ck_mcp_exchange *self, int code) {
  bool keyed = self->http->options.process->headers != NULL;
  if (code >= 300 && code < 400)
    return "; redirects are not followed, for its secrets go to no other address: give its url as "
           "it is now";
  if (code == 401 || code == 403)
    return keyed ? "; the secrets that its 'key' and 'headers' name are not those that it takes"
                 : "; it may want a 'key' in its flow.mcp";
  if (code == 404 && self->session) return "; that is, it has ended the session";
  if (code == 404 || code == 405) return "; its url is perhaps not that of an MCP endpoint";
  return "";
}

static void lose_refused(ck_mcp_exchange *self, int code, ck_peer_arrival arrival) {
  ck_buffer why = {0};
  ck_buffer_append_format(&why, "it answered with HTTP %d", code);
  append_body(&why, ck_buffer_bytes(&self->inbox));
  ck_buffer_append_text(&why, hint_of(self, code));
  ck_mcp_exchange_lose(self, arrival, why.failed ? ck_status_text(CK_E_NO_MEMORY) : why.data);
  ck_buffer_clear(&why);
}

static void lose_unreached(ck_mcp_exchange *self, const char *text) {
  ck_buffer why = {0};
  ck_buffer_append_text(&why, "it cannot be reached at ");
  ck_http_append_url(&why, self->http->options.process->url);
  ck_buffer_append_format(&why, ": %s", text);
  ck_mcp_exchange_lose(self, CK_PEER_UNSENT,
                       why.failed ? ck_status_text(CK_E_NO_MEMORY) : why.data);
  ck_buffer_clear(&why);
}

/* ---- once more ---- */

/* It did not arrive, so that nothing is done twice. */
static bool sends_again(ck_mcp_exchange *self, int64_t least_ms) {
  uint64_t random;
  if (self->sendings >= CK_MCP_SENDINGS_MAX || least_ms > CK_RETRY_AFTER_MAX_MS) return false;
  int64_t base = self->http->options.mcp->retry_base_ms;
  ck_random_bytes(&random, sizeof random);
  int64_t wait = ck_retry_wait(self->sendings, base ? base : RETRY_BASE_MS, random);
  ck_mcp_exchange_again(self, wait > least_ms ? wait : least_ms);
  return true;
}

/* A stream ended before the answer came. A server that closes it in peace is asked again for as
 * long as the call may take; one that breaks off, a few times. */
static void take_up(ck_mcp_exchange *self, bool in_peace, const char *text) {
  char why[256];
  if (!in_peace) self->take_ups++;
  if (!*self->sse.id || self->modern) {
    snprintf(why, sizeof why, "its answer broke off: %.200s", text);
    ck_mcp_exchange_lose(self, CK_PEER_ARRIVED, why);
  } else if (self->take_ups > CK_MCP_TAKE_UPS_MAX) {
    snprintf(why, sizeof why, "its answer broke off %d times, the last: %.200s", self->take_ups,
             text);
    ck_mcp_exchange_lose(self, CK_PEER_ARRIVED, why);
  } else {
    int64_t wait = self->sse.retry_ms ? self->sse.retry_ms : CK_MCP_TAKE_UP_MS;
    int64_t least =
        LEAST_WAIT_MS << (self->polls < POLLS_SHIFT_MAX ? self->polls : POLLS_SHIFT_MAX);
    self->polls++;
    self->takes_up = true;
    ck_mcp_exchange_again(self, wait > least ? wait : least);
  }
}

/* ---- by what came ---- */

static bool is_error(ck_bytes body) {
  return ck_json_check(body, NULL) == CK_OK && ck_json_get(body, "error").len > 0;
}

/* HTTP 404, says the protocol; many servers that were started anew say 400, and what about. */
static bool is_session_over(const ck_mcp_exchange *self, int code) {
  ck_bytes body = ck_buffer_bytes(&self->inbox);
  bool about =
      code == 400 && is_error(body) &&
      (memmem(body.data, body.len, "session", 7) || memmem(body.data, body.len, "Session", 7));
  return code == 404 || about;
}

/* The error is of this one method, or of what it was given. */
static bool is_of_request(ck_bytes body) {
  int64_t code;
  return is_error(body) &&
         ck_json_read_int(&code, ck_json_get(ck_json_get(body, "error"), "code")) &&
         (code == CK_RPC_METHOD_NOT_FOUND || code == CK_RPC_INVALID_PARAMS);
}

/* True when the body was the answer; one that ends the session is none, whose id it may have. */
static bool take_body(ck_mcp_exchange *self, int code) {
  ck_peer *peer = *self->http->options.peer;
  ck_bytes body = ck_buffer_bytes(&self->inbox);
  if (self->type != CK_MCP_BODY_JSON || !body.len) return false;
  if (code >= 300 && !is_error(body)) return false;
  if (self->session && is_session_over(self, code) && !is_of_request(body)) return false;
  ck_mcp_exchange_begin_session(self, code);
  (void)ck_peer_take(peer, body, &self->problem);
  if (code >= 300) ck_buffer_reset(&self->problem);
  return !self->over && !ck_peer_waits(peer, self->id);
}

static const char *useless(const ck_mcp_exchange *self, int code) {
  if (self->problem.len) return self->problem.failed ? "out of memory" : self->problem.data;
  if (code == 202 && !self->inbox.len) return "it took the request (HTTP 202), and answers nothing";
  return self->type == CK_MCP_BODY_JSON ? "its answer is to another request"
                                        : "its answer is neither JSON nor a stream of events";
}

/* A key or an address that is not taken, or too many requests, tell nothing of this one. */
static ck_peer_arrival arrival_of(int code) {
  if (code >= 500) return CK_PEER_ARRIVED;
  return code < 400 || code == 401 || code == 403 || code == 429 ? CK_PEER_UNSENT : CK_PEER_REFUSED;
}

static void settle_code(ck_mcp_exchange *self, int code) {
  bool renewed = self->session && self->session != self->http->sessions;
  bool over = self->session && is_session_over(self, code);
  if (code >= 200 && code < 300)
    ck_mcp_exchange_lose(self, CK_PEER_ARRIVED, useless(self, code));
  else if (over && renewed && *self->http->session)
    ck_mcp_exchange_again(self, 0); /* of a session before this one */
  else if (over)
    lose_refused(self, code, CK_PEER_FORGOTTEN);
  else if (code != 429 || !sends_again(self, self->after_ms))
    lose_refused(self, code, arrival_of(code));
}

static void settle_post(ck_mcp_exchange *self, const ck_http_end *end) {
  char why[256];
  bool unheard = end->ending == CK_HTTP_UNREACHED || (end->ending == CK_HTTP_BROKEN && !end->sent);
  if (end->ending == CK_HTTP_ANSWERED) {
    settle_code(self, end->code);
  } else if (unheard && sends_again(self, 0)) {
    return;
  } else if (!end->sent) {
    lose_unreached(self, end->text);
  } else {
    snprintf(why, sizeof why, "its answer broke off: %.200s", end->text);
    ck_mcp_exchange_lose(self, CK_PEER_ARRIVED, why);
  }
}

/* The GET got no stream. */
static void settle_take_up(ck_mcp_exchange *self, const ck_http_end *end) {
  char why[256];
  bool passing = end->ending != CK_HTTP_ANSWERED || ck_retry_is_passing(end->code);
  if (passing) {
    take_up(self, false, end->ending == CK_HTTP_ANSWERED ? "no stream" : end->text);
    return;
  }
  snprintf(why, sizeof why, "its answer broke off, and cannot be taken up again (HTTP %d)",
           end->code);
  ck_mcp_exchange_lose(self, CK_PEER_ARRIVED, why);
}

/* ---- a stream that stands ---- */

/* A server that has nothing to say, or cannot be reached, is asked less and less often. */
static void open_again(ck_mcp_exchange *self, int64_t least_ms) {
  uint64_t random;
  int64_t base = self->http->options.mcp->retry_base_ms;
  if (!base) base = CK_MCP_TAKE_UP_MS;
  bool heard = self->messages > 0 && !self->problem.len;
  self->take_ups = heard ? 1 : self->take_ups + (self->take_ups < STANDING_TRIES_MAX);
  self->messages = 0;
  ck_buffer_reset(&self->problem);
  ck_random_bytes(&random, sizeof random);
  int64_t wait = base + ck_retry_wait(self->take_ups, base, random);
  if (least_ms > CK_RETRY_AFTER_MAX_MS) least_ms = CK_RETRY_AFTER_MAX_MS;
  ck_mcp_exchange_again(self, wait > least_ms ? wait : least_ms);
}

void ck_mcp_exchange_reopen(ck_mcp_exchange *self) {
  if (!self->request) return; /* its end is about to be settled */
  ck_http_drop(self->request);
  self->request = NULL;
  open_again(self, self->sse.retry_ms);
}

/* One that is not offered (HTTP 405), or not any more (404: the session is over), is left alone. */
static void settle_standing(ck_mcp_exchange *self, const ck_http_end *end) {
  bool streamed = self->type == CK_MCP_BODY_EVENTS && end->code == 200,
       away = end->ending == CK_HTTP_UNREACHED || end->ending == CK_HTTP_BROKEN ||
              end->ending == CK_HTTP_LATE;
  bool passing = end->ending == CK_HTTP_ANSWERED && ck_retry_is_passing(end->code);
  if (streamed || away || passing)
    open_again(self, streamed ? self->sse.retry_ms : self->after_ms);
  else
    ck_mcp_exchange_end(self);
}

static void settle_message(ck_mcp_exchange *self, const ck_http_end *end) {
  bool unheard = end->ending != CK_HTTP_ANSWERED && !end->sent;
  if (!unheard || !sends_again(self, 0)) ck_mcp_exchange_end(self);
}

void ck_mcp_exchange_settle(ck_mcp_exchange *self, const ck_http_end *end) {
  bool streamed = self->type == CK_MCP_BODY_EVENTS && end->code == 200;
  bool answered = end->ending == CK_HTTP_ANSWERED;
  if (self->stands)
    settle_standing(self, end);
  else if (!self->id)
    settle_message(self, end);
  else if (self->problem.len)
    ck_mcp_exchange_lose(self, CK_PEER_ARRIVED, self->problem.data);
  else if (streamed)
    take_up(self, answered, answered ? "the stream ended" : end->text);
  else if (self->takes_up)
    settle_take_up(self, end);
  else if (answered && take_body(self, end->code))
    ck_mcp_exchange_end(self);
  else if (!self->over)
    settle_post(self, end);
}
