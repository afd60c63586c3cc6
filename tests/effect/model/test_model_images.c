/* test_model_images.c - images and files of a conversation in the requests of each API, whatever
 * their form was; what a model does not take, or nobody keeps, is not sent; what they may cost. */
#include <stdio.h>
#include <string.h>

#include "tests/effect/model/model_fixture.h"
#include "tests/tap.h"

#define GIF "R0lGODlhAQABAAA="
#define PDF "JVBERi0xLjQ="
#define DIGEST "00000000000000000000000000000000000000000000000000000000000000"

static const char answer[] = "{\"answer\":{\"text\":\"Seen.\"}}";
static int reads;

/* Of digests that end in 01: a GIF; in 02: a PDF; nothing else is kept. */
static ck_status read_kept(ck_buffer *out, void *self, const ck_digest *digest, ck_error *err) {
  (void)self;
  reads++;
  if (digest->bytes[CK_DIGEST_SIZE - 1] == 1)
    ck_buffer_append(out, "GIF89a\x01\0\x01\0\0", 11);
  else if (digest->bytes[CK_DIGEST_SIZE - 1] == 2)
    ck_buffer_append_text(out, "%PDF-1.4");
  else
    return ck_error_set(err, CK_E_NOT_FOUND, "it is not kept");
  return CK_OK;
}

static void open_with(model_fixture *it, const char *api, const char *script, int takes) {
  model_fixture_open(it, api, script);
  it->model->takes = takes;
  it->model->stream = 0;
  it->options.media = (ck_media_source){read_kept, NULL};
}

static void add(model_fixture *it, const char *json) {
  ck_value *message;
  tap_must(ck_value_new(&message, ck_bytes_text(json), NULL) == CK_OK, "%s", json);
  model_fixture_append(it, message);
  ck_value_free(message);
}

static const struct {
  const char *name, *part, *wanted[4];
} parts[] = {
    {"a kept image",
     "{\"type\":\"image\",\"media_type\":\"image/gif\",\"name\":\"a.gif\",\"bytes\":11,\"digest\":"
     "\"" DIGEST "01\",\"detail\":\"low\",\"cache_control\":{\"type\":\"ephemeral\"}}",
     {"{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/gif;base64," GIF
      "\",\"detail\":\"low\"}}",
      "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/gif\",\"data\":"
      "\"" GIF "\"},\"cache_control\":{\"type\":\"ephemeral\"}}",
      "{\"type\":\"input_image\",\"image_url\":\"data:image/gif;base64," GIF
      "\",\"detail\":\"low\"}",
      "{\"inlineData\":{\"mimeType\":\"image/gif\",\"data\":\"" GIF "\"}}"}},
    {"a kept file",
     "{\"type\":\"file\",\"media_type\":\"application/pdf\",\"name\":\"a.pdf\",\"bytes\":8,"
     "\"digest\":\"" DIGEST "02\"}",
     {"{\"type\":\"file\",\"file\":{\"filename\":\"a.pdf\",\"file_data\":\"data:application/"
      "pdf;base64," PDF "\"}}",
      "{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":\"application/"
      "pdf\",\"data\":\"" PDF "\"},\"title\":\"a.pdf\"}",
      "{\"type\":\"input_file\",\"filename\":\"a.pdf\","
      "\"file_data\":\"data:application/pdf;base64," PDF "\"}",
      "{\"inlineData\":{\"mimeType\":\"application/pdf\",\"data\":\"" PDF "\"}}"}},
    {"an address of chat completions",
     "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://x.y/a.gif\"}}",
     {"{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://x.y/a.gif\"}}",
      "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://x.y/a.gif\"}}",
      "{\"type\":\"input_image\",\"image_url\":\"https://x.y/a.gif\"}",
      "{\"fileData\":{\"fileUri\":\"https://x.y/a.gif\"}}"}},
    {"an image of messages",
     "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/gif\",\"data\":"
     "\"" GIF "\"}}",
     {"{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/gif;base64," GIF "\"}}",
      "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/gif\",\"data\":"
      "\"" GIF "\"}}",
      "{\"type\":\"input_image\",\"image_url\":\"data:image/gif;base64," GIF "\"}",
      "{\"inlineData\":{\"mimeType\":\"image/gif\",\"data\":\"" GIF "\"}}"}},
};

static const char *const apis[] = {"openai", "anthropic", "responses", "gemini"};
enum { APIS = sizeof apis / sizeof *apis };
static const char *const texts[] = {
    "{\"type\":\"text\",\"text\":\"See:\"},", "{\"type\":\"text\",\"text\":\"See:\"},",
    "{\"type\":\"input_text\",\"text\":\"See:\"},", "{\"text\":\"See:\"},"};

static void holds(model_fixture *it, const char *want, const char *api, const char *what) {
  ck_bytes body = ck_json_get(model_server_request(&it->server, 0), "body");
  tap_ok(body.len && memmem(body.data, body.len, want, strlen(want)), "%s: %s in its form: %s", api,
         what, want);
}

static void test_forms(size_t index) {
  const char *api = apis[index];
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    model_fixture it;
    char message[600];
    open_with(&it, api, answer, CK_MODEL_TAKES_IMAGES | CK_MODEL_TAKES_FILES);
    snprintf(message, sizeof message,
             "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"See:\"},%s]}",
             parts[i].part);
    add(&it, message);
    const ck_outcome *outcome = model_fixture_call(&it, "{\"model\":\"m\"}");
    tap_is_text(ck_outcome_status_name(outcome->status), "ok", "%s: %s is sent (%s)", api,
                parts[i].name, outcome->error);
    holds(&it, texts[index], api, "the text before it");
    holds(&it, parts[i].wanted[index], api, parts[i].name);
    model_fixture_close(&it);
  }
}

static void test_results(const char *api) {
  model_fixture it;
  bool anthropic = strcmp(api, "anthropic") == 0;
  open_with(&it, api, answer, CK_MODEL_TAKES_IMAGES);
  model_fixture_add(&it, "user", "Shoot twice.");
  add(&it, "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":"
           "\"function\",\"function\":{\"name\":\"shoot\",\"arguments\":\"{}\"}},{\"id\":\"c2\","
           "\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{}\"}}]}");
  model_fixture_result(&it, "c1",
                       "[{\"type\":\"text\",\"text\":\"Shot.\"},{\"type\":\"image\",\"media_type\":"
                       "\"image/gif\",\"bytes\":11,\"digest\":\"" DIGEST "01\"}]");
  model_fixture_result(&it, "c2", "[{\"type\":\"flight\",\"digest\":\"none\"}]");
  const ck_outcome *outcome = model_fixture_call(&it, "{\"model\":\"m\",\"tools\":[\"shoot\"]}");
  tap_is_text(ck_outcome_status_name(outcome->status), "ok", "%s: results are sent (%s)", api,
              outcome->error);
  if (anthropic) {
    holds(&it,
          "\"content\":[{\"type\":\"text\",\"text\":\"Shot.\"},{\"type\":\"image\",\"source\":{"
          "\"type\":\"base64\",\"media_type\":\"image/gif\",\"data\":\"" GIF "\"}}]}",
          api, "the result's image");
  } else if (strcmp(api, "responses") == 0) {
    holds(&it,
          "\"call_id\":\"call_1_0\",\"output\":[{\"type\":\"input_text\",\"text\":\"Shot.\"},"
          "{\"type\":\"input_image\",\"image_url\":\"data:image/gif;base64," GIF "\"}]}",
          api, "the result's image");
  } else if (strcmp(api, "gemini") == 0) {
    holds(&it, "\"response\":{\"result\":\"Shot.\\n[an image: in the message below]\"}", api,
          "its text");
    holds(&it,
          "{\"role\":\"user\",\"parts\":[{\"text\":\"From the result of call 1 of these:\"},{"
          "\"inlineData\":{\"mimeType\":\"image/gif\",\"data\":\"" GIF "\"}}]}",
          api, "its image, behind all results");
  } else {
    holds(&it, "\"content\":\"Shot.\\n[an image: in the message below]\"}", api, "its text");
    holds(&it,
          "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"From the result of call "
          "c1:\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/gif;base64," GIF
          "\"}}]}]",
          api, "its image, behind all results");
  }
  holds(&it, "\"[{\\\"type\\\":\\\"flight\\\",\\\"digest\\\":\\\"none\\\"}]\"", api,
        "a list of something else as its text");
  model_fixture_close(&it);
}

static void refuses(const char *api, int takes, const char *part, ck_status status,
                    const char *text) {
  model_fixture it;
  ck_effect_run *run = NULL;
  char message[600];
  open_with(&it, api, answer, takes);
  snprintf(message, sizeof message, "{\"role\":\"user\",\"content\":[%s]}", part);
  add(&it, message);
  ck_error err = CK_ERROR_INIT;
  ck_status got = model_fixture_begin(&it, &run, "{\"model\":\"m\"}");
  tap_is_status(got, status, &err, "%s: it is not sent: %s", api, text);
  got = it.driver->start(&run, it.driver->self, &it.effect, &it.drive.sink, &err);
  tap_ok(got == status && strstr(err.text, text), "%s: %s", api, err.text);
  tap_is_int((int64_t)model_server_count(&it.server), 0, "%s: nothing is", api);
  model_fixture_close(&it);
}

static void test_refusals(const char *api) {
  reads = 0;
  refuses(api, CK_MODEL_TAKES_FILES, parts[0].part, CK_E_USAGE, "takes no images, and a.gif");
  refuses(api, 0, parts[1].part, CK_E_USAGE, "takes no files, and a.pdf");
  refuses(api, 0, parts[2].part, CK_E_USAGE, "takes no images, and an image");
  refuses(api, -1, parts[0].part, CK_E_USAGE, "is not known to take images, and a.gif");
  tap_is_int(reads, 0, "%s: nothing is read for it", api);
  refuses(api, CK_MODEL_TAKES_IMAGES,
          "{\"type\":\"image\",\"media_type\":\"image/gif\",\"name\":\"b.gif\",\"bytes\":11,"
          "\"digest\":\"" DIGEST "03\"}",
          CK_E_NOT_FOUND, "b.gif, which the conversation holds: it is not kept");
}

/* A small picture may be as dear as a large one. */
static void test_reserve(const char *api, int64_t tokens) {
  model_fixture it;
  open_with(&it, api, answer, CK_MODEL_TAKES_IMAGES);
  model_fixture_add(&it, "user", "See:");
  it.model->context = -1;
  ck_effect_run *run = NULL;
  tap_must(model_fixture_begin(&it, &run, "{\"model\":\"m\",\"max_tokens\":1}") == CK_OK, "begun");
  int64_t without = it.driver->reserve(it.driver->self, &it.effect), with;
  char message[600];
  snprintf(message, sizeof message, "{\"role\":\"user\",\"content\":[%s]}", parts[0].part);
  add(&it, message);
  with = it.driver->reserve(it.driver->self, &it.effect);
  tap_ok(with - without >= tokens * 3, "%s: an image counts %lld tokens at least: %lld", api,
         (long long)tokens, (long long)(with - without));
  model_fixture_close(&it);
}

int main(void) {
  for (size_t i = 0; i < APIS; i++) {
    test_forms(i);
    test_results(apis[i]);
    test_refusals(apis[i]);
  }
  test_reserve("openai", 49152);
  test_reserve("anthropic", 10000);
  test_reserve("responses", 49152);
  test_reserve("gemini", 10000);
  return tap_done();
}
