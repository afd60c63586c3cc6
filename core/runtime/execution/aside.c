/* aside.c - a model is asked about messages that its request brings, and not about the scope's
 * conversation, which learns nothing of it. */
#include "core/runtime/execution/aside.h"

static bool is_message(ck_bytes value) {
  return ck_json_type_of(value) == CK_JSON_OBJECT &&
         ck_json_type_of(ck_json_get(value, "role")) == CK_JSON_STRING &&
         ck_json_get(value, "content").len > 0;
}

static ck_status append(ck_conversation *to, ck_bytes json, ck_error *err) {
  ck_value *message;
  ck_status status = ck_value_copy(&message, json, err);
  if (status == CK_OK) status = ck_conversation_append(to, message, err);
  ck_value_free(message);
  return status;
}

ck_status ck_call_take_messages(ck_call *self, ck_error *err) {
  ck_bytes list = ck_json_get(self->effect.request, "messages");
  if (self->effect.kind != CK_EFFECT_MODEL || !list.len) return CK_OK;
  ck_status status = ck_conversation_new(&self->messages, err);
  bool valid = ck_json_type_of(list) == CK_JSON_ARRAY && ck_json_count(list) > 0;
  ck_json_iterator it = ck_json_iterate(list);
  while (valid && status == CK_OK && ck_json_next(&it)) {
    valid = is_message(it.value);
    if (valid) status = append(self->messages, it.value, err);
  }
  if (valid || status != CK_OK) return status;
  return ck_error_set(err, CK_E_FLOW,
                      "effect %s: 'messages' must be a list of { role =, content = }, at least one",
                      self->key);
}
