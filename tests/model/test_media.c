/* test_media.c - images and files in any of their forms are recognised, taken out of a value once
 * and whole, and put back; nothing else is touched, and what is no image is none. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray */
#include <stdio.h>
#include <string.h>

#include "core/model/media_form.h"
#include "tests/starve.h"
#include "tests/tap.h"

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))

#define DATA "R0lGODlhAQABAAA=" /* "GIF89a", a width, a height */
static const char bytes[] = "GIF89a\x01\0\x01\0\0";
enum { LEN = 11 };

static ck_error err;

/* ---- forms ---- */

static const struct {
  const char *name, *part;
  bool is, file, url;
} forms[] = {
    {"ckrun's", "{\"type\":\"image\",\"data\":\"" DATA "\"}", true, false, false},
    {"a file of ckrun's", "{\"type\":\"file\",\"data\":\"" DATA "\"}", true, true, false},
    {"MCP's", "{\"type\":\"image\",\"mimeType\":\"image/gif\",\"data\":\"" DATA "\"}", true, false,
     false},
    {"chat completions'",
     "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/gif;base64," DATA "\"}}", true,
     false, false},
    {"an address", "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://x.y/z.gif\"}}", true,
     false, true},
    {"a file of chat completions'",
     "{\"type\":\"file\",\"file\":{\"file_data\":\"data:;base64," DATA "\"}}", true, true, false},
    {"messages'",
     "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/gif\",\"data\":"
     "\"" DATA "\"}}",
     true, false, false},
    {"a document's", "{\"type\":\"document\",\"source\":{\"type\":\"url\",\"url\":\"https://x\"}}",
     true, true, true},
    {"a text", "{\"type\":\"text\",\"text\":\"data\"}", false, false, false},
    {"an image without anything", "{\"type\":\"image\"}", false, false, false},
    {"a file of the provider's", "{\"type\":\"file\",\"file\":{\"file_id\":\"f_1\"}}", false, false,
     false},
    {"an image of the provider's",
     "{\"type\":\"image\",\"source\":{\"type\":\"file\",\"file_id\":\"f\"}}", false, false, false},
    {"a list", "[\"image\"]", false, false, false},
    {"a digest that is none",
     "{\"type\":\"image\",\"media_type\":\"image/gif\",\"bytes\":3,\"digest\":\"abc\"}", false,
     false, false},
};

static void test_forms(void) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    ck_media media;
    bool is = ck_media_read(&media, ck_bytes_text(forms[i].part));
    tap_ok(is == forms[i].is, "%s is %s", forms[i].name, forms[i].is ? "one" : "none");
    if (!is || !forms[i].is) continue;
    tap_ok(media.is_file == forms[i].file && (media.url.len > 0) == forms[i].url &&
               (media.data.len > 0) == !forms[i].url && !media.kept,
           "%s: a file or not, in line or not", forms[i].name);
  }
}

/* ---- out and back ---- */

static ck_status read_taken(ck_buffer *out, void *self, const ck_digest *digest, ck_error *e) {
  const ck_media_list *list = self;
  for (size_t i = 0; i < list->count; i++)
    if (ck_digest_equal(&list->list[i].digest, digest)) {
      ck_buffer_append_bytes(out, ck_buffer_bytes(&list->list[i].bytes));
      return CK_OK;
    }
  return ck_error_set(e, CK_E_NOT_FOUND, "it is not kept");
}

static ck_value *value_of(const char *json) {
  ck_value *value;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "%s: %s", json, err.text);
  return value;
}

static void test_taking(void) {
  ck_value *whole = value_of("{\"a\": [1, {\"deep\":{\"type\":\"image\",\"name\":\"d.gif\","
                             "\"mimeType\":\"image/png\",\"data\":\"R0lGODlhAQAB\\nAAA=\"}}],"
                             "\"b\":\"data\"}");
  ck_value *taken, *given;
  ck_media_list list = {0};
  tap_must(ck_media_take(&taken, &list, whole, &err) == CK_OK, "it is taken: %s", err.text);
  char hex[CK_DIGEST_HEX_SIZE], want[400];
  ck_digest digest = ck_digest_of((ck_bytes){bytes, LEN});
  ck_digest_hex(hex, &digest);
  snprintf(want, sizeof want,
           "{\"a\":[1,{\"deep\":{\"type\":\"image\",\"media_type\":\"image/gif\",\"name\":\"d.gif\""
           ",\"bytes\":11,\"digest\":\"%s\"}}],\"b\":\"data\"}",
           hex);
  tap_is_text(ck_value_bytes(taken).data, want, "at any depth, by what its bytes are");
  tap_ok(list.count == 1 && list.list[0].bytes.len == LEN &&
             memcmp(list.list[0].bytes.data, bytes, LEN) == 0,
         "byte for byte");
  const ck_media_source source = {read_taken, &list}, empty = {read_taken, &(ck_media_list){0}};
  tap_must(ck_media_give(&given, taken, CK_MEDIA_OWN, &source, &err) == CK_OK, "given back");
  tap_ok(strstr(ck_value_bytes(given).data,
                "{\"type\":\"image\",\"media_type\":\"image/gif\",\"name\":\"d.gif\",\"data\":"
                "\"" DATA "\"}"),
         "and back: %s", ck_value_bytes(given).data);
  ck_media_list again = {0};
  ck_value *twice, *once_more;
  tap_must(ck_media_take(&twice, &again, given, &err) == CK_OK, "once more");
  tap_is_text(ck_value_bytes(twice).data, want, "out again it is the same");
  tap_must(ck_media_take(&once_more, &again, twice, &err) == CK_OK, "twice");
  tap_ok(once_more == twice && again.count == 1, "what was taken is not taken again");
  ck_value_free(once_more);
  tap_must(ck_media_give(&once_more, twice, CK_MEDIA_OWN, &empty, &err) == CK_OK, "not kept");
  tap_is_text(ck_value_bytes(once_more).data, want, "what is not kept any more stays as it is");
  ck_value_free(once_more);
  ck_value_free(twice);
  ck_value_free(given);
  ck_value_free(taken);
  ck_value_free(whole);
  ck_media_list_clear(&again);
  ck_media_list_clear(&list);
}

static void test_refusals(void) {
  static const struct {
    const char *json;
    ck_status status;
  } cases[] = {{"[{\"type\":\"image\",\"data\":\"%%\"}]", CK_E_PARSE},
               {"[{\"type\":\"image\",\"data\":\"R0lG*\"}]", CK_E_PARSE},
               {"[{\"type\":\"image\",\"data\":\"R\"}]", CK_E_PARSE},
               {"[{\"type\":\"image\",\"data\":\"R0lGODlhAQABAAA\"}]", CK_OK},
               {"{\"type\":\"text\",\"text\":\"\\\"data\\\": iVBOR\"}", CK_OK}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ck_media_list list = {0};
    ck_value *whole = value_of(cases[i].json), *taken;
    ck_status status = ck_media_take(&taken, &list, whole, &err);
    tap_is_status(status, cases[i].status, &err, "%s", cases[i].json);
    tap_ok((taken == NULL) == (status != CK_OK), "a value, or a reason: %s", cases[i].json);
    ck_value_free(taken);
    ck_value_free(whole);
    ck_media_list_clear(&list);
  }
}

static void test_content(void) {
  static const struct {
    const char *json;
    bool is;
  } cases[] = {
      {"[{\"type\":\"image\",\"data\":\"" DATA "\"}]", true},
      {"[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image\",\"data\":\"" DATA "\"}]", true},
      {"[{\"type\":\"text\",\"text\":\"a\"}]", false},
      {"[{\"type\":\"flight\"},{\"type\":\"image\",\"data\":\"" DATA "\"}]", false},
      {"\"image\"", false},
      {"[]", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    tap_ok(ck_media_is_content(ck_bytes_text(cases[i].json)) == cases[i].is, "%s is %s",
           cases[i].json, cases[i].is ? "a content" : "none");
}

static void test_no_memory(void) {
  ck_value *whole = value_of("[{\"type\":\"image\",\"data\":\"" DATA "\",\"name\":\"a.gif\"}]");
  bool done = false;
  for (long at = 0; at < 200 && !done; at++) {
    ck_media_list list = {0};
    ck_value *taken = NULL, *given = NULL;
    budget = at;
    ck_status status = ck_media_take(&taken, &list, whole, &err);
    const ck_media_source source = {read_taken, &list};
    if (status == CK_OK) status = ck_media_give(&given, taken, CK_MEDIA_MESSAGES, &source, &err);
    done = budget > 0;
    budget = -1;
    if (status != CK_OK && status != CK_E_NO_MEMORY) tap_is_status(status, CK_OK, &err, "starved");
    if (done) tap_is_status(status, CK_OK, &err, "with memory for all of it, it is done");
    ck_value_free(given);
    ck_value_free(taken);
    ck_media_list_clear(&list);
  }
  tap_ok(done, "every allocation failed once");
  ck_value_free(whole);
}

int main(void) {
  test_forms();
  test_taking();
  test_refusals();
  test_content();
  test_no_memory();
  return tap_done();
}
