/* test_model_streams.c - a stream gives its message whole and byte for byte, or nothing, in pieces
 * of any size and with any content. */
#include <stdlib.h>
#include <string.h>

#include "core/effect/model/run.h"
#include "tests/effect/model/model_script.h"
#include "tests/effect/wire_check.h"
#include "tests/tap.h"

enum { MUTATIONS = 20000 };

static const char answer[] =
    "{\"thinking\":\"Hm, \\u00e9 \\/ \\\"why\\\"?\\n\",\"text\":\"Héllo \\\"you\\\" 😀!\","
    "\"calls\":[{\"name\":\"f\",\"arguments\":{\"q\": "
    "\"a\\n\\u00e9\",\"n\":1.50}},{\"name\":\"g\",\"arguments\":{}}],\"usage\":{\"cached\":3}}";

static uint64_t seed = 7;

static unsigned draw(unsigned below) {
  uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return (unsigned)((z ^ (z >> 31)) % below);
}

/* The message of an answer that comes in pieces of that size, NULL without one; then `fault` says
 * why. */
static ck_http_ending ending = CK_HTTP_ANSWERED; /* of the connection */

static ck_value *read_answer(const ck_model_format *format, int code, const char *type,
                             ck_bytes body, size_t piece, ck_model_fault *fault) {
  ck_model_answer it;
  ck_value *message = NULL;
  bool taken = true;
  ck_model_answer_init(&it, format, 0);
  ck_model_answer_header(&it, ck_bytes_text("Content-Type"), ck_bytes_text(type));
  for (size_t at = 0; taken && at < body.len; at += piece) {
    size_t len = body.len - at < piece ? body.len - at : piece;
    taken = ck_model_answer_data(&it, code, (ck_bytes){body.data + at, len});
  }
  ck_http_end end = {
      .ending = taken ? ending : CK_HTTP_REFUSED, .code = code, .sent = true, .text = "refused"};
  tap_must(ck_model_answer_end(&message, fault, &it, &end, NULL) == CK_OK, "it has an end");
  ck_model_answer_clear(&it);
  return message;
}

static ck_value *read_stream(const ck_model_format *format, ck_bytes stream, size_t piece,
                             ck_model_fault *fault) {
  return read_answer(format, 200, "text/event-stream; charset=utf-8", stream, piece, fault);
}

static void make_stream(ck_buffer *out, const char *path) {
  bool events;
  model_script_answer(out, &events, ck_bytes_text(answer), path,
                      ck_bytes_text("{\"stream\":true}"));
  tap_must(events, "it is a stream");
}

static void test_whole(const ck_model_format *format, const char *want) {
  ck_buffer stream = {0};
  ck_model_fault fault;
  int different = 0;
  make_stream(&stream, format->path);
  for (size_t piece = 1; piece < 400; piece++) {
    ck_value *message = read_stream(format, ck_buffer_bytes(&stream), piece, &fault);
    if (piece == 1)
      tap_is_text(message ? ck_value_bytes(message).data : fault.text, want,
                  "%s: the message, its strings as they came", format->path);
    different += !message || !ck_bytes_equal(ck_value_bytes(message), ck_bytes_text(want));
    ck_value_free(message);
  }
  tap_is_int(different, 0, "%s: however it is cut into pieces", format->path);
  ck_buffer_clear(&stream);
}

/* Cut at any byte it is all or nothing. */
static void test_cut(const ck_model_format *format, const char *want) {
  ck_buffer stream = {0};
  ck_model_fault fault;
  int half = 0, passing = 0;
  size_t whole = 0;
  make_stream(&stream, format->path);
  for (size_t len = 0; len < stream.len; len++) {
    ck_value *message = read_stream(format, (ck_bytes){stream.data, len}, SIZE_MAX / 2, &fault);
    if (message)
      whole++, half += !ck_bytes_equal(ck_value_bytes(message), ck_bytes_text(want));
    else
      passing += fault.passing && fault.status == CK_E_UNAVAILABLE && *fault.text;
    ck_value_free(message);
  }
  tap_is_int(half, 0, "%s: what is cut gives nothing half", format->path);
  tap_is_int(passing, (int64_t)(stream.len - whole),
             "%s: and is worth another attempt (%zu places)", format->path, stream.len);
  ck_buffer_clear(&stream);
}

/* A body whose connection ended at any byte: whole, or nothing. */
static void test_cut_bodies(const ck_model_format *format) {
  ck_buffer body = {0};
  ck_model_fault fault;
  bool events;
  size_t end, taken = 0, early = 0;
  model_script_answer(&body, &events, ck_bytes_text(answer), format->path, ck_bytes_text("{}"));
  ck_buffer_append_text(&body, " \n ");
  for (end = body.len; body.data[end - 1] != '}'; end--) continue;
  for (ending = CK_HTTP_BROKEN; ending <= CK_HTTP_OVERSIZE; ending++) {
    for (size_t len = 0; len <= body.len; len++) {
      ck_value *message = read_answer(format, 200, "application/json", (ck_bytes){body.data, len},
                                      SIZE_MAX / 2, &fault);
      taken += message != NULL;
      early += message && (len < end || ending == CK_HTTP_OVERSIZE);
      ck_value_free(message);
    }
  }
  ending = CK_HTTP_ANSWERED;
  tap_is_int((int64_t)early, 0, "%s: a body that is cut gives nothing half", format->path);
  tap_is_int((int64_t)taken, (int64_t)(2 * (body.len - end + 1)),
             "%s: and all of it where its object is whole, cut off or late", format->path);
  ck_buffer_clear(&body);
}

/* Bytes are changed, removed or inserted. */
static void mutate(ck_buffer *out, ck_bytes from) {
  ck_buffer_reset(out);
  ck_buffer_append_bytes(out, from);
  for (unsigned count = 1 + draw(4); count > 0 && out->len > 64; count--) {
    size_t at = draw((unsigned)out->len - 60), len = 1 + draw(60);
    if (draw(2))
      out->data[at] = (char)draw(256);
    else if (draw(2))
      memmove(out->data + at, out->data + at + len, out->len - at - len), out->len -= len;
    else
      memmove(out->data + at, out->data + draw((unsigned)out->len - 60), len);
  }
}

/* A message that is valid JSON, or a fault that says why. */
static void test_mutations(const ck_model_format *format) {
  ck_buffer stream = {0}, changed = {0};
  ck_model_fault fault;
  int wrong = 0, kept = 0;
  make_stream(&stream, format->path);
  for (int i = 0; i < MUTATIONS; i++) {
    mutate(&changed, ck_buffer_bytes(&stream));
    ck_value *message = read_stream(format, ck_buffer_bytes(&changed), 1 + draw(2000), &fault);
    if (message)
      kept++, wrong += ck_json_check(ck_value_bytes(message), NULL) != CK_OK;
    else
      wrong += !fault.status || !*fault.text;
    ck_value_free(message);
  }
  tap_is_int(wrong, 0, "%s: %d changed streams give a message or say why not", format->path,
             MUTATIONS);
  tap_ok(kept > 0 && kept < MUTATIONS, "%s: some do, some do not (%d did)", format->path, kept);
  ck_buffer_clear(&stream);
  ck_buffer_clear(&changed);
}

/* Whole answers and refusals, mutated likewise. */
static void test_bodies(const ck_model_format *format) {
  static const char refusal[] =
      "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is "
      "too long: \\u00e9 \xff 9 tokens > 8 maximum\","
      "\"code\":\"context_length_exceeded\",\"param\":null},\"request_id\":\"r\"}";
  static const int codes[] = {200, 200, 200, 400, 429, 500, 302, 413};
  ck_buffer whole = {0}, changed = {0};
  ck_model_fault fault;
  bool events;
  int wrong = 0, kept = 0;
  model_script_answer(&whole, &events, ck_bytes_text(answer), format->path, ck_bytes_text("{}"));
  for (int i = 0; i < MUTATIONS; i++) {
    int code = codes[draw(sizeof codes / sizeof *codes)];
    mutate(&changed, code == 200 && draw(4) ? ck_buffer_bytes(&whole) : ck_bytes_text(refusal));
    ck_value *message = read_answer(format, code, "application/json", ck_buffer_bytes(&changed),
                                    1 + draw(2000), &fault);
    if (message)
      kept++, wrong += code != 200 || ck_json_check(ck_value_bytes(message), NULL) != CK_OK;
    else
      wrong += !fault.status || !*fault.text || strlen(fault.text) >= sizeof fault.text;
    ck_value_free(message);
  }
  tap_is_int(wrong, 0, "%s: %d changed answers and refusals give a message or say why not",
             format->path, MUTATIONS);
  tap_ok(kept > 0 && kept < MUTATIONS, "%s: some do, some do not (%d did)", format->path, kept);
  ck_buffer_clear(&whole);
  ck_buffer_clear(&changed);
}

/* Parts of streams as servers other than the two send them. */
static void test_dialects(void) {
  static const char *const cases[][3] = {
      {"repeated ids and names, no indexes",
       "data: "
       "{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"a\",\"type\":"
       "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n"
       "data: "
       "{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"\",\"type\":"
       "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"}\"}}]}}]}\n\n"
       "data: "
       "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"g\","
       "\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
       "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":"
       "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},"
       "{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}"},
      {"the same index for every call",
       "data: "
       "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"type\":\"function\","
       "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}}]}\n\n"
       "data: "
       "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"type\":\"function\","
       "\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"stop\"}]}\n\n",
       "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":"
       "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},"
       "{\"id\":\"b\",\"type\":\"function\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}"},
      {"members of their own",
       "data: "
       "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null,\"reasoning_"
       "content\":\"I \"}}]}\n\n"
       "data: "
       "{\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"think\",\"details\":[{\"a\":"
       "1}]}}]}\n\n"
       "data: "
       "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\",\"reasoning_content\":null,"
       "\"details\":[{\"b\":2}]}}]}\n\n"
       "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"another choice\"}}]}\n\n"
       "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
       "{\"role\":\"assistant\",\"content\":\"Hi\",\"reasoning_content\":\"I "
       "think\",\"details\":[{\"a\":1},{\"b\":2}]}"},
      {"parts of a call with what only it understands",
       "data: "
       "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"extra_content\":{"
       "\"google\":{\"thought_signature\":\"x+/"
       "=\"}},\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_"
       "reason\":\"stop\"}]}\n\n",
       "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"extra_content\":{"
       "\"google\":{\"thought_signature\":\"x+/"
       "=\"}},\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_model_fault fault;
    ck_value *message = read_stream(&ck_model_openai, ck_bytes_text(cases[i][1]), 10, &fault);
    tap_is_text(message ? ck_value_bytes(message).data : fault.text, cases[i][2], "%s",
                cases[i][0]);
    ck_value_free(message);
  }
}

int main(void) {
  char signature[WIRE_SIGNATURE_SIZE];
  ck_buffer anthropic = {0}, responses = {0}, gemini = {0}, thinking = {0};
  static const char openai[] =
      "{\"role\":\"assistant\",\"content\":\"Héllo \\\"you\\\" "
      "😀!\",\"tool_calls\":[{\"id\":\"call_t0_0\",\"type\":\"function\",\"function\":"
      "{\"name\":\"f\",\"arguments\":\"{\\\"q\\\": "
      "\\\"a\\\\n\\\\u00e9\\\",\\\"n\\\":1.50}\"}},{\"id\":\"call_t0_1\",\"type\":\"function\","
      "\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]}";
  ck_json_append_string(&thinking, ck_bytes_text("Hm, é / \"why\"?\n"));
  wire_sign(signature, (ck_bytes){thinking.data + 1, thinking.len - 2});
  ck_buffer_append_format(
      &anthropic,
      "{\"id\":\"msg_t0\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-test\","
      "\"stop_reason\":\"tool_use\",\"stop_sequence\":null,"
      "\"content\":[{\"type\":\"thinking\",\"thinking\":%s,\"signature\":\"%s\"},{\"type\":"
      "\"text\",\"text\":\"Héllo \\\"you\\\" 😀!\"},"
      "{\"type\":\"tool_use\",\"id\":\"toolu_t0_0\",\"name\":\"f\",\"input\":{\"q\": "
      "\"a\\n\\u00e9\",\"n\":1.50}},"
      "{\"type\":\"tool_use\",\"id\":\"toolu_t0_1\",\"name\":\"g\",\"input\":{}}]}",
      thinking.data, signature);
  ck_buffer_append_format(
      &responses,
      "%.*s,\"responses\":{\"output\":[{\"id\":\"item_t0_0\",\"type\":\"reasoning\",\"summary\":"
      "[{\"type\":\"summary_text\",\"text\":%s}],\"encrypted_content\":\"%s\"},"
      "{\"id\":\"item_t0_1\",\"type\":\"message\",\"status\":\"completed\",\"role\":\"assistant\","
      "\"content\":[{\"type\":\"output_text\",\"text\":\"Héllo \\\"you\\\" 😀!\"}]},"
      "{\"id\":\"item_t0_2\",\"type\":\"function_call\",\"status\":\"completed\",\"call_id\":"
      "\"call_t0_0\",\"name\":\"f\",\"arguments\":\"{\\\"q\\\": "
      "\\\"a\\\\n\\\\u00e9\\\",\\\"n\\\":1.50}\"},{\"id\":\"item_t0_3\",\"type\":\"function_call\","
      "\"status\":\"completed\",\"call_id\":\"call_t0_1\",\"name\":\"g\",\"arguments\":\"{}\"}]}}",
      (int)strlen(openai) - 1, openai, thinking.data, signature);
  wire_sign(signature, ck_bytes_text("{\"q\": \"a\\n\\u00e9\",\"n\":1.50}"));
  ck_buffer_append_format(
      &gemini,
      "%.*s,\"gemini\":{\"parts\":[{\"text\":%s,\"thought\":true},{\"text\":\"Héllo \\\"you\\\" "
      "😀!\"},{\"functionCall\":{\"name\":\"f\",\"args\":{\"q\": \"a\\n\\u00e9\",\"n\":1.50},\"id\":"
      "\"call_t0_0\"},\"thoughtSignature\":\"%s\"},{\"functionCall\":{\"name\":\"g\",\"args\":{},"
      "\"id\":\"call_t0_1\"}}]}}",
      (int)strlen(openai) - 1, openai, thinking.data, signature);
  const char *const messages[] = {[CK_MODEL_OPENAI] = openai,
                                  [CK_MODEL_ANTHROPIC] = anthropic.data,
                                  [CK_MODEL_RESPONSES] = responses.data,
                                  [CK_MODEL_GEMINI] = gemini.data};
  for (ck_model_api api = 0; api < CK_MODEL_API_COUNT; api++) {
    const ck_model_format *format = ck_model_format_of(api);
    test_whole(format, messages[api]);
    test_cut(format, messages[api]);
    test_cut_bodies(format);
    test_mutations(format);
    test_bodies(format);
  }
  test_dialects();
  ck_buffer_clear(&thinking);
  ck_buffer_clear(&gemini);
  ck_buffer_clear(&responses);
  ck_buffer_clear(&anthropic);
  return tap_done();
}
