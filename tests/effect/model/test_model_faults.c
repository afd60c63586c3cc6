/* test_model_faults.c - whatever a provider does, one outcome comes, of the right class, in one
 * line that says why. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/effect/http/http.h"
#include "tests/effect/model/model_fixture.h"
#include "tests/tap.h"

#define GOOD "{\"answer\":{\"text\":\"All is well.\"}}\n"

/* The outcome of a script: with a retry or without, streamed or not. */
typedef struct fault_case {
  const char *name, *script;
  bool stream;
  const char *outcome;
  ck_status status;
  const char *text;
  size_t requests;
} fault_case;

static const fault_case cases[] = {
    {"429, then success",
     "{\"status\":429,\"body\":{\"error\":{\"message\":\"slow "
     "down\",\"type\":\"rate_limit_error\"}}}\n" GOOD,
     false, "ok", CK_OK, NULL, 2},
    {"529, then success",
     "{\"status\":529,\"body\":{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
     "\"message\":\"Overloaded\"}}}\n" GOOD,
     true, "ok", CK_OK, NULL, 2},
    {"408, 409 and then success", "{\"status\":408}\n{\"status\":409}\n" GOOD, false, "ok", CK_OK,
     NULL, 3},
    {"Retry-After of no time", "{\"status\":503,\"headers\":{\"Retry-After\":\"0\"}}\n" GOOD, false,
     "ok", CK_OK, NULL, 2},
    {"Retry-After in the past",
     "{\"status\":503,\"headers\":{\"retry-after\":\"Sun, 06 Nov 1994 08:49:37 GMT\"}}\n" GOOD,
     false, "ok", CK_OK, NULL, 2},
    {"retry-after-ms",
     "{\"status\":503,\"headers\":{\"retry-after-ms\":\"2\",\"retry-after\":\"999999\"}}\n" GOOD,
     false, "ok", CK_OK, NULL, 2},
    {"Retry-After of an hour", "{\"status\":429,\"headers\":{\"retry-after\":\"3600\"}}\n" GOOD,
     false, "failed", CK_E_UNAVAILABLE, "it asks to wait 3600 s", 1},
    {"x-should-retry: false", "{\"status\":500,\"headers\":{\"x-should-retry\":\"false\"}}\n" GOOD,
     false, "failed", CK_E_UNAVAILABLE, "status 500", 1},
    {"500 for ever", "{\"status\":500,\"body\":\"oops\\n\\u0007!\",\"times\":0}\n", false, "failed",
     CK_E_UNAVAILABLE, "3 attempts, the last: status 500: oops\n !", 3},
    {"a stream cut in the middle", "{\"answer\":{\"text\":\"never seen\"},\"cut\":300}\n" GOOD,
     true, "ok", CK_OK, NULL, 2},
    {"a stream cut at its end", "{\"answer\":{\"text\":\"never seen\"},\"cut\":-250}\n" GOOD, true,
     "ok", CK_OK, NULL, 2},
    {"a stream that is always cut",
     "{\"answer\":{\"text\":\"never seen\"},\"cut\":300,\"times\":0}\n", true, "failed",
     CK_E_UNAVAILABLE, "3 attempts", 3},
    {"a body cut in the middle", "{\"answer\":{\"text\":\"never seen\"},\"cut\":30}\n" GOOD, false,
     "ok", CK_OK, NULL, 2},
    {"a connection closed without an answer", "{\"close\":true}\n" GOOD, false, "ok", CK_OK, NULL,
     2},
    {"a malformed event",
     "{\"type\":\"text/event-stream\",\"body\":\"data: {\\\"choices\\\":[}\\n\\n\",\"times\":0}",
     true, "failed", CK_E_UNAVAILABLE, "an event of the stream is no JSON", 3},
    {"an event that is no object",
     "{\"type\":\"text/event-stream\",\"body\":\"data: 7\\n\\n\",\"times\":0}", true, "failed",
     CK_E_UNAVAILABLE, "an event of the stream is no object", 3},
    {"a malformed event, then success",
     "{\"type\":\"text/event-stream\",\"body\":\"data: nonsense\\n\\n\"}\n" GOOD, true, "ok", CK_OK,
     NULL, 2},
    {"an empty stream", "{\"type\":\"text/event-stream\",\"body\":\"\\n\\n\",\"times\":0}", true,
     "failed", CK_E_UNAVAILABLE, "the stream ended before the message did", 3},
    {"an error in the stream",
     "{\"type\":\"text/event-stream\",\"body\":\"data: "
     "{\\\"type\\\":\\\"error\\\",\\\"error\\\":{\\\"type\\\":\\\"overloaded_error\\\","
     "\\\"message\\\":\\\"Overloaded\\\"}}\\n\\n\"}\n" GOOD,
     true, "ok", CK_OK, NULL, 2},
    {"malformed JSON", "{\"body\":\"{\\\"a\\\":1,\\\"a\\\":2}\",\"times\":0}", false, "failed",
     CK_E_UNAVAILABLE, "the answer is no JSON", 3},
    {"JSON that is no answer", "{\"body\":{},\"times\":0}", false, "failed", CK_E_UNAVAILABLE,
     "the answer", 3},
    {"another content type", "{\"type\":\"text/html; charset=utf-8\",\"body\":\"<html>\"}\n" GOOD,
     true, "failed", CK_E_UNAVAILABLE, "content type 'text/html' where JSON is expected", 1},
    {"an event stream that was not asked for",
     "{\"type\":\"text/event-stream\",\"body\":\"data: {\",\"times\":0}", false, "failed",
     CK_E_UNAVAILABLE, "the stream ended", 3},
    {"401",
     "{\"status\":401,\"body\":{\"error\":{\"message\":\"bad "
     "key\",\"code\":\"invalid_api_key\"}}}\n" GOOD,
     false, "failed", CK_E_CREDENTIALS, "status 401 (invalid_api_key): bad key", 1},
    {"403", "{\"status\":403,\"body\":\"no\"}\n" GOOD, true, "failed", CK_E_CREDENTIALS,
     "status 403: no", 1},
    {"400", "{\"status\":400,\"body\":{\"error\":{\"message\":\"bad role\"}}}\n" GOOD, false,
     "failed", CK_E_REQUEST, "status 400: bad role", 1},
    {"404", "{\"status\":404,\"body\":{\"error\":{\"message\":\"no such model\"}}}\n" GOOD, false,
     "failed", CK_E_REQUEST, "status 404: no such model", 1},
    {"422", "{\"status\":422,\"body\":{\"detail\":[{\"msg\":\"x\"}]}}\n" GOOD, false, "failed",
     CK_E_REQUEST, "status 422: {\"detail\"", 1},
    {"a context that is too long for OpenAI",
     "{\"status\":400,\"body\":{\"error\":{\"message\":\"This model's maximum context length is 8 "
     "tokens\",\"code\":\"context_length_exceeded\"}}}\n" GOOD,
     false, "failed", CK_E_CONTEXT, "context_length_exceeded", 1},
    {"a context that is too long for Anthropic",
     "{\"status\":400,\"body\":{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\","
     "\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}}\n" GOOD,
     false, "failed", CK_E_CONTEXT, "prompt is too long", 1},
    {"413",
     "{\"status\":413,\"body\":{\"type\":\"error\",\"error\":{\"type\":\"request_too_large\","
     "\"message\":\"Request exceeds the maximum size\"}}}\n" GOOD,
     false, "failed", CK_E_CONTEXT, "request_too_large", 1},
    {"an account without money",
     "{\"status\":429,\"body\":{\"error\":{\"message\":\"You exceeded your "
     "quota\",\"code\":\"insufficient_quota\"}}}\n" GOOD,
     false, "failed", CK_E_UNAVAILABLE, "insufficient_quota", 1},
    {"a redirect", "{\"status\":307,\"headers\":{\"Location\":\"http://127.0.0.1:1/v1\"}}\n" GOOD,
     false, "failed", CK_E_REQUEST, "a redirect (status 307), which is not followed", 1},
    {"one byte in a write", "{\"answer\":{\"text\":\"All is well.\"},\"piece\":1}\n", true, "ok",
     CK_OK, NULL, 1},
    {"seven bytes in a write", "{\"answer\":{\"text\":\"All is well.\"},\"piece\":7}\n", false,
     "ok", CK_OK, NULL, 1},
    {"chunks of one byte",
     "{\"answer\":{\"text\":\"All is well.\"},\"piece\":1,\"chunked\":true}\n", true, "ok", CK_OK,
     NULL, 1},
    {"chunks of 100 bytes",
     "{\"answer\":{\"text\":\"All is well.\"},\"piece\":100,\"chunked\":true}\n", false, "ok",
     CK_OK, NULL, 1},
    {"a chunk cut in the middle",
     "{\"answer\":{\"text\":\"never seen\"},\"piece\":100,\"chunked\":true,\"cut\":-300}\n" GOOD,
     true, "ok", CK_OK, NULL, 2},
    {"a stream that is over, without its last chunk",
     "{\"answer\":{\"text\":\"All is well.\"},\"piece\":100,\"chunked\":true,\"cut\":-5}\n", true,
     "ok", CK_OK, NULL, 1},
    {"a body that ends before its length, with its answer whole",
     "{\"answer\":{\"text\":\"All is well.\"},\"longer\":7}\n", false, "ok", CK_OK, NULL, 1},
    {"a stream that ends before its length, with its answer whole",
     "{\"answer\":{\"text\":\"All is well.\"},\"longer\":7}\n", true, "ok", CK_OK, NULL, 1},
    {"a packed body that ends before its length",
     "{\"answer\":{\"text\":\"All is well.\"},\"encoding\":\"gzip\",\"longer\":1}\n", false, "ok",
     CK_OK, NULL, 1},
    {"a body without its last chunk",
     "{\"answer\":{\"text\":\"All is well.\"},\"piece\":100,\"chunked\":true,\"cut\":-5}\n", false,
     "ok", CK_OK, NULL, 1},
    {"a body that lacks its last byte", "{\"answer\":{\"text\":\"never seen\"},\"cut\":-2}\n" GOOD,
     false, "ok", CK_OK, NULL, 2},
    {"an error whose body ends before its length",
     "{\"body\":{\"type\":\"error\",\"error\":{\"message\":\"no such thing\"}},\"longer\":7,"
     "\"times\":0}\n",
     false, "failed", CK_E_UNAVAILABLE, "no such thing", 3},
    {"no answer in a body that ends before its length", "{\"body\":{},\"longer\":7,\"times\":0}\n",
     false, "failed", CK_E_UNAVAILABLE, "3 attempts", 3},
    {"gzip", "{\"answer\":{\"text\":\"All is well.\"},\"encoding\":\"gzip\"}\n", true, "ok", CK_OK,
     NULL, 1},
    {"a gzip bomb", "{\"encoding\":\"gzip\",\"bomb\":3000000,\"times\":0}\n", false, "failed",
     CK_E_UNAVAILABLE, "the answer is larger than allowed", 1},
    {"a gzip bomb of events",
     "{\"type\":\"text/event-stream\",\"encoding\":\"gzip\",\"bomb\":3000000,\"times\":0}\n", true,
     "failed", CK_E_UNAVAILABLE, "the answer is larger than allowed", 1},
    {"a gzip bomb of an error",
     "{\"status\":500,\"encoding\":\"gzip\",\"bomb\":900000,\"times\":0}\n", true, "failed",
     CK_E_UNAVAILABLE, "status 500", 3},
};

static void check_text(const fault_case *it, const char *api, const char *text) {
  if (!text) text = "";
  tap_ok(strstr(text, it->text) && !strchr(text, '\a'), "%s, %s: says why: %s", it->name, api,
         text);
  tap_ok(strstr(text, "model \"m\" (http://127.0.0.1:") && !strstr(text, MODEL_SCENE_KEY),
         "%s, %s: names the model and where it is", it->name, api);
}

static void test_case(const fault_case *it, const char *api) {
  model_fixture fixture;
  model_fixture_open(&fixture, api, it->script);
  fixture.model->stream = it->stream;
  fixture.options.answer_max = 1 << 20;
  model_fixture_add(&fixture, "user", "Hello");
  const ck_outcome *outcome = model_fixture_call(&fixture, "{\"model\":\"m\"}");
  tap_is_text(ck_outcome_status_name(outcome->status), it->outcome, "%s, %s: the outcome (%s)",
              it->name, api, outcome->error);
  tap_is_status(outcome->error_status, it->status, NULL, "%s, %s: its class", it->name, api);
  if (it->text)
    check_text(it, api, outcome->error);
  else
    tap_ok(outcome->result && strstr(ck_value_bytes(outcome->result).data, "All is well."),
           "%s, %s: nothing but the whole answer", it->name, api);
  tap_is_int((int64_t)model_server_count(&fixture.server), (int64_t)it->requests,
             "%s, %s: so many requests", it->name, api);
  model_fixture_close(&fixture);
}

/* Another host must not see the key: it is another port here, which makes it another origin. */
static void test_redirect(void) {
  model_fixture fixture;
  model_server other;
  char script[256];
  model_server_start(&other, GOOD);
  snprintf(script, sizeof script,
           "{\"status\":302,\"headers\":{\"Location\":\"http://127.0.0.1:%d/v1/chat/"
           "completions\"},\"times\":0}",
           other.port);
  model_fixture_open(&fixture, "openai", script);
  model_fixture_add(&fixture, "user", "Hello");
  const ck_outcome *outcome = model_fixture_call(&fixture, "{\"model\":\"m\"}");
  tap_is_status(outcome->error_status, CK_E_REQUEST, NULL,
                "a redirect is an error of the configuration");
  tap_is_int((int64_t)model_server_count(&other), 0, "and the other host never hears of it");
  model_fixture_close(&fixture);
  model_server_stop(&other);
}

/* A server that knows the limit of an answer by its other name is asked once, and the field that
 * says so is named. */
static void test_limit_name(void) {
  static const char *const told[][2] = {
      {"Unsupported parameter: 'max_tokens' is not supported with this model. Use "
       "'max_completion_tokens' instead.",
       "; max_tokens_name = \"max_completion_tokens\" of model \"m\""},
      {"Unrecognized request argument supplied: max_completion_tokens",
       "; max_tokens_name = \"max_tokens\" of model \"m\""},
      {"max_completion_tokens is too large", NULL}};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    model_fixture fixture;
    char script[300];
    snprintf(script, sizeof script,
             "{\"status\":400,\"body\":{\"error\":{\"message\":\"%s\"}},\"times\":0}\n",
             told[i][0]);
    model_fixture_open(&fixture, "openai", script);
    if (i > 0) fixture.model->max_tokens_name = strdup("max_completion_tokens");
    model_fixture_add(&fixture, "user", "Hello");
    const ck_outcome *outcome = model_fixture_call(&fixture, "{\"model\":\"m\",\"max_tokens\":7}");
    const char *advice = outcome->error ? strstr(outcome->error, "; max_tokens_name") : NULL;
    tap_ok(told[i][1] ? advice && strncmp(advice, told[i][1], strlen(told[i][1])) == 0 : !advice,
           "the name that it knows: %s", outcome->error);
    tap_is_status(outcome->error_status, CK_E_REQUEST, NULL, "it is refused");
    tap_is_int((int64_t)model_server_count(&fixture.server), 1, "and not sent again");
    model_fixture_close(&fixture);
  }
}

/* The whole answer takes longer than the limit between two bytes. */
static void test_slow_bytes(void) {
  model_fixture fixture;
  model_fixture_open(&fixture, "openai",
                     "{\"answer\":{\"text\":\"All is well.\"},\"piece\":6,\"pause_ms\":25}");
  fixture.model->idle_timeout_ms = 1500;
  fixture.model->stream = 1;
  model_fixture_add(&fixture, "user", "Hello");
  const ck_outcome *outcome = model_fixture_call(&fixture, "{\"model\":\"m\"}");
  tap_ok(outcome->status == CK_OUTCOME_OK, "slow bytes are bytes: %s",
         outcome->error ? outcome->error : "");
  model_fixture_close(&fixture);
}

static void test_timeouts(void) {
  model_fixture fixture;
  model_fixture_open(&fixture, "openai", "{\"answer\":{\"text\":\"x\"},\"hang\":200,\"times\":0}");
  fixture.model->stream = 1;
  fixture.model->idle_timeout_ms = 30;
  model_fixture_add(&fixture, "user", "Hello");
  const ck_outcome *outcome = model_fixture_call(&fixture, "{\"model\":\"m\"}");
  tap_ok(outcome->error_status == CK_E_UNAVAILABLE &&
             strstr(outcome->error, "3 attempts, the last: nothing came for 30 ms"),
         "bytes that stop coming: %s", outcome->error);
  fixture.model->idle_timeout_ms = -1;
  fixture.model->timeout_ms = 30;
  outcome = model_fixture_call(&fixture, "{\"model\":\"m\"}");
  tap_ok(outcome->error_status == CK_E_UNAVAILABLE && strstr(outcome->error, "timed out"),
         "an answer that takes too long: %s", outcome->error);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  fixture.model->timeout_ms = -1;
  fixture.effect.deadline_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000 + 30;
  outcome = model_fixture_call(&fixture, "{\"model\":\"m\"}");
  tap_ok(outcome->error_status == CK_E_UNAVAILABLE, "an effect whose deadline passes: %s",
         outcome->error);
  model_fixture_close(&fixture);
}

static void test_unreachable(void) {
  model_fixture fixture;
  model_fixture_open(&fixture, "anthropic", GOOD);
  int port = fixture.server.port;
  model_server_stop(&fixture.server);
  model_fixture_add(&fixture, "user", "Hello");
  const ck_outcome *outcome = model_fixture_call(&fixture, "{\"model\":\"m\"}");
  tap_ok(outcome->error_status == CK_E_UNAVAILABLE && strstr(outcome->error, "3 attempts"),
         "nobody listens: %s", outcome->error);
  (void)port;
  model_server_start(&fixture.server, GOOD);
  model_fixture_close(&fixture);
}

static void test_refused_at_once(void) {
  model_fixture fixture;
  ck_effect_run *run;
  model_fixture_open(&fixture, "openai", GOOD);
  fixture.options.library = "libnothing-at-all.so.4";
  model_fixture_add(&fixture, "user", "Hello");
  tap_is_status(model_fixture_begin(&fixture, &run, "{\"model\":\"m\"}"), CK_E_UNSUPPORTED, NULL,
                "without libcurl it is told");
  fixture.driver->free(fixture.driver->self);
  fixture.driver = NULL;
  fixture.options.library = NULL;
  tap_is_status(model_fixture_begin(&fixture, &run, "{\"model\":\"other\"}"), CK_E_USAGE, NULL,
                "a model that the profile lacks");
  tap_is_status(model_fixture_begin(&fixture, &run, "{\"model\":\"m\",\"stream\":true}"),
                CK_E_USAGE, NULL, "an option that is the core's own");
  tap_must(ck_profile_put_secret(fixture.profile, "main", "env:OTHER", NULL) == CK_OK,
           "another secret");
  tap_is_status(model_fixture_begin(&fixture, &run, "{\"model\":\"m\"}"), CK_E_SECRET_MISSING, NULL,
                "a secret that is missing");
  tap_must(ck_profile_put_secret(fixture.profile, "main", "env:KEY", NULL) == CK_OK,
           "the secret again");
  tap_must(ck_profile_model_put_header(
               fixture.model, &(ck_profile_header){(char *)"X-Line", (char *)"a\r\nb: c", false},
               NULL) == CK_OK,
           "a header");
  tap_is_status(model_fixture_begin(&fixture, &run, "{\"model\":\"m\"}"), CK_E_USAGE, NULL,
                "a header that would break out of its line");
  tap_is_int((int64_t)model_server_count(&fixture.server), 0, "nothing of it was sent");
  tap_is_int(fixture.drive.delivered, 0, "nor delivered");
  model_fixture_close(&fixture);
}

static void test_cancel(void) {
  model_fixture fixture;
  ck_effect_run *run;
  model_fixture_open(&fixture, "openai",
                     "{\"answer\":{\"text\":\"x\"},\"hang\":100}\n{\"status\":500,\"headers\":{"
                     "\"retry-after\":\"59\"},\"times\":0}\n");
  model_fixture_add(&fixture, "user", "Hello");
  tap_must(model_fixture_begin(&fixture, &run, "{\"model\":\"m\"}") == CK_OK, "it begins");
  fixture.driver->cancel(fixture.driver->self, run);
  fixture.driver->cancel(fixture.driver->self, run);
  tap_is_int(fixture.drive.delivered, 0, "a cancel delivers nothing from within");
  drive_wait(&fixture.drive);
  ck_loop_run(fixture.loop);
  tap_is_int(fixture.drive.delivered, 1, "and then once");
  tap_is_status(fixture.drive.outcome->error_status, CK_E_INTERRUPTED, NULL, "as interrupted");
  tap_must(model_fixture_begin(&fixture, &run, "{\"model\":\"m\"}") == CK_OK, "another begins");
  fixture.driver->free(fixture.driver->self);
  fixture.driver = NULL;
  tap_is_int(fixture.drive.delivered, 0, "a driver that is freed in the middle delivers nothing");
  model_fixture_close(&fixture);
}

static void test_urls(void) {
  static const char *const urls[][2] = {
      {"https://user:pass@host:8/a/b?key=secret#x", "https://host:8/a/b"},
      {"http://host", "http://host"},
      {"https://host/v1?api-version=1", "https://host/v1"},
      {"https://host/a@b", "https://host/a@b"},
      {"nonsense?x", "nonsense"},
  };
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    ck_buffer shown = {0};
    ck_http_append_url(&shown, urls[i][0]);
    tap_is_text(shown.data, urls[i][1], "%s is shown without what may be secret", urls[i][0]);
    ck_buffer_clear(&shown);
  }
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    test_case(&cases[i], "openai");
    test_case(&cases[i], "anthropic");
    test_case(&cases[i], "responses");
    test_case(&cases[i], "gemini");
  }
  test_redirect();
  test_limit_name();
  test_slow_bytes();
  test_timeouts();
  test_unreachable();
  test_refused_at_once();
  test_cancel();
  test_urls();
  return tap_done();
}
