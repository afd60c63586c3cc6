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
  ck_status status; /* of what was loaded for it */
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

/* `state` 0: of all units behind it; else of those that the same checkpoint has. */
static bool is_last(const record *self, size_t index, int64_t state) {
  const ck_run_unit *units = self->observed->units;
  for (size_t i = index + 1; i < self->observed->unit_count; i++)
    if (units[i].name && strcmp(units[i].name, units[index].name) == 0 &&
        (!state || units[i].state == state))
      return false;
  return true;
}

/* False: the state does not have it. */
static bool append_output_of(record *self, const char *name, const ck_state *state) {
  char key[CK_STATE_KEY_MAX];
  int len = snprintf(key, sizeof key, "outputs.%s", name);
  const ck_value *output = len < (int)sizeof key ? ck_state_get(state, key) : NULL;
  if (output) ck_message_append_text(&self->result, ck_value_bytes(output));
  return output != NULL;
}

/* Of an earlier visit of the node: as the checkpoint behind it has it, where it was kept. */
static bool append_earlier(record *self, const ck_run_unit *unit, ck_error *err) {
  ck_state *state = NULL;
  ck_error given = CK_ERROR_INIT;
  ck_status status = ck_store_get_state(&state, self->store, self->session, unit->state, &given);
  if (status != CK_OK && status != CK_E_NOT_FOUND)
    self->status = ck_error_set(err, status, "%s", given.text);
  if (status != CK_OK) return false;
  bool found = append_output_of(self, unit->name, state);
  ck_state_free(state);
  return found;
}

static bool append_output(record *self, size_t index, ck_error *err) {
  const ck_run_unit *unit = &self->observed->units[index];
  if (!unit->name) return false;
  if (is_last(self, index, 0))
    return self->state && append_output_of(self, unit->name, self->state);
  return unit->state && is_last(self, index, unit->state) && append_earlier(self, unit, err);
}

static ck_status read_result(record *self, size_t index, ck_error *err) {
  const ck_run_unit *unit = &self->observed->units[index];
  ck_status status = CK_OK;
  ck_buffer_reset(&self->result);
  if (unit->error) {
    ck_buffer_append_format(&self->result, "Error: %s", unit->error);
    return CK_OK;
  }
  if (append_output(self, index, err)) return CK_OK;
  if (self->status != CK_OK) return self->status;
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
