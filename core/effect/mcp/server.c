/* server.c - one server from its start to its end: handshake, calls, progress, restart. */
#include <stdio.h>

#include "core/base/text.h"
#include "core/effect/mcp/private.h"

enum { PAGES_MAX = 64, TOOLS_SIZE_MAX = 1 << 20, UPDATES_MAX = 10000 };

/* ---- calls ---- */

static void on_list(void *to, const ck_peer_answer *answer);
static void on_result(void *to, const ck_peer_answer *answer);

static ck_status write_params(ck_buffer *out, ck_effect_run *run, ck_bytes cursor, ck_error *err) {
  run->token = ++run->server->last_token;
  if (!run->list) return ck_mcp_write_call(out, run, err);
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  if (cursor.len) ck_json_member_raw(&w, "cursor", cursor);
  if (ck_mcp_server_is_modern(run->server)) {
    ck_json_name(&w, "_meta");
    ck_json_begin(&w, '{');
    ck_mcp_put_client(&w, run->server);
    ck_json_end(&w, '}');
  }
  ck_json_end(&w, '}');
  return ck_buffer_check(out, err);
}

static int64_t silence_of(const ck_mcp_server *self) {
  if (self->service.process->timeout_ms) return self->service.process->timeout_ms;
  return self->options->silence_ms ? self->options->silence_ms : CK_MCP_SILENCE_MS;
}

/* A limit that nobody chose is not shorter than the silence that somebody did. */
static int64_t total_of(const ck_mcp_server *self) {
  int64_t silence = silence_of(self);
  int64_t total = self->options->total_ms ? self->options->total_ms : CK_MCP_TOTAL_MS;
  if (self->service.process->total_ms) return self->service.process->total_ms;
  return total > silence ? total : silence;
}

static ck_bytes subject_of(const ck_effect_run *run) {
  if (run->list) return ck_bytes_text("the list of its tools");
  return run->probe ? ck_bytes_text(run->probe) : ck_mcp_name_of(run->pending.effect);
}

static ck_peer_call call_of(ck_effect_run *run) {
  const ck_mcp_server *self = run->server;
  return (ck_peer_call){
      .answered = run->list ? on_list : on_result,
      .to = run,
      .silence_ms = silence_of(self),
      .total_ms = total_of(self),
      .subject = subject_of(run),
      .repeats = run->list || run->probe || ck_effect_class_repeats(run->pending.effect->class),
      .deadline_ms = run->pending.effect->deadline_ms};
}

static void send(ck_effect_run *run, ck_bytes cursor) {
  ck_buffer params = {0};
  ck_error err = CK_ERROR_INIT;
  ck_mcp_server *self = run->server;
  int64_t begun_ms = run->call.begun_ms; /* of a list: with its first page */
  if (run->list && !run->pages) self->tools_changed = false;
  ck_status status = write_params(&params, run, cursor, &err);
  run->call = call_of(run);
  if (status == CK_OK)
    status =
        ck_peer_request(self->service.peer, &run->call, run->list ? "tools/list" : "tools/call",
                        ck_buffer_bytes(&params), &err);
  if (status == CK_OK && run->pages) {
    run->call.begun_ms = begun_ms;
    ck_peer_touch(self->service.peer, &run->call);
  }
  if (status == CK_OK)
    run->pending.sent = true;
  else if (status == CK_E_TYPE)
    ck_mcp_report_error(run, err.text);
  else
    ck_pending_call_lose(&run->pending, status, err.text);
  ck_buffer_clear(&params);
}

/* A request over HTTP is cancelled by the end of its stream. */
static bool ends_by_closing(const ck_mcp_server *self) {
  return self->http && ck_mcp_server_is_modern(self);
}

/* Reports to the server that its answer is not needed any more. */
static void withdraw(const ck_effect_run *run, const char *reason) {
  char params[96];
  ck_peer *peer = run->server->service.peer;
  if (!peer || !run->call.sent_id || ends_by_closing(run->server)) return;
  snprintf(params, sizeof params, "{\"requestId\":%lld,\"reason\":\"%s\"}",
           (long long)run->call.sent_id, reason);
  ck_peer_notify(peer, "notifications/cancelled", ck_bytes_text(params));
}

/* A server that obeyed the cancel does not answer; one that had finished, or can say why it did
 * not, does. */
void ck_mcp_server_cancel(ck_effect_run *run) {
  const ck_mcp_options *options = run->server->options;
  ck_peer *peer = run->server->service.peer;
  bool waits = peer && run->call.id && !run->probe && ck_pending_call_is_in_doubt(&run->pending);
  run->cancelled = true;
  withdraw(run, "cancelled");
  if (waits) {
    run->call.deadline_ms = run->call.total_ms = 0;
    run->call.silence_ms = options->cancel_ms ? options->cancel_ms : CK_MCP_CANCEL_MS;
    ck_peer_touch(peer, &run->call);
    return;
  }
  if (peer) ck_peer_forget(peer, &run->call);
  ck_pending_call_lose(&run->pending, CK_E_INTERRUPTED, "it was cancelled");
}

/* The time is over: nobody can tell what it did. */
static void end_late(ck_effect_run *run, const char *text) {
  if (!run->cancelled) withdraw(run, "timeout");
  ck_pending_call_lose(&run->pending, run->cancelled ? CK_E_INTERRUPTED : CK_OK, text);
}

enum { FORGOTTEN_MAX = 2 };

static void end_lost(ck_effect_run *run, const ck_peer_answer *answer) {
  if (answer->arrival != CK_PEER_ARRIVED) run->pending.sent = false;
  if (answer->arrival != CK_PEER_FORGOTTEN || run->cancelled || run->pages ||
      ++run->forgotten > FORGOTTEN_MAX)
    ck_pending_call_lose(&run->pending,
                         run->cancelled && !run->pending.sent ? CK_E_INTERRUPTED : CK_E_UNAVAILABLE,
                         answer->text);
  else
    ck_service_renew(&run->server->service); /* then it is sent with those that wait */
}

/* True when the answer is a result. */
static bool take_answer(ck_effect_run *run, const ck_peer_answer *answer) {
  switch (answer->outcome) {
    case CK_PEER_RESULT:
      if (run->server->http) run->server->service.starts = 0; /* it is reached */
      return true;
    case CK_PEER_ERROR:
      ck_mcp_report_error(run, answer->text);
      break;
    case CK_PEER_LATE:
      end_late(run, answer->text);
      break;
    case CK_PEER_LOST:
      end_lost(run, answer);
      break;
  }
  return false;
}

/* An answer that cannot be read does not tell what was done. */
static void report_problem(ck_effect_run *run, const ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  if (err->status == CK_E_NO_MEMORY) {
    ck_pending_call_deliver(&run->pending, NULL);
    return;
  }
  ck_text_format(text, sizeof text, "%.200s: %.700s", run->server->service.label, err->text);
  if (run->list)
    ck_mcp_report_error(run, text);
  else
    ck_pending_call_lose(&run->pending, CK_OK, text);
}

static void on_result(void *to, const ck_peer_answer *answer) {
  ck_effect_run *run = to;
  ck_outcome *outcome = NULL;
  ck_error err = CK_ERROR_INIT;
  if (!take_answer(run, answer)) return;
  if (ck_mcp_server_is_modern(run->server) &&
      ck_json_is_text(ck_json_get(answer->json, "resultType"), "input_required")) {
    ck_mcp_take_wanted(run, answer->json);
    return;
  }
  ck_status status = run->probe ? ck_mcp_read_probe(&outcome, answer->json, &err)
                                : ck_mcp_read_result(&outcome, answer->json, &err);
  if (status == CK_OK)
    ck_mcp_deliver(run, outcome);
  else
    report_problem(run, &err);
}

static void deliver_list(ck_effect_run *run) {
  ck_buffer json = {0};
  ck_value *value = NULL;
  ck_outcome *outcome = NULL;
  ck_error ignored = CK_ERROR_INIT;
  ck_buffer_append_text(&json, "{\"tools\":[");
  ck_buffer_append_bytes(&json, ck_buffer_bytes(&run->tools));
  ck_buffer_append_text(&json, "]}");
  ck_status status = ck_value_from(&value, &json, &ignored);
  if (status == CK_OK) status = ck_outcome_new(&outcome, CK_OUTCOME_OK, value, NULL, &ignored);
  ck_value_free(value);
  ck_buffer_clear(&json);
  ck_pending_call_deliver(&run->pending, status == CK_OK ? outcome : NULL);
}

static void on_list(void *to, const ck_peer_answer *answer) {
  ck_effect_run *run = to;
  ck_bytes next;
  ck_error err = CK_ERROR_INIT;
  if (!take_answer(run, answer)) return;
  ck_status status = ck_mcp_read_page(&run->tools, &next, answer->json, &err);
  if (status == CK_OK && next.len &&
      (++run->pages >= PAGES_MAX || run->tools.len > TOOLS_SIZE_MAX)) {
    status = ck_error_set(&err, CK_E_OVERSIZE, "it lists more than %d pages, or %d bytes, of tools",
                          PAGES_MAX, TOOLS_SIZE_MAX);
  }
  if (status != CK_OK)
    report_problem(run, &err);
  else if (next.len)
    send(run, next);
  else
    deliver_list(run);
}

static void send_waiting(ck_mcp_server *self) {
  for (ck_effect_run *run = NULL; (run = ck_pending_calls_next(&self->runs, run));) {
    if (!run->pending.sent && !run->pending.outcome) send(run, (ck_bytes){0});
  }
}

static void end_waiting(ck_mcp_server *self, const char *why) {
  for (ck_effect_run *run = NULL; (run = ck_pending_calls_next(&self->runs, run));) {
    if (!run->pending.sent && !run->pending.outcome)
      ck_pending_call_lose(&run->pending, CK_E_UNAVAILABLE, why);
  }
}

/* ---- requests and notifications from the peer ---- */

static void take_progress(ck_mcp_server *self, ck_bytes params) {
  int64_t token;
  ck_buffer update = {0};
  if (!ck_json_read_int(&token, ck_json_get(params, "progressToken"))) return;
  ck_effect_run *run = ck_pending_calls_next(&self->runs, NULL);
  while (run && (run->token != token || !run->call.id))
    run = ck_pending_calls_next(&self->runs, run);
  if (!run) return;
  ck_json_writer w = {.out = &update};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "method", "notifications/progress");
  ck_json_member_raw(&w, "params", params);
  ck_json_end(&w, '}');
  if (!run->cancelled) ck_peer_touch(self->service.peer, &run->call);
  if (!update.failed && ++run->updates <= UPDATES_MAX)
    run->pending.sink->update(run->pending.sink, ck_buffer_bytes(&update));
  ck_buffer_clear(&update);
}

static void on_received(void *to, const ck_rpc_message *message) {
  ck_mcp_server *self = to;
  if (message->kind == CK_RPC_REQUEST && ck_mcp_server_is_modern(self)) {
    return; /* it has no business to ask, and would not understand an answer */
  } else if (message->kind == CK_RPC_REQUEST) {
    if (ck_json_is_text(message->method, "ping"))
      ck_peer_reply(self->service.peer, message->id, ck_bytes_text("{}"));
    else if (self->service.process->roots && ck_json_is_text(message->method, "roots/list"))
      ck_mcp_reply_roots(self, message->id);
    else if (ck_mcp_can_wish(self, message->method))
      ck_mcp_take_wish(self, message);
    else
      ck_peer_refuse(self->service.peer, message->id, CK_RPC_METHOD_NOT_FOUND,
                     "this client does not offer that (roots, sampling, elicitation)");
  } else if (ck_json_is_text(message->method, "notifications/progress")) {
    take_progress(self, message->params);
  } else if (ck_json_is_text(message->method, "notifications/tools/list_changed")) {
    ck_mcp_note_changes(self);
  }
}

/* ---- start and end ---- */

static void on_lost(void *to, const char *why) {
  ((ck_mcp_server *)to)->http = NULL;
  if (why) end_waiting(to, why);
}

/* What an older server over HTTP wants of its client may come outside of the call's own stream. */
static bool has_to_say(const ck_mcp_server *self) {
  const ck_process *process = self->service.process;
  return self->tells_changes || process->elicitation || process->sampling || process->roots;
}

static void on_ready(void *to) {
  ck_mcp_server *self = to;
  if (!ck_mcp_server_is_modern(self))
    ck_peer_notify(self->service.peer, "notifications/initialized", (ck_bytes){0});
  else
    ck_mcp_listen(self);
  if (self->http && !ck_mcp_server_is_modern(self) && has_to_say(self))
    ck_mcp_http_stand(self->http);
  send_waiting(self);
}

static ck_status open_wire(void *to, ck_wire *out, ck_error *err) {
  ck_mcp_server *self = to;
  const ck_mcp_options *options = self->options;
  ck_status status = *self->client
                         ? CK_OK
                         : ck_http_new(self->client, options->service.loop, options->library, err);
  if (status != CK_OK) return status;
  const ck_mcp_http_options http = {.mcp = options,
                                    .process = self->service.process,
                                    .client = *self->client,
                                    .peer = &self->service.peer};
  status = ck_mcp_http_new(&self->http, &http, err);
  if (status == CK_OK) *out = ck_mcp_http_wire(self->http);
  return status;
}

static const ck_service_protocol protocol = {
    .noun = "MCP server",
    .connect = open_wire,
    .greeting = ck_mcp_greeting,
    .patience_ms = ck_mcp_patience_ms,
    .write_initialize = ck_mcp_write_greeting,
    .initialized = ck_mcp_take_greeting,
    .greets_again = ck_mcp_greets_again,
    .ready = on_ready,
    .received = on_received,
    .lost = on_lost,
};

void ck_mcp_server_call(ck_mcp_server *self, ck_effect_run *run) {
  ck_error err = CK_ERROR_INIT;
  run->call = call_of(run);
  if (ck_mcp_go_on(run)) return;
  ck_status status = ck_service_start(&self->service, &err);
  if (status != CK_OK)
    ck_pending_call_lose(&run->pending, status, err.text);
  else if (self->service.ready && !self->service.again)
    send(run, (ck_bytes){0});
}

ck_status ck_mcp_server_init(ck_mcp_server *self, const ck_mcp_options *options,
                             const ck_process *process, ck_error *err) {
  self->options = options;
  const ck_service service = {
      .protocol = &protocol, .options = &options->service, .process = process, .to = self};
  return ck_service_init(&self->service, &service, err);
}

void ck_mcp_server_clear(ck_mcp_server *self) {
  ck_service_clear(&self->service);
  ck_mcp_clear_parked(self);
}
