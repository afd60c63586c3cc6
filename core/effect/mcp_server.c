/* mcp_server.c - one server's life: started, greeted, asked, started again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/mcp_private.h"

enum { PAGES_MAX = 64, TOOLS_SIZE_MAX = 1 << 20, TEXT_MAX = 1000, UPDATES_MAX = 10000 };

/* The newest is asked for; a server may answer with an older one. */
static const char *const revisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL};

/* ---- what is asked of it ---- */

static void on_list(void *to, const ck_peer_answer *answer);
static void on_result(void *to, const ck_peer_answer *answer);

static ck_status write_params(ck_buffer *out, ck_effect_run *run, ck_bytes cursor, ck_error *err) {
  run->token = ++run->server->last_token;
  if (!run->list) return ck_mcp_write_call(out, run->effect, run->token, err);
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  if (cursor.len) ck_json_member_raw(&w, "cursor", cursor);
  ck_json_end(&w, '}');
  return ck_buffer_check(out, err);
}

static int64_t silence_of(const ck_mcp_server *self) {
  if (self->process->timeout_ms) return self->process->timeout_ms;
  return self->options->silence_ms ? self->options->silence_ms : CK_MCP_SILENCE_MS;
}

static void send(ck_effect_run *run, ck_bytes cursor) {
  ck_buffer params = {0};
  ck_error err = CK_ERROR_INIT;
  ck_mcp_server *self = run->server;
  ck_status status = write_params(&params, run, cursor, &err);
  run->call = (ck_peer_call){
    .answered = run->list ? on_list : on_result, .to = run, .silence_ms = silence_of(self), .deadline_ms = run->effect->deadline_ms};
  if (status == CK_OK) status = ck_peer_ask(self->peer, &run->call, run->list ? "tools/list" : "tools/call", ck_buffer_bytes(&params), &err);
  if (status == CK_OK) run->id = run->call.id, run->sent = true;
  else if (status == CK_E_TYPE) ck_mcp_tell(run, err.text);
  else ck_mcp_lose(run, status, err.text);
  ck_buffer_clear(&params);
}

void ck_mcp_server_withdraw(ck_effect_run *run, const char *reason) {
  char params[96];
  ck_peer *peer = run->server->peer;
  if (!peer || !run->id) return;
  ck_peer_forget(peer, &run->call);
  snprintf(params, sizeof params, "{\"requestId\":%lld,\"reason\":\"%s\"}", (long long)run->id, reason);
  ck_peer_notify(peer, "notifications/cancelled", ck_bytes_text(params));
}

/* True when it is an answer to go on with. */
static bool take_answer(ck_effect_run *run, const ck_peer_answer *answer) {
  switch (answer->outcome) {
    case CK_PEER_RESULT: return true;
    case CK_PEER_ERROR: ck_mcp_tell(run, answer->text); break;
    case CK_PEER_LATE:
      ck_mcp_server_withdraw(run, "timeout");
      ck_mcp_lose(run, CK_OK, answer->text);
      break;
    case CK_PEER_LOST: ck_mcp_lose(run, CK_E_UNAVAILABLE, answer->text); break;
  }
  return false;
}

static void tell_problem(ck_effect_run *run, const ck_error *err) {
  char text[CK_ERROR_TEXT_MAX];
  if (err->status == CK_E_NO_MEMORY) {
    ck_mcp_deliver(run, NULL);
    return;
  }
  snprintf(text, sizeof text, "%.200s: %.700s", run->server->label, err->text);
  ck_mcp_tell(run, text);
}

static void on_result(void *to, const ck_peer_answer *answer) {
  ck_effect_run *run = to;
  ck_outcome *outcome = NULL;
  ck_error err = CK_ERROR_INIT;
  if (!take_answer(run, answer)) return;
  if (ck_mcp_read_result(&outcome, answer->json, &err) == CK_OK) ck_mcp_deliver(run, outcome);
  else tell_problem(run, &err);
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
  ck_mcp_deliver(run, status == CK_OK ? outcome : NULL);
}

static void on_list(void *to, const ck_peer_answer *answer) {
  ck_effect_run *run = to;
  ck_bytes next;
  ck_error err = CK_ERROR_INIT;
  if (!take_answer(run, answer)) return;
  ck_status status = ck_mcp_read_page(&run->tools, &next, answer->json, &err);
  if (status == CK_OK && next.len && (++run->pages >= PAGES_MAX || run->tools.len > TOOLS_SIZE_MAX)) {
    status = ck_error_set(&err, CK_E_OVERSIZE, "it lists more than %d pages, or %d bytes, of tools", PAGES_MAX, TOOLS_SIZE_MAX);
  }
  if (status != CK_OK) tell_problem(run, &err);
  else if (next.len) send(run, next);
  else deliver_list(run);
}

static void send_waiting(ck_mcp_server *self) {
  for (ck_effect_run *run = self->runs.next; run != &self->runs; run = run->next) {
    if (!run->sent && !run->outcome) send(run, (ck_bytes){0});
  }
}

static void lose_waiting(ck_mcp_server *self, const char *why) {
  for (ck_effect_run *run = self->runs.next; run != &self->runs; run = run->next) {
    if (!run->sent && !run->outcome) ck_mcp_lose(run, CK_E_UNAVAILABLE, why);
  }
}

/* ---- what it says unasked ---- */

static void take_progress(ck_mcp_server *self, ck_bytes params) {
  int64_t token;
  ck_buffer update = {0};
  if (!ck_json_read_int(&token, ck_json_get(params, "progressToken"))) return;
  ck_effect_run *run = self->runs.next;
  while (run != &self->runs && (run->token != token || !run->call.id)) run = run->next;
  if (run == &self->runs) return;
  ck_json_writer w = {.out = &update};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "method", "notifications/progress");
  ck_json_member_raw(&w, "params", params);
  ck_json_end(&w, '}');
  ck_peer_touch(self->peer, &run->call);
  if (!update.failed && ++run->updates <= UPDATES_MAX) run->sink->update(run->sink, ck_buffer_bytes(&update));
  ck_buffer_clear(&update);
}

static void on_told(void *to, const ck_rpc_message *message) {
  ck_mcp_server *self = to;
  if (message->kind == CK_RPC_REQUEST) {
    if (ck_json_is_text(message->method, "ping")) ck_peer_reply(self->peer, message->id, ck_bytes_text("{}"));
    else ck_peer_refuse(self->peer, message->id, CK_RPC_METHOD_NOT_FOUND, "this client offers neither roots, sampling nor elicitation");
  } else if (ck_json_is_text(message->method, "notifications/progress")) {
    take_progress(self, message->params);
  }
}

/* ---- its life ---- */

static void on_ended(void *to, const char *why) {
  ck_mcp_server *self = to;
  self->peer = NULL;
  self->phase = CK_MCP_OFF;
  lose_waiting(self, why);
}

static bool is_spoken(ck_bytes revision) {
  for (const char *const *it = revisions; *it; it++) {
    if (ck_json_is_text(revision, *it)) return true;
  }
  return false;
}

/* Whatever is wrong ends it; those who wait hear of it then. */
static void on_greeted(void *to, const ck_peer_answer *answer) {
  ck_mcp_server *self = to;
  char text[TEXT_MAX];
  if (answer->outcome == CK_PEER_LOST) return;
  if (answer->outcome != CK_PEER_RESULT) {
    snprintf(text, sizeof text, "it does not take part: %.900s", answer->text);
    ck_peer_stop(self->peer, text);
    return;
  }
  ck_bytes revision = ck_json_get(answer->json, "protocolVersion");
  if (!is_spoken(revision)) {
    snprintf(text, sizeof text, "it speaks revision %.*s of the protocol; %s to %s are understood", revision.len < 64 ? (int)revision.len : 64,
             revision.len ? revision.data : "?", revisions[3], revisions[0]);
    ck_peer_stop(self->peer, text);
    return;
  }
  self->phase = CK_MCP_READY;
  ck_peer_notify(self->peer, "notifications/initialized", (ck_bytes){0});
  send_waiting(self);
}

static ck_status greet(ck_mcp_server *self, ck_error *err) {
  ck_buffer params = {0};
  ck_json_writer w = {.out = &params};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "protocolVersion", revisions[0]);
  ck_json_member_raw(&w, "capabilities", ck_bytes_text("{}"));
  ck_json_name(&w, "clientInfo");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "name", "ckrun");
  ck_json_member_text(&w, "version", self->options->version ? self->options->version : "0");
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  self->hello = (ck_peer_call){
    .answered = on_greeted, .to = self, .silence_ms = self->options->start_ms ? self->options->start_ms : CK_MCP_START_MS};
  ck_status status = ck_buffer_check(&params, err);
  if (status == CK_OK) status = ck_peer_ask(self->peer, &self->hello, "initialize", ck_buffer_bytes(&params), err);
  ck_buffer_clear(&params);
  return status;
}

static ck_status open_peer(ck_mcp_server *self, ck_error *err) {
  ck_environment environment;
  ck_status status = ck_environment_take(&environment, self->process->environment, err);
  if (status != CK_OK) return status;
  ck_peer_options options = {
    .loop = self->options->loop,
    .name = self->label,
    .argv = (char *const *)self->process->argv,
    .environment = environment.list,
    .directory = self->options->directory,
    .line_max = self->options->line_max,
    .kill_ms = self->options->kill_ms,
    .told = on_told,
    .ended = on_ended,
    .to = self,
  };
  status = ck_peer_open(&self->peer, &options, err);
  ck_environment_clear(&environment);
  return status;
}

static ck_status start(ck_mcp_server *self, ck_error *err) {
  unsigned most = self->options->starts_max ? self->options->starts_max : CK_MCP_STARTS_MAX;
  if (self->starts >= most) {
    return ck_error_set(err, CK_E_UNAVAILABLE, "%s ended %u times; it is not started again in this run", self->label, self->starts);
  }
  self->starts++;
  ck_status status = open_peer(self, err);
  if (status != CK_OK) return status;
  self->phase = CK_MCP_STARTING;
  /* One that cannot even be started ends by itself, and says why better than a closed pipe does. */
  ck_error ignored = CK_ERROR_INIT;
  if (greet(self, &ignored) != CK_OK) ck_peer_stop(self->peer, "");
  return CK_OK;
}

void ck_mcp_server_ask(ck_mcp_server *self, ck_effect_run *run) {
  ck_error err = CK_ERROR_INIT;
  ck_status status = self->peer ? CK_OK : start(self, &err);
  if (status != CK_OK) ck_mcp_lose(run, status, err.text);
  else if (self->phase == CK_MCP_READY) send(run, (ck_bytes){0});
}

ck_status ck_mcp_server_init(ck_mcp_server *self, const ck_mcp_options *options, const ck_process *process, ck_error *err) {
  ck_buffer label = {0};
  ck_buffer_append_format(&label, "the MCP server '%.64s'", process->name);
  *self = (ck_mcp_server){.options = options, .process = process, .label = ck_buffer_take(&label)};
  self->runs.next = self->runs.previous = &self->runs;
  return self->label ? CK_OK : ck_error_no_memory(err);
}

void ck_mcp_server_clear(ck_mcp_server *self) {
  ck_peer_free(self->peer);
  free(self->label);
  self->peer = NULL;
  self->label = NULL;
}
