/* session_document.c - begins a session with what the document of a paused one says. */
#include "core/runtime/portable/session_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/runtime/budget/dimension.h"
#include "core/runtime/portable/extension.h"
#include "core/runtime/portable/field.h"
#include "core/runtime/portable/restored.h"
#include "core/runtime/session/session_private.h"
#include "core/runtime/session/tail/tail_section.h"

/* ---- reading ---- */

bool ck_session_document_is(ck_bytes document) {
  static const char *const names[] = {"sessionId", "constraintState", "activeAgents",
                                      "roundsCompleted"};
  int found = 0;
  if (ck_json_type_of(document) != CK_JSON_OBJECT) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    found += ck_json_get(document, names[i]).len > 0;
  return found >= 2;
}

static ck_status check_event(ck_bytes event, size_t agent, size_t index, ck_error *err) {
  bool fine = ck_json_type_of(ck_json_get(event, "kind")) == CK_JSON_STRING &&
              ck_json_type_of(ck_json_get(event, "body")) == CK_JSON_OBJECT;
  if (fine) return CK_OK;
  return ck_error_set(
      err, CK_E_PARSE,
      "field activeAgents[%zu].conversationTail[%zu] must be an event with a kind and a body",
      agent, index);
}

static ck_status check_agent(ck_bytes agent, size_t at, ck_error *err) {
  char paths[3][64];
  int64_t depth;
  ck_bytes id, tail = {0};
  snprintf(paths[0], sizeof *paths, "activeAgents[%zu].agentId", at);
  snprintf(paths[1], sizeof *paths, "activeAgents[%zu].depth", at);
  snprintf(paths[2], sizeof *paths, "activeAgents[%zu].conversationTail", at);
  ck_field name = {paths[0], CK_JSON_STRING, "a string"};
  ck_field list = {paths[2], CK_JSON_ARRAY, "an array"};
  ck_status status = ck_field_read(&id, agent, "agentId", &name, err);
  if (status == CK_OK) status = ck_field_read_count(&depth, agent, "depth", paths[1], 1000, err);
  if (status == CK_OK) status = ck_field_read(&tail, agent, "conversationTail", &list, err);
  ck_json_iterator it = ck_json_iterate(tail);
  for (size_t i = 0; status == CK_OK && ck_json_next(&it); i++)
    status = check_event(it.value, at, i, err);
  return status;
}

ck_status ck_session_document_read(ck_session_document *out, ck_bytes document, ck_error *err) {
  static const ck_field session = {"sessionId", CK_JSON_STRING, "a string"},
                        constraints = {"constraintState", CK_JSON_OBJECT, "an object"},
                        agents = {"activeAgents", CK_JSON_ARRAY, "an array"},
                        pending = {"pendingDelegations", CK_JSON_ARRAY, "an array"},
                        created = {"createdAt", CK_JSON_STRING, "a string"};
  int64_t depth;
  *out = (ck_session_document){0};
  if (ck_json_type_of(document) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "a session checkpoint is a JSON object");
  ck_status status = ck_field_read(&out->session, document, "sessionId", &session, err);
  if (status == CK_OK)
    status = ck_field_read(&out->constraints, document, "constraintState", &constraints, err);
  if (status == CK_OK) status = ck_field_read(&out->agents, document, "activeAgents", &agents, err);
  if (status == CK_OK)
    status = ck_field_read_count(&out->rounds, document, "roundsCompleted", "roundsCompleted",
                                 CK_SESSION_DOCUMENT_ROUNDS_MAX, err);
  if (status == CK_OK)
    status = ck_field_read(&out->pending, document, "pendingDelegations", &pending, err);
  if (status == CK_OK)
    status = ck_field_read_count(&depth, document, "transcriptReplayDepth", "transcriptReplayDepth",
                                 INT32_MAX, err);
  if (status == CK_OK) status = ck_field_read(&out->created, document, "createdAt", &created, err);
  if (status == CK_OK) status = ck_extension_read(&out->extension, document, err);
  ck_json_iterator it = ck_json_iterate(out->agents);
  for (size_t i = 0; status == CK_OK && ck_json_next(&it); i++)
    status = check_agent(it.value, i, err);
  if (status != CK_OK) *out = (ck_session_document){0};
  return status;
}

/* ---- the agents ---- */

typedef struct restoring {
  const ck_session_document *of;
  ck_session *session;
  const ck_flow_manifest *flow;
  bool led; /* the flow's lead has got its section */
} restoring;

/* "2026-01-31T23:59:59.123Z"; 0 when it is none. */
static int64_t read_time(ck_bytes json) {
  struct tm at = {0};
  int ms = 0;
  char *text = ck_json_dup_string(json);
  bool is = text && sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ", &at.tm_year, &at.tm_mon,
                           &at.tm_mday, &at.tm_hour, &at.tm_min, &at.tm_sec, &ms) == 7;
  free(text);
  at.tm_year -= 1900;
  at.tm_mon -= 1;
  return is ? (int64_t)timegm(&at) * 1000 + ms : 0;
}

static ck_status append_event(ck_buffer *out, ck_bytes json, ck_error *err) {
  char *kind = ck_json_dup_string(ck_json_get(json, "kind"));
  char *agent = ck_json_dup_string(ck_json_get(json, "agent"));
  ck_value *body = NULL;
  ck_status status =
      kind ? ck_value_copy(&body, ck_json_get(json, "body"), err) : ck_error_no_memory(err);
  ck_event event = {.kind = kind ? ck_event_kind_of(kind) : 0,
                    .at_ms = read_time(ck_json_get(json, "at")),
                    .scope = "main",
                    .agent = agent,
                    .body = body};
  if (status == CK_OK) ck_buffer_append_char(out, '\n');
  if (status == CK_OK) ck_tail_append_line(out, &event);
  ck_value_free(body);
  free(agent);
  free(kind);
  return status;
}

/* A report: it waits for the agent's prompt. */
static ck_status write_section(ck_value **out, ck_bytes tail, ck_error *err) {
  ck_buffer text = {0}, json = {0};
  ck_json_writer w = {.out = &json};
  ck_status status = CK_OK;
  ck_tail_append_heading(&text);
  ck_json_iterator it = ck_json_iterate(tail);
  while (status == CK_OK && ck_json_next(&it)) status = append_event(&text, it.value, err);
  ck_json_begin(&w, '{');
  ck_json_name(&w, "message");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "role", "user");
  ck_json_member_string(&w, "content", ck_buffer_bytes(&text));
  ck_json_end(&w, '}');
  ck_json_member_bool(&w, "report", true);
  ck_json_member_bool(&w, CK_SESSION_DOCUMENT_TOLD, true);
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = ck_value_from(out, &json, err);
  ck_buffer_clear(&text);
  ck_buffer_clear(&json);
  return status;
}

/* The lead speaks next: it is told at least that the session goes on. */
static ck_status put_tail(restoring *self, ck_bytes agent, const char *name, ck_error *err) {
  char scope[CK_STATE_KEY_MAX];
  bool leads = self->flow->lead && strcmp(self->flow->lead, name) == 0;
  ck_bytes tail = ck_json_get(agent, "conversationTail");
  ck_value *section = NULL;
  if (!leads && ck_json_count(tail) == 0) return CK_OK;
  self->led |= leads;
  snprintf(scope, sizeof scope, leads ? "main" : "main.agent.%s", name);
  ck_status status = write_section(&section, tail, err);
  if (status == CK_OK)
    status = ck_session_append(self->session, CK_EVENT_MESSAGE, scope, name, section, err);
  ck_value_free(section);
  return status;
}

static ck_status put_pad(const restoring *self, ck_bytes agent, const char *name, ck_error *err) {
  char key[CK_STATE_KEY_MAX];
  ck_bytes pad = ck_json_get(agent, "expertiseSnapshot");
  ck_value *value = NULL;
  if (!pad.len || ck_json_type_of(pad) == CK_JSON_NULL) return CK_OK;
  snprintf(key, sizeof key, "scratch.%s", name);
  ck_status status = ck_value_copy(&value, pad, err);
  if (status == CK_OK) status = ck_session_put(self->session, key, value, err);
  ck_value_free(value);
  return status;
}

/* The flow itself takes part where a function leads. */
static bool is_flow(const ck_flow_manifest *flow, const char *name) {
  return flow->name && strcmp(flow->name, name) == 0;
}

static ck_status check_known(const ck_flow_manifest *flow, const char *name, ck_error *err) {
  for (const char *const *agent = flow->agents; agent && *agent; agent++)
    if (strcmp(*agent, name) == 0) return CK_OK;
  if (is_flow(flow, name)) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED, "flow %s has no agent '%s', who takes part in the session",
                      flow->path, name);
}

ck_status ck_session_document_check(const ck_session_document *self, const ck_flow_manifest *flow,
                                    ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(self->agents);
  while (status == CK_OK && ck_json_next(&it)) {
    char *name = ck_json_dup_string(ck_json_get(it.value, "agentId"));
    status = name ? check_known(flow, name, err) : ck_error_no_memory(err);
    free(name);
  }
  return status;
}

static ck_status put_agents(restoring *self, ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(self->of->agents);
  while (status == CK_OK && ck_json_next(&it)) {
    char *name = ck_json_dup_string(ck_json_get(it.value, "agentId"));
    if (!name) return ck_error_no_memory(err);
    status = put_pad(self, it.value, name, err);
    if (status == CK_OK && !is_flow(self->flow, name)) status = put_tail(self, it.value, name, err);
    free(name);
  }
  if (status == CK_OK && self->flow->lead && !self->led)
    status = put_tail(self, ck_bytes_text("{\"conversationTail\":[]}"), self->flow->lead, err);
  return status;
}

/* ---- what was spent, and where it goes on ---- */

static int64_t spent_of(const restoring *self, ck_dimension dimension) {
  int64_t spent = 0;
  ck_bytes state = ck_json_get(self->of->constraints, ck_dimension_name(dimension));
  ck_json_read_int(&spent, ck_json_get(state, "spent"));
  return spent > 0 ? spent : 0;
}

/* The document's own sum of tokens stands, however ckrun's member divides it. */
static void divide_tokens(const restoring *self, ck_totals *totals) {
  int64_t output = 0, all = totals->input_tokens;
  ck_json_read_int(&output, ck_json_get(self->of->extension, "output_tokens"));
  totals->output_tokens = output < 0 ? 0 : output < all ? output : all;
  totals->input_tokens = all - totals->output_tokens;
}

static ck_status carry_totals(const restoring *self, ck_error *err) {
  ck_totals totals = {.cost_micros = spent_of(self, CK_DIMENSION_BUDGET),
                      .input_tokens = spent_of(self, CK_DIMENSION_TOKENS),
                      .model_calls = spent_of(self, CK_DIMENSION_MODEL_CALLS),
                      .tool_calls = spent_of(self, CK_DIMENSION_TOOL_CALLS),
                      .active_us = spent_of(self, CK_DIMENSION_TIME) * 1000};
  divide_tokens(self, &totals);
  ck_session_carry_totals(self->session, &totals, self->of->rounds);
  return ck_session_carry_agents(self->session, ck_json_get(self->of->extension, "agents"), err);
}

/* Rounds are counted on also by a profile that resets them: the flow's own count is a place. */
static ck_status put_position(const restoring *self, ck_error *err) {
  ck_restored position;
  int64_t round = self->of->rounds + 1;
  ck_restored_begin_position(&position, self->session, "round", round);
  ck_json_member_int(&position.w, "round", round);
  ck_json_member_int(&position.w, "turn", 1);
  ck_json_member_text(&position.w, "next", "model");
  ck_json_member_text(&position.w, "imported", "unprompted");
  return ck_restored_put_position(&position, err);
}

static ck_status append_note(const restoring *self, ck_error *err) {
  ck_restored note;
  ck_restored_begin_note(&note, self->session, CK_SESSION_DOCUMENT_NOTE);
  ck_json_member_raw(&note.w, "sessionId", self->of->session);
  ck_json_member_int(&note.w, "roundsCompleted", self->of->rounds);
  ck_json_member_raw(&note.w, "createdAt", self->of->created);
  ck_json_member_raw(&note.w, "activeAgents", self->of->agents);
  ck_json_member_raw(&note.w, "pendingDelegations", self->of->pending);
  ck_json_member_raw(&note.w, "constraintState", self->of->constraints);
  return ck_restored_append_note(&note, err);
}

ck_status ck_session_document_restore(const ck_session_document *self, ck_session *session,
                                      const ck_flow_manifest *flow, ck_error *err) {
  restoring r = {.of = self, .session = session, .flow = flow};
  ck_status status = append_note(&r, err);
  if (status == CK_OK) status = put_agents(&r, err);
  if (status == CK_OK) status = carry_totals(&r, err);
  if (status == CK_OK) status = put_position(&r, err);
  return status == CK_OK ? ck_restored_pause(session, err) : status;
}
