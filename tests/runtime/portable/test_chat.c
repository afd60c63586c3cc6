/* test_chat.c - whatever a conversation held, what is given away is what every provider of models
 * accepts. */
#include "core/runtime/portable/chat.h"

#include "tests/tap.h"

#define USER "{\"role\":\"user\",\"content\":\"hi\"}"
#define CALLS(id, more)                                                    \
  "{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"" id \
  "\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]" more "}"
#define RESULT(id, text) \
  "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"name\":\"look\",\"content\":\"" text "\"}"

static const struct {
  const char *what, *given, *want; /* arrays */
} cases[] = {
    {"what is valid stays as it is", "[" USER "," CALLS("a", "") "," RESULT("a", "x") "]",
     "[" USER "," CALLS("a", "") "," RESULT("a", "x") "]"},
    {"a conversation that is empty begins with what the user wanted", "[]",
     "[{\"role\":\"user\",\"content\":\"do it\"}]"},
    {"so does one that begins with the assistant, behind the prompt",
     "[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"assistant\",\"content\":\"a\"}]",
     "[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"do it\"},"
     "{\"role\":\"assistant\",\"content\":\"a\"}]"},
    {"a number becomes its text", "[{\"role\":\"user\",\"content\":7}]",
     "[{\"role\":\"user\",\"content\":\"7\"}]"},
    {"so do an object and a list that a tool gave",
     "[" USER
     "," CALLS("a", "") ",{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":{\"n\":1}}," CALLS(
         "b", "") ",{\"role\":\"tool\",\"tool_call_id\":\"b\",\"content\":[]}]",
     "[" USER "," CALLS("a", "") "," RESULT("a", "{\\\"n\\\":1}") "," CALLS("b", "") "," RESULT(
         "b", "[]") "]"},
    {"the words of blocks are joined",
     "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
     "{\"type\":\"text\",\"text\":\"b\"}]}]",
     "[{\"role\":\"user\",\"content\":\"a\\nb\"}]"},
    {"null with calls is an empty text",
     "[" USER ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":"
     "\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]}," RESULT("a", "x") "]",
     "[" USER "," CALLS("a", "") "," RESULT("a", "x") "]"},
    {"calls in blocks are calls, and signed thinking is left out whole",
     "[" USER ",{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","
     "\"thinking\":\"t\",\"signature\":\"s\"},"
     "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"look\","
     "\"input\":{}}]}," RESULT("a", "x") "]",
     "[" USER "," CALLS("a", "") "," RESULT("a", "x") "]"},
    {"calls in camelCase are calls",
     "[" USER ",{\"role\":\"assistant\",\"content\":\"\",\"toolCalls\":[{\"id\":\"a\",\"name\":"
     "\"look\",\"args\":{}}]},{\"role\":\"tool\",\"toolCallId\":\"a\",\"content\":\"x\"}]",
     "[" USER "," CALLS("a", "") "," RESULT("a", "x") "]"},
    {"ids that come twice are told apart",
     "[" USER "," CALLS("a", "") "," RESULT("a", "x") "," CALLS("a", "") "," RESULT("a", "y") "]",
     "[" USER "," CALLS("a", "") "," RESULT("a", "x") "," CALLS("call_3_0", "") "," RESULT(
         "call_3_0", "y") "]"},
    {"an id that no provider takes is made anew",
     "[" USER "," CALLS("a b", "") "," RESULT("a b", "x") "]",
     "[" USER "," CALLS("call_1_0", "") "," RESULT("call_1_0", "x") "]"},
    {"a call without a result gets one that says so", "[" USER "," CALLS("a", "") "]",
     "[" USER "," CALLS("a", "") "," RESULT("a", CK_CHAT_NO_RESULT) "]"},
    {"a result stands behind its call, whatever stood between",
     "[" USER "," CALLS("a", "") "," USER "," RESULT("a", "x") "]",
     "[" USER "," CALLS("a", "") "," RESULT("a", "x") "," USER "]"},
    {"a result without a call is told by the user", "[" USER "," RESULT("a", "x") "]",
     "[" USER ",{\"role\":\"user\",\"content\":\"Result of a tool: x\"}]"},
    {"of two results of one call the second is",
     "[" USER "," CALLS("a", "") "," RESULT("a", "x") "," RESULT("a", "y") "]",
     "[" USER "," CALLS("a", "") "," RESULT(
         "a", "x") ",{\"role\":\"user\",\"content\":\"Result of a tool: y\"}]"},
    {"turns without words or calls are no turns",
     "[" USER ",{\"role\":\"assistant\",\"content\":[]},{\"role\":\"assistant\",\"content\":\" \"},"
     "{\"role\":\"user\",\"content\":\"\"}]",
     "[" USER "]"},
    {"members that no request has are left out",
     "[" USER "," CALLS("a", ",\"refusal\":null") "," RESULT("a", "x") "]",
     "[" USER "," CALLS("a", "") "," RESULT("a", "x") "]"},
};

static void test_writing(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_chat chat = {0};
    ck_buffer out = {0};
    ck_json_writer w = {.out = &out};
    ck_error err = CK_ERROR_INIT;
    ck_status status = ck_json_check(ck_bytes_text(cases[i].given), &err);
    ck_json_iterator it = ck_json_iterate(ck_bytes_text(cases[i].given));
    while (status == CK_OK && ck_json_next(&it)) {
      ck_value *message = NULL;
      status = ck_value_copy(&message, it.value, &err);
      if (status == CK_OK) status = ck_chat_add(&chat, message, &err);
      ck_value_free(message);
    }
    if (status == CK_OK) status = ck_chat_write(&w, &chat, ck_bytes_text("do it"), false, &err);
    tap_is_status(status, CK_OK, &err, "%s: it is written", cases[i].what);
    tap_is_bytes(ck_buffer_bytes(&out), ck_bytes_text(cases[i].want), "%s", cases[i].what);
    ck_buffer_clear(&out);
    ck_chat_clear(&chat);
  }
}

int main(void) {
  test_writing();
  return tap_done();
}
