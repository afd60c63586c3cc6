/* test_random.c - over made-up documents: twice is as once, the bytes between placeholders are
 * those that came in. */
#include <stdlib.h>
#include <string.h>

#include "core/base/placeholder.h"
#include "core/redact/redact.h"
#include "tests/tap.h"

enum { DOCUMENTS = 6000, DEPTH_MAX = 5 };

static uint64_t state = 0x9e3779b97f4a7c15u;
static unsigned below(unsigned n) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (unsigned)(state >> 11) % n;
}
#define PICK(list) list[below(sizeof list / sizeof *list)]

static const char *const secrets[] = {"kT9-canary/\\\"\xc3\xa9+Zq", "hunter22hunter", "86753091234",
                                      "two words = one"};

static const char *const names[] = {
    "id",        "api_key",      "password",    "token",      "content",
    "signature", "type",         "credentials", "a",          "b c",
    "author",    "text",         "thinking",    "secret",     "pin",
    "cookie",    "tool_call_id", "data",        "set-cookie", "auth",
    "cvv",       "uuid",         "arguments",   "$ckrun.ref", "access\\u005ftoken"};

static const char *const texts[] = {
    "plain",
    "",
    "two words",
    "a\\nb\\tc",
    "\\u00e9\\ud83d\\ude00",
    "https://u:Pq81-xkw0@h/x",
    "Bearer a1B2c3D4e5F6g7H8i9J0",
    "https:\\/\\/u:Pq81-xkw0@h",
    "thinking",
    "redacted_thinking",
    "123456",
    "env:HOME",
    "[redacted:password:0123456789ab]",
    "pre [redacted:x:0123456789ab] post",
    "[redacted:nothing]",
    "{\\\"password\\\": \\\"x1\\\", \\\"n\\\":  [1, 2.50]}",
    "log {\\\"api_key\\\": \\\"q9\\\", cut",
    "{\\\"a\\\":\\\"{\\\\\\\"secret\\\\\\\":\\\\\\\"v\\\\\\\"}\\\"}",
    "a=1; sid=Zx81kq77120",
    "[{\\\"type\\\":\\\"thinking\\\",\\\"signature\\\":\\\"s\\\",\\\"t\\\":\\\"hunter22hunter\\\"}"
    "]",
    "DB_PASSWORD=hunter2",
    "password: hunter2",
    "x['api_key'] = 'a1b2c3'",
    "f(token='9f86d081884c7d65')",
    "--password hunter22 ",
    "<password>hunter2</password>",
    "<a key=\\\"secret\\\" value=\\\"q9w8e7\\\"/>",
    "cookie: a=1; b=2",
    "xxxxxxxx",
    "null",
    "\\\\\\\"",
    "\\u0041KIAZ7QX2LMN5PRS3TUV",
};

static void append_secret(ck_buffer *out) {
  ck_buffer text = {0};
  ck_json_append_string(&text, ck_bytes_text(PICK(secrets)));
  ck_buffer_append(out, text.data + 1, text.len - 2);
  ck_buffer_clear(&text);
}

static void append_text(ck_buffer *out) {
  ck_buffer_append_char(out, '"');
  for (unsigned n = 1 + below(3) / 2; n > 0; n--) {
    if (below(6) == 0)
      append_secret(out);
    else
      ck_buffer_append_text(out, PICK(texts));
  }
  ck_buffer_append_char(out, '"');
}

static void append_value(ck_buffer *out, int depth);

static void append_object(ck_buffer *out, int depth) {
  bool used[sizeof names / sizeof *names] = {false};
  unsigned count = below(5);
  ck_buffer_append_text(out, "{");
  for (unsigned i = 0, n = 0; i < count; i++) {
    unsigned name = below(sizeof names / sizeof *names);
    if (used[name]) continue;
    used[name] = true;
    ck_buffer_append_format(out, "%s\"%s\"%s:%s", n++ ? " ," : "", names[name], below(3) ? "" : " ",
                            below(3) ? "" : "\n\t");
    append_value(out, depth + 1);
  }
  if (below(9) == 0) {
    ck_buffer_append_text(out, count ? "" : "\"");
    if (!count) append_secret(out), ck_buffer_append_text(out, "\":1");
  }
  ck_buffer_append_text(out, "}");
}

static void append_array(ck_buffer *out, int depth) {
  static const char *const blocks[] = {
      "{\"type\":\"thinking\",\"thinking\":\"hunter22hunter\",\"signature\":\"c2ln\"}",
      "{\"type\":\"thinking\",\"thinking\":\"fine\",\"password\":\"x1\",\"signature\":\"c2ln\"}",
      "{\"data\":\"hunter22hunter\",\"type\":\"redacted_thinking\"}",
  };
  unsigned count = below(5);
  ck_buffer_append_text(out, "[ ");
  for (unsigned i = 0; i < count; i++) {
    if (i) ck_buffer_append_text(out, below(2) ? "," : "\n, ");
    if (below(4) == 0)
      ck_buffer_append_text(out, PICK(blocks));
    else
      append_value(out, depth + 1);
  }
  ck_buffer_append_text(out, "]");
}

static void append_value(ck_buffer *out, int depth) {
  static const char *const scalars[] = {
      "1", "-0.50", "1e3", "true", "false", "null", "123456", "86753091234", "3.141592653589793"};
  unsigned kind = below(depth < DEPTH_MAX ? 10 : 5);
  if (kind < 4)
    append_text(out);
  else if (kind == 4)
    ck_buffer_append_text(out, PICK(scalars));
  else if (kind < 8)
    append_object(out, depth);
  else
    append_array(out, depth);
}

/* All that stands between the placeholders was there, in this order; `dropped`: whole elements are
 * missing. */
static bool is_made_of(ck_bytes got, ck_bytes source) {
  ck_bytes hit;
  const char *from = source.data, *end = source.data + source.len;
  while (got.len > 0) {
    bool found = ck_placeholder_find(&hit, NULL, got);
    size_t len = found ? (size_t)(hit.data - got.data) : got.len;
    if (found && len > 0 && got.data[len - 1] == '"') len--; /* a number became a text */
    const char *at = len ? memmem(from, (size_t)(end - from), got.data, len) : from;
    if (!found) return (size_t)(end - from) >= len && memcmp(end - len, got.data, len) == 0;
    if (!at) return false;
    from = at + len;
    got = (ck_bytes){hit.data + hit.len, got.len - (size_t)(hit.data + hit.len - got.data)};
    if (got.len > 0 && *got.data == '"') got = (ck_bytes){got.data + 1, got.len - 1};
  }
  return true;
}

static int invalid, unstable, changed_else, leaking, masked;

static bool holds_secret(ck_bytes text) {
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
    if (memmem(text.data, text.len, secrets[i], strlen(secrets[i]))) return true;
  return false;
}

static void try_document(ck_redactor *redactor, ck_sink sink) {
  ck_buffer json = {0};
  append_value(&json, 0);
  ck_value *value = NULL, *once = NULL, *twice = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&value, ck_buffer_bytes(&json), &err) == CK_OK, "%s: %s", json.data,
           err.text);
  tap_must(ck_redactor_apply(&once, redactor, sink, NULL, value, &err) == CK_OK, "once: %s",
           err.text);
  tap_must(ck_redactor_apply(&twice, redactor, sink, NULL, once, &err) == CK_OK, "twice: %s",
           err.text);
  bool bad = ck_json_check(ck_value_bytes(once), &err) != CK_OK, moved = twice != once,
       leak = holds_secret(ck_value_bytes(once));
  bool blocks =
      memmem(json.data, json.len, "signature", 9) || memmem(json.data, json.len, "\"data\"", 6);
  bool ids =
      ck_json_count(ck_value_bytes(once)) && strstr(ck_value_bytes(once).data, "redacted_id_");
  bool other = !blocks && !ids && !is_made_of(ck_value_bytes(once), ck_buffer_bytes(&json));
  if (bad || moved || leak || other)
    tap_diag("%d%d%d%d %s\n# became %s\n# then %s", bad, moved, leak, other, json.data,
             ck_value_bytes(once).data, ck_value_bytes(twice).data);
  invalid += bad, unstable += moved, leaking += leak, changed_else += other,
      masked += once != value;
  ck_value_free(value);
  ck_value_free(once);
  ck_value_free(twice);
  ck_buffer_clear(&json);
}

int main(void) {
  ck_redactor *redactor = NULL;
  tap_must(ck_redactor_new(&redactor, NULL) == CK_OK, "a redactor");
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
    tap_must(ck_redactor_add_secret(redactor, "canary", ck_bytes_text(secrets[i]), NULL) == CK_OK,
             "a secret");
  for (int i = 0; i < DOCUMENTS; i++)
    try_document(redactor, i % 3 ? CK_SINK_EVENT : CK_SINK_EXPORT);
  tap_ok(masked > DOCUMENTS / 3, "%d of %d documents hold something", masked, DOCUMENTS);
  tap_is_int(invalid, 0, "what comes out is JSON");
  tap_is_int(unstable, 0, "redacted again it is the same value, shared");
  tap_is_int(leaking, 0, "no known secret comes out");
  tap_is_int(changed_else, 0, "the bytes around are untouched");
  ck_redactor_free(redactor);
  return tap_done();
}
