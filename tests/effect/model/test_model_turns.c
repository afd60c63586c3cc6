/* test_model_turns.c - for any conversation the requests to each API are valid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/model/private.h"
#include "tests/effect/wire_check.h"
#include "tests/effect/wire_marks.h"
#include "tests/tap.h"

enum { CONVERSATIONS = 20000, MESSAGES_MAX = 14, CALLS_MAX = 3 };

static uint64_t seed = 1;

/* splitmix64 */
static unsigned draw(unsigned below) {
  uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return (unsigned)((z ^ (z >> 31)) % below);
}

static void append(ck_conversation *to, const char *json) {
  ck_value *message;
  ck_error err = CK_ERROR_INIT;
  if (ck_value_new(&message, ck_bytes_text(json), &err) != CK_OK)
    tap_must(false, "%s: %s", json, err.text);
  tap_must(ck_conversation_append(to, message, NULL) == CK_OK, "it is appended");
  ck_value_free(message);
}

static ck_buffer body_for(const ck_model_format *format, ck_model_api api,
                          const ck_conversation *conversation, const char *request) {
  ck_profile_model model = {.api = api, .model = (char *)"m", .stream = 0};
  ck_model_query ask = {&model, ck_bytes_text(request), conversation, 0, NULL};
  ck_buffer body = {0};
  ck_error err = CK_ERROR_INIT;
  tap_must(format->write(&body, &ask, &err) == CK_OK, "it is written: %s", err.text);
  return body;
}

/* ---- exact ones ---- */

typedef struct exact_case {
  const char *name;
  const char *messages[8];
  const char *openai, *anthropic; /* the expected messages, and Anthropic's members before them */
} exact_case;

#define SYSTEM "{\"role\":\"system\",\"content\":\"S\"}"
#define USER "{\"role\":\"user\",\"content\":\"U\"}"
#define OF_OPENAI                                                                         \
  "{ \"role\":\"assistant\",\"content\":\"T\",\"x\": "                                    \
  "1.0,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\"," \
  "\"arguments\":\"{\\\"n\\\": 1}\"}}]}"
#define OF_ANTHROPIC                                                                               \
  "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\"," \
  "\"thinking\":\"t\",\"signature\":\"s\"},"                                                       \
  "{\"type\":\"text\",\"text\":\"T\"}, "                                                           \
  "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"f\",\"input\":{\"n\": 1}}],\"usage\":{}}"
#define OPENAI_CALL(head) "{" head "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}"
#define BLOCK(id) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"f\",\"input\":{}}"
#define RESULT(id, content) \
  "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"name\":\"f\",\"content\":" content "}"

static const exact_case exact[] = {
    {"a system text and a user",
     {SYSTEM, USER},
     "{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\",\"content\":\"U\"}",
     "\"system\":[{\"type\":\"text\",\"text\":\"S\"}],\"messages\":[{\"role\":\"user\",\"content\":"
     "[{\"type\":\"text\",\"text\":\"U\"}]}]"},
    {"an own message is sent as it came",
     {USER, OF_OPENAI, RESULT("a", "\"R\"")},
     "{\"role\":\"user\",\"content\":\"U\"}," OF_OPENAI
     ",{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"R\"}",
     "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"U\"}]},"
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"T\"},{\"type\":\"tool_"
     "use\",\"id\":\"call_1_0\",\"name\":\"f\",\"input\":{\"n\": 1}}]},"
     "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"call_1_0\","
     "\"content\":\"R\"}]}]"},
    {"another API's is told as text and calls",
     {USER, OF_ANTHROPIC, RESULT("b", "{\"k\":2}"), USER},
     "{\"role\":\"user\",\"content\":\"U\"},{\"role\":\"assistant\",\"content\":\"T\",\"tool_"
     "calls\":[{\"id\":\"call_1_0\",\"type\":\"function\","
     "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"n\\\": "
     "1}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"call_1_0\",\"content\":\"{\\\"k\\\":2}\"},"
     "{\"role\":\"user\",\"content\":\"U\"}",
     "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"U\"}]},"
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":"
     "\"s\"},{\"type\":\"text\",\"text\":\"T\"},"
     "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"f\",\"input\":{\"n\": 1}}]},"
     "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":"
     "\"{\\\"k\\\":2}\"},{\"type\":\"text\",\"text\":\"U\"}]}]"},
    {"a system text in the middle comes behind the results",
     {USER, OF_ANTHROPIC, SYSTEM, RESULT("b", "\"R\"")},
     NULL,
     "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"b\",\"content\":"
     "\"R\"},{\"type\":\"text\",\"text\":\"S\"}]}]"},
    {"a call without a result gets one",
     {USER, OF_OPENAI, USER},
     "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"" CK_MODEL_NO_RESULT
     "\"},{\"role\":\"user\",\"content\":\"U\"}",
     "{\"type\":\"tool_result\",\"tool_use_id\":\"call_1_0\",\"is_error\":true,\"content\":"
     "\"" CK_MODEL_NO_RESULT "\"}"},
    {"a second result of a call is a text",
     {USER, OF_OPENAI, RESULT("a", "\"R\""), RESULT("a", "\"Q\"")},
     "{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"R\"},{\"role\":\"user\",\"content\":"
     "\"Result of a tool: Q\"}",
     "\"tool_use_id\":\"call_1_0\",\"content\":\"R\"},{\"type\":\"text\",\"text\":\"Result of a "
     "tool: Q\"}"},
    {"a result without a call is a text",
     {USER, RESULT("z", "\"R\"")},
     "{\"role\":\"user\",\"content\":\"U\"},{\"role\":\"user\",\"content\":\"Result of a tool: "
     "R\"}",
     "{\"type\":\"text\",\"text\":\"U\"},{\"type\":\"text\",\"text\":\"Result of a tool: R\"}"},
    {"an empty turn is left out",
     {USER, "{\"role\":\"assistant\",\"content\":null}", USER},
     "{\"role\":\"user\",\"content\":\"U\"},{\"role\":\"user\",\"content\":\"U\"}",
     "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"U\"},{\"type\":"
     "\"text\",\"text\":\"U\"}]}]"},
    {"what the assistant says first answers something",
     {"{\"role\":\"assistant\",\"content\":\"A\"}"},
     "{\"role\":\"assistant\",\"content\":\"A\"}",
     "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"(no "
     "message)\"}]},{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"A\"}]}]"},
    {"arguments that are cut are kept as what they are",
     {USER, "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":"
            "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"n\\\":\"}}]}"},
     NULL,
     "\"input\":{\"INVALID_JSON\":\"{\\\"n\\\":\"}"},
    {"calls with one id get their own, and their results with them",
     {USER,
      "{\"role\":\"assistant\",\"content\":\"T\",\"x\": 1.0,\"tool_calls\":[" OPENAI_CALL(
          "\"id\":\"a\",\"type\":\"function\",") "," OPENAI_CALL("\"id\":\"a\",\"type\":"
                                                                 "\"function\",\"y\": 2.0,") "]}",
      RESULT("a", "\"R\""), RESULT("a", "\"Q\"")},
     "{\"role\":\"assistant\",\"content\":\"T\",\"x\":1.0,\"tool_calls\":[" OPENAI_CALL(
         "\"id\":\"a\",\"type\":\"function\",") ","
                                                "{\"id\":\"call_1_1\",\"type\":\"function\","
                                                "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}"
                                                ",\"y\":2.0}]},"
                                                "{\"role\":\"tool\",\"tool_call_id\":\"a\","
                                                "\"content\":\"R\"},{\"role\":\"tool\",\"tool_call_"
                                                "id\":\"call_1_1\",\"content\":\"Q\"}",
     "\"tool_use_id\":\"call_1_0\",\"content\":\"R\"},{\"type\":\"tool_result\",\"tool_use_id\":"
     "\"call_1_1\",\"content\":\"Q\"}"},
    {"so do Anthropic's, and what is signed stays as it is",
     {USER,
      "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\", "
      "\"thinking\":\"t\",\"signature\":\"s\"}," BLOCK("b") "," BLOCK("b") "]}",
      RESULT("b", "\"R\""), RESULT("b", "\"Q\"")},
     "\"tool_call_id\":\"call_1_0\",\"content\":\"R\"},{\"role\":\"tool\",\"tool_call_id\":\"call_"
     "1_1\",\"content\":\"Q\"}",
     "\"content\":[{\"type\":\"thinking\", \"thinking\":\"t\",\"signature\":\"s\"}," BLOCK(
         "b") "," BLOCK("call_1_1") "]},"
                                    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
                                    "\"tool_use_id\":\"b\",\"content\":\"R\"},{\"type\":\"tool_"
                                    "result\",\"tool_use_id\":\"call_1_1\",\"content\":\"Q\"}]}"},
    {"an id that an earlier turn had is another's for Anthropic only",
     {USER, OF_ANTHROPIC, RESULT("b", "\"R\""), OF_ANTHROPIC, RESULT("b", "\"Q\""), OF_OPENAI,
      OF_OPENAI},
     OF_OPENAI ",{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"" CK_MODEL_NO_RESULT
               "\"}," OF_OPENAI,
     "\"tool_use_id\":\"call_3_0\",\"content\":\"Q\""},
    {"an id like those that are made, and one with bad letters, are not Anthropic's",
     {USER, "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[" BLOCK(
                "call_1_1") "," BLOCK("b") "," BLOCK("b.c") "]}"},
     NULL,
     "\"content\":[" BLOCK("call_1_0") "," BLOCK("b") "," BLOCK("call_1_2") "]}"},
    {"a call without id, type or name, with arguments that are no text, gets them",
     {USER, "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"function\":{"
            "\"arguments\":{\"n\":1}}},{\"id\":\"\",\"name\":\"f\"}]}"},
     "\"tool_calls\":[{\"id\":\"call_1_0\",\"type\":\"function\",\"function\":{\"name\":"
     "\"unknown\",\"arguments\":\"{\\\"n\\\":1}\"}},"
     "{\"id\":\"call_1_1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}"
     "}]}",
     "{\"type\":\"tool_use\",\"id\":\"call_1_0\",\"name\":\"unknown\",\"input\":{\"n\":1}}"},
    {"a block without a name, or with an input that is no object, too",
     {USER, "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\","
            "\"id\":\"x\",\"input\":null}]}"},
     NULL,
     "{\"type\":\"tool_use\",\"id\":\"x\",\"name\":\"unknown\",\"input\":{\"INVALID_JSON\":"
     "\"null\"}}"},
    {"empty texts are left out, and thinking that was cut",
     {USER,
      "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"\"},"
      "{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"thinking\",\"thinking\":\"t\"}]}",
      USER},
     "{\"role\":\"assistant\",\"content\":\"A\"}",
     "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"A\"}]},{\"role\":"
     "\"user\""},
    {"a turn of nothing else is, too",
     {USER,
      "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","
      "\"thinking\":\"t\"},{\"type\":\"text\",\"text\":\"\"}]}",
      USER},
     "{\"role\":\"user\",\"content\":\"U\"},{\"role\":\"user\",\"content\":\"U\"}",
     "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"U\"},{\"type\":"
     "\"text\",\"text\":\"U\"}]}]"},
};

static void test_exact(void) {
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
    ck_conversation *conversation;
    tap_must(ck_conversation_new(&conversation, NULL) == CK_OK, "there is a conversation");
    for (size_t k = 0; exact[i].messages[k]; k++) append(conversation, exact[i].messages[k]);
    ck_buffer openai =
        body_for(&ck_model_openai, CK_MODEL_OPENAI, conversation, "{\"model\":\"m\"}");
    ck_buffer anthropic = body_for(&ck_model_anthropic, CK_MODEL_ANTHROPIC, conversation,
                                   "{\"model\":\"m\",\"tools\":[\"f\"]}");
    if (!tap_ok(!exact[i].openai || strstr(openai.data, exact[i].openai), "OpenAI: %s",
                exact[i].name))
      tap_diag("%s", openai.data);
    if (!tap_ok(strstr(anthropic.data, exact[i].anthropic) != NULL, "Anthropic: %s", exact[i].name))
      tap_diag("%s", anthropic.data);
    ck_buffer_clear(&openai);
    ck_buffer_clear(&anthropic);
    ck_conversation_free(conversation);
  }
}

static void test_tools_and_options(void) {
  static const char request[] = "{\"model\":\"m\",\"max_tokens\":7,\"seed\": "
                                "1.0,\"tools\":[\"a\",{\"name\":\"b\",\"description\":\"B\","
                                "\"parameters\":{\"type\":\"object\"}},"
                                "{\"type\":\"web_search_20250305\",\"name\":\"w\"}]}";
  ck_profile_model model = {.api = CK_MODEL_OPENAI, .model = (char *)"m", .stream = 0};
  ck_model_query ask = {&model, ck_bytes_text(request), NULL, 0, NULL};
  ck_buffer body = {0};
  tap_must(ck_value_new(&model.options, ck_bytes_text("{\"seed\":2,\"top_p\":0.5}"), NULL) == CK_OK,
           "there are options");
  tap_must(ck_value_new(&model.max_tokens, ck_bytes_text("9"), NULL) == CK_OK &&
               ck_value_new(&model.temperature, ck_bytes_text("0"), NULL) == CK_OK,
           "and more");
  tap_must(ck_model_openai.write(&body, &ask, NULL) == CK_OK, "it is written");
  tap_is_text(body.data,
              "{\"model\":\"m\",\"max_completion_tokens\":7,\"seed\":1.0,\"top_p\":0.5,"
              "\"temperature\":0,\"messages\":[],\"tools\":["
              "{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":{\"type\":"
              "\"object\",\"properties\":{}}}},"
              "{\"type\":\"function\",\"function\":{\"name\":\"b\",\"description\":\"B\","
              "\"parameters\":{\"type\":\"object\"}}},"
              "{\"type\":\"web_search_20250305\",\"name\":\"w\"}]}",
              "OpenAI: the request's options first, then the profile's");
  ck_buffer_reset(&body);
  model.base_url = (char *)"https://host/v1";
  tap_must(ck_model_openai.write(&body, &ask, NULL) == CK_OK, "it is written");
  tap_ok(strstr(body.data, "\"max_tokens\":7,") != NULL, "others know max_tokens by its old name");
  ck_buffer_reset(&body);
  tap_must(ck_model_anthropic.write(&body, &ask, NULL) == CK_OK, "it is written");
  tap_is_text(body.data,
              "{\"model\":\"m\",\"max_tokens\":7,\"seed\":1.0,\"top_p\":0.5,\"temperature\":0,"
              "\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"(no "
              "message)\"}]}],\"tools\":["
              "{\"name\":\"a\",\"input_schema\":{\"type\":\"object\"}},{\"name\":\"b\","
              "\"description\":\"B\",\"input_schema\":{\"type\":\"object\"}},"
              "{\"type\":\"web_search_20250305\",\"name\":\"w\"}]}",
              "Anthropic: the same in its own words");
  ck_buffer_clear(&body);
  ck_value_free(model.options);
  ck_value_free(model.max_tokens);
  ck_value_free(model.temperature);
}

/* ---- random ones ---- */

static const char *text(void) {
  static const char *const texts[] = {
      "\"a\"",           "\"\"", "\" \\n\\t\"",
      "\"\\u00e9\\\"\"", "null", "7",
      "{\"a\":[]}",      "[]",   "[{\"type\":\"text\",\"text\":\"b\"}]"};
  return texts[draw(sizeof texts / sizeof *texts)];
}

/* OpenAI's ids may come again in a later turn or in the same one, be like those that are made, or
 * absent, as may names. */
static size_t append_openai(ck_conversation *to, char ids[CALLS_MAX][64]) {
  static const char *const arguments[] = {"\"{}\"", "\"\"", "\"{\\\"a\\\":\"", "\"[1]\"",
                                          "\"{\\\"a\\\": 1.0}\""};
  ck_buffer json = {0};
  size_t count = draw(CALLS_MAX + 1);
  ck_buffer_append_format(&json, "{\"role\":\"assistant\",\"content\":%s",
                          draw(2)   ? "null"
                          : draw(2) ? "\"\""
                                    : "\"said\"");
  for (size_t i = 0; i < count; i++) {
    size_t number = draw(5) ? i : 0;
    if (draw(8))
      snprintf(ids[i], sizeof ids[i], "functions.f:%zu%s", number, draw(2) ? "" : "x");
    else
      snprintf(ids[i], sizeof ids[i], "call_%u_%zu", draw(MESSAGES_MAX), number);
    ck_buffer_append_format(&json, "%s{", i ? "," : ",\"tool_calls\":[");
    if (draw(9)) ck_buffer_append_format(&json, "\"id\":\"%s\",", ids[i]);
    ck_buffer_append_format(
        &json, "%s\"function\":{%s\"arguments\":%s}}", draw(9) ? "\"type\":\"function\"," : "",
        draw(9) ? "\"name\":\"f\"," : "", arguments[draw(sizeof arguments / sizeof *arguments)]);
  }
  ck_buffer_append_text(&json, count ? "]}" : "}");
  append(to, json.data);
  ck_buffer_clear(&json);
  return count;
}

static size_t append_anthropic(ck_conversation *to, char ids[CALLS_MAX][64], size_t place) {
  ck_buffer json = {0};
  char signature[WIRE_SIGNATURE_SIZE];
  size_t count = draw(CALLS_MAX + 1), blocks = 0;
  ck_buffer_append_format(&json, "{%s\"role\":\"assistant\",\"content\":[",
                          draw(2) ? "\"type\":\"message\"," : "");
  wire_sign(signature, ck_bytes_text("h\\u00e9 \\/"));
  if (draw(2))
    ck_buffer_append_format(
        &json, "%s{\"signature\":\"%s\", \"type\":\"thinking\",\"thinking\":\"h\\u00e9 \\/\"}",
        blocks++ ? "," : "", signature);
  if (draw(2))
    ck_buffer_append_format(&json, "%s{\"type\":\"text\",\"text\":\"said\"}", blocks++ ? "," : "");
  for (size_t i = 0; i < count; i++) {
    size_t number = draw(5) ? i : 0;
    if (draw(8))
      snprintf(ids[i], sizeof ids[i], "toolu_%zu-%zu", draw(8) ? place : 0, number);
    else
      snprintf(ids[i], sizeof ids[i], "call_%u_%zu%s", draw(MESSAGES_MAX), number,
               draw(4) ? "" : ".");
    ck_buffer_append_format(&json, "%s{\"type\":\"tool_use\",\"id\":\"%s\",%s\"input\":%s}",
                            blocks++ ? "," : "", ids[i], draw(9) ? "\"name\":\"f\"," : "",
                            draw(9) ? "{\"a\": 1.0}" : "\"{\"");
  }
  if (draw(9) == 0)
    ck_buffer_append_format(&json, "%s{\"type\":\"text\",\"text\":\"\"}", blocks++ ? "," : "");
  ck_buffer_append_text(&json, "]}");
  append(to, json.data);
  ck_buffer_clear(&json);
  return count;
}

/* The answer's message, as the format reads it. */
static void append_read(ck_conversation *to, const ck_model_format *format, ck_buffer *body) {
  ck_model_reply reply = {0};
  tap_must(format->read(&reply, ck_buffer_bytes(body), NULL) == CK_OK, "an answer is read");
  append(to, reply.message.data);
  ck_model_reply_clear(&reply);
  ck_buffer_clear(body);
}

/* What was thought may have come without its encrypted content, or be the last of it. */
static size_t append_responses(ck_conversation *to, char ids[CALLS_MAX][64], size_t place) {
  ck_buffer body = {0};
  char signature[WIRE_SIGNATURE_SIZE];
  size_t count = draw(CALLS_MAX + 1), items = 0;
  wire_sign(signature, ck_bytes_text("h\\u00e9"));
  ck_buffer_append_text(&body, "{\"output\":[");
  for (size_t i = 0; i <= count; i++) {
    if (draw(2))
      ck_buffer_append_format(&body,
                              "%s{\"type\":\"reasoning\",\"id\":\"rs\",\"summary\":[{\"type\":"
                              "\"summary_text\",\"text\":\"h\\u00e9\"}],\"encrypted_content\":"
                              "%s%s%s}",
                              items++ ? "," : "", draw(4) ? "\"" : "null,\"x\":\"", signature,
                              "\"");
    if (i == count) break;
    snprintf(ids[i], sizeof ids[i], draw(8) ? "fc_%zu-%zu" : "call_%zu_%zu", draw(8) ? place : 0,
             draw(5) ? i : 0);
    ck_buffer_append_format(
        &body, "%s{\"type\":\"function_call\",%s\"call_id\":\"%s\",%s\"arguments\":%s}",
        items++ ? "," : "", draw(2) ? "\"id\":\"fc\"," : "", ids[i],
        draw(9) ? "\"name\":\"f\"," : "", draw(9) ? "\"{\\\"a\\\": 1.0}\"" : "7");
  }
  if (draw(2))
    ck_buffer_append_format(&body,
                            "%s{\"type\":\"message\",\"id\":\"msg\",\"status\":\"completed\","
                            "\"role\":\"assistant\",\"content\":[%s]}",
                            items++ ? "," : "",
                            draw(4) ? "{\"type\":\"output_text\",\"text\":\"said\"}" : "");
  ck_buffer_append_text(&body, "]}");
  append_read(to, &ck_model_responses, &body);
  return count;
}

/* Ids may be absent, as older models of Gemini leave them out. */
static size_t append_gemini(ck_conversation *to, char ids[CALLS_MAX][64], size_t place) {
  ck_buffer body = {0};
  char signature[WIRE_SIGNATURE_SIZE];
  size_t count = draw(CALLS_MAX + 1), parts = 0;
  bool has_ids = draw(3);
  wire_sign(signature, ck_bytes_text("{\"a\": 1.0}"));
  ck_buffer_append_text(&body,
                        "{\"candidates\":[{\"finishReason\":\"STOP\",\"content\":{\"parts\":[");
  if (draw(2))
    ck_buffer_append_format(&body, "%s{\"text\":\"h\\u00e9\",\"thought\":true}",
                            parts++ ? "," : "");
  if (draw(2))
    ck_buffer_append_format(&body, "%s{\"text\":%s}", parts++ ? "," : "",
                            draw(4)   ? "\"said\""
                            : draw(2) ? "\"\""
                                      : "\"\",\"thoughtSignature\":\"s\"");
  for (size_t i = 0; i < count; i++) {
    snprintf(ids[i], sizeof ids[i], "call_t%zu_%zu", draw(8) ? place : 0, draw(5) ? i : 0);
    ck_buffer_append_format(&body, "%s{\"functionCall\":{%s\"args\":%s", parts++ ? "," : "",
                            draw(9) ? "\"name\":\"f\"," : "",
                            draw(9) ? "{\"a\": 1.0}" : "{\"a\": 1.0}");
    if (has_ids) ck_buffer_append_format(&body, ",\"id\":\"%s\"", ids[i]);
    ck_buffer_append_format(&body, "}%s%s%s}", i == 0 ? ",\"thoughtSignature\":\"" : "",
                            i == 0 ? signature : "", i == 0 ? "\"" : "");
  }
  ck_buffer_append_text(&body, "]}}]}");
  append_read(to, &ck_model_gemini, &body);
  return count;
}

static void append_result(ck_conversation *to, const char *id) {
  ck_buffer json = {0};
  ck_buffer_append_format(&json, "{\"role\":\"tool\"");
  if (draw(8)) ck_buffer_append_format(&json, ",\"tool_call_id\":\"%s\"", id);
  ck_buffer_append_format(&json, ",\"name\":\"f\",\"content\":%s}", text());
  append(to, json.data);
  ck_buffer_clear(&json);
}

/* Results in any order, some missing, some twice, with other messages between. */
static void append_results(ck_conversation *to, char ids[CALLS_MAX][64], size_t count) {
  for (size_t tries = draw((unsigned)count + 2); count && tries > 0; tries--) {
    append_result(to, draw(10) ? ids[draw((unsigned)count)] : "nobody");
    if (draw(6) == 0) append(to, SYSTEM);
  }
}

static ck_conversation *make_conversation(void) {
  ck_conversation *to;
  char ids[CALLS_MAX][64];
  tap_must(ck_conversation_new(&to, NULL) == CK_OK, "there is a conversation");
  for (size_t count = draw(MESSAGES_MAX); ck_conversation_count(to) < count;) {
    size_t place = ck_conversation_count(to);
    char message[256];
    switch (draw(7)) {
      case 0:
        snprintf(message, sizeof message, "{\"role\":\"%s\",\"content\":%s}",
                 draw(2) ? "system" : "developer", text()),
            append(to, message);
        break;
      case 1:
      case 2:
        snprintf(message, sizeof message, "{\"role\":\"%s\",\"content\":%s}",
                 draw(6) ? "user" : "assistant", text()),
            append(to, message);
        break;
      case 3:
        append_results(to, ids, append_openai(to, ids));
        break;
      case 4:
        append_results(to, ids, append_responses(to, ids, place));
        break;
      case 5:
        append_results(to, ids, append_gemini(to, ids, place));
        break;
      default:
        append_results(to, ids, append_anthropic(to, ids, place));
        break;
    }
  }
  return to;
}

static bool holds(const ck_model_format *format, ck_model_api api,
                  const ck_conversation *conversation) {
  static const char *const requests[] = {"{\"model\":\"m\"}",
                                         "{\"model\":\"m\",\"tools\":[\"f\"]}"};
  char problem[WIRE_PROBLEM_SIZE];
  ck_buffer body = body_for(format, api, conversation, requests[draw(2)]);
  bool empty =
      api == CK_MODEL_OPENAI && strstr(body.data, "\"messages\":[]"); /* nothing was said */
  bool right = empty || wire_check(problem, format->path, ck_buffer_bytes(&body));
  if (!right) tap_diag("%s: %s", problem, body.data);
  ck_buffer_clear(&body);
  return right;
}

static void test_random(void) {
  int wrong = 0;
  for (int i = 0; i < CONVERSATIONS && wrong < 5; i++) {
    ck_conversation *conversation = make_conversation();
    for (ck_model_api api = 0; api < CK_MODEL_API_COUNT; api++)
      wrong += !holds(ck_model_format_of(api), api, conversation);
    ck_conversation_free(conversation);
  }
  tap_is_int(wrong, 0, "%d random conversations are valid on every wire", CONVERSATIONS);
}

/* Whatever was said, marks for the cache stand where they may, and their count is what it must be:
 * the end of the tools, and of each of the other two parts that can be marked. */
static void test_marks(void) {
  char problem[WIRE_PROBLEM_SIZE];
  int wrong = 0;
  for (int i = 0; i < CONVERSATIONS / 10 && wrong < 5; i++) {
    ck_conversation *said = make_conversation();
    ck_profile_model model = {
        .api = CK_MODEL_ANTHROPIC, .model = (char *)"m", .stream = 0, .cache_s = 3600};
    ck_model_query ask = {&model, ck_bytes_text("{\"model\":\"m\",\"tools\":[\"f\"]}"), said, 0,
                          NULL};
    ck_buffer body = {0};
    size_t count = 0;
    tap_must(ck_model_anthropic.write(&body, &ask, NULL) == CK_OK, "it is written");
    bool right = wire_check(problem, ck_model_anthropic.path, ck_buffer_bytes(&body)) &&
                 !wire_marks_check(&count, ck_buffer_bytes(&body)) && count >= 1 && count <= 3;
    if (!right) tap_diag("%s, %zu marks: %s", problem, count, body.data);
    wrong += !right;
    ck_buffer_clear(&body);
    ck_conversation_free(said);
  }
  tap_is_int(wrong, 0, "%d of them have marks as they must be", CONVERSATIONS / 10);
}

int main(void) {
  test_exact();
  test_tools_and_options();
  test_random();
  test_marks();
  return tap_done();
}
