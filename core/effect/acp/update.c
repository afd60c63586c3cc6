/* update.c - an agent's updates while it works: passed on, and summed up. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/acp/private.h"

enum { UPDATES_MAX = 100000, UPDATE_BYTES_MAX = 64 << 20 };

/* ---- kinds of tools ---- */

static void copy_text(char *out, size_t size, ck_bytes json) {
  char *text = ck_json_dup_string(json);
  size_t len = text ? strlen(text) : 0;
  *out = '\0';
  if (text && len < size) memcpy(out, text, len + 1);
  free(text);
}

/* Newest first, so that an agent that uses an id twice gains nothing by the older call. */
static const ck_acp_tool *find_tool(const ck_effect_run *run, ck_bytes call) {
  size_t kept = run->tool_count < CK_ACP_TOOLS_MAX ? run->tool_count : CK_ACP_TOOLS_MAX;
  for (size_t back = 1; back <= kept; back++) {
    const ck_acp_tool *tool = &run->tools[(run->tool_count - back) % CK_ACP_TOOLS_MAX];
    if (ck_json_is_text(call, tool->call)) return tool;
  }
  return NULL;
}

void ck_acp_kind_of(char out[CK_ACP_KIND_MAX], const ck_effect_run *run, ck_bytes call) {
  copy_text(out, CK_ACP_KIND_MAX, ck_json_get(call, "kind"));
  const ck_acp_tool *tool = *out ? NULL : find_tool(run, ck_json_get(call, "toolCallId"));
  if (tool) memcpy(out, tool->kind, CK_ACP_KIND_MAX);
  if (!*out) memcpy(out, "other", sizeof "other");
}

static void note_tool(ck_effect_run *run, ck_bytes update) {
  ck_acp_tool *tool = &run->tools[run->tool_count++ % CK_ACP_TOOLS_MAX];
  copy_text(tool->call, sizeof tool->call, ck_json_get(update, "toolCallId"));
  copy_text(tool->kind, sizeof tool->kind, ck_json_get(update, "kind"));
}

/* ---- cost ---- */

static void note_cost(ck_acp_agent *self, const char *session, ck_bytes cost) {
  double amount;
  ck_acp_session *it = ck_acp_find_session(self, session);
  if (!it || !ck_json_is_text(ck_json_get(cost, "currency"), "USD")) return;
  if (!ck_json_read_double(&amount, ck_json_get(cost, "amount")) || !(amount >= 0 && amount < 1e9))
    return;
  it->cost_micros = llround(amount * 1e6);
  it->priced = true;
}

/* ---- updates ---- */

static void sum_up(ck_effect_run *run, ck_bytes update) {
  ck_bytes kind = ck_json_get(update, "sessionUpdate");
  if (ck_json_is_text(kind, "agent_message_chunk")) {
    ck_bytes content = ck_json_get(update, "content");
    if (ck_json_is_text(ck_json_get(content, "type"), "text"))
      ck_json_read_string(&run->text, ck_json_get(content, "text"));
  } else if (ck_json_is_text(kind, "tool_call")) {
    note_tool(run, update);
  } else if (ck_json_is_text(kind, "usage_update")) {
    note_cost(run->agent, run->session, ck_json_get(update, "cost"));
  }
}

void ck_acp_take_update(ck_acp_agent *self, ck_bytes params) {
  ck_effect_run *run = ck_acp_find_run(self, params);
  ck_bytes update = ck_json_get(params, "update");
  if (!run || ck_json_type_of(update) != CK_JSON_OBJECT) return;
  sum_up(run, update);
  ck_acp_touch(run);
  if (run->phase < CK_ACP_PROMPTED)
    return; /* it repeats the messages of a session that is being loaded */
  run->update_bytes += update.len;
  if (++run->updates > UPDATES_MAX || run->update_bytes > UPDATE_BYTES_MAX) {
    ck_peer_stop(self->service.peer, "it told more than is kept of one turn");
    return;
  }
  run->pending.sink->update(run->pending.sink, update);
}

/* ---- the end of a turn ---- */

static ck_status write_result(ck_value **out, const ck_effect_run *run, ck_bytes reason,
                              ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "stop_reason", reason);
  ck_json_member_string(&w, "text", ck_buffer_bytes(&run->text));
  ck_json_member_text(&w, "session_id", run->session);
  ck_json_member_int(&w, "updates", run->updates);
  if (run->phase == CK_ACP_ENDS && ck_json_is_text(reason, "cancelled"))
    ck_json_member_bool(&w, "interrupted", true);
  ck_json_end(&w, '}');
  ck_status status = ck_buffer_check(&run->text, err);
  if (status == CK_OK) status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

/* The agent reports the cost of the whole session. Without a report there is no price. */
static int64_t cost_of(const ck_effect_run *run) {
  const ck_acp_session *session = ck_acp_find_session(run->agent, run->session);
  if (!session || !session->priced || run->cost_before < 0 ||
      session->cost_micros < run->cost_before)
    return -1;
  return session->cost_micros - run->cost_before;
}

ck_status ck_acp_read_result(ck_outcome **out, const ck_effect_run *run, ck_bytes result,
                             ck_error *err) {
  ck_bytes reason = ck_json_get(result, "stopReason");
  ck_value *value = NULL;
  *out = NULL;
  if (ck_json_type_of(reason) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_PARSE, "%s ended its turn without saying why",
                        run->agent->service.label);
  ck_status status = write_result(&value, run, reason, err);
  if (status == CK_OK) status = ck_outcome_new(out, CK_OUTCOME_OK, value, NULL, err);
  if (status == CK_OK) (*out)->cost_micros = cost_of(run);
  ck_value_free(value);
  return status;
}
