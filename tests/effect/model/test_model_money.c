/* test_model_money.c - what a provider states of its tokens is paid for, whatever becomes of its
 * answer; where it states nothing that can be believed, the attempt counts at its reserve. */
#include <stdio.h>
#include <string.h>

#include "tests/effect/model/model_fixture.h"
#include "tests/tap.h"

enum { RESERVE = 90000, STATED = 1000 * 3 + 50 * 15 };

static const char *const apis[] = {"openai", "anthropic", "responses", "gemini"};

/* ---- one answer of the server, in the words of each API ---- */

/* In the texts of cases: $U a usage of 1000 and 50 tokens, $I and $O the names of its figures, $M a
 * whole message behind its usage. */
static void append_words(ck_buffer *out, const char *text, const char *api) {
  size_t column = 1;
  while (strcmp(apis[column - 1], api) != 0) column++;
  enum { WORDS = 5 };
  static const char *const words[WORDS][5] = {
      {"$U", "\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50}",
       "\"usage\":{\"input_tokens\":1000,\"output_tokens\":50}",
       "\"usage\":{\"input_tokens\":1000,\"output_tokens\":50}",
       "\"usageMetadata\":{\"promptTokenCount\":1000,\"candidatesTokenCount\":50}"},
      {"\"usage\"", "\"usage\"", "\"usage\"", "\"usage\"", "\"usageMetadata\""},
      {"$I", "\"prompt_tokens\"", "\"input_tokens\"", "\"input_tokens\"", "\"promptTokenCount\""},
      {"$O", "\"completion_tokens\"", "\"output_tokens\"", "\"output_tokens\"",
       "\"candidatesTokenCount\""},
      {"$M", "\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"x\"}}]",
       "\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":"
       "\"x\"}]",
       "\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\","
       "\"text\":\"x\"}]}]",
       "\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]},\"finishReason\":\"STOP\"}]"},
  };
  while (*text) {
    size_t i = 0;
    while (i < WORDS && strncmp(text, words[i][0], strlen(words[i][0])) != 0) i++;
    if (i < WORDS)
      ck_buffer_append_text(out, words[i][column]);
    else
      ck_buffer_append_char(out, *text);
    text += i < WORDS ? strlen(words[i][0]) : 1;
  }
}

typedef struct money_case {
  const char *name, *body;
  const char *outcome;
  int64_t cost, reserved;
  int status; /* of HTTP; 0: 200 */
  int64_t cut;
} money_case;

static void make_script(ck_buffer *out, const money_case *it, const char *body, bool events) {
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "status", it->status ? it->status : 200);
  ck_json_member_text(&w, "type", events ? "text/event-stream" : "application/json");
  ck_json_member_text(&w, "body", body);
  ck_json_member_bool(&w, "broken", true);
  if (it->cut) ck_json_member_int(&w, "cut", it->cut);
  ck_json_member_int(&w, "times", 0);
  ck_json_end(&w, '}');
}

static void check(const money_case *it, const char *api, bool events) {
  model_fixture fixture;
  ck_buffer body = {0}, script = {0};
  append_words(&body, it->body, api);
  make_script(&script, it, body.data, events);
  model_fixture_open(&fixture, api, script.data);
  fixture.model->stream = events;
  fixture.model->retries = 0;
  fixture.options.answer_max = 4096;
  fixture.effect.reserve_micros = RESERVE;
  model_fixture_add(&fixture, "user", "Hello");
  const ck_outcome *outcome = model_fixture_call(&fixture, "{\"model\":\"m\"}");
  const char *how = events ? "streamed" : "whole";
  tap_is_text(ck_outcome_status_name(outcome->status), it->outcome, "%s, %s: %s (%s)", api, how,
              it->name, outcome->error ? outcome->error : "");
  tap_is_int(outcome->cost_micros, it->cost, "%s, %s: %s: its cost", api, how, it->name);
  tap_is_int(outcome->reserved_micros, it->reserved, "%s, %s: %s: what of it is an estimate", api,
             how, it->name);
  if (it->cost == STATED)
    tap_is_int(outcome->input_tokens * 100 + outcome->output_tokens, 100050,
               "%s, %s: %s: its tokens", api, how, it->name);
  model_fixture_close(&fixture);
  ck_buffer_clear(&script);
  ck_buffer_clear(&body);
}

/* ---- whole answers ---- */

#define PADDING "pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"
#define PADDINGS PADDING PADDING PADDING PADDING PADDING PADDING PADDING PADDING PADDING PADDING
#define LONG PADDINGS PADDINGS PADDINGS PADDINGS PADDINGS PADDINGS

/* What is wrong with a figure of usage. */
#define FIGURE(what, figure)                                                      \
  {what ": the input", "{\"usage\":{$I:" figure ",$O:50},$M}", "ok", RESERVE,     \
   .reserved = RESERVE},                                                          \
  {                                                                               \
    what ": the output", "{$M,\"usage\":{$I:1000,$O:" figure "}}", "ok", RESERVE, \
        .reserved = RESERVE                                                       \
  }

static const money_case whole[] = {
    {"a message", "{$M,$U}", "ok", STATED, .reserved = 0},
    {"a message with its usage twice", "{$U,$M,$U}", "failed", STATED, .reserved = 0},
    {"the larger usage comes second", "{\"usage\":{$I:1,$O:1},$M,$U}", "failed", STATED,
     .reserved = 0},
    {"the larger usage comes first", "{$U,$M,\"usage\":{$I:1,$O:1}}", "failed", STATED,
     .reserved = 0},
    {"no message", "{$U}", "failed", STATED, .reserved = 0},
    {"a message of nobody", "{\"choices\":[],\"content\":7,$U}", "failed", STATED, .reserved = 0},
    {"bytes that are no UTF-8", "{\"id\":\"\xc3\xbf\",$M,$U}", "failed", STATED, .reserved = 0},
    {"bytes behind it", "{$M,$U} and more", "failed", STATED, .reserved = 0},
    {"another answer behind it", "{$M,$U}{\"usage\":{$I:2000,$O:1}}", "failed", STATED,
     .reserved = 0},
    {"usage within the text",
     "{\"x\":\"\\\"usage\\\":{\\\"prompt_tokens\\\":1}\",\"y\":\"\\\\\",$M,$U}", "ok", STATED,
     .reserved = 0},
    {"usage of something else", "{\"z\":{\"usage\":{$I:7000,$O:1}},$M,$U}", "ok", STATED,
     .reserved = 0},
    {"a control character", "{\"id\":\"\x01\",$M,$U}", "failed", STATED, .reserved = 0},
    {"cut behind its usage", "{$U,$M,\"more\":\"" PADDING "\"}", "failed", STATED, .reserved = 0,
     .cut = -40},
    {"cut behind all of it", "{$M,$U} \n ", "ok", STATED, .reserved = 0, .cut = -2},
    {"cut before its last byte", "{$M,$U}", "failed", STATED, .reserved = 0, .cut = -1},
    {"cut within its usage", "{$M,$U", "failed", RESERVE, .reserved = RESERVE, .cut = -3},
    {"too large, behind its usage", "{$U,\"more\":\"" LONG "\"}", "failed", STATED, .reserved = 0},
    {"too large, before its usage", "{\"more\":\"" LONG "\",$U}", "failed", RESERVE,
     .reserved = RESERVE},
    {"no usage", "{$M}", "ok", RESERVE, .reserved = RESERVE},
    {"no usage and no message", "{}", "failed", RESERVE, .reserved = RESERVE},
    {"usage of null", "{$M,\"usage\":null}", "ok", RESERVE, .reserved = RESERVE},
    {"usage that is a list", "{$M,\"usage\":[{$I:1,$O:1}]}", "ok", RESERVE, .reserved = RESERVE},
    {"usage without output", "{$M,\"usage\":{$I:1000}}", "ok", RESERVE, .reserved = RESERVE},
    {"usage without input", "{$M,\"usage\":{$O:50}}", "ok", RESERVE, .reserved = RESERVE},
    {"usage of nothing", "{$M,\"usage\":{$I:0,$O:0}}", "ok", 0, .reserved = 0},
    FIGURE("negative", "-1000"),
    FIGURE("a fraction", "1000.5"),
    FIGURE("an exponent", "1e3"),
    FIGURE("a string", "\"1000\""),
    FIGURE("true", "true"),
    FIGURE("more than there can be", "1000000000001"),
    {"more than 64 bits", "{$M,\"usage\":{$I:99999999999999999999,$O:1}}", "ok", RESERVE,
     .reserved = RESERVE},
    {"more than a double", "{$M,\"usage\":{$I:1e999,$O:1}}", "failed", RESERVE,
     .reserved = RESERVE},
    {"a figure twice", "{$M,\"usage\":{$I:1,$I:1000,$O:50}}", "failed", RESERVE,
     .reserved = RESERVE},
    {"a sound usage beside a broken one", "{$U,$M,\"usage\":{$I:1,$I:9000,$O:50}}", "failed",
     RESERVE, .reserved = RESERVE},
    {"an error", "{\"type\":\"error\",\"error\":{\"message\":\"no\"}}", "failed", 0, .reserved = 0},
    {"an error with usage", "{\"type\":\"error\",\"error\":{\"message\":\"no\"},$U}", "failed",
     STATED, .reserved = 0},
    {"a refusal", "{\"error\":{\"message\":\"no\"}}", "failed", 0, .reserved = 0, .status = 400},
    {"a refusal with usage", "{\"error\":{\"message\":\"no\"},$U}", "failed", STATED, .reserved = 0,
     .status = 400},
    {"a failure of the server", "oops", "failed", 0, .reserved = 0, .status = 500},
    {"a failure with usage", "{\"error\":{\"message\":\"no\"},$U}", "failed", STATED, .reserved = 0,
     .status = 529},
    {"a refusal with usage that is none", "{\"usage\":{$I:-1,$O:1}}", "failed", RESERVE,
     .reserved = RESERVE, .status = 400},
};

/* ---- streams ---- */

#define DATA(text) "data: " text "\n\n"
#define OPENAI_PART \
  DATA("{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"x\"}}]}")
#define OPENAI_END DATA("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}")
#define OPENAI_USAGE DATA("{\"choices\":[],$U}")
#define EACH(input, output)                                                              \
  DATA("{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"x\"}}],\"usage\":{$I:" input \
       ",$O:" output "}}")
#define OPENAI_EARLY DATA("{\"choices\":[],\"usage\":{$I:5,$O:0}}")
#define OPENAI_CALL(arguments)                                                            \
  DATA("{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\"," \
       "\"type\":\"function\",\"function\":{\"name\":\"pay\",\"arguments\":\"" arguments  \
       "\"}}]}}]}")
#define HALF_CALL OPENAI_CALL("{\\\"amount\\\":1")
#define OPENAI_NOTHING \
  DATA("{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}")

static const money_case openai_streams[] = {
    {"a message", OPENAI_PART OPENAI_END OPENAI_USAGE DATA("[DONE]"), "ok", STATED, .reserved = 0},
    {"a message without usage", OPENAI_PART OPENAI_END DATA("[DONE]"), "ok", RESERVE,
     .reserved = RESERVE},
    {"usage of null", OPENAI_PART OPENAI_END DATA("{\"choices\":[],\"usage\":null}"), "ok", RESERVE,
     .reserved = RESERVE},
    {"cut behind its usage", OPENAI_PART OPENAI_END OPENAI_USAGE DATA("[DONE]"), "ok", STATED,
     .reserved = 0, .cut = -3},
    {"ended by its usage alone", OPENAI_PART OPENAI_USAGE, "ok", STATED, .reserved = 0},
    {"its usage alone, and the connection ended early", OPENAI_PART OPENAI_USAGE "data: {",
     "failed", STATED, .reserved = 0, .cut = -1},
    {"an end without a finish_reason", OPENAI_PART OPENAI_USAGE DATA("[DONE]"), "ok", STATED,
     .reserved = 0},
    {"the same, without usage", OPENAI_PART DATA("[DONE]"), "ok", RESERVE, .reserved = RESERVE},
    {"cut before its usage", OPENAI_PART "data: {", "failed", RESERVE, .reserved = RESERVE,
     .cut = -1},
    {"usage before the text", OPENAI_EARLY OPENAI_PART, "failed", RESERVE, .reserved = RESERVE},
    {"usage before a text that ends", OPENAI_EARLY OPENAI_PART OPENAI_END DATA("[DONE]"), "ok",
     RESERVE, .reserved = RESERVE},
    {"usage before and behind the text", OPENAI_EARLY OPENAI_PART OPENAI_USAGE, "ok", STATED,
     .reserved = 0},
    {"usage, then more text", OPENAI_PART OPENAI_USAGE OPENAI_PART, "failed", RESERVE,
     .reserved = RESERVE},
    {"usage, then more text that ends", OPENAI_PART OPENAI_USAGE OPENAI_PART OPENAI_END, "ok",
     RESERVE, .reserved = RESERVE},
    {"usage, then a part that brings nothing", OPENAI_PART OPENAI_USAGE OPENAI_NOTHING, "ok",
     STATED, .reserved = 0},
    {"usage before a message of nothing", OPENAI_EARLY OPENAI_NOTHING, "failed", RESERVE,
     .reserved = RESERVE},
    {"usage before half a call", OPENAI_EARLY HALF_CALL, "failed", RESERVE, .reserved = RESERVE},
    {"usage before a whole call", OPENAI_EARLY OPENAI_CALL("{}"), "failed", RESERVE,
     .reserved = RESERVE},
    {"usage behind half a call", HALF_CALL OPENAI_USAGE, "failed", STATED, .reserved = 0},
    {"half a call, and all of it was sent", HALF_CALL DATA("[DONE]"), "failed", RESERVE,
     .reserved = RESERVE},
    {"usage behind a whole call", OPENAI_CALL("{\\\"amount\\\":1}") OPENAI_USAGE, "ok", STATED,
     .reserved = 0},
    {"usage behind a call without arguments", OPENAI_CALL("") OPENAI_USAGE, "ok", STATED,
     .reserved = 0},
    {"usage between two parts of a call",
     OPENAI_CALL("{\\\"amount\\\":1") OPENAI_USAGE OPENAI_CALL("0}"), "failed", RESERVE,
     .reserved = RESERVE},
    {"usage in each part", EACH("1000", "1") EACH("1000", "50") OPENAI_END OPENAI_USAGE, "ok",
     STATED, .reserved = 0},
    {"a last usage that is less",
     OPENAI_PART OPENAI_END OPENAI_USAGE DATA("{\"choices\":[],\"usage\":{$I:0,$O:0}}"), "ok",
     STATED, .reserved = 0},
    {"cut with usage in each part", EACH("1000", "1") "data: {", "failed", RESERVE,
     .reserved = RESERVE, .cut = -1},
    {"cut when more than its reserve was told", EACH("1000000", "1") "data: {", "failed", 3000015,
     .reserved = 3000015, .cut = -1},
    {"an event that is no UTF-8", DATA("\"\xc3\xbf\"") OPENAI_PART OPENAI_END OPENAI_USAGE,
     "failed", RESERVE, .reserved = RESERVE},
    {"an event that is no UTF-8 behind the usage",
     OPENAI_PART OPENAI_END OPENAI_USAGE DATA("\"\xc3\xbf\""), "failed", STATED, .reserved = 0},
    {"a negative figure", OPENAI_PART OPENAI_END DATA("{\"choices\":[],\"usage\":{$I:-1,$O:5}}"),
     "ok", RESERVE, .reserved = RESERVE},
    {"an error first", DATA("{\"error\":{\"message\":\"no\"}}"), "failed", 0, .reserved = 0},
    {"an error in the middle", OPENAI_PART DATA("{\"error\":{\"message\":\"no\"}}"), "failed",
     RESERVE, .reserved = RESERVE},
    {"an error with usage", OPENAI_PART DATA("{\"error\":{\"message\":\"no\"},$U}"), "failed",
     RESERVE, .reserved = RESERVE},
};

#define START(usage)                                                                           \
  DATA("{\"type\":\"message_start\",\"message\":{\"type\":\"message\",\"role\":\"assistant\"," \
       "\"content\":[]," usage "}}")
#define INPUT START("\"usage\":{$I:1000,$O:1}")
#define BLOCK                                                                                \
  DATA("{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\"," \
       "\"text\":\"x\"}}")
#define DELTA(more) DATA("{\"type\":\"message_delta\",\"delta\":{}" more "}")
#define OUTPUT DELTA(",\"usage\":{$O:50}")
#define STOP DATA("{\"type\":\"message_stop\"}")

static const money_case anthropic_streams[] = {
    {"a message", INPUT BLOCK OUTPUT STOP, "ok", STATED, .reserved = 0},
    {"its input again", INPUT BLOCK DELTA(",\"usage\":{$I:1000,$O:50}") STOP, "ok", STATED,
     .reserved = 0},
    {"a last usage that is less", INPUT BLOCK OUTPUT DELTA(",\"usage\":{$O:0}") STOP, "ok", STATED,
     .reserved = 0},
    {"without its output", INPUT BLOCK DELTA("") STOP, "ok", RESERVE, .reserved = RESERVE},
    {"without its input", START("\"id\":1") BLOCK OUTPUT STOP, "ok", RESERVE, .reserved = RESERVE},
    {"cut behind its stop_reason",
     INPUT BLOCK DATA("{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},"
                      "\"usage\":{$O:50}}") "data: {",
     "ok", STATED, .reserved = 0, .cut = -1},
    {"cut behind its usage", INPUT BLOCK OUTPUT "data: {", "failed", STATED, .reserved = 0,
     .cut = -1},
    {"cut before it", INPUT BLOCK "data: {", "failed", RESERVE, .reserved = RESERVE, .cut = -1},
    {"cut when more than its reserve was told", START("\"usage\":{$I:1000000,$O:1}") "data: {",
     "failed", 3000015, .reserved = 3000015, .cut = -1},
    {"an event that is no UTF-8", INPUT DATA("\"\xc3\xbf\"") OUTPUT STOP, "failed", RESERVE,
     .reserved = RESERVE},
    {"its usage in an event that is no UTF-8",
     INPUT BLOCK DELTA(",\"x\":\"\xc3\xbf\",\"usage\":{$O:50}") STOP, "failed", STATED,
     .reserved = 0},
    {"a negative figure", INPUT BLOCK DELTA(",\"usage\":{$O:-50}") STOP, "ok", RESERVE,
     .reserved = RESERVE},
    {"a fraction in the beginning", START("\"usage\":{$I:1.5,$O:1}") BLOCK OUTPUT STOP, "ok",
     RESERVE, .reserved = RESERVE},
    {"an error first", DATA("{\"type\":\"error\",\"error\":{\"message\":\"no\"}}"), "failed", 0,
     .reserved = 0},
    {"an error in the middle", INPUT DATA("{\"type\":\"error\",\"error\":{\"message\":\"no\"}}"),
     "failed", RESERVE, .reserved = RESERVE},
    {"an error behind the usage",
     INPUT OUTPUT DATA("{\"type\":\"error\",\"error\":{\"message\":\"no\"}}"), "failed", STATED,
     .reserved = 0},
};

#define ITEM(kind, more)                                                                    \
  DATA("{\"type\":\"response.output_item." kind "\",\"output_index\":0,\"item\":{\"type\":" \
       "\"message\",\"role\":\"assistant\",\"content\":[" more "]}}")
#define CREATED DATA("{\"type\":\"response.created\",\"response\":{\"output\":[],\"usage\":null}}")
#define SAID ITEM("added", "") ITEM("done", "{\"type\":\"output_text\",\"text\":\"x\"}")
#define ENDED(how, members) DATA("{\"type\":\"response." how "\",\"response\":{" members "}}")

static const money_case responses_streams[] = {
    {"a message", CREATED SAID ENDED("completed", "$U"), "ok", STATED, .reserved = 0},
    {"a message and a mark", CREATED SAID ENDED("completed", "$U") DATA("[DONE]"), "ok", STATED,
     .reserved = 0},
    {"a message that is incomplete",
     CREATED SAID ENDED("incomplete",
                        "\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":"
                        "\"max_output_tokens\"},$U"),
     "ok", STATED, .reserved = 0},
    {"without its usage", CREATED SAID ENDED("completed", "\"usage\":null"), "ok", RESERVE,
     .reserved = RESERVE},
    {"an item without its end", CREATED ITEM("added", "") ENDED("completed", "$U"), "failed",
     STATED, .reserved = 0},
    {"a mark in the place of its end", CREATED SAID DATA("[DONE]"), "failed", RESERVE,
     .reserved = RESERVE},
    {"cut before its end", CREATED SAID "data: {", "failed", RESERVE, .reserved = RESERVE,
     .cut = -1},
    {"cut before anything", CREATED "data: {", "failed", RESERVE, .reserved = RESERVE, .cut = -1},
    {"a negative figure", CREATED SAID ENDED("completed", "\"usage\":{$I:1000,$O:-50}"), "ok",
     RESERVE, .reserved = RESERVE},
    {"an error first", DATA("{\"type\":\"error\",\"message\":\"no\"}"), "failed", 0, .reserved = 0},
    {"an error in the middle", CREATED SAID DATA("{\"type\":\"error\",\"message\":\"no\"}"),
     "failed", RESERVE, .reserved = RESERVE},
    {"a failure that is paid for",
     CREATED SAID ENDED("failed", "\"error\":{\"message\":\"no\"},$U"), "failed", STATED,
     .reserved = 0},
};

#define PIECE "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"x\"}]}"
#define STOPS ",\"finishReason\":\"STOP\""

static const money_case gemini_streams[] = {
    {"a message", DATA(PIECE "}]}") DATA(PIECE STOPS "}],$U}"), "ok", STATED, .reserved = 0},
    {"with usage that grows", DATA(PIECE "}],\"usage\":{$I:1000,$O:1}}") DATA(PIECE STOPS "}],$U}"),
     "ok", STATED, .reserved = 0},
    {"without its usage", DATA(PIECE STOPS "}]}"), "ok", RESERVE, .reserved = RESERVE},
    {"cut with its usage so far", DATA(PIECE "}],$U}") "data: {", "failed", RESERVE,
     .reserved = RESERVE, .cut = -1},
    {"it ends without a reason", DATA(PIECE "}],$U}"), "failed", RESERVE, .reserved = RESERVE},
    {"a call that is none",
     DATA("{\"candidates\":[{\"finishReason\":\"MALFORMED_FUNCTION_CALL\"}],$U}"), "failed", STATED,
     .reserved = 0},
    {"a prompt that is blocked",
     DATA("{\"promptFeedback\":{\"blockReason\":\"SAFETY\"},\"usage\":{$I:0,$O:0}}"), "ok", 0,
     .reserved = 0},
    {"a negative figure", DATA(PIECE STOPS "}],\"usage\":{$I:1000,$O:-50}}"), "ok", RESERVE,
     .reserved = RESERVE},
    {"an error first", DATA("{\"error\":{\"code\":500,\"message\":\"no\"}}"), "failed", 0,
     .reserved = 0},
    {"an error in the middle",
     DATA(PIECE "}]}") DATA("{\"error\":{\"code\":500,\"message\":\"no\"}}"), "failed", RESERVE,
     .reserved = RESERVE},
};

#define COUNT(list) (sizeof list / sizeof *list)

/* ---- cached tokens: more than the input costs no less ---- */

static void test_cached(void) {
  static const struct {
    const char *api, *usage;
    int64_t cost, reserved;
  } cases[] = {
      {"openai", "{$I:1000,$O:50,\"prompt_tokens_details\":{\"cached_tokens\":400}}",
       600 * 3 + 400 * 1 + 750, 0},
      {"openai", "{$I:1000,$O:50,\"prompt_tokens_details\":{\"cached_tokens\":1001}}", STATED, 0},
      {"openai", "{$I:1000,$O:50,\"prompt_tokens_details\":{\"cached_tokens\":-5}}", STATED, 0},
      {"openai", "{$I:1000,$O:50,\"prompt_tokens_details\":{\"cached_tokens\":\"5\"}}", STATED, 0},
      {"anthropic", "{$I:1000,$O:50,\"cache_read_input_tokens\":5000}", STATED + 5000, 0},
      {"anthropic", "{$I:1000,$O:50,\"cache_read_input_tokens\":-5}", RESERVE, .reserved = RESERVE},
      {"anthropic", "{$I:1000,$O:50,\"cache_creation_input_tokens\":\"9\"}", RESERVE,
       .reserved = RESERVE},
      {"anthropic",
       "{$I:1000,$O:50,\"cache_creation_input_tokens\":5,\"cache_creation\":{"
       "\"ephemeral_1h_input_tokens\":1000}}",
       STATED + 1000 * 4 * 8 / 5, 0},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    char body[512];
    snprintf(body, sizeof body, "{$M,\"usage\":%s}", cases[i].usage);
    const money_case it = {cases[i].usage, body, "ok", cases[i].cost,
                           .reserved = cases[i].reserved};
    check(&it, cases[i].api, false);
  }
}

/* ---- attempts ---- */

/* An attempt that was paid for is told at once, not with the last one: its cost must be durable,
 * and the budget have room for the next. */
#define OF_GEMINI "\"usageMetadata\":{\"promptTokenCount\":1000,\"candidatesTokenCount\":50}"

static void test_each_attempt(const char *api) {
  model_fixture it;
  ck_effect_run *run;
  model_fixture_open(&it, api,
                     "{\"body\":{\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50,"
                     "\"input_tokens\":1000,\"output_tokens\":50}," OF_GEMINI "}}\n"
                     "{\"answer\":{\"text\":\"never\"},\"hang\":20}");
  model_fixture_add(&it, "user", "Hello");
  it.effect.reserve_micros = RESERVE;
  tap_must(model_fixture_begin(&it, &run, "{\"model\":\"m\"}") == CK_OK, "it begins");
  drive_wait(&it.drive);
  tap_is_text(ck_outcome_status_name(it.drive.outcome->status), "unknown",
              "%s: a paid attempt is handed over before the next one", api);
  tap_is_int((int64_t)model_server_count(&it.server), 1, "%s: which is not made yet", api);
  tap_is_int(it.drive.outcome->cost_micros, STATED, "%s: with what it cost", api);
  tap_is_int(it.drive.outcome->reserved_micros, 0, "%s: as it was stated", api);
  it.effect.lost = 1;
  tap_must(model_fixture_begin(&it, &run, "{\"model\":\"m\"}") == CK_OK, "the next one begins");
  it.driver->cancel(it.driver->self, run);
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_is_int(it.drive.outcome->cost_micros, RESERVE, "%s: a cancelled one at its reserve", api);
  tap_is_int(it.drive.outcome->reserved_micros, RESERVE, "%s: which is an estimate", api);
  tap_ok(!it.drive.outcome->cost_known, "%s: and nobody knows it", api);
  model_fixture_close(&it);
}

static void stop_at_update(ck_effect_sink *sink, ck_bytes chunk) {
  (void)chunk;
  ck_loop_stop(((drive *)sink)->loop);
}

/* Cancelled while it waits for its next try: the last one was answered, so its cost is known. */
static void test_stopped_waiting(const char *api, bool paid) {
  model_fixture it;
  ck_effect_run *run;
  char script[400];
  snprintf(script, sizeof script,
           "{%s\"headers\":{\"retry-after\":\"59\"},\"body\":{%s},\"times\":0}\n",
           paid ? "" : "\"status\":503,",
           paid ? "\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50,"
                  "\"input_tokens\":1000,\"output_tokens\":50}," OF_GEMINI
                : "");
  model_fixture_open(&it, api, script);
  model_fixture_add(&it, "user", "Hello");
  it.effect.reserve_micros = RESERVE;
  tap_must(model_fixture_begin(&it, &run, "{\"model\":\"m\"}") == CK_OK, "it begins");
  tap_ok(!it.driver->waits(it.driver->self, run), "%s: a try that is under way does not wait", api);
  it.drive.sink.update = stop_at_update;
  ck_loop_run(it.loop);
  tap_ok(it.driver->waits(it.driver->self, run), "%s: one that failed does, for the next", api);
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_is_status(it.drive.outcome->error_status, CK_E_INTERRUPTED, NULL,
                "%s: one that waits for its next try is interrupted", api);
  tap_ok(it.drive.outcome->cost_known && it.drive.outcome->reserved_micros == 0 &&
             it.drive.outcome->cost_micros == (paid ? STATED : 0),
         "%s: %s, and that is known", api, paid ? "it cost what was stated" : "it cost nothing");
  model_fixture_close(&it);
}

static int64_t told, times_told;

static bool keep_spent(ck_effect_sink *sink, const ck_outcome *known) {
  (void)sink;
  times_told++;
  told = known->cost_known ? known->cost_micros : -1;
  return true;
}

/* What was told before the wait is not told again behind it; nothing stated, or lost, is not told
 * before it. */
static void test_told_before_waiting(const char *api, const char *answer, int64_t before) {
  model_fixture it;
  ck_effect_run *run;
  char script[512];
  snprintf(script, sizeof script, "{%s,\"times\":0}\n", answer);
  model_fixture_open(&it, api, script);
  it.model->retries = 1;
  model_fixture_add(&it, "user", "Hello");
  it.effect.reserve_micros = RESERVE;
  it.drive.sink.spent = keep_spent;
  told = times_told = 0;
  tap_must(model_fixture_begin(&it, &run, "{\"model\":\"m\"}") == CK_OK, "it begins");
  drive_wait(&it.drive);
  const ck_outcome *outcome = it.drive.outcome;
  tap_is_int(times_told, before > 0, "%s: %s: told before the wait", api, answer);
  tap_is_int(told, before, "%s: %s: at its cost", api, answer);
  if (before)
    tap_ok(outcome->status == CK_OUTCOME_UNKNOWN && outcome->cost_known &&
               outcome->cost_micros == 0 && outcome->input_tokens + outcome->output_tokens == 0,
           "%s: the try ends behind the wait, and costs nothing more", api);
  model_fixture_close(&it);
}

static void test_sums(void) {
  tap_ok(ck_micros_add(INT64_MAX, 1) == INT64_MAX && ck_micros_add(1, INT64_MAX) == INT64_MAX &&
             ck_micros_add(1, 2) == 3,
         "a sum that is too large stays the largest");
}

/* Once in a run, and counted as input in each. */
static void test_unpriced_cache(const char *api, int64_t price, bool tells) {
  model_fixture it;
  model_fixture_open(&it, api,
                     "{\"answer\":{\"text\":\"a\",\"usage\":{\"input\":100,\"output\":1,\"cached\":"
                     "40}},\"times\":0}");
  it.model->price.cache_read = price;
  model_fixture_add(&it, "user", "Hello");
  for (int call = 1; call <= 2; call++) {
    const ck_outcome *outcome = model_fixture_call(&it, "{\"model\":\"m\"}");
    bool said = outcome->note && strstr(outcome->note, "cached tokens without a price: counted as");
    tap_ok(said == (tells && call == 1), "%s, cache at %lld, call %d: %s", api, (long long)price,
           call, outcome->note ? outcome->note : "no note");
    tap_is_int(outcome->cost_micros, 100 * 3 + 40 * (price < 0 ? 3 : price / 1000000) + 15,
               "%s, cache at %lld, call %d: it costs so", api, (long long)price, call);
  }
  model_fixture_close(&it);
}

int main(void) {
  for (size_t i = 0; i < COUNT(apis); i++) {
    test_unpriced_cache(apis[i], -1, true);
    test_unpriced_cache(apis[i], 1000000, false);
    test_unpriced_cache(apis[i], 0, false);
  }
  for (size_t a = 0; a < COUNT(apis); a++) {
    for (size_t i = 0; i < COUNT(whole); i++) check(&whole[i], apis[a], false);
    test_each_attempt(apis[a]);
    test_stopped_waiting(apis[a], true);
    test_stopped_waiting(apis[a], false);
    test_told_before_waiting(apis[a],
                             "\"body\":{\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":"
                             "50,\"input_tokens\":1000,\"output_tokens\":50}," OF_GEMINI "}",
                             STATED);
    test_told_before_waiting(apis[a], "\"status\":503", 0);
    test_told_before_waiting(apis[a], "\"status\":200,\"body\":\"no\",\"cut\":1", 0);
  }
  for (size_t i = 0; i < COUNT(openai_streams); i++) check(&openai_streams[i], "openai", true);
  for (size_t i = 0; i < COUNT(anthropic_streams); i++)
    check(&anthropic_streams[i], "anthropic", true);
  for (size_t i = 0; i < COUNT(responses_streams); i++)
    check(&responses_streams[i], "responses", true);
  for (size_t i = 0; i < COUNT(gemini_streams); i++) check(&gemini_streams[i], "gemini", true);
  test_cached();
  test_sums();
  return tap_done();
}
