/* test_http.c - POST requests: their targets and bounds; each ends exactly once, and no memory is
 * given back with a key in it. */
/* link: -Wl,--wrap=free */
#include "core/effect/http/http.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "tests/effect/model/model_server.h"
#include "tests/tap.h"

enum { MANY = 64 };

static ck_loop *loop;
static ck_http *client;

/* The result of one request. */
typedef struct got {
  int ended;
  ck_http_ending ending;
  int code;
  bool sent;
  char text[256];
  ck_buffer body;
  int *left; /* of several; the loop stops at the last */
  bool refuse;
} got;

static bool on_data(void *to, int code, ck_bytes chunk) {
  got *self = to;
  (void)code;
  ck_buffer_append_bytes(&self->body, chunk);
  return !self->refuse;
}

static void on_ended(void *to, const ck_http_end *end) {
  got *self = to;
  self->ended++;
  self->ending = end->ending;
  self->code = end->code;
  self->sent = end->sent;
  snprintf(self->text, sizeof self->text, "%s", end->text);
  if (!self->left || --*self->left == 0) ck_loop_stop(loop);
}

/* Valid for wire_check. */
#define BODY "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}"

static ck_http_request *post(got *to, const char *url, size_t body_max) {
  ck_http_request *request = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_http_options options = {.url = url,
                             .body = ck_bytes_text(BODY),
                             .body_max = body_max,
                             .connect_ms = 5000,
                             .total_ms = 20000,
                             .data = on_data,
                             .ended = on_ended,
                             .to = to};
  tap_must(ck_http_send(&request, client, &options, &err) == CK_OK, "%s: it is posted: %s", url,
           err.text);
  tap_must(to->ended == 0, "%s: nothing is called from within", url);
  return request;
}

static const char *url_of(const model_server *server) {
  static char url[64];
  snprintf(url, sizeof url, "http://127.0.0.1:%d/v1/chat/completions", server->port);
  return url;
}

static void play(got *to, const char *url, size_t body_max) {
  *to = (got){0};
  post(to, url, body_max);
  while (!to->ended) ck_loop_run(loop);
}

static void test_bounds(void) {
  static const size_t limits[] = {9, 10, 11};
  model_server server;
  model_server_start(&server, "{\"body\":\"0123456789\",\"times\":0}");
  for (size_t i = 0; i < 3; i++) {
    got it;
    play(&it, url_of(&server), limits[i]);
    tap_is_int(it.ending, limits[i] < 10 ? CK_HTTP_OVERSIZE : CK_HTTP_ANSWERED,
               "ten bytes where %zu are allowed: %s", limits[i], it.text);
    ck_buffer_clear(&it.body);
  }
  got it = {.refuse = true};
  post(&it, url_of(&server), 100);
  while (!it.ended) ck_loop_run(loop);
  tap_is_int(it.ending, CK_HTTP_REFUSED, "data that is not wanted: %s", it.text);
  ck_buffer_clear(&it.body);
  model_server_stop(&server);
}

/* A head of `lines` headers, `size` bytes each. */
static void play_head(got *to, size_t lines, size_t size) {
  model_server server;
  ck_buffer script = {0};
  ck_buffer_append_text(&script, "{\"body\":\"x\",\"headers\":{");
  for (size_t line = 0; line < lines; line++) {
    ck_buffer_append_format(&script, "%s\"X-Line-%zu\":\"", line ? "," : "", line);
    for (size_t i = 0; i < size; i++) ck_buffer_append_char(&script, 'a');
    ck_buffer_append_text(&script, "\"");
  }
  ck_buffer_append_text(&script, "}}");
  model_server_start(&server, script.data);
  play(to, url_of(&server), 100);
  model_server_stop(&server);
  ck_buffer_clear(&script);
}

static void test_large_head(void) {
  got it;
  play_head(&it, 1, 50000);
  tap_is_int(it.ending, CK_HTTP_ANSWERED, "a header of 50 KB: %s", it.text);
  ck_buffer_clear(&it.body);
  play_head(&it, 1, 500000);
  tap_is_int(it.ending, CK_HTTP_OVERSIZE, "a header of 500 KB is too large");
  tap_ok(strstr(it.text, "header") != NULL, "and named: %s", it.text);
  ck_buffer_clear(&it.body);
}

static void test_unusable(void) {
  static const struct {
    const char *url;
    ck_http_ending ending;
  } cases[] = {{"file:///etc/passwd", CK_HTTP_UNUSABLE},
               {"ftp://127.0.0.1/", CK_HTTP_UNUSABLE},
               {"gopher://127.0.0.1/", CK_HTTP_UNUSABLE},
               {"http://user:secret@127.0.0.1:1/", CK_HTTP_UNUSABLE},
               {"http://", CK_HTTP_UNUSABLE},
               {"http://127.0.0.1:1/", CK_HTTP_UNREACHED}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    got it;
    play(&it, cases[i].url, 100);
    tap_is_int(it.ending, cases[i].ending, "%s: %s", cases[i].url, it.text);
    tap_ok(it.ended == 1 && !strstr(it.text, "secret") && it.body.len == 0,
           "%s: ends once, without a word of what is secret", cases[i].url);
    tap_ok(!it.sent, "%s: nothing was sent", cases[i].url);
  }
}

/* The request was there: whoever reads this cannot tell what came of it. */
static void test_cut(void) {
  model_server server;
  model_server_start(&server, "{\"body\":\"0123456789\",\"cut\":5}\n{\"body\":\"whole\"}");
  got it;
  play(&it, url_of(&server), 100);
  tap_ok(it.ending == CK_HTTP_BROKEN && it.sent, "a connection that is cut: %s", it.text);
  ck_buffer_clear(&it.body);
  play(&it, url_of(&server), 100);
  tap_ok(it.ending == CK_HTTP_ANSWERED && it.sent, "one that is not");
  ck_buffer_clear(&it.body);
  model_server_stop(&server);
}

/* It may have been acted on: libcurl must not send it again on its own. */
static void test_kept(void) {
  model_server server;
  model_server_start(&server,
                     "{\"body\":\"one\"}\n{\"close\":true}\n{\"body\":\"again\",\"times\":0}");
  got it;
  play(&it, url_of(&server), 100);
  ck_buffer_clear(&it.body);
  play(&it, url_of(&server), 100);
  tap_ok(it.ending == CK_HTTP_BROKEN && it.sent, "a kept connection that ends: %s", it.text);
  tap_is_int((int64_t)model_server_count(&server), 2, "and the request was sent once");
  ck_buffer_clear(&it.body);
  model_server_stop(&server);
}

static void test_proxy(void) {
  model_server proxy;
  char url[64];
  got it;
  model_server_start(&proxy, "{\"body\":\"by the proxy\"}");
  snprintf(url, sizeof url, "http://127.0.0.1:%d", proxy.port);
  setenv("http_proxy", url, 1);
  play(&it, "http://name.invalid/v1/chat/completions", 100);
  unsetenv("http_proxy");
  tap_is_bytes(ck_buffer_bytes(&it.body), ck_bytes_text("by the proxy"),
               "a proxy comes from the environment: %s", it.text);
  tap_ok(ck_json_is_text(ck_json_get(model_server_request(&proxy, 0), "path"),
                         "http://name.invalid/v1/chat/completions"),
         "and is asked for the whole address");
  ck_buffer_clear(&it.body);
  model_server_stop(&proxy);
}

static void test_many(void) {
  model_server server;
  got all[MANY] = {0};
  int left = MANY, right = 0;
  model_server_start(&server, "{\"body\":\"0123456789\",\"piece\":3,\"times\":0}");
  for (int i = 0; i < MANY; i++) {
    all[i].left = &left;
    post(&all[i], url_of(&server), 100);
  }
  while (left > 0) ck_loop_run(loop);
  for (int i = 0; i < MANY; i++) {
    right += all[i].ended == 1 && all[i].ending == CK_HTTP_ANSWERED && all[i].code == 200 &&
             all[i].body.len == 10;
    ck_buffer_clear(&all[i].body);
  }
  tap_is_int(right, MANY, "%d requests at once are all answered, each once", MANY);
  model_server_stop(&server);
}

/* A dropped request makes no callback; nor does one that ends with its client. */
static void test_dropped(void) {
  model_server server;
  got one = {0}, other = {0}, last;
  model_server_start(&server, "{\"body\":\"0123456789\",\"hang\":5}\n{\"body\":\"0123456789\","
                              "\"hang\":5}\n{\"body\":\"x\",\"times\":0}");
  ck_http_request *first = post(&one, url_of(&server), 100);
  post(&other, url_of(&server), 100);
  while (model_server_count(&server) < 2) {
    got turn;
    play(&turn, "http://127.0.0.1:1/", 100); /* a turn of the loop */
  }
  ck_http_drop(first);
  ck_http_free(client);
  tap_must(ck_http_new(&client, loop, NULL, NULL) == CK_OK, "another client");
  play(&last, url_of(&server), 100);
  tap_is_int(last.ending, CK_HTTP_ANSWERED, "another client goes on");
  tap_is_int(one.ended + other.ended, 0,
             "a request that is dropped, and one whose client is freed, end in silence");
  ck_buffer_clear(&one.body);
  ck_buffer_clear(&other.body);
  ck_buffer_clear(&last.body);
  model_server_stop(&server);
}

/* ---- memory that is given back ---- */

#define KEY "canary-horse-battery-77"

static struct {
  bool looks;
  int blocks, with_key;
} given;

void __real_free(void *block);
void __wrap_free(void *block);
void __wrap_free(void *block) {
  if (given.looks && block) {
    given.blocks++;
    given.with_key += memmem(block, malloc_usable_size(block), KEY, strlen(KEY)) != NULL;
  }
  __real_free(block);
}

/* libcurl copies a request into buffers of its own, with the key in its headers. */
static void test_given_back(void) {
  model_server server;
  got it = {0};
  ck_error err = CK_ERROR_INIT;
  ck_http_request *request = NULL;
  ck_http_header key = {"X-Api-Key", KEY};
  model_server_start(&server, "{\"body\":\"x\",\"times\":0}");
  ck_http_options options = {.url = url_of(&server),
                             .headers = &key,
                             .header_count = 1,
                             .body = ck_bytes_text(BODY),
                             .body_max = 100,
                             .connect_ms = 5000,
                             .total_ms = 20000,
                             .data = on_data,
                             .ended = on_ended,
                             .to = &it};
  given.looks = true;
  tap_must(ck_http_send(&request, client, &options, &err) == CK_OK, "it is posted: %s", err.text);
  while (!it.ended) ck_loop_run(loop);
  ck_http_free(client);
  given.looks = false;
  tap_is_int(it.ending, CK_HTTP_ANSWERED, "a request with a key: %s", it.text);
  tap_ok(given.blocks > 0, "its memory is given back");
  tap_is_int(given.with_key, 0, "and no block of it with the key");
  ck_buffer_clear(&it.body);
  model_server_stop(&server);
}

int main(void) {
  static const char *const of_environment[] = {"http_proxy",  "HTTP_PROXY", "https_proxy",
                                               "HTTPS_PROXY", "all_proxy",  "ALL_PROXY",
                                               "no_proxy",    "NO_PROXY"};
  for (size_t i = 0; i < sizeof of_environment / sizeof *of_environment; i++)
    unsetenv(of_environment[i]);
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  tap_must(ck_http_new(&client, loop, NULL, NULL) == CK_OK, "there is a client");
  test_bounds();
  test_large_head();
  test_unusable();
  test_cut();
  test_kept();
  test_proxy();
  test_many();
  test_dropped();
  test_given_back();
  ck_loop_free(loop);
  return tap_done();
}
