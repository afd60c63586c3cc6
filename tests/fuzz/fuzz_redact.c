/* fuzz_redact.c - redaction: no known secret comes out, twice is as once, JSON stays JSON. The
 * first byte says which sink; byte 1 to 4 in the text stands for a secret, encoded as the byte
 * behind it says. */
#include <stdlib.h>
#include <string.h>

#include "core/redact/redact.h"
#include "tests/fuzz/fuzz.h"
#include "tests/redact/encodings.h"

static const char *const secrets[] = {"kT9-canary/\\\"\xc3\xa9+Zq", "hunter22hunter", "86753091234",
                                      "two words = one"};
enum { SECRETS = sizeof secrets / sizeof *secrets };

/* One for all inputs: making one compiles many patterns. */
static ck_redactor *get_redactor(void) {
  static ck_redactor *redactor;
  static const uint8_t key[32] = "the fingerprints are always same";
  if (redactor) return redactor;
  fuzz_must(ck_redactor_new(&redactor, NULL) == CK_OK, "a redactor");
  ck_redactor_set_fingerprint_key(redactor, key);
  for (int i = 0; i < SECRETS; i++)
    fuzz_must(ck_redactor_add_secret(redactor, "canary", ck_bytes_text(secrets[i]), NULL) == CK_OK,
              "a secret");
  return redactor;
}

/* In a document only the ways that leave a string whole. */
static void expand(ck_buffer *out, ck_bytes input, bool document) {
  while (input.len > 0) {
    unsigned char c = (unsigned char)fuzz_byte(&input);
    if (c < 1 || c > SECRETS) {
      ck_buffer_append_char(out, (char)c);
      continue;
    }
    ck_bytes secret = ck_bytes_text(secrets[c - 1]);
    unsigned how = fuzz_byte(&input);
    if (document)
      (how % 2 ? encode_json_string : encode_json_unicode)(out, secret);
    else
      encodings[how % ENCODINGS].encode(out, secret);
  }
}

static const char *find_secret(ck_bytes text) {
  for (int i = 0; i < SECRETS; i++) {
    if (text.len && memmem(text.data, text.len, secrets[i], strlen(secrets[i]))) return secrets[i];
  }
  return NULL;
}

/* Also in the decoded names and texts. */
static void must_hold_none(ck_bytes json) {
  ck_json_type type = ck_json_type_of(json);
  ck_buffer text = {0};
  if (type == CK_JSON_ARRAY || type == CK_JSON_OBJECT) {
    ck_json_iterator it = ck_json_iterate(json);
    while (ck_json_next(&it)) {
      if (it.object) must_hold_none(it.name);
      must_hold_none(it.value);
    }
  } else if (type == CK_JSON_STRING) {
    ck_json_read_string(&text, json);
    const char *found = find_secret(ck_buffer_bytes(&text));
    fuzz_must(!found, "a text holds %s: %s", found, text.data);
  }
  ck_buffer_clear(&text);
}

static void try_value(ck_sink sink, ck_bytes json) {
  ck_value *value = NULL, *once = NULL, *twice = NULL;
  ck_error err = CK_ERROR_INIT;
  if (ck_value_new(&value, json, &err) != CK_OK) return;
  ck_redactor *redactor = get_redactor();
  fuzz_must(ck_redactor_apply(&once, redactor, sink, NULL, value, &err) == CK_OK, "once: %s",
            err.text);
  fuzz_must(once != NULL, "without a key nothing is dropped");
  ck_bytes out = ck_value_bytes(once);
  fuzz_must(ck_json_check(out, &err) == CK_OK, "it is JSON: %s: %s", err.text, out.data);
  fuzz_must(!find_secret(out), "%s comes out in %s", find_secret(out), out.data);
  must_hold_none(out);
  fuzz_must(ck_redactor_apply(&twice, redactor, sink, NULL, once, &err) == CK_OK, "twice: %s",
            err.text);
  fuzz_must(twice == once, "%s\nbecame %s\nthen %s", ck_value_bytes(value).data, out.data,
            ck_value_bytes(twice).data);
  ck_value_free(value);
  ck_value_free(once);
  ck_value_free(twice);
}

static void try_text(ck_sink sink, ck_bytes text) {
  ck_buffer once = {0}, twice = {0};
  ck_error err = CK_ERROR_INIT;
  ck_redactor *redactor = get_redactor();
  fuzz_must(ck_redactor_apply_text(&once, redactor, sink, text, &err) == CK_OK, "%s", err.text);
  ck_bytes out = ck_buffer_bytes(&once);
  fuzz_must(!find_secret(out), "%s comes out in %s", find_secret(out), once.data);
  fuzz_must(ck_redactor_apply_text(&twice, redactor, sink, out, &err) == CK_OK, "%s", err.text);
  fuzz_must(ck_bytes_equal(ck_buffer_bytes(&twice), out), "%s\nthen %s", once.data, twice.data);
  ck_buffer_clear(&once);
  ck_buffer_clear(&twice);
}

void fuzz_redact(ck_bytes input) {
  unsigned how = fuzz_byte(&input);
  ck_sink sink = (ck_sink)(how % (CK_SINK_EXPORT + 1));
  ck_buffer text = {0};
  bool document = how & 64;
  expand(&text, input, document);
  char *exact = fuzz_exact(ck_buffer_bytes(&text));
  if (document)
    try_value(sink, (ck_bytes){exact, text.len});
  else
    try_text(sink, (ck_bytes){exact, text.len});
  free(exact);
  ck_buffer_clear(&text);
}
