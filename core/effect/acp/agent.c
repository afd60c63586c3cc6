/* agent.c - one agent from its start to its end: greeting, sessions, prompts, requests of its
 * own. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/acp/private.h"

enum { VERSION = 1, AUTH_REQUIRED = -32000, LOGIN_MAX = 200, LOGINS_MAX = 600 };

/* ---- asking ---- */

static void on_opened(void *to, const ck_peer_answer *answer);
static void on_prompted(void *to, const ck_peer_answer *answer);

static ck_status write_params(ck_buffer *out, const ck_effect_run *run, ck_error *err) {
  char folder[PATH_MAX];
  const char *directory = run->agent->options->service.directory;
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  if (run->phase == CK_ACP_PROMPTED || run->opening != CK_ACP_NEW)
    ck_json_member_text(&w, "sessionId", run->session);
  if (run->phase == CK_ACP_PROMPTED) {
    ck_acp_append_prompt(&w, run);
  } else {
    if (!realpath(directory ? directory : ".", folder))
      return ck_error_set(err, CK_E_UNAVAILABLE, "the folder %s cannot be found", directory);
    ck_json_member_text(&w, "cwd", folder);
    ck_json_member_raw(&w, "mcpServers", ck_bytes_text("[]"));
  }
  ck_json_end(&w, '}');
  return ck_buffer_check(out, err);
}

/* Of those that open a session. */
static const char *const methods[] = {[CK_ACP_NEW] = "session/new",
                                      [CK_ACP_LOAD] = "session/load",
                                      [CK_ACP_RESUME] = "session/resume"};

static void send(ck_effect_run *run, ck_acp_phase phase) {
  ck_buffer params = {0};
  ck_error err = CK_ERROR_INIT;
  ck_acp_phase before = run->phase;
  bool prompts = phase == CK_ACP_PROMPTED;
  const char *method = prompts ? "session/prompt" : methods[run->opening];
  run->phase = phase;
  run->call = (ck_peer_call){.answered = prompts ? on_prompted : on_opened,
                             .to = run,
                             .silence_ms = ck_acp_silence_of(run->agent),
                             .total_ms = ck_acp_total_of(run->agent),
                             .subject = ck_bytes_text(prompts ? "its turn" : "its session"),
                             .deadline_ms = run->pending.effect->deadline_ms};
  ck_status status = write_params(&params, run, &err);
  if (status == CK_OK)
    status = ck_peer_request(run->agent->service.peer, &run->call, method, ck_buffer_bytes(&params),
                             &err);
  ck_buffer_clear(&params);
  if (status != CK_OK) {
    run->phase = before;
    ck_acp_lose(run, status, err.text);
  } else if (prompts) {
    ck_buffer_clear(&run->parts);
    run->pending.sent = true;
    run->pending.cost_micros = -1;
  }
}

/* Unless the turn was cancelled meanwhile, or its agent died. */
static void send_prompt(void *to) {
  ck_effect_run *run = to;
  if (!run->pending.outcome && run->agent->service.peer) send(run, CK_ACP_PROMPTED);
}

/* An agent at work is found again by whoever comes after a crash: its session is in the store
 * before it has the prompt. */
static void prompt(ck_effect_run *run) {
  ck_effect_sink *sink = run->pending.sink;
  ck_acp_report_session(run);
  run->phase = CK_ACP_KEEPS;
  if (sink->when_kept)
    sink->when_kept(sink, send_prompt, run);
  else
    send_prompt(run);
}

static bool is_busy(ck_acp_agent *self, const ck_effect_run *except, const char *session) {
  for (ck_effect_run *run = NULL; (run = ck_pending_calls_next(&self->runs, run));) {
    if (run != except && !run->pending.outcome && strcmp(run->session, session) == 0) return true;
  }
  return false;
}

static ck_acp_opening best_opening(const ck_acp_agent *self) {
  if (self->can_resume) return CK_ACP_RESUME;
  return self->can_load ? CK_ACP_LOAD : CK_ACP_NEW;
}

/* The session that is wanted, if this process has it or the agent can go on with it; else a new
 * one. */
static void open_session(ck_effect_run *run) {
  char wanted[CK_ACP_ID_MAX];
  ck_acp_agent *agent = run->agent;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_acp_write_parts(run, &err);
  if (status != CK_OK) {
    ck_acp_end(run, CK_OUTCOME_FAILED, status, err.text);
    return;
  }
  ck_acp_read_wanted(wanted, run);
  if (*wanted && is_busy(agent, run, wanted)) {
    ck_acp_end(run, CK_OUTCOME_FAILED, CK_E_FLOW, "its session is at work on another prompt");
    return;
  }
  const ck_acp_session *known = *wanted ? ck_acp_find_session(agent, wanted) : NULL;
  run->opening = *wanted && !known ? best_opening(agent) : CK_ACP_NEW;
  if (known || run->opening != CK_ACP_NEW) memcpy(run->session, wanted, sizeof wanted);
  run->cost_before = known ? known->cost_micros : -1;
  if (known)
    prompt(run);
  else
    send(run, CK_ACP_OPENS);
}

static bool is_locked(const ck_peer_answer *answer) {
  return answer->outcome == CK_PEER_ERROR && answer->code == AUTH_REQUIRED;
}

/* Nobody here logs in for a person: what the agent offers is told. */
static void refuse(ck_effect_run *run, ck_outcome_status status, ck_status class,
                   const ck_peer_answer *answer) {
  ck_buffer why = {0};
  ck_bytes offered = ck_buffer_bytes(&run->agent->logins);
  ck_buffer_append_text(&why, answer->text);
  if (is_locked(answer) && offered.len)
    ck_buffer_append_text(&why, "; log in, then resume; it offers: ");
  if (is_locked(answer)) ck_buffer_append_bytes(&why, offered);
  ck_acp_end(run, status, class, why.failed ? answer->text : why.data);
  ck_buffer_clear(&why);
}

static void refuse_session(ck_effect_run *run, const ck_peer_answer *answer) {
  refuse(run, CK_OUTCOME_FAILED, is_locked(answer) ? CK_E_CREDENTIALS : CK_E_UNAVAILABLE, answer);
}

static void on_opened(void *to, const ck_peer_answer *answer) {
  ck_effect_run *run = to;
  ck_acp_agent *agent = run->agent;
  if (answer->outcome == CK_PEER_ERROR && run->opening != CK_ACP_NEW &&
      answer->code != AUTH_REQUIRED) { /* it may load what it cannot resume, or has forgotten it */
    bool loads = run->opening == CK_ACP_RESUME && agent->can_load;
    run->opening = loads ? CK_ACP_LOAD : CK_ACP_NEW;
    if (!loads) *run->session = '\0';
    send(run, CK_ACP_OPENS);
    return;
  }
  if (answer->outcome != CK_PEER_RESULT) {
    refuse_session(run, answer);
    return;
  }
  bool begins = run->opening == CK_ACP_NEW;
  if (begins) ck_acp_read_id(run->session, ck_json_get(answer->json, "sessionId"));
  if (!*run->session) {
    ck_peer_stop(agent->service.peer, "it began a session without an id");
    ck_acp_end(run, CK_OUTCOME_FAILED, CK_E_UNAVAILABLE, "the agent began a session without an id");
    return;
  }
  const ck_acp_session *session = ck_acp_add_session(agent, run->session, begins ? 0 : -1);
  run->cost_before = session ? session->cost_micros : -1;
  run->is_new = begins;
  run->text.len = 0; /* loading repeats the session's messages */
  prompt(run);
}

/* ---- the end of a turn ---- */

/* A cancelled turn ends with its answer, whether the agent finished it or broke it off. Only a turn
 * that may be repeated freely, or that lacked a permission, fails, so that it is begun again as a
 * whole. Of one that was silent too long nobody can tell what it did. */
static void deliver_result(ck_effect_run *run, ck_bytes result) {
  ck_outcome *outcome = NULL;
  ck_error err = CK_ERROR_INIT;
  bool cancelled = ck_json_is_text(ck_json_get(result, "stopReason"), "cancelled");
  bool received = run->ending == CK_E_INTERRUPTED && ck_pending_call_is_in_doubt(&run->pending);
  bool again = run->phase == CK_ACP_ENDS && (cancelled ? !received : run->ending == CK_E_WAITING);
  if (again && run->ending == CK_E_UNAVAILABLE)
    ck_acp_lose(run, ck_pending_call_is_in_doubt(&run->pending) ? CK_OK : run->ending, run->why);
  else if (again)
    ck_acp_end(run, CK_OUTCOME_FAILED, run->ending, run->why);
  else if (ck_acp_read_result(&outcome, run, result, &err) == CK_OK)
    ck_acp_deliver(run, outcome);
  else if (err.status == CK_E_NO_MEMORY)
    ck_acp_deliver(run, NULL);
  else
    ck_acp_lose(run, CK_E_UNAVAILABLE, err.text);
}

static void on_prompted(void *to, const ck_peer_answer *answer) {
  ck_effect_run *run = to;
  bool ends = run->phase == CK_ACP_ENDS;
  switch (answer->outcome) {
    case CK_PEER_RESULT:
      deliver_result(run, answer->json);
      break;
    case CK_PEER_ERROR:
      if (ends)
        deliver_result(run, ck_bytes_text("{\"stopReason\":\"cancelled\"}"));
      else
        refuse(run, CK_OUTCOME_ERROR, CK_OK, answer);
      break;
    case CK_PEER_LATE:
      if (!ends) {
        ck_acp_cancel(run, CK_E_UNAVAILABLE, answer->text);
        break;
      }
      ck_peer_stop(run->agent->service.peer, "it did not stop when it was told to");
      ck_acp_lose(run, run->ending, run->why);
      break;
    case CK_PEER_LOST:
      ck_acp_lose(run, ends ? run->ending : CK_E_UNAVAILABLE, answer->text);
      break;
  }
}

/* ---- requests and notifications from the peer ---- */

static void on_received(void *to, const ck_rpc_message *message) {
  ck_acp_agent *self = to;
  ck_bytes method = message->method;
  bool reads = ck_json_is_text(method, "fs/read_text_file"),
       writes = ck_json_is_text(method, "fs/write_text_file");
  if (message->kind == CK_RPC_NOTIFICATION) {
    if (ck_json_is_text(method, "session/update")) ck_acp_take_update(self, message->params);
  } else if (ck_json_is_text(method, "session/request_permission")) {
    ck_acp_take_permission(self, &(ck_acp_asked){CK_ACP_ACTION, message->id, message->params});
  } else if (self->options->files && (reads || writes)) {
    ck_acp_take_file_request(self, message, writes);
  } else {
    ck_peer_refuse(self->service.peer, message->id, CK_RPC_METHOD_NOT_FOUND,
                   self->options->files ? "this client offers text files, and no terminals"
                                        : "this client offers neither files nor terminals");
  }
}

/* ---- start and end ---- */

static void on_lost(void *to, const char *why) {
  ck_acp_agent *self = to;
  ck_acp_clear_sessions(self);
  for (ck_effect_run *run = NULL; (run = ck_pending_calls_next(&self->runs, run));) {
    if (why && !run->pending.outcome) ck_acp_lose(run, CK_E_UNAVAILABLE, why);
  }
  ck_acp_drop_permissions(self, NULL);
}

static bool has(ck_bytes capabilities, const char *name) {
  bool said = false;
  return ck_json_read_bool(&said, ck_json_get(capabilities, name)) && said;
}

/* "Log in (run: agent login), API key". */
static void note_logins(ck_buffer *out, ck_bytes offered) {
  ck_buffer_reset(out);
  for (ck_json_iterator it = ck_json_iterate(offered);
       ck_json_type_of(offered) == CK_JSON_ARRAY && ck_json_next(&it) && out->len < LOGINS_MAX;) {
    ck_buffer name = {0}, about = {0};
    ck_json_read_string(&name, ck_json_get(it.value, "name"));
    ck_json_read_string(&about, ck_json_get(it.value, "description"));
    if (name.len && out->len) ck_buffer_append_text(out, ", ");
    ck_buffer_append_bytes(out,
                           (ck_bytes){name.data, ck_peer_cut(ck_buffer_bytes(&name), LOGIN_MAX)});
    if (name.len && about.len)
      ck_buffer_append_format(out, " (%.*s)", (int)ck_peer_cut(ck_buffer_bytes(&about), LOGIN_MAX),
                              about.data);
    ck_buffer_clear(&name);
    ck_buffer_clear(&about);
  }
}

static bool on_greeted(void *to, ck_bytes result, char why[CK_SERVICE_WHY_MAX]) {
  ck_acp_agent *self = to;
  int64_t version = -1;
  ck_bytes can = ck_json_get(result, "agentCapabilities");
  ck_bytes takes = ck_json_get(can, "promptCapabilities");
  note_logins(&self->logins, ck_json_get(result, "authMethods"));
  self->can_load = has(can, "loadSession");
  self->can_resume = ck_json_type_of(ck_json_get(ck_json_get(can, "sessionCapabilities"),
                                                 "resume")) == CK_JSON_OBJECT;
  self->takes.images = has(takes, "image");
  self->takes.audio = has(takes, "audio");
  self->takes.resources = has(takes, "embeddedContext");
  if (ck_json_read_int(&version, ck_json_get(result, "protocolVersion")) && version == VERSION)
    return true;
  snprintf(why, CK_SERVICE_WHY_MAX, "it speaks version %lld of the protocol; %d is understood",
           (long long)version, VERSION);
  return false;
}

static void on_ready(void *to) {
  ck_acp_agent *self = to;
  for (ck_effect_run *run = NULL; (run = ck_pending_calls_next(&self->runs, run));) {
    if (!run->pending.outcome && run->phase == CK_ACP_WAITS) open_session(run);
  }
}

static void write_greeting(void *to, ck_buffer *out) {
  ck_acp_agent *self = to;
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "protocolVersion", VERSION);
  ck_json_name(&w, "clientCapabilities");
  ck_json_begin(&w, '{');
  ck_json_name(&w, "fs");
  ck_json_begin(&w, '{');
  ck_json_member_bool(&w, "readTextFile", self->options->files);
  ck_json_member_bool(&w, "writeTextFile", self->options->files);
  ck_json_end(&w, '}');
  ck_json_member_bool(&w, "terminal", false);
  ck_json_end(&w, '}');
  ck_service_write_client(&w, "clientInfo", &self->options->service);
  ck_json_end(&w, '}');
}

static const ck_service_protocol protocol = {
    .noun = "agent",
    .write_initialize = write_greeting,
    .initialized = on_greeted,
    .ready = on_ready,
    .received = on_received,
    .lost = on_lost,
};

void ck_acp_agent_prompt(ck_acp_agent *self, ck_effect_run *run) {
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_service_start(&self->service, &err);
  if (status != CK_OK)
    ck_acp_lose(run, status, err.text);
  else if (self->service.ready && !self->service.again)
    open_session(run);
}

ck_status ck_acp_agent_init(ck_acp_agent *self, const ck_acp_options *options,
                            const ck_process *process, ck_error *err) {
  self->options = options;
  self->permissions.next = self->permissions.previous = &self->permissions;
  const ck_service service = {
      .protocol = &protocol, .options = &options->service, .process = process, .to = self};
  return ck_service_init(&self->service, &service, err);
}

void ck_acp_agent_clear(ck_acp_agent *self) {
  ck_service_clear(&self->service);
  while (self->permissions.next != &self->permissions)
    ck_acp_forget_permission(self->permissions.next);
  ck_acp_clear_sessions(self);
  ck_buffer_clear(&self->logins);
}
