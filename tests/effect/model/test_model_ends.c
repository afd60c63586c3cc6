/* test_model_ends.c - how the answers of each API end that are none: a refusal and its words, a
 * turn that pauses, an answer that its provider keeps back or cuts off; whole or streamed, in
 * chunks of any size; and what is cut at any byte is taken only when that was there. */
#include <stdio.h>
#include <string.h>

#include "core/effect/model/run.h"
#include "tests/tap.h"

#define CHAT(message, reason) \
  "{\"choices\":[{\"index\":0,\"finish_reason\":\"" reason "\",\"message\":{" message "}}]}"
#define SAYS "\"role\":\"assistant\","
#define DELTA(delta) "data: {\"choices\":[{\"index\":0,\"delta\":{" delta "}}]}\n\n"
#define STOPS(reason) \
  "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" reason "\"}]}\n\n"
#define MESSAGE(content, end) \
  "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[" content "],\"stop_reason\":" end "}"
#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define BEGINS \
  "data: {\"type\":\"message_start\",\"message\":{\"type\":\"message\",\"role\":\"assistant\"}}\n\n"
#define ENDS(delta) "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":" delta "}}\n\n"
#define BLOCK(event, what) "data: {\"type\":\"content_block_" event "\",\"index\":0," what "}\n\n"
#define SAID(parts) "[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[" parts "]}]"
#define REFUSES "{\"type\":\"refusal\",\"refusal\":\"N\\u006f.\"}"
#define CANDIDATE(members) "{\"candidates\":[{" members "}]}"

/* What of the message must be there, too; NULL: nothing is looked for. */
typedef struct end_case {
  const char *name;
  ck_model_api api;
  const char *body, *refusal, *cut;
  bool pauses;
  const char *kept;
} end_case;

static const end_case cases[] = {
    {"chat", CK_MODEL_OPENAI, CHAT(SAYS "\"content\":null,\"refusal\":\"N\\u006f.\"", "stop"),
     "No.", NULL, false, "N\\u006f."},
    {"chat, no refusal", CK_MODEL_OPENAI, CHAT(SAYS "\"content\":\"Yes\",\"refusal\":null", "stop"),
     NULL, NULL, false, NULL},
    {"chat, a blank one", CK_MODEL_OPENAI,
     CHAT(SAYS "\"content\":\"Yes\",\"refusal\":\"\"", "stop"), NULL, NULL, false, NULL},
    {"chat, filtered", CK_MODEL_OPENAI, CHAT(SAYS "\"content\":\"Ye\"", "content_filter"),
     "content_filter", "content_filter", false, "\"Ye\""},
    {"chat, refused and filtered", CK_MODEL_OPENAI,
     CHAT(SAYS "\"refusal\":\"No.\"", "content_filter"), "No.", "content_filter", false, NULL},
    {"chat, at its limit", CK_MODEL_OPENAI, CHAT(SAYS "\"content\":\"Ye\"", "length"), NULL,
     "length", false, NULL},
    {"chat, streamed", CK_MODEL_OPENAI,
     DELTA(SAYS "\"refusal\":\"N\"") DELTA("\"refusal\":\"\\u006f.\"") STOPS("stop"), "No.", NULL,
     false, NULL},
    {"chat, streamed and filtered", CK_MODEL_OPENAI,
     DELTA(SAYS "\"content\":\"Y\"") STOPS("content_filter"), "content_filter", "content_filter",
     false, NULL},
    {"messages", CK_MODEL_ANTHROPIC,
     MESSAGE(TEXT("He"), "\"refusal\",\"stop_details\":{\"type\":\"refusal\",\"category\":\"bio\","
                         "\"explanation\":\"No.\"}"),
     "No.", NULL, false, "\"stop_details\":{"},
    {"messages, without words", CK_MODEL_ANTHROPIC,
     MESSAGE("", "\"refusal\",\"stop_details\":{\"category\":\"bio\",\"explanation\":null}"),
     "refusal: bio", NULL, false, NULL},
    {"messages, without details", CK_MODEL_ANTHROPIC, MESSAGE("", "\"refusal\""), "refusal", NULL,
     false, NULL},
    {"messages, streamed", CK_MODEL_ANTHROPIC,
     BEGINS ENDS("\"refusal\",\"stop_details\":{\"explanation\":\"No.\"}"), "No.", NULL, false,
     "\"stop_details\":{"},
    {"messages, a pause", CK_MODEL_ANTHROPIC, MESSAGE(TEXT("On"), "\"pause_turn\""), NULL, NULL,
     true, NULL},
    {"messages, a pause, streamed", CK_MODEL_ANTHROPIC, BEGINS ENDS("\"pause_turn\""), NULL, NULL,
     true, NULL},
    {"messages, a block of a new kind", CK_MODEL_ANTHROPIC,
     BEGINS BLOCK("start", "\"content_block\":{\"type\":\"compaction\",\"content\":null}")
         BLOCK("delta", "\"delta\":{\"type\":\"compaction_delta\",\"content\":\"So \"}")
             BLOCK("delta", "\"delta\":{\"type\":\"compaction_delta\",\"content\":\"far\"}")
                 ENDS("\"end_turn\""),
     NULL, NULL, false, "{\"type\":\"compaction\",\"content\":\"So far\"}"},
    {"messages, out of context", CK_MODEL_ANTHROPIC,
     MESSAGE(TEXT("On"), "\"model_context_window_exceeded\""), NULL,
     "model_context_window_exceeded", false, NULL},
    {"responses", CK_MODEL_RESPONSES, "{\"output\":" SAID(REFUSES) "}", "No.", NULL, false,
     "N\\u006f."},
    {"responses, said and refused", CK_MODEL_RESPONSES,
     "{\"output\":" SAID("{\"type\":\"output_text\",\"text\":\"He\"}," REFUSES) "}", "No.", NULL,
     false, "\"content\":\"He\""},
    {"responses, filtered", CK_MODEL_RESPONSES,
     "{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"content_filter\"},"
     "\"output\":[]}",
     "content_filter", "content_filter", false, NULL},
    {"responses, streamed", CK_MODEL_RESPONSES,
     "data: {\"type\":\"response.completed\",\"response\":{\"output\":" SAID(REFUSES) "}}\n\n",
     "No.", NULL, false, NULL},
    {"responses, cut off in an item", CK_MODEL_RESPONSES,
     "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{}}\n\n"
     "data: {\"type\":\"response.incomplete\",\"response\":{\"status\":\"incomplete\","
     "\"incomplete_details\":{\"reason\":\"max_output_tokens\"},\"output\":[]}}\n\n",
     NULL, "max_output_tokens", false, "\"output\":[]"},
    {"Gemini, a prompt", CK_MODEL_GEMINI, "{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}",
     "SAFETY", NULL, false, "\"promptFeedback\":{"},
    {"Gemini, a prompt, streamed", CK_MODEL_GEMINI,
     "data: {\"promptFeedback\":{\"blockReason\":\"OTHER\",\"blockReasonMessage\":\"No.\"}}\n\n",
     "OTHER: No.", NULL, false, "\"promptFeedback\":{"},
    {"Gemini, an answer", CK_MODEL_GEMINI,
     CANDIDATE("\"finishReason\":\"PROHIBITED_CONTENT\",\"safetyRatings\":[{}]"),
     "PROHIBITED_CONTENT", "PROHIBITED_CONTENT", false, "\"safetyRatings\":[{}]"},
    {"Gemini, an answer, streamed", CK_MODEL_GEMINI,
     "data: " CANDIDATE("\"content\":{\"parts\":[{\"text\":\"He\"}]}") "\n\ndata: " CANDIDATE(
         "\"finishReason\":\"RECITATION\",\"finishMessage\":\"No.\"") "\n\n",
     "RECITATION: No.", "RECITATION", false, "\"content\":\"He\""},
    {"Gemini, for another reason", CK_MODEL_GEMINI,
     CANDIDATE("\"content\":{\"parts\":[{\"text\":\"He\"}]},\"finishReason\":\"OTHER\""), NULL,
     "OTHER", false, NULL},
    {"Gemini, with its sources", CK_MODEL_GEMINI,
     CANDIDATE("\"content\":{\"parts\":[{\"text\":\"He\"}]},\"finishReason\":\"STOP\","
               "\"groundingMetadata\":{\"webSearchQueries\":[ \"\\u0061\" ]}"),
     NULL, NULL, false, "\"groundingMetadata\":{\"webSearchQueries\":[ \"\\u0061\" ]}"},
    {"Gemini, with its sources, streamed", CK_MODEL_GEMINI,
     "data: " CANDIDATE("\"content\":{\"parts\":[{\"text\":\"He\"}]},\"finishReason\":\"STOP\","
                        "\"citationMetadata\":{\"citationSources\":[{\"uri\":\"u\"}]}") "\n\n",
     NULL, NULL, false, "\"citationMetadata\":{\"citationSources\":[{\"uri\":\"u\"}]}"},
};

/* The first `len` bytes, in chunks of `chunk`; of a body that is short the connection ended. */
static ck_value *take(ck_model_answer *self, const end_case *it, size_t len, size_t chunk) {
  ck_model_fault fault;
  ck_value *message = NULL;
  bool streamed = strncmp(it->body, "data", 4) == 0, more = true;
  ck_model_answer_init(self, ck_model_format_of(it->api), 0);
  ck_model_answer_header(self, ck_bytes_text("content-type"),
                         ck_bytes_text(streamed ? "text/event-stream" : "application/json"));
  for (size_t at = 0; at < len && more; at += chunk)
    more = ck_model_answer_data(self, 200,
                                (ck_bytes){it->body + at, len - at < chunk ? len - at : chunk});
  bool cut = len < strlen(it->body);
  ck_http_end end = {.ending = cut ? CK_HTTP_BROKEN : CK_HTTP_ANSWERED, .code = 200, .sent = true};
  end.text = cut ? "it ended early" : NULL;
  tap_must(ck_model_answer_end(&message, &fault, self, &end, NULL) == CK_OK, "it is read");
  return message;
}

static bool is_same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static bool is_right(const end_case *it, size_t len, size_t chunk) {
  ck_model_answer self;
  ck_value *message = take(&self, it, len, chunk);
  const ck_model_reply *reply = &self.reply;
  const char *refusal = reply->refused ? reply->refusal.data : NULL;
  bool fits = message && is_same(refusal, it->refusal) && is_same(reply->cut, it->cut) &&
              reply->pauses == it->pauses;
  ck_bytes bytes = message ? ck_value_bytes(message) : (ck_bytes){0};
  if (fits && it->kept) fits = memmem(bytes.data, bytes.len, it->kept, strlen(it->kept));
  if (!fits && len == strlen(it->body))
    tap_diag("refusal %s, cut %s: %.*s", refusal ? refusal : "-", reply->cut ? reply->cut : "-",
             (int)bytes.len, bytes.data ? bytes.data : "");
  bool none = !message;
  ck_value_free(message);
  ck_model_answer_clear(&self);
  return fits || (none && len < strlen(it->body));
}

static void test_ends(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const end_case *it = &cases[i];
    size_t len = strlen(it->body), wrong = 0, cut = 0;
    tap_ok(is_right(it, len, len), "%s: what it is", it->name);
    for (size_t chunk = 1; chunk < 40; chunk++) wrong += !is_right(it, len, chunk);
    tap_is_int((int64_t)wrong, 0, "%s: in chunks of any size", it->name);
    for (size_t end = 0; end < len; end++) cut += !is_right(it, end, len);
    tap_is_int((int64_t)cut, 0, "%s: cut at any byte", it->name);
  }
}

/* An error in a stream that has begun says how long to wait in its body alone. */
static void test_wait(void) {
  static const char asks[] = "{\"error\":{\"code\":429,\"details\":[{\"retryDelay\":\"34.1s\"}]}}";
  char body[256];
  snprintf(body, sizeof body, "data: %s\n\ndata: %s\n\n",
           CANDIDATE("\"content\":{\"parts\":[{\"text\":\"He\"}]}"), asks);
  const end_case it = {.name = "an error", .api = CK_MODEL_GEMINI, .body = body};
  ck_model_answer self;
  tap_ok(!take(&self, &it, strlen(it.body), 7), "%s: no answer", it.name);
  tap_is_int(self.retry_after_ms, 34100, "%s: its wait is heard", it.name);
  ck_model_answer_clear(&self);
}

int main(void) {
  test_wait();
  test_ends();
  return tap_done();
}
