/* test_model_calls.c - one call of a model, whole and streamed, by each API: its request, its
 * message, its cost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/effect/model/model_fixture.h"
#include "tests/tap.h"

static const char *const apis[] = {"openai", "anthropic", "responses", "gemini"};
enum { APIS = sizeof apis / sizeof *apis };

static void check_headers(const char *api, ck_bytes headers) {
  bool anthropic = strcmp(api, "anthropic") == 0, gemini = strcmp(api, "gemini") == 0;
  const char *wanted = anthropic || gemini ? MODEL_SCENE_KEY : "Bearer " MODEL_SCENE_KEY,
             *name = anthropic ? "x-api-key"
                     : gemini  ? "x-goog-api-key"
                               : "authorization";
  tap_ok(ck_json_is_text(ck_json_get(headers, name), wanted), "%s: the key is where it belongs",
         api);
  tap_ok(!anthropic || ck_json_is_text(ck_json_get(headers, "anthropic-version"), "2023-06-01"),
         "%s: with the API's version", api);
  ck_bytes key = ck_json_get(headers, "idempotency-key");
  tap_is_int((int64_t)key.len, 2 + 64, "%s: with a key that makes it idempotent", api);
}

static void test_text(const char *api, bool stream) {
  model_fixture it;
  model_fixture_open(
      &it, api,
      "{\"answer\":{\"text\":\"Héllo "
      "\\\"you\\\"\\n\\ud83d\\ude00!\",\"usage\":{\"input\":100,\"output\":7,\"cached\":40}}}");
  it.model->stream = stream;
  model_fixture_add(&it, "system", "Be brief.");
  model_fixture_add(&it, "user", "Hello");
  const ck_outcome *outcome = model_fixture_call(&it, "{\"model\":\"m\"}");
  tap_is_text(ck_outcome_status_name(outcome->status), "ok",
              "%s, stream %d: a text is an answer (%s)", api, stream, outcome->error);
  ck_bytes message = outcome->result ? ck_value_bytes(outcome->result) : (ck_bytes){0};
  ck_bytes content = ck_json_get(message, "content");
  ck_json_iterator block = ck_json_iterate(content);
  if (strcmp(api, "anthropic") == 0 && ck_json_next(&block))
    content = ck_json_get(block.value, "text");
  tap_ok(ck_json_is_text(content, "Héllo \"you\"\n😀!"), "%s, stream %d: its text is whole", api,
         stream);
  tap_ok(ck_json_is_text(ck_json_get(message, "role"), "assistant"),
         "%s, stream %d: it is the assistant's", api, stream);
  tap_is_int(outcome->input_tokens, 140, "%s, stream %d: input tokens count the cached ones", api,
             stream);
  tap_is_int(outcome->output_tokens, 7, "%s, stream %d: output tokens", api, stream);
  tap_is_int(outcome->cache_read_tokens, 40, "%s, stream %d: and say which those are", api, stream);
  tap_is_text(outcome->api, api, "%s, stream %d: whose API it was", api, stream);
  tap_is_int(outcome->cost_micros, 100 * 3 + 40 * 1 + 7 * 15, "%s, stream %d: in micro-dollars",
             api, stream);
  bool chat = strcmp(api, "openai") == 0, messages = strcmp(api, "anthropic") == 0;
  char name[32];
  snprintf(name, sizeof name, "%s-test", chat ? "chat" : messages ? "claude" : api);
  tap_is_text(outcome->response_model, name, "%s, stream %d: what answered", api, stream);
  tap_is_int((int64_t)model_server_count(&it.server), 1, "%s, stream %d: one request", api, stream);
  ck_bytes logged = model_server_request(&it.server, 0);
  ck_bytes body = ck_json_get(logged, "body");
  bool sent =
      memmem(body.data, body.len, "Be brief.", 9) && memmem(body.data, body.len, "\"Hello\"", 7);
  tap_ok(sent, "%s, stream %d: with what was said", api, stream);
  check_headers(api, ck_json_get(logged, "headers"));
  model_fixture_close(&it);
}

static void test_calls(const char *api, bool stream) {
  model_fixture it;
  model_fixture_open(&it, api,
                     "{\"answer\":{\"text\":\"I look.\",\"thinking\":\"Hm, \\u00e9 / "
                     "\\\"why\\\"?\",\"calls\":[{\"name\":\"find\",\"arguments\":{\"q\": \"a "
                     "b\",\"n\":1.50}},{\"name\":\"find\",\"arguments\":{}}]}}\n"
                     "{\"answer\":{\"text\":\"Found.\"}}");
  it.model->stream = stream;
  model_fixture_add(&it, "user", "Find it");
  const char *request =
      "{\"model\":\"m\",\"tools\":[\"find\",{\"name\":\"stop\",\"description\":\"ends\","
      "\"parameters\":{\"type\":\"object\",\"properties\":{}}}],\"temperature\":0.5}";
  const ck_outcome *outcome = model_fixture_call(&it, request);
  tap_is_text(ck_outcome_status_name(outcome->status), "ok",
              "%s, stream %d: calls are an answer (%s)", api, stream, outcome->error);
  ck_value *message = outcome->result ? ck_value_share(outcome->result) : NULL;
  tap_must(message != NULL, "there is a message");
  bool anthropic = strcmp(api, "anthropic") == 0;
  tap_ok(
      strstr(ck_value_bytes(message).data,
             anthropic ? "{\"q\": \"a b\",\"n\":1.50}" : "{\\\"q\\\": \\\"a b\\\",\\\"n\\\":1.50}"),
      "%s, stream %d: arguments are byte for byte what came (%s)", api, stream,
      ck_value_bytes(message).data);
  model_fixture_append(&it, message);
  model_fixture_result(&it, anthropic ? "toolu_t0_1" : "call_t0_1", "[2, 3]");
  model_fixture_result(&it, anthropic ? "toolu_t0_0" : "call_t0_0", "\"\"");
  outcome = model_fixture_call(&it, request);
  tap_is_text(ck_outcome_status_name(outcome->status), "ok",
              "%s, stream %d: with their results the call is valid on the wire (%s)", api, stream,
              outcome->error);
  tap_ok(outcome->result && strstr(ck_value_bytes(outcome->result).data, "Found."),
         "%s, stream %d: and answered", api, stream);
  ck_bytes logged = model_server_request(&it.server, 1);
  ck_bytes body = ck_json_get(logged, "body");
  tap_ok(body.len && memmem(body.data, body.len, "\"temperature\":0.5", 17),
         "%s, stream %d: options are passed on", api, stream);
  tap_ok(strcmp(api, "responses") != 0 ||
             memmem(body.data, body.len, "\"encrypted_content\":\"sig-", 25),
         "%s, stream %d: what it thought goes back to it", api, stream);
  tap_ok(body.len && memmem(body.data, body.len, "[2, 3]", 6),
         "%s, stream %d: a result that is no text is told as its text", api, stream);
  model_fixture_close(&it);
  ck_value_free(message);
}

/* The bound that is reserved holds for what the call then costs, and is there only when all of it
 * is known. */
static void test_reserve(const char *api) {
  model_fixture it;
  ck_effect_run *run;
  bool anthropic = strcmp(api, "anthropic") == 0;
  model_fixture_open(
      &it, api,
      "{\"answer\":{\"text\":\"x\",\"usage\":{\"input\":60,\"output\":100}},\"times\":0}");
  model_fixture_add(&it, "user", "Hello, how are you?");
  tap_must(model_fixture_begin(&it, &run, "{\"model\":\"m\",\"max_tokens\":100}") == CK_OK,
           "it begins");
  int64_t bound = it.driver->reserve(it.driver->self, &it.effect);
  drive_wait(&it.drive);
  tap_ok(bound >= it.drive.outcome->cost_micros && bound < 20000,
         "%s: %lld micro-dollars are reserved for %lld", api, (long long)bound,
         (long long)it.drive.outcome->cost_micros);
  static const char request[] = "{\"model\":\"m\",\"max_tokens\":100}",
                    message[] = "{\"role\":\"user\",\"content\":\"Hello, how are you?\"}",
                    options[] = "{\"seed\":7}";
  int64_t input = 2048 + (int64_t)strlen(request) + 16 + (int64_t)strlen(message);
  tap_is_int(bound, input * 3 + 100 * 15, "%s: as the formula of lua/README.md has it", api);
  tap_must(ck_value_new(&it.model->options, ck_bytes_text(options), NULL) == CK_OK, "options");
  tap_is_int(it.driver->reserve(it.driver->self, &it.effect),
             (input + (int64_t)strlen(options)) * 3 + 100 * 15,
             "%s: with the profile's own options", api);
  it.effect.request = ck_bytes_text("{\"model\":\"m\"}");
  bound = it.driver->reserve(it.driver->self, &it.effect);
  tap_ok(anthropic ? bound > 15 * CK_MODEL_MAX_TOKENS : bound == -1, "%s: without max_tokens %lld",
         api, (long long)bound);
  it.model->price.output = -1;
  it.effect.request = ck_bytes_text("{\"model\":\"m\",\"max_tokens\":100}");
  tap_is_int(it.driver->reserve(it.driver->self, &it.effect), CK_RESERVE_UNPRICED,
             "%s: without a price nothing is known", api);
  it.effect.request = ck_bytes_text("{\"model\":\"other\"}");
  tap_is_int(it.driver->reserve(it.driver->self, &it.effect), CK_RESERVE_UNPRICED,
             "%s: nor of a model that there is not", api);
  const ck_outcome *outcome = model_fixture_call(&it, "{\"model\":\"m\"}");
  tap_is_int(outcome->cost_micros, -1, "%s: what it costs then is not known either", api);
  model_fixture_close(&it);
}

/* The key of the `index`-th request. */
static ck_bytes key_of(model_fixture *fixture, size_t index) {
  return ck_json_get(ck_json_get(model_server_request(&fixture->server, index), "headers"),
                     "idempotency-key");
}

static bool is_same_key(model_fixture *fixture, size_t a, size_t b) {
  char *first = ck_json_dup_string(key_of(fixture, a));
  bool same = first && ck_json_is_text(key_of(fixture, b), first);
  free(first);
  return same;
}

static void test_keys(const char *api) {
  model_fixture it;
  model_fixture_open(&it, api, "{\"status\":500}\n{\"answer\":{\"text\":\"x\"},\"times\":0}");
  model_fixture_add(&it, "user", "Hello");
  tap_must(model_fixture_call(&it, "{\"model\":\"m\"}")->status == CK_OUTCOME_OK,
           "a call with a retry");
  tap_must(model_fixture_call(&it, "{\"model\":\"m\"}")->status == CK_OUTCOME_OK, "the same again");
  it.effect.attempt = 2;
  tap_must(model_fixture_call(&it, "{\"model\":\"m\"}")->status == CK_OUTCOME_OK,
           "another attempt of the session");
  it.effect.attempt = 1;
  it.effect.key = "main/agent#1/model/2";
  tap_must(model_fixture_call(&it, "{\"model\":\"m\"}")->status == CK_OUTCOME_OK, "another place");
  it.driver->free(it.driver->self);
  it.driver = NULL;
  it.effect.key = "main/agent#1/model/1";
  it.options.salt = "another session";
  tap_must(model_fixture_call(&it, "{\"model\":\"m\"}")->status == CK_OUTCOME_OK,
           "another session");
  tap_ok(is_same_key(&it, 0, 1), "%s: a retry has the key of the first try", api);
  tap_ok(is_same_key(&it, 0, 2), "%s: so has the same effect when a crash made it run again", api);
  tap_ok(!is_same_key(&it, 0, 3) && !is_same_key(&it, 0, 4) && !is_same_key(&it, 0, 5),
         "%s: another attempt, place or session has not", api);
  model_fixture_close(&it);
}

/* A stream that was cut off had reported its input tokens by then. */
static void test_lost_tokens(void) {
  model_fixture it;
  model_fixture_open(&it, "anthropic",
                     "{\"answer\":{\"text\":\"never "
                     "seen\",\"usage\":{\"input\":1000,\"output\":50}},\"cut\":-300}\n"
                     "{\"answer\":{\"text\":\"x\",\"usage\":{\"input\":1000,\"output\":50}}}");
  model_fixture_add(&it, "user", "Hello");
  it.effect.reserve_micros = 90000;
  const ck_outcome *outcome = model_fixture_call(&it, "{\"model\":\"m\"}");
  tap_is_int(outcome->input_tokens, 2000, "tokens of an attempt that was lost are counted");
  tap_is_int(outcome->output_tokens, 51, "as far as they were told");
  tap_is_int(outcome->cost_micros, 90000 + 1000 * 3 + 50 * 15, "at its reserve: nobody knows more");
  tap_is_int(it.drive.updates, 1, "the retry is told while it lasts");
  tap_ok(
      it.drive.update.data && strstr(it.drive.update.data, "{\"retry\":1,\"wait_ms\":1,\"why\":\""),
      "and why: %s", it.drive.update.data ? it.drive.update.data : "");
  model_fixture_close(&it);
}

/* An answer of one API is sent to the other: text and calls, no thinking. */
static void test_crossing(const char *from, const char *to, bool stream) {
  model_fixture first, second;
  model_fixture_open(&first, from,
                     "{\"answer\":{\"text\":\"I look.\",\"thinking\":\"secret "
                     "thoughts\",\"calls\":[{\"name\":\"find\",\"arguments\":{\"q\":\"x\"}}]}}");
  model_fixture_open(&second, to, "{\"answer\":{\"text\":\"Done.\"}}");
  first.model->stream = stream;
  model_fixture_add(&first, "user", "Find it");
  model_fixture_add(&second, "user", "Find it");
  const ck_outcome *outcome = model_fixture_call(&first, "{\"model\":\"m\",\"tools\":[\"find\"]}");
  tap_must(outcome->status == CK_OUTCOME_OK, "%s answers: %s", from, outcome->error);
  model_fixture_append(&second, outcome->result);
  model_fixture_result(&second, strcmp(from, "anthropic") == 0 ? "toolu_t0_0" : "call_t0_0",
                       "\"found x\"");
  outcome = model_fixture_call(&second, "{\"model\":\"m\",\"tools\":[\"find\"]}");
  tap_is_text(ck_outcome_status_name(outcome->status), "ok",
              "a conversation goes on from %s to %s (%s)", from, to, outcome->error);
  ck_bytes body = ck_json_get(model_server_request(&second.server, 0), "body");
  tap_ok(body.len && memmem(body.data, body.len, "I look.", 7) &&
             memmem(body.data, body.len, "found x", 7),
         "%s to %s: with text and result", from, to);
  tap_ok(body.len && !memmem(body.data, body.len, "secret thoughts", 15),
         "%s to %s: without thinking", from, to);
  model_fixture_close(&first);
  model_fixture_close(&second);
}

/* The server of the responses API keeps nothing: what was thought is asked for, and nothing that
 * relies on the server can be. */
static void test_stateless(void) {
  static const char *const own[] = {"store", "previous_response_id", "conversation", "input",
                                    "include"};
  model_fixture it;
  ck_effect_run *run;
  char request[128];
  model_fixture_open(&it, "responses", "{\"answer\":{\"text\":\"x\"},\"times\":0}");
  model_fixture_add(&it, "user", "Hello");
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    ck_error err = CK_ERROR_INIT;
    snprintf(request, sizeof request, "{\"model\":\"m\",\"%s\":true}", own[i]);
    tap_is_status(model_fixture_begin(&it, &run, request), CK_E_USAGE, &err, "%s is ckrun's own",
                  own[i]);
  }
  model_fixture_call(&it, "{\"model\":\"m\",\"max_tokens\":9}");
  model_fixture_call(&it, "{\"model\":\"m\",\"reasoning\":{\"effort\":\"low\"}}");
  ck_bytes body = ck_json_get(model_server_request(&it.server, 0), "body");
  tap_ok(body.len && memmem(body.data, body.len, "\"max_output_tokens\":9", 21),
         "the limit of an answer has the API's name");
  tap_ok(!ck_json_get(body, "include").len, "a model that does not think is asked for no thoughts");
  body = ck_json_get(model_server_request(&it.server, 1), "body");
  tap_ok(ck_json_get(body, "include").len > 0, "one that does is");
  tap_must(ck_value_new(&it.model->options, ck_bytes_text("{\"store\":true}"), NULL) == CK_OK,
           "options");
  tap_is_status(model_fixture_begin(&it, &run, "{\"model\":\"m\"}"), CK_E_USAGE, NULL,
                "nor can the profile's options");
  model_fixture_close(&it);
}

/* Gemini's address has the model's name and no key; what it configures is in a member of its own.
 */
static void test_gemini(void) {
  model_fixture it;
  model_fixture_open(&it, "gemini", "{\"answer\":{\"text\":\"x\"},\"times\":0}");
  model_fixture_add(&it, "system", "Be brief.");
  model_fixture_add(&it, "user", "Hello");
  free(it.model->base_url);
  it.model->base_url = NULL;
  char url[64];
  snprintf(url, sizeof url, "http://127.0.0.1:%d/v1beta?x=1", it.server.port);
  it.model->base_url = strdup(url);
  free(it.model->model);
  it.model->model = strdup("a model");
  tap_must(ck_value_new(&it.model->temperature, ck_bytes_text("0.5"), NULL) == CK_OK, "warm");
  const ck_outcome *outcome = model_fixture_call(
      &it, "{\"model\":\"m\",\"max_tokens\":9,\"generationConfig\":{\"topK\":3}}");
  tap_is_text(ck_outcome_status_name(outcome->status), "ok", "it is answered (%s)", outcome->error);
  ck_bytes logged = model_server_request(&it.server, 0), body = ck_json_get(logged, "body");
  tap_ok(ck_json_is_text(ck_json_get(logged, "path"),
                         "/v1beta/models/a%20model:streamGenerateContent?alt=sse&x=1"),
         "the address is the model's");
  static const char *const wanted[] = {
      "\"generationConfig\":{\"topK\":3,\"maxOutputTokens\":9,\"temperature\":0.5}",
      "\"systemInstruction\":{\"parts\":[{\"text\":\"Be brief.\"}]}"};
  for (size_t i = 0; i < 2; i++)
    tap_ok(body.len && memmem(body.data, body.len, wanted[i], strlen(wanted[i])), "%s", wanted[i]);
  model_fixture_close(&it);
}

/* What its errors say is heard: how long to wait, that a key is none, that all is too long. */
static void test_gemini_errors(void) {
  static const struct {
    const char *body;
    int code;
    ck_status status;
  } cases[] = {
      {"{\"error\":{\"code\":400,\"message\":\"API key not valid.\",\"status\":"
       "\"INVALID_ARGUMENT\"}}",
       400, CK_E_CREDENTIALS},
      {"{\"error\":{\"code\":400,\"message\":\"The input token count (9) exceeds the maximum\","
       "\"status\":\"INVALID_ARGUMENT\"}}",
       400, CK_E_CONTEXT},
      {"{\"error\":{\"code\":429,\"message\":\"Slow\",\"status\":\"RESOURCE_EXHAUSTED\","
       "\"details\":[{\"retryDelay\":\"90000.5s\"}]}}",
       429, CK_E_UNAVAILABLE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    model_fixture it;
    char script[400];
    snprintf(script, sizeof script, "{\"status\":%d,\"body\":%s,\"times\":0}", cases[i].code,
             cases[i].body);
    model_fixture_open(&it, "gemini", script);
    model_fixture_add(&it, "user", "Hello");
    const ck_outcome *outcome = model_fixture_call(&it, "{\"model\":\"m\"}");
    tap_is_status(outcome->error_status, cases[i].status, NULL, "%s", outcome->error);
    tap_is_int((int64_t)model_server_count(&it.server), 1, "it is not asked again");
    tap_ok(!strstr(outcome->error, MODEL_SCENE_KEY), "the key is in no error");
    if (cases[i].code == 429)
      tap_is_int(outcome->retry_after_ms, 90000500, "it says how long to wait");
    model_fixture_close(&it);
  }
}

int main(void) {
  test_gemini();
  test_gemini_errors();
  test_stateless();
  test_lost_tokens();
  for (int i = 0; i < APIS; i++) {
    test_keys(apis[i]);
    test_reserve(apis[i]);
    for (int stream = 0; stream < 2; stream++) {
      test_text(apis[i], stream);
      test_calls(apis[i], stream);
      for (int to = 0; to < APIS; to++)
        if (to != i) test_crossing(apis[i], apis[to], stream);
    }
  }
  return tap_done();
}
