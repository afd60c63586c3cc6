/* run_record.c - tells completed nodes, steps and rounds as calls with their results. */
#include "core/runtime/portable/run_record.h"

#include <stdio.h>
#include <string.h>

#include "core/runtime/portable/message.h"

typedef struct record {
  const ck_run_observation *observed;
  ck_store *store;
  int64_t session;
  const ck_state *state;
  ck_buffer result;
} record;

/* ---- results ---- */

static bool take_outcome(void *to, const ck_event *event) {
  ck_buffer *out = to;
  ck_bytes body = ck_value_bytes(event->body), message = ck_json_get(body, "message");
  ck_bytes error = ck_json_get(body, "error"), result = ck_json_get(body, "result");
  if (message.len)
    ck_message_append_text(out, ck_json_get(message, "content"));
  else
    ck_message_append_text(out, result.len ? result : error);
  return false;
}

static ck_status append_said(record *self, const ck_run_said *said, bool named, ck_error *err) {
  ck_event_query query = {.session = self->session, .after = said->seq - 1, .until = said->seq};
  if (self->result.len) ck_buffer_append_text(&self->result, "\n\n");
  if (named) ck_buffer_append_format(&self->result, "[%s]\n", said->scope);
  return ck_store_read_events(self->store, &query, take_outcome, &self->result, err);
}

static bool is_last(const record *self, size_t index) {
  const ck_run_unit *units = self->observed->units;
  for (size_t i = index + 1; i < self->observed->unit_count; i++)
    if (units[i].name && strcmp(units[i].name, units[index].name) == 0) return false;
  return true;
}

/* False: the state does not have it. */
static bool append_output(record *self, size_t index) {
  char key[CK_STATE_KEY_MAX];
  const char *name = self->observed->units[index].name;
  if (!name || !self->state || !is_last(self, index)) return false;
  int len = snprintf(key, sizeof key, "outputs.%s", name);
  const ck_value *output = len < (int)sizeof key ? ck_state_get(self->state, key) : NULL;
  if (output) ck_message_append_text(&self->result, ck_value_bytes(output));
  return output != NULL;
}

static ck_status read_result(record *self, size_t index, ck_error *err) {
  const ck_run_unit *unit = &self->observed->units[index];
  ck_status status = CK_OK;
  ck_buffer_reset(&self->result);
  if (unit->error) {
    ck_buffer_append_format(&self->result, "Error: %s", unit->error);
    return CK_OK;
  }
  if (append_output(self, index)) return CK_OK;
  for (size_t i = 0; status == CK_OK && i < unit->count; i++)
    status = append_said(self, &self->observed->said[unit->first + i], unit->count > 1, err);
  return status;
}

/* ---- messages ---- */

static ck_status add(ck_chat *to, ck_buffer *json, ck_error *err) {
  ck_value *message = NULL;
  ck_status status = ck_value_from(&message, json, err);
  if (status == CK_OK) status = ck_chat_add(to, message, err);
  ck_value_free(message);
  return status;
}

static ck_status add_call(ck_chat *to, const char *id, const char *name, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "role", "assistant");
  ck_json_name(&w, "tool_calls");
  ck_json_begin(&w, '[');
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "id", id);
  ck_json_member_text(&w, "name", name);
  ck_json_end(&w, '}');
  ck_json_end(&w, ']');
  ck_json_end(&w, '}');
  ck_status status = add(to, &json, err);
  ck_buffer_clear(&json);
  return status;
}

static ck_status add_result(ck_chat *to, const char *id, ck_bytes text, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "role", "tool");
  ck_json_member_text(&w, "tool_call_id", id);
  ck_json_member_string(&w, "content", text);
  ck_json_end(&w, '}');
  ck_status status = add(to, &json, err);
  ck_buffer_clear(&json);
  return status;
}

/* Names of tools are letters, digits, '_' and '-', 64 at most. */
static void write_name(char out[65], const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  snprintf(out, 65, "%s", name && *name ? name : "round");
  for (char *at = out; *at; at++)
    if (!strchr(letters, *at)) *at = '_';
}

ck_status ck_run_record_add(ck_chat *to, const ck_run_observation *observed, ck_store *store,
                            int64_t session, const ck_state *state, ck_error *err) {
  record self = {.observed = observed, .store = store, .session = session, .state = state};
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < observed->unit_count; i++) {
    char id[32], name[65];
    snprintf(id, sizeof id, "done_%zu", i + 1);
    write_name(name, observed->units[i].name);
    status = add_call(to, id, name, err);
    if (status == CK_OK) status = read_result(&self, i, err);
    if (status == CK_OK) status = ck_buffer_check(&self.result, err);
    if (status == CK_OK) status = add_result(to, id, ck_buffer_bytes(&self.result), err);
  }
  ck_buffer_clear(&self.result);
  return status;
}
