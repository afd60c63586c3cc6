/* test_known.c - a known secret is found in every encoding, at every place, however the text is
 * cut. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/redact/encode.h"
#include "core/redact/redact.h"
#include "core/redact/scanner.h"
#include "tests/redact/encodings.h"
#include "tests/tap.h"

enum { SECRETS = 50, SECRET_SIZE = 64 };
static char secrets[SECRETS][SECRET_SIZE];

/* Fixed, but of all kinds: with quotes, slashes, spaces, umlauts, '%', '+', '=', newlines
 * inside. */
static void make_secrets(void) {
  static const char *const middles[] = {"-", "/", "\\",       "\"", " ",
                                        "%", "+", "\xc3\xa9", "\n", "=="};
  uint64_t state = 88172645463325252u;
  for (int i = 0; i < SECRETS; i++) {
    int len = snprintf(secrets[i], SECRET_SIZE, "cnry%02d%s", i, middles[i % 10]);
    int end = len + 10 + i % 23;
    for (; len < end; len++) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      secrets[i][len] =
          "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789/+_-.~!"[state % 65];
    }
    secrets[i][len] = '\0';
  }
}

/* ---- places: a JSON document around a text ---- */

typedef struct place {
  const char *name, *before, *behind;
  int nesting; /* how many strings deep */
} place;
static const place places[] = {
    {"a member", "{\"a\":\"x=", "\"}", 1},
    {"a nested array", "[[1,{\"b\":[\"", "\"]}]]", 1},
    {"JSON in a string", "{\"a\":\"{\\\"b\\\":\\\"", "\\\"}\"}", 2},
    {"an error", "{\"status\":\"failed\",\"error\":\"connect: ", ": refused\"}", 1},
    {"a URL", "{\"url\":\"https://h/p?q=", "&r=1\"}", 1},
    {"a command line", "{\"argv\":[\"curl\",\"-H\",\"X: ", "\"]}", 1},
    {"a name", "{\"m\":{\"", "\":1}}", 1},
    {"an id", "{\"id\":\"call_", "\"}", 1},
    {"a signed block", "[{\"type\":\"thinking\",\"thinking\":\"", "\",\"signature\":\"c2ln\"},1]",
     1},
    {"a tool's output", "{\"content\":\"line\\n\\tkey ", "\\nend\"}", 1},
};
enum { PLACES = sizeof places / sizeof *places };

static char *canary_of(ck_bytes text, encoder *encode, const char *secret) {
  ck_buffer form_of = {0};
  encode(&form_of, ck_bytes_text(secret));
  char *at = memmem(text.data, text.len, form_of.data, form_of.len);
  ck_buffer_clear(&form_of);
  return at;
}

/* What is left of the secret: neither its form nor, for the plain ones, most of its characters in a
 * row. */
static bool leaks(const ck_value *value, encoder *encode, const char *secret) {
  ck_bytes text = ck_value_bytes(value);
  return canary_of(text, encode, secret) ||
         memmem(text.data, text.len, secret + strlen(secret) - 8, 8);
}

static bool hides(ck_redactor *redactor, const place *at, encoder *encode, const char *secret) {
  ck_buffer form_of = {0}, json = {0};
  encode(&form_of, ck_bytes_text(secret));
  ck_buffer_append_text(&json, at->before);
  ck_bytes inner = ck_buffer_bytes(&form_of);
  if (encode == encode_json_string || encode == encode_json_slashes ||
      encode == encode_json_unicode) {
    if (at->nesting == 1)
      ck_buffer_append_bytes(&json, inner); /* it is what a writer makes of it */
    else
      encode_json_string(&json, inner);
  } else if (at->nesting == 1) {
    encode_json_string(&json, inner);
  } else {
    encode_json_twice(&json, inner);
  }
  ck_buffer_append_text(&json, at->behind);
  ck_value *value = NULL, *kept = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&value, ck_buffer_bytes(&json), &err) == CK_OK, "%s: %s", json.data,
           err.text);
  tap_must(ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, value, NULL) == CK_OK,
           "it passes");
  bool hidden = kept != value && !leaks(kept, encode, secret) &&
                ck_json_check(ck_value_bytes(kept), NULL) == CK_OK;
  if (!hidden) tap_diag("%s became %s", json.data, ck_value_bytes(kept).data);
  ck_value_free(kept);
  ck_value_free(value);
  ck_buffer_clear(&json);
  ck_buffer_clear(&form_of);
  return hidden;
}

static void test_places(ck_redactor *redactor) {
  for (int e = 0; e < ENCODINGS; e++) {
    int seen = 0;
    for (int p = 0; p < PLACES; p++)
      for (int s = 0; s < SECRETS; s++)
        seen += !hides(redactor, &places[p], encodings[e].encode, secrets[s]);
    tap_is_int(seen, 0, "%d secrets at %d places, %s: none is seen", SECRETS, PLACES,
               encodings[e].name);
  }
}

/* ---- text, cut ---- */

static void whole(ck_buffer *out, ck_redactor *redactor, ck_bytes text) {
  tap_must(ck_redactor_apply_text(out, redactor, CK_SINK_TERMINAL, text, NULL) == CK_OK,
           "a text passes");
}

static void in_pieces(ck_buffer *out, ck_redactor *redactor, ck_bytes text, size_t first,
                      size_t piece) {
  ck_scanner *scanner = NULL;
  tap_must(ck_scanner_new(&scanner, redactor, NULL) == CK_OK, "a scanner");
  for (size_t at = 0; at < text.len;) {
    size_t len = at == 0 && first ? first : piece;
    if (len > text.len - at) len = text.len - at;
    char *copy = malloc(len); /* the sanitizer sees a look behind the piece */
    memcpy(copy, text.data + at, len);
    tap_must(ck_scanner_push(out, scanner, (ck_bytes){copy, len}, NULL) == CK_OK, "a piece passes");
    free(copy);
    at += len;
  }
  tap_must(ck_scanner_finish(out, scanner, NULL) == CK_OK, "the end passes");
  ck_scanner_free(scanner);
}

static void make_text(ck_buffer *text, int filler) {
  static const char pem[] =
      "-----BEGIN RSA PRIVATE "
      "KEY-----\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB\n"
      "aFDrBz9vFqU4YDbcmcT6W7Fh3mQ0nJ8Ct4Oq1QhPpR5bXo2dVxg=\n-----END RSA PRIVATE KEY-----\n";
  for (int e = 0; e < ENCODINGS; e++) {
    for (int i = 0; i < filler; i++)
      ck_buffer_append_format(text, "line %d of tool output, %d%% done, \\path\\%d\n", i, i, e);
    ck_buffer_append_text(text, "key=");
    encodings[e].encode(text, ck_bytes_text(secrets[e % 3]));
    ck_buffer_append_text(
        text, " GET https://u:Pq81-xkw0@h/ ghp_0123456789abcdefghijklmnopqrstuvwxyzAB,\n");
  }
  ck_buffer_append_text(text, pem);
  ck_buffer_append_text(text, "Authorization: Bearer abcdefghijklmnop0123456789");
}

static void test_cuts(ck_redactor *few) {
  ck_buffer text = {0}, want = {0}, got = {0};
  make_text(&text, 0);
  whole(&want, few, ck_buffer_bytes(&text));
  for (int e = 0; e < ENCODINGS; e++)
    tap_ok(!canary_of(ck_buffer_bytes(&want), encodings[e].encode, secrets[e % 3]),
           "text: %s is not seen", encodings[e].name);
  tap_ok(!strstr(want.data, "MIIE") && !strstr(want.data, "ghp_") && !strstr(want.data, "Pq81"),
         "nor are tokens");
  int wrong = 0;
  for (size_t first = 1; first < text.len; first++) {
    ck_buffer_reset(&got);
    in_pieces(&got, few, ck_buffer_bytes(&text), first, text.len);
    wrong += !ck_bytes_equal(ck_buffer_bytes(&got), ck_buffer_bytes(&want));
  }
  tap_is_int(wrong, 0, "cut in two at any of %zu places it comes out the same", text.len);
  ck_buffer_clear(&text);
  ck_buffer_clear(&want);
  ck_buffer_clear(&got);
}

static void test_pieces(ck_redactor *few) {
  static const size_t pieces[] = {1, 2, 3, 7, 61, 64, 509, 4096, 65536};
  ck_buffer text = {0}, want = {0}, got = {0};
  make_text(&text, 150);
  whole(&want, few, ck_buffer_bytes(&text));
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    ck_buffer_reset(&got);
    in_pieces(&got, few, ck_buffer_bytes(&text), 0, pieces[i]);
    tap_ok(ck_bytes_equal(ck_buffer_bytes(&got), ck_buffer_bytes(&want)),
           "%zu bytes in pieces of %zu come out the same", text.len, pieces[i]);
  }
  ck_buffer_clear(&text);
  ck_buffer_clear(&want);
  ck_buffer_clear(&got);
}

/* A token that never ends, and backslashes without end, are not held for ever. */
static void test_bounds(ck_redactor *few) {
  static const char *const fills[] = {"A",       "\\", "%",       "%25",
                                      "\\u0041", "\n", "cnry00-", "[redacted:"};
  for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
    ck_scanner *scanner = NULL;
    ck_buffer out = {0}, fill = {0};
    tap_must(ck_scanner_new(&scanner, few, NULL) == CK_OK, "a scanner");
    ck_buffer_append_text(&fill, "-----BEGIN PRIVATE KEY-----\n");
    while (fill.len < 1 << 20) ck_buffer_append_text(&fill, fills[i]);
    for (size_t at = 0; at < fill.len; at += 4096) {
      size_t len = fill.len - at < 4096 ? fill.len - at : 4096;
      tap_must(ck_scanner_push(&out, scanner, (ck_bytes){fill.data + at, len}, NULL) == CK_OK,
               "a piece passes");
    }
    tap_ok(out.len > 0, "a megabyte of \"%s\" is not held until its end", fills[i]);
    tap_must(ck_scanner_finish(&out, scanner, NULL) == CK_OK, "the end passes");
    ck_scanner_free(scanner);
    ck_buffer_clear(&out);
    ck_buffer_clear(&fill);
  }
}

/* ---- special secrets ---- */

static void test_lines(void) {
  static const char key[] =
      "-----BEGIN KEY-----\\nMIIEvQIBADANBgkqhkiG9w0B\\nAQEFAASCBKcwggSjAgEAAoIBAQ\\n-----END "
      "KEY-----\\n";
  ck_redactor *redactor = NULL;
  ck_buffer out = {0};
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "a redactor");
  tap_must(ck_redactor_add_secret(redactor, "key file", ck_bytes_text(key), NULL) == CK_OK,
           "a key file");
  whole(&out, redactor, ck_bytes_text("tail: AQEFAASCBKcwggSjAgEAAoIBAQ"));
  tap_ok(!strstr(out.data, "AQEFAASC"), "one line of a secret of several is found");
  ck_buffer_reset(&out);
  tap_must(ck_redactor_add_secret(redactor, "spaced", ck_bytes_text("  hunter22\n"), NULL) == CK_OK,
           "a line from a file");
  whole(&out, redactor, ck_bytes_text("<hunter22>"));
  tap_ok(!strstr(out.data, "hunter22"), "space around a secret does not count");
  ck_buffer_reset(&out);
  tap_must(ck_redactor_add_secret(redactor, "password", ck_bytes_text("password"), NULL) == CK_OK,
           "a secret that is its own name");
  whole(&out, redactor, ck_bytes_text("my password"));
  tap_ok(!strstr(out.data, "password"), "the placeholder does not tell it");
  ck_buffer_reset(&out);
  tap_must(ck_redactor_add_secret(redactor, "a", ck_bytes_text("aaaa"), NULL) == CK_OK,
           "a short one that overlaps itself");
  ck_buffer run = {0};
  for (int i = 0; i < 1 << 20; i++) ck_buffer_append_char(&run, 'a');
  whole(&out, redactor, ck_buffer_bytes(&run));
  tap_ok(out.len < 100, "a megabyte of it is one placeholder");
  ck_buffer_clear(&run);
  ck_buffer_clear(&out);
  ck_redactor_free(redactor);
}

/* Who shortens a text before it gets here leaves a part of a secret. */
static void test_halves(void) {
  static const struct {
    const char *text;
    bool hides;
  } cases[] = {
      {"{\"a\":\"it is Kq7-canary-Zt\"}", true},
      {"{\"a\":\"it is Kq7-canary-Zt\xe2\x80\xa6 and so on\"}", true},
      {"it is Kq7-canary-Zt", true},
      {"it is Kq7-canary-Zt... and so on", true},
      {"{\"a\":\"{\\\"b\\\":\\\"Kq7-canary-Zt\\\"}\"}", true},
      {"{\"a\":\"\xe2\x80\xa6"
       "ary-Zt93xW fails\"}",
       true},
      {"it is S3E3LWNhbmFyeS1adDkz", true},
      {"it is 4b71372d63616e6172792d5a743", true},
      {"Kq7-canary-Zt stays", false},
      {"{\"a\":\"Kq7-can\"}", false},
      {"{\"a\":\"but Zt93xW\"}", false},
  };
  ck_redactor *redactor = NULL, *copy = NULL;
  ck_buffer out = {0};
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK && ck_redactor_new(&copy, NULL) == CK_OK,
           "redactors");
  tap_must(
      ck_redactor_add_secret(redactor, "Half", ck_bytes_text("Kq7-canary-Zt93xW"), NULL) == CK_OK,
      "a secret");
  tap_must(ck_redactor_copy_secrets(copy, redactor, NULL) == CK_OK, "another that knows it, too");
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    ck_buffer_reset(&out);
    whole(&out, i % 2 ? copy : redactor, ck_bytes_text(cases[i / 2].text));
    tap_is_int(strstr(out.data, "[redacted:half:") != NULL, cases[i / 2].hides, "%s: %s",
               cases[i / 2].text, cases[i / 2].hides ? "is hidden" : "stays");
  }
  ck_buffer_clear(&out);
  ck_redactor_free(copy);
  ck_redactor_free(redactor);
}

/* A text that was made fit for JSON, for an error, or both before it gets here, whole or cut. */
static void test_mended(void) {
  static const char secret[] = "Kq7-\xff-canary\x1b[1m\xc2\x85\r\n-Zt\t93\xe2\x82xW";
  static const char *const texts[] = {
      "<Kq7-\xff-canary\x1b[1m\xc2\x85\r\n-Zt\t93\xe2\x82xW>",
      "<Kq7-\xef\xbf\xbd-canary\x1b[1m\xc2\x85\r\n-Zt\t93\xef\xbf\xbd\xef\xbf\xbdxW>",
      "<Kq7-\xff-canary  \n-Zt 93\xe2\x82xW>",
      "<Kq7-\xef\xbf\xbd-canary  \n-Zt 93\xef\xbf\xbd\xef\xbf\xbdxW>",
      "{\"a\":\"Kq7-\xef\xbf\xbd-canary\\u001b[1m\xc2\x85\\r\\n-Zt\\t93"
      "\xef\xbf\xbd\xef\xbf\xbdxW\"}",
      "<Kq7-\xef\xbf\xbd-canary  \n-Zt",
  };
  ck_redactor *redactor = NULL;
  ck_buffer out = {0};
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "a redactor");
  tap_must(ck_redactor_add_secret(redactor, "odd", ck_bytes_text(secret), NULL) == CK_OK,
           "a secret with bytes that JSON and errors cannot keep");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ck_buffer_reset(&out);
    whole(&out, redactor, ck_bytes_text(texts[i]));
    tap_ok(
        !strstr(out.data, "Kq7") && !strstr(out.data, "-Zt") && strstr(out.data, "[redacted:odd:"),
        "mended in way %zu it is found", i);
  }
  ck_buffer_clear(&out);
  ck_redactor_free(redactor);
}

/* RFC 4648, with padding. */
static void append_padded(ck_buffer *out, ck_bytes bytes, const char *last) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (size_t bit = 0; bit < bytes.len * 8; bit += 6) {
    unsigned pair = (unsigned)(unsigned char)bytes.data[bit / 8] << 8;
    if (bit / 8 + 1 < bytes.len) pair |= (unsigned char)bytes.data[bit / 8 + 1];
    unsigned value = pair >> (10 - bit % 8) & 63;
    ck_buffer_append_char(out, value < 62 ? digits[value] : last[value - 62]);
  }
  while (out->len % 4) ck_buffer_append_char(out, '=');
}

/* Of `secret` behind `before` bytes and in front of `behind`: only characters that are wholly of
 * those stay. */
static bool is_masked_wholly(ck_redactor *redactor, const char *secret, size_t before,
                             size_t behind, const char *last) {
  ck_buffer plain = {0}, encoded = {0}, text = {0}, want = {0}, got = {0};
  ck_buffer_append(&plain, "u:", before);
  ck_buffer_append_text(&plain, secret);
  size_t end = (plain.len * 8 + 5) / 6;
  ck_buffer_append(&plain, "@h", behind);
  append_padded(&encoded, ck_buffer_bytes(&plain), last);
  ck_buffer_append_format(&text, "\"Basic %s\"", encoded.data);
  ck_buffer_append_format(&want, "\"Basic %.*s[redacted:", (int)(before * 8 / 6), encoded.data);
  whole(&got, redactor, ck_buffer_bytes(&text));
  const char *rest = got.data ? strchr(got.data, ']') : NULL,
             *stays = behind ? encoded.data + end : "";
  size_t len = strlen(stays);
  bool right = rest && strncmp(got.data, want.data, want.len) == 0 &&
               strncmp(rest + 1, stays, len) == 0 && strcmp(rest + 1 + len, "\"") == 0;
  if (!right) tap_diag("%s became %s", text.data, got.data);
  ck_buffer *all[] = {&plain, &encoded, &text, &want, &got};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) ck_buffer_clear(all[i]);
  return right;
}

static void test_base64_whole(void) {
  static const char *const kinds[] = {"opensesame-0123", "opensesame-01234", "opensesame-012345",
                                      "\xff\xfe\xfb~~~?>>>\xff\xef\xbe"};
  int points = 0, right = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    ck_redactor *redactor = NULL;
    tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "there is a redactor");
    tap_must(ck_redactor_add_secret(redactor, "canary", ck_bytes_text(kinds[k]), NULL) == CK_OK,
             "it knows a secret");
    for (size_t at = 0; at < 18; at++, points++)
      right += is_masked_wholly(redactor, kinds[k], at % 3, at / 3 % 3, at < 9 ? "+/" : "-_");
    ck_redactor_free(redactor);
  }
  tap_is_int(right, points,
             "a secret in base64 is masked with the characters that it shares, and its padding");
}

/* Letters of an escape beside a secret's own: what is left is JSON. */
static void test_cut_escapes(void) {
  static const char *const texts[] = {
      "{\"a\":\"x\\two-words-1 y\"}", "{\"a\":\"x\\\\two-words-1 y\"}",
      "{\"a\":\"ends-with\\n z\"}",   "{\"a\":\"ends-with\\u00e9 z\"}",
      "{\"a\":\"ends-with\\\\ z\"}",  "{\"a\":\"u00e9-secret\", \"b\":\"\\u00e9-secret\"}"};
  ck_redactor *redactor = NULL;
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "there is a redactor");
  const char *const known[] = {"two-words-1", "ends-with\\", "u00e9-secret"};
  for (size_t i = 0; i < 3; i++)
    tap_must(ck_redactor_add_secret(redactor, "canary", ck_bytes_text(known[i]), NULL) == CK_OK,
             "it knows a secret");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    ck_value *value = NULL, *kept = NULL;
    tap_must(ck_value_new(&value, ck_bytes_text(texts[i]), NULL) == CK_OK, "a value");
    tap_must(ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, value, NULL) == CK_OK,
             "it passes");
    bool json = ck_json_check(ck_value_bytes(kept), NULL) == CK_OK;
    tap_ok(json && strstr(ck_value_bytes(kept).data, "[redacted:canary:"),
           "a secret beside an escape, of %s: JSON stays", texts[i]);
    if (!json) tap_diag("became %s", ck_value_bytes(kept).data);
    ck_value_free(kept);
    ck_value_free(value);
  }
  ck_redactor_free(redactor);
}

int main(void) {
  make_secrets();
  test_cut_escapes();
  test_halves();
  test_mended();
  test_base64_whole();
  ck_redactor *redactor = NULL, *few = NULL;
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK && ck_redactor_new(&few, NULL) == CK_OK,
           "redactors");
  for (int i = 0; i < SECRETS; i++) {
    ck_bytes secret = ck_bytes_text(secrets[i]);
    tap_must(ck_redactor_add_secret(redactor, "canary", secret, NULL) == CK_OK, "secret %d", i);
    if (i < 3)
      tap_must(ck_redactor_add_secret(few, "canary", secret, NULL) == CK_OK, "secret %d", i);
  }
  test_places(redactor);
  test_cuts(few);
  test_pieces(few);
  test_bounds(few);
  test_lines();
  ck_redactor_free(redactor);
  ck_redactor_free(few);
  return tap_done();
}
