/* wire.c - checks calls and results for pairs, message by message. */
#include "tests/lua/flow/wire.h"

static bool is_role(ck_bytes message, const char *role) {
  return ck_json_is_text(ck_json_get(message, "role"), role);
}

static ck_bytes message_at(const ck_conversation *conversation, size_t index) {
  return index < ck_conversation_count(conversation)
             ? ck_value_bytes(ck_conversation_get(conversation, index))
             : (ck_bytes){0};
}

/* The results of the calls of the message at `index` follow it; how many they are in *count. */
static bool has_results(size_t *count, const ck_conversation *conversation, size_t index) {
  *count = 0;
  ck_bytes message = message_at(conversation, index), calls = ck_json_get(message, "tool_calls");
  if (ck_json_type_of(calls) != CK_JSON_ARRAY)
    return ck_json_type_of(ck_json_get(message, "content")) == CK_JSON_STRING;
  ck_json_iterator it = ck_json_iterate(calls);
  while (ck_json_next(&it)) {
    ck_bytes result = message_at(conversation, index + ++*count);
    if (!is_role(result, "tool") ||
        !ck_bytes_equal(ck_json_get(result, "tool_call_id"), ck_json_get(it.value, "id")))
      return false;
  }
  return *count > 0;
}

bool wire_is_valid(const ck_conversation *conversation) {
  size_t count = ck_conversation_count(conversation), results;
  for (size_t i = 0; i < count; i++) {
    ck_bytes message = message_at(conversation, i);
    if (is_role(message, "tool")) return false;
    if (is_role(message, "assistant")) {
      if (!has_results(&results, conversation, i)) return false;
      i += results;
    } else if (!is_role(message, "user") && !(is_role(message, "system"))) {
      return false;
    }
  }
  return count > 0 && !is_role(message_at(conversation, count - 1), "assistant");
}

size_t wire_turns(const ck_conversation *conversation) {
  size_t turns = 0;
  for (size_t i = 0; i < ck_conversation_count(conversation); i++)
    turns += is_role(message_at(conversation, i), "assistant");
  return turns;
}
