/* corrections.c - finds the corrections that are due, and puts them into the conversation. */
#include "core/runtime/execution/corrections.h"

#include <stdlib.h>
#include <string.h>

static const char note[] = "correction";

static ck_bytes text_of(const ck_ledger_entry *entry) {
  return entry->resolution ? ck_json_get(ck_value_bytes(entry->resolution), "correction")
                           : (ck_bytes){0};
}

ck_status ck_corrections_open(ck_execution *self, ck_error *err) {
  const ck_ledger_entry *entry;
  for (size_t i = 0; (entry = ck_ledger_at(self->session->ledger, i)) != NULL; i++) {
    if (ck_json_type_of(text_of(entry)) != CK_JSON_STRING) continue;
    const ck_ledger_entry **grown =
        reallocarray(self->corrections, self->correction_count + 1, sizeof *grown);
    if (!grown) return ck_error_no_memory(err);
    self->corrections = grown;
    self->corrections[self->correction_count++] = entry;
  }
  return CK_OK;
}

/* The conversation shows the call with the outcome that is corrected. */
static bool has_call(const ck_conversation *conversation, ck_bytes resolution) {
  ck_bytes id = ck_json_get(resolution, "call"), name = ck_json_get(resolution, "name");
  for (size_t i = ck_conversation_count(conversation); i-- > 0;) {
    ck_bytes message = ck_value_bytes(ck_conversation_get(conversation, i));
    if (ck_json_is_text(ck_json_get(message, "role"), "tool") &&
        ck_bytes_equal(ck_json_get(message, "tool_call_id"), id) &&
        ck_bytes_equal(ck_json_get(message, "name"), name))
      return true;
  }
  return false;
}

static bool has_message(const ck_conversation *conversation, const ck_value *message) {
  for (size_t i = ck_conversation_count(conversation); i-- > 0;)
    if (ck_bytes_equal(ck_value_bytes(ck_conversation_get(conversation, i)),
                       ck_value_bytes(message)))
      return true;
  return false;
}

/* False in *added when the conversation has it. */
static ck_status add(bool *added, ck_call *call, ck_bytes text, ck_error *err) {
  const ck_effect *effect = &call->effect;
  ck_value *message;
  *added = false;
  ck_status status = ck_message_user(&message, text, err);
  if (status != CK_OK) return status;
  *added = !has_message(effect->conversation, message);
  if (*added)
    status = ck_session_record_message(ck_call_session(call), effect->scope, effect->agent, message,
                                       err);
  ck_value_free(message);
  return status;
}

ck_status ck_corrections_restore(bool *told, ck_call *call, ck_error *err) {
  ck_outcome *outcome;
  *told = false;
  ck_status status = ck_call_find_note(&outcome, call, note, err);
  if (status != CK_OK || !outcome) return status;
  ck_bytes texts = outcome->result ? ck_value_bytes(outcome->result) : (ck_bytes){0};
  for (ck_json_iterator it = ck_json_iterate(texts); status == CK_OK && ck_json_next(&it);) {
    bool added;
    status = add(&added, call, it.value, err);
    *told |= added;
  }
  ck_outcome_free(outcome);
  return status;
}

static bool is_due(const ck_ledger_entry *entry, const ck_effect *effect) {
  return strcmp(entry->scope, effect->scope) == 0 &&
         has_call(effect->conversation, ck_value_bytes(entry->resolution));
}

ck_status ck_corrections_tell(bool *told, ck_call *call, ck_error *err) {
  const ck_execution *self = call->runner->execution;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_value *texts = NULL;
  ck_status status = CK_OK;
  *told = false;
  if (call->effect.kind != CK_EFFECT_MODEL || ck_effect_is_aside(&call->effect) ||
      self->correction_count == 0)
    return CK_OK;
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->correction_count && status == CK_OK; i++) {
    const ck_ledger_entry *entry = self->corrections[i];
    bool added = false;
    if (is_due(entry, &call->effect)) status = add(&added, call, text_of(entry), err);
    if (added) ck_json_put_raw(&w, text_of(entry));
    *told |= added;
  }
  ck_json_end(&w, ']');
  if (status == CK_OK && *told) status = ck_value_from(&texts, &buffer, err);
  if (status == CK_OK && *told) status = ck_call_record_note(call, note, texts, NULL, err);
  ck_value_free(texts);
  ck_buffer_clear(&buffer);
  return status;
}
