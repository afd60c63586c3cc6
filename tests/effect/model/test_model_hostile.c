/* test_model_hostile.c - any answer of a model server becomes a message that a strict server
 * accepts, or a fault that says what is wrong. */
#include <string.h>

#include "core/effect/model/run.h"
#include "tests/effect/wire_check.h"
#include "tests/tap.h"

enum { MANY = 200000 };

/* The message of an answer; NULL without one, then `fault` says why. */
static ck_value *read_answer(const ck_model_format *format, bool events, ck_bytes body,
                             ck_model_fault *fault) {
  ck_model_answer it;
  ck_value *message = NULL;
  ck_model_answer_init(&it, format, 0);
  ck_model_answer_header(&it, ck_bytes_text("Content-Type"),
                         ck_bytes_text(events ? "text/event-stream" : "application/json"));
  bool taken = ck_model_answer_data(&it, 200, body);
  ck_http_end end = {
      .ending = taken ? CK_HTTP_ANSWERED : CK_HTTP_REFUSED, .code = 200, .text = "refused"};
  tap_must(ck_model_answer_end(&message, fault, &it, &end, NULL) == CK_OK, "it has an end");
  ck_model_answer_clear(&it);
  return message;
}

static void append(ck_conversation *to, ck_bytes json) {
  ck_value *message;
  tap_must(ck_value_new(&message, json, NULL) == CK_OK &&
               ck_conversation_append(to, message, NULL) == CK_OK,
           "it is appended");
  ck_value_free(message);
}

/* The next request, with that message in it, is one that both providers take. */
static bool goes_on(const ck_model_format *format, ck_model_api api, ck_bytes message) {
  static const char user[] = "{\"role\":\"user\",\"content\":\"U\"}";
  char problem[WIRE_PROBLEM_SIZE];
  ck_conversation *conversation;
  ck_profile_model model = {.api = api, .model = (char *)"m"};
  ck_buffer body = {0};
  tap_must(ck_conversation_new(&conversation, NULL) == CK_OK, "there is a conversation");
  append(conversation, ck_bytes_text(user));
  append(conversation, message);
  append(conversation, ck_bytes_text(user));
  ck_model_query ask = {&model, ck_bytes_text("{\"model\":\"m\",\"tools\":[\"f\"]}"), conversation,
                        0, NULL};
  tap_must(format->write(&body, &ask, NULL) == CK_OK, "it is written");
  bool right = wire_check(problem, format->path, ck_buffer_bytes(&body));
  if (!right) tap_diag("%s: %.900s", problem, body.data);
  ck_buffer_clear(&body);
  ck_conversation_free(conversation);
  return right;
}

static void answers(const ck_model_format *format, bool events, const char *name, ck_bytes body,
                    const char *fault_says) {
  ck_model_fault fault = {0};
  ck_value *message = read_answer(format, events, body, &fault);
  if (fault_says) {
    tap_ok(!message && fault.status && strstr(fault.text, fault_says), "%s: %s is a fault (%s)",
           format->path, name, message ? "none" : fault.text);
  } else {
    bool right = message != NULL;
    for (ck_model_api api = 0; right && api < CK_MODEL_API_COUNT; api++)
      right = goes_on(ck_model_format_of(api), api, ck_value_bytes(message));
    tap_ok(right, "%s: %s can be gone on with%s%s", format->path, name, message ? "" : ": ",
           message ? "" : fault.text);
  }
  ck_value_free(message);
}

typedef struct hostile {
  const char *name, *body;
  const char *fault; /* NULL: it is a message */
} hostile;

#define CHOICE(message) "{\"choices\":[{\"message\":" message "}]}"
#define CALLS(list) CHOICE("{\"role\":\"assistant\",\"content\":null,\"tool_calls\":" list "}")

static void test_openai_bodies(void) {
  static const hostile cases[] = {
      {"no choices", "{\"choices\":[]}", "no choices[0].message"},
      {"choices that are no list", "{\"choices\":{\"message\":{\"role\":\"assistant\"}}}",
       "no choices[0].message"},
      {"a choice that is null", "{\"choices\":[null]}", "no choices[0].message"},
      {"a message of the user", CHOICE("{\"role\":\"user\",\"content\":\"x\"}"),
       "no choices[0].message"},
      {"a list", "[1]", "no object"},
      {"nothing at all", "", "no JSON"},
      {"a number that is too large",
       "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}],\"usage\":{"
       "\"prompt_tokens\":1e999,\"completion_tokens\":-1e999}}",
       "too large for a double"},
      {"usage of nonsense",
       "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}],\"usage\":[{}]}",
       NULL},
      {"content that was filtered",
       "{\"choices\":[{\"finish_reason\":\"content_filter\",\"message\":{\"role\":\"assistant\","
       "\"content\":null}}]}",
       NULL},
      {"a refusal", CHOICE("{\"role\":\"assistant\",\"content\":null,\"refusal\":\"No.\"}"), NULL},
      {"no content", CHOICE("{\"role\":\"assistant\"}"), NULL},
      {"content that is a number",
       CHOICE("{\"role\":\"assistant\",\"content\":7,\"tool_calls\":[{\"id\":\"a\",\"type\":"
              "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}"),
       NULL},
      {"calls that are none",
       CHOICE("{\"role\":\"assistant\",\"content\":\"x\",\"tool_calls\":[]}"), NULL},
      {"calls that are null",
       CHOICE("{\"role\":\"assistant\",\"content\":\"x\",\"tool_calls\":null}"), NULL},
      {"calls that are an object",
       CHOICE("{\"role\":\"assistant\",\"content\":\"x\",\"tool_calls\":{\"id\":\"a\"}}"), NULL},
      {"calls that are numbers", CALLS("[5,null,\"x\",[]]"), NULL},
      {"a call without a name",
       CALLS("[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"arguments\":\"{}\"}}]"), NULL},
      {"a call with nothing", CALLS("[{}]"), NULL},
      {"a name that is a number",
       CALLS("[{\"id\":7,\"type\":\"function\",\"function\":{\"name\":7,\"arguments\":7}}]"), NULL},
      {"ids that are one, spelt in two ways",
       CALLS("[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}"
             "\"}},{\"id\":\"\\u0061\",\"type\":\"function\",\"function\":{\"name\":\"f\","
             "\"arguments\":\"{}\"}}]"),
       NULL},
      {"arguments that were cut by max_tokens",
       "{\"choices\":[{\"finish_reason\":\"length\",\"message\":{\"role\":\"assistant\","
       "\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{"
       "\"name\":\"f\",\"arguments\":\"{\\\"q\\\":\\\"\"}}]}}]}",
       NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    answers(&ck_model_openai, false, cases[i].name, ck_bytes_text(cases[i].body), cases[i].fault);
}

#define EVENT(choice) "data: {\"choices\":[" choice "]}\n\n"
#define DELTA(delta) EVENT("{\"index\":0,\"delta\":" delta "}")
#define END(reason) \
  EVENT("{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}") "data: [DONE]\n\n"

#define USAGE "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n"

static void test_openai_streams(void) {
  static const hostile cases[] = {
      {"calls whose parts come by turns",
       DELTA("{\"role\":\"assistant\",\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"type\":"
             "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}")
           DELTA("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\",\"function\":{"
                 "\"name\":\"f\",\"arguments\":\"{\"}}]}")
               DELTA("{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"}\"}},{\"index\":"
                     "0,\"function\":{\"arguments\":\"}\"}}]}") END("tool_calls"),
       NULL},
      {"an index below zero",
       DELTA("{\"tool_calls\":[{\"index\":-1,\"id\":\"a\",\"function\":{\"name\":\"f\"}}]}")
           END("stop"),
       "a part -1"},
      {"an index beyond all",
       DELTA("{\"tool_calls\":[{\"index\":9223372036854775807,\"id\":\"a\"}]}") END("stop"),
       "a part 9223372036854775807"},
      {"an index that is a text",
       DELTA("{\"tool_calls\":[{\"index\":\"x\",\"id\":\"a\",\"function\":{\"name\":\"f\","
             "\"arguments\":\"{}\"}}]}") END("stop"),
       NULL},
      {"a call that is a number", DELTA("{\"tool_calls\":[5]}") END("stop"),
       "a call in the stream is no object"},
      {"deltas that are none",
       DELTA("null") DELTA("[]") EVENT("5") "data: {\"choices\":[]}\n\n" END("stop"), NULL},
      {"no usage, cut by max_tokens inside of a call",
       DELTA("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\","
             "\"arguments\":\"{\\\"q\\\":\"}}]}") END("length"),
       NULL},
      {"a call without a name",
       DELTA("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"arguments\":\"{}\"}}]}")
           END("tool_calls"),
       NULL},
      {"a filtered one", END("content_filter"), NULL},
      {"no end", DELTA("{\"content\":\"x\"}"), "the stream ended before the message did"},
      {"no finish_reason", DELTA("{\"content\":\"x\"}") "data: [DONE]\n\n", NULL},
      {"no finish_reason, and no mark behind its usage", DELTA("{\"content\":\"x\"}") USAGE, NULL},
      {"usage before anything else", USAGE, "the stream ended before the message did"},
      {"an end and nothing else", "data: [DONE]\n\n", "the stream ended before the message did"},
      {"an event that is no JSON", "data: {oops\n\n", "an event of the stream is no JSON"},
      {"a call of no type",
       DELTA("{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":null,\"function\":null}]}")
           END("stop"),
       NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    answers(&ck_model_openai, true, cases[i].name, ck_bytes_text(cases[i].body), cases[i].fault);
}

#define MESSAGE(content)                                              \
  "{\"type\":\"message\",\"role\":\"assistant\",\"content\":" content \
  ",\"stop_reason\":\"end_turn\"}"

static void test_anthropic_bodies(void) {
  static const hostile cases[] = {
      {"content that is a text", MESSAGE("\"x\""), "no message of the assistant"},
      {"a refusal without content",
       "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"stop_reason\":\"refusal\"}",
       NULL},
      {"blocks that are numbers", MESSAGE("[5,null,{},[],{\"type\":7}]"), NULL},
      {"an empty text", MESSAGE("[{\"type\":\"text\",\"text\":\"\"}]"), NULL},
      {"a text without a text", MESSAGE("[{\"type\":\"text\"}]"), NULL},
      {"a call with nothing", MESSAGE("[{\"type\":\"tool_use\"}]"), NULL},
      {"calls with one id",
       MESSAGE("[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}},{\"type\":\"tool_"
               "use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}]"),
       NULL},
      {"an input that is a list",
       MESSAGE("[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":[1]}]"), NULL},
      {"usage of nonsense",
       "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
       "\"x\"}],\"usage\":{\"input_tokens\":-5,\"output_tokens\":\"x\"}}",
       NULL},
      {"an error in its place",
       "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}", "m"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    answers(&ck_model_anthropic, false, cases[i].name, ck_bytes_text(cases[i].body),
            cases[i].fault);
}

#define START                                                                             \
  "data: "                                                                                \
  "{\"type\":\"message_start\",\"message\":{\"type\":\"message\",\"role\":\"assistant\"," \
  "\"content\":[]}}\n\n"
#define BLOCK(index, block) \
  "data: {\"type\":\"content_block_start\",\"index\":" index ",\"content_block\":" block "}\n\n"
#define MORE(index, delta) \
  "data: {\"type\":\"content_block_delta\",\"index\":" index ",\"delta\":" delta "}\n\n"
#define STOP "data: {\"type\":\"message_stop\"}\n\n"

static void test_anthropic_streams(void) {
  static const hostile cases[] = {
      {"blocks whose parts come by turns",
       START BLOCK("1", "{\"type\":\"tool_use\",\"id\":\"b\",\"name\":\"f\",\"input\":{}}")
           BLOCK("0", "{\"type\":\"text\",\"text\":\"\"}")
               MORE("1", "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\"\"}")
                   MORE("0", "{\"type\":\"text_delta\",\"text\":\"x\"}")
                       MORE("1", "{\"type\":\"input_json_delta\",\"partial_json\":\":1}\"}") STOP,
       NULL},
      {"a call that was cut by max_tokens",
       START BLOCK("0", "{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}")
           MORE("0", "{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"q\\\":\"}") STOP,
       NULL},
      {"thinking that was cut",
       START BLOCK("0", "{\"type\":\"thinking\",\"thinking\":\"\"}")
           MORE("0", "{\"type\":\"thinking_delta\",\"thinking\":\"t\"}") STOP,
       NULL},
      {"a part of no block", START MORE("0", "{\"type\":\"text_delta\",\"text\":\"x\"}") STOP,
       "a block that it has not begun"},
      {"a block that begins twice",
       START BLOCK("0", "{\"type\":\"text\",\"text\":\"\"}")
           BLOCK("0", "{\"type\":\"text\",\"text\":\"\"}") STOP,
       "does not begin as it must"},
      {"an index below zero", START BLOCK("-1", "{\"type\":\"text\",\"text\":\"x\"}") STOP,
       "a part -1"},
      {"no index",
       START "data: "
             "{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\",\"text\":"
             "\"x\"}}\n\n" STOP,
       "no index"},
      {"no beginning", STOP, "without a message"},
      {"a block of no type", START BLOCK("0", "{\"text\":\"x\"}") STOP, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    answers(&ck_model_anthropic, true, cases[i].name, ck_bytes_text(cases[i].body), cases[i].fault);
}

/* An answer that was paid for is taken: half a character in it, or NUL, is U+FFFD. */
static void test_mended(void) {
  static const char whole[] = CHOICE("{\"role\":\"assistant\",\"content\":\"a\\ud83d b\\u0000\"}"),
                    pair[] = CHOICE("{\"role\":\"assistant\",\"content\":\"\\ud83d\\ude00\"}"),
                    cut[] = CHOICE("{\"role\":\"assistant\",\"content\":\"a\\ud83d b");
  ck_model_fault fault = {0};
  ck_value *message = read_answer(&ck_model_openai, false, ck_bytes_text(whole), &fault);
  tap_is_bytes(
      ck_value_bytes(message),
      ck_bytes_text("{\"role\":\"assistant\",\"content\":\"a\xEF\xBF\xBD b\xEF\xBF\xBD\"}"),
      "half a character is U+FFFD (%s)", fault.text);
  ck_value_free(message);
  message = read_answer(&ck_model_openai, false, ck_bytes_text(pair), &fault);
  tap_is_bytes(ck_value_bytes(message),
               ck_bytes_text("{\"role\":\"assistant\",\"content\":\"\\ud83d\\ude00\"}"),
               "a whole one stays as it came");
  ck_value_free(message);
  answers(&ck_model_openai, false, "one that is cut, too", ck_bytes_text(cut), "no JSON");
  answers(&ck_model_openai, true, "half a character in a stream",
          ck_bytes_text(DELTA("{\"content\":\"a\\ude00\"}") "data: [DONE]\n\n"), NULL);
  answers(&ck_model_anthropic, false, "half a character",
          ck_bytes_text("{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":"
                        "\"text\",\"text\":\"\\udead\"}]}"),
          NULL);
}

/* A server that cuts texts by UTF-16 has the halves of a character in two events. */
static void test_halves(void) {
#define PIECES "data: [DONE]\n\n"
  static const struct {
    const char *what, *body, *content;
  } cases[] = {
      {"two halves in two events are one character",
       DELTA("{\"content\":\"a\\ud83d\"}") DELTA("{\"content\":\"\\ude00 b\"}") PIECES,
       "a\xF0\x9F\x98\x80 b"},
      {"so are those of several, one behind the other",
       DELTA("{\"content\":\"\\ud83d\"}") DELTA("{\"content\":\"\\ude00\\ud83d\"}")
           DELTA("{\"content\":\"\\ude01\"}") PIECES,
       "\xF0\x9F\x98\x80\xF0\x9F\x98\x81"},
      {"a first half alone is U+FFFD",
       DELTA("{\"content\":\"a\\ud83d\"}") DELTA("{\"content\":\"b\"}") PIECES,
       "a\xEF\xBF\xBD"
       "b"},
      {"so is one that is the last of all", DELTA("{\"content\":\"a\\ud83d\"}") PIECES,
       "a\xEF\xBF\xBD"},
      {"so is a second half alone",
       DELTA("{\"content\":\"a\"}") DELTA("{\"content\":\"\\ude00\"}") PIECES, "a\xEF\xBF\xBD"},
      {"what looks like one behind a backslash is text",
       DELTA("{\"content\":\"\\\\ud83d\"}") DELTA("{\"content\":\"\\\\ude00\"}") PIECES,
       "\\ud83d\\ude00"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_model_fault fault = {0};
    ck_buffer got = {0};
    ck_value *message = read_answer(&ck_model_openai, true, ck_bytes_text(cases[i].body), &fault);
    if (message) ck_json_read_string(&got, ck_json_get(ck_value_bytes(message), "content"));
    tap_is_bytes(ck_buffer_bytes(&got), ck_bytes_text(cases[i].content), "%s (%s)", cases[i].what,
                 fault.text);
    ck_buffer_clear(&got);
    ck_value_free(message);
  }
}

static void calls_tool(bool events, const char *body, const char *name) {
  ck_model_fault fault = {0};
  ck_value *message = read_answer(&ck_model_openai, events, ck_bytes_text(body), &fault);
  ck_bytes list = message ? ck_json_get(ck_value_bytes(message), "tool_calls") : (ck_bytes){0};
  tap_is_bytes(list,
               ck_bytes_text("[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":"
                             "\"{}\"}}]"),
               "%s is a call (%s)", name, fault.text);
  tap_ok(message && !ck_json_get(ck_value_bytes(message), "function_call").len, "%s: and said once",
         name);
  ck_value_free(message);
  answers(&ck_model_openai, events, name, ck_bytes_text(body), NULL);
}

/* The form before tool_calls is a call, too, and never an answer without words. */
static void test_old_calls(void) {
  calls_tool(false,
             CHOICE("{\"role\":\"assistant\",\"content\":null,\"function_call\":{\"name\":\"f\","
                    "\"arguments\":\"{}\"}}"),
             "function_call");
  calls_tool(true,
             DELTA("{\"function_call\":{\"name\":\"f\",\"arguments\":\"\"}}")
                 DELTA("{\"function_call\":{\"arguments\":\"{\"}}")
                     DELTA("{\"function_call\":{\"arguments\":\"}\"}}") END("function_call"),
             "function_call in a stream");
  answers(
      &ck_model_openai, false, "a null beside tool_calls",
      ck_bytes_text(CHOICE("{\"role\":\"assistant\",\"content\":\"a\",\"function_call\":null}")),
      NULL);
}

/* So many that a quadratic algorithm would never end. */
static void test_many(void) {
  ck_buffer stream = {0}, deep = {0};
  for (int i = 0; i < MANY; i++)
    ck_buffer_append_format(&stream, DELTA("{\"tool_calls\":[{\"index\":%d,\"id\":\"i%d\"}]}"), i,
                            i);
  answers(&ck_model_openai, true, "a stream of calls without an end", ck_buffer_bytes(&stream),
          "behind 4096 others");
  ck_buffer_append_text(&deep, "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":");
  for (int i = 0; i < 10000; i++) ck_buffer_append_char(&deep, '[');
  for (int i = 0; i < 10000; i++) ck_buffer_append_char(&deep, ']');
  ck_buffer_append_text(&deep, "}}]}");
  answers(&ck_model_openai, false, "content 10,000 lists deep", ck_buffer_bytes(&deep),
          "nested deeper than");
  static const char
      nul[] = "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"a\0b\"}}]}",
      bad[] = "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"a\xff\"}}]}";
  answers(&ck_model_openai, false, "a NUL in a text", (ck_bytes){nul, sizeof nul - 1}, "no JSON");
  answers(&ck_model_openai, false, "bytes that are no UTF-8", (ck_bytes){bad, sizeof bad - 1},
          "no JSON");
  ck_buffer_clear(&stream);
  ck_buffer_clear(&deep);
}

int main(void) {
  test_openai_bodies();
  test_openai_streams();
  test_anthropic_bodies();
  test_anthropic_streams();
  test_many();
  test_mended();
  test_halves();
  test_old_calls();
  return tap_done();
}
