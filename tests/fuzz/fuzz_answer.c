/* fuzz_answer.c - a provider's answer to a model call: however it is cut into chunks, the message
 * and the fault are the same; a message is a JSON object, and without one there is a reason. The
 * first bytes choose API, kind of body, code and ending. */
#include <stdlib.h>
#include <string.h>

#include "core/effect/model/run.h"
#include "tests/fuzz/fuzz.h"

static const char *const types[] = {"application/json", "text/event-stream; charset=utf-8",
                                    "text/html"};
static const int codes[] = {200, 201, 400, 401, 429, 500, 529, 0};
enum { WALL_MS = 1700000000 };

static ck_bytes text_of(const char *text) { return ck_bytes_text(text); }

/* Appends what came of it. */
static void answer(ck_buffer *out, unsigned how, unsigned chunk, ck_bytes text) {
  ck_model_answer self;
  ck_model_fault fault = {0};
  ck_value *message = NULL;
  ck_error err = CK_ERROR_INIT;
  const ck_model_format *format = how % 2 ? &ck_model_openai : &ck_model_anthropic;
  if (how / 2 % 3 < 2 && how / 64 == 3) format = &ck_model_responses;
  if (how / 2 % 3 < 2 && how / 64 == 2) format = &ck_model_gemini;
  int code = codes[how / 8 % 8];
  ck_model_answer_init(&self, format, WALL_MS);
  ck_model_answer_header(&self, text_of("Content-Type"), text_of(types[how / 2 % 3]));
  ck_bytes wait = fuzz_take(&text, how / 64 % 4 * 6);
  ck_model_answer_header(&self, text_of("retry-after"), wait);
  bool more = true;
  for (unsigned n = 0; text.len > 0 && more; n++)
    more =
        ck_model_answer_data(&self, code, fuzz_take(&text, chunk ? 1 + n * chunk % 13 : text.len));
  ck_http_end end = {.ending = CK_HTTP_ANSWERED, .code = code, .sent = true};
  if (!more) end = (ck_http_end){.ending = CK_HTTP_REFUSED, .code = code, .sent = true, .text = ""};
  fuzz_must(ck_model_answer_end(&message, &fault, &self, &end, &err) == CK_OK, "%s", err.text);
  fuzz_must(message || *fault.text, "without a message there is a reason");
  if (message) {
    ck_bytes json = ck_value_bytes(message);
    fuzz_must(ck_json_check(json, &err) == CK_OK, "a message is JSON: %s", err.text);
    fuzz_must(ck_json_type_of(json) == CK_JSON_OBJECT, "and an object");
    ck_buffer_append_bytes(out, json);
  }
  fuzz_must(self.reply.usage.input >= 0 && self.reply.usage.output >= 0,
            "no tokens are given back");
  ck_buffer_append_format(out, "|%d %d %d", fault.status, fault.passing, fault.lost);
  ck_value_free(message);
  ck_model_answer_clear(&self);
}

void fuzz_answer(ck_bytes input) {
  ck_buffer whole = {0}, cut = {0};
  unsigned how = fuzz_byte(&input), chunk = fuzz_byte(&input);
  answer(&whole, how, 0, input);
  answer(&cut, how, 1 + chunk, input);
  fuzz_must(ck_bytes_equal(ck_buffer_bytes(&whole), ck_buffer_bytes(&cut)),
            "chunks change no answer: %s, %s", whole.data, cut.data);
  ck_buffer_clear(&whole);
  ck_buffer_clear(&cut);
}
