/* input.c - a server without a handshake wants something before it goes on: the call ends with
 * that, and is made again with it. */
#include <stdio.h>
#include <stdlib.h>

#include "core/effect/mcp/private.h"

static bool is_given(ck_bytes member) {
  return member.len > 0 && ck_json_type_of(member) != CK_JSON_NULL;
}

bool ck_mcp_can_wish(const ck_mcp_server *self, ck_bytes method) {
  const ck_process *process = self->service.process;
  return (process->elicitation && ck_json_is_text(method, "elicitation/create")) ||
         (process->sampling && ck_json_is_text(method, "sampling/createMessage"));
}

/* A person is not sent to an address: nobody here opens it. A model is not given the server's own
 * tools: its calls of them would be nobody's effects. */
const char *ck_mcp_not_offered(const ck_mcp_server *self, ck_bytes method, ck_bytes params) {
  bool elicits = ck_json_is_text(method, "elicitation/create");
  ck_bytes mode = ck_json_get(params, "mode");
  if (ck_json_is_text(method, "roots/list")) return self->service.process->roots ? NULL : "";
  if (!ck_mcp_can_wish(self, method)) return "";
  if (ck_json_type_of(params) != CK_JSON_OBJECT) return " without parameters";
  if (elicits && mode.len && !ck_json_is_text(mode, "form"))
    return " of another mode than \"form\"";
  if (!elicits &&
      (is_given(ck_json_get(params, "tools")) || is_given(ck_json_get(params, "toolChoice"))))
    return " with tools";
  return NULL;
}

static void report_unoffered(ck_effect_run *run, ck_bytes method, const char *how) {
  char text[400];
  snprintf(text, sizeof text, "%.200s: it wants %.*s%s, which was not offered to it",
           run->server->service.label, (int)ck_peer_cut(method, 60), method.len ? method.data : "?",
           how);
  ck_mcp_report_error(run, text);
}

static void deliver(ck_effect_run *run, ck_bytes requests, ck_bytes state) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_value *value = NULL;
  ck_outcome *outcome = NULL;
  ck_error ignored = CK_ERROR_INIT;
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "requests", requests.len ? requests : ck_bytes_text("{}"));
  if (state.len) ck_json_member_raw(&w, "state", state);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(&value, &json, &ignored);
  if (status == CK_OK) status = ck_outcome_new(&outcome, CK_OUTCOME_OK, value, NULL, &ignored);
  if (status == CK_OK) outcome->wants = true;
  ck_value_free(value);
  ck_buffer_clear(&json);
  ck_mcp_deliver(run, status == CK_OK ? outcome : NULL);
}

void ck_mcp_take_wanted(ck_effect_run *run, ck_bytes result) {
  ck_bytes requests = ck_json_get(result, "inputRequests"),
           state = ck_json_get(result, "requestState");
  bool named = ck_json_type_of(requests) == CK_JSON_OBJECT,
       kept = ck_json_type_of(state) == CK_JSON_STRING;
  if ((requests.len && !named) || (state.len && !kept) || (!named && !kept) || run->probe) {
    ck_mcp_report_error(run, "it wants something, and does not say what (inputRequests)");
    return;
  }
  if (requests.len + state.len > CK_MCP_WANTED_MAX) {
    ck_mcp_report_error(run, "it wants more in the midst of a call than anybody reads");
    return;
  }
  for (ck_json_iterator it = ck_json_iterate(requests); named && ck_json_next(&it);) {
    ck_bytes method = ck_json_get(it.value, "method");
    const char *how = ck_mcp_not_offered(run->server, method, ck_json_get(it.value, "params"));
    if (!how) continue;
    report_unoffered(run, method, how);
    return;
  }
  deliver(run, requests, state);
}

void ck_mcp_put_responses(ck_json_writer *w, const ck_effect_run *run) {
  ck_bytes input = ck_json_get(run->pending.effect->request, "input"),
           of = ck_json_get(input, "of"), given = ck_json_get(input, "responses"),
           state = ck_json_get(of, "state");
  if (!input.len) return;
  ck_json_name(w, "inputResponses");
  ck_json_begin(w, '{');
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(of, "requests")); ck_json_next(&it);) {
    char *name = ck_json_dup_string(it.name);
    ck_bytes response = name ? ck_json_get(given, name) : (ck_bytes){0};
    if (!name) w->out->failed = true;
    if (name && ck_json_is_text(ck_json_get(it.value, "method"), "roots/list")) {
      ck_json_name(w, name);
      ck_mcp_write_roots(w, run->server);
    } else if (response.len) {
      ck_json_member_raw(w, name, response);
    }
    free(name);
  }
  ck_json_end(w, '}');
  if (state.len) ck_json_member_raw(w, "requestState", state);
}
