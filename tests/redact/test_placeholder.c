/* test_placeholder.c - fingerprints: none without a key, and none of them counts in a comparison.
 */
#include <stdio.h>
#include <string.h>

#include "core/base/placeholder.h"
#include "core/redact/redact.h"
#include "tests/tap.h"

static ck_digest digest_of(const char *text) {
  ck_digester digester;
  ck_digester_init(&digester);
  (void)ck_placeholder_digest_field(&digester, ck_bytes_text(text));
  return ck_digester_final(&digester);
}

static void check_pair(const char *a, const char *b, bool equal) {
  ck_digest left = digest_of(a), right = digest_of(b);
  tap_ok(ck_placeholder_equal(ck_bytes_text(a), ck_bytes_text(b)) == equal, "%s, %s: %s", a, b,
         equal ? "equal" : "different");
  tap_ok(ck_digest_equal(&left, &right) == equal, "and so are their digests");
}

static void check_plain_digest(void) {
  static const char text[] = "nothing [redacted:x:12 of a placeholder";
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text(text));
  ck_digest plain = ck_digester_final(&digester), ours = digest_of(text);
  tap_ok(ck_digest_equal(&plain, &ours), "a text without placeholders has the digest of its bytes");
}

/* `key` NULL: without. The redacted document. */
static void redact(char out[512], const uint8_t *key, const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_redactor *redactor;
  ck_value *value = NULL, *kept = NULL;
  bool ok = ck_redactor_new(&redactor, &err) == CK_OK &&
            ck_redactor_add_secret(redactor, "one", ck_bytes_text("7391"), &err) == CK_OK &&
            ck_redactor_add_secret(redactor, "two", ck_bytes_text("8402"), &err) == CK_OK;
  ck_redactor_set_fingerprint_key(redactor, key);
  ok = ok && ck_value_copy(&value, ck_bytes_text(json), &err) == CK_OK &&
       ck_redactor_apply(&kept, redactor, CK_SINK_EVENT, NULL, value, &err) == CK_OK;
  snprintf(out, 512, "%.*s", ok ? (int)ck_value_bytes(kept).len : 0,
           ok ? ck_value_bytes(kept).data : "");
  ck_value_free(value);
  ck_value_free(kept);
  ck_redactor_free(redactor);
}

static void check_names(void) {
  char out[512];
  redact(out, NULL, "{\"a7391\":1,\"b7391\":2,\"b8402\":3}");
  tap_is_text(out,
              "{\"[redacted:name:000000000001]\":1,\"[redacted:name:000000000002]\":2,"
              "\"[redacted:name:000000000003]\":3}",
              "without a key, names stay different by a number");
}

/* An id's mask is part of requests, so it must be that of every store. */
static void check_ids(void) {
  static const uint8_t key[32] = "a key of a store, thirty-two byt", other[32] = "another one";
  static const char json[] = "{\"call_id\":\"call_7391_17\",\"b\":{\"call_id\":\"call_8402_17\"},"
                             "\"c\":{\"call_id\":\"call_7391_18\"}}";
  char none[512], one[512], two[512], first[32], second[32], third[32];
  redact(none, NULL, json);
  redact(one, key, json);
  redact(two, other, json);
  tap_is_text(one, none, "an id's mask is the same with a key");
  tap_is_text(two, one, "and with another one");
  int found = sscanf(none,
                     "{\"call_id\":\"redacted_id_%12[0-9a-f]\",\"b\":{\"call_id\":\"redacted_id_"
                     "%12[0-9a-f]\"},\"c\":{\"call_id\":\"redacted_id_%12[0-9a-f]\"}}",
                     first, second, third);
  tap_ok(found == 3 && strcmp(first, second) != 0 && strcmp(first, third) != 0,
         "ids with other secrets, or other surroundings, stay different");
}

int main(void) {
  char text[CK_PLACEHOLDER_SIZE];
  ck_fingerprint_key key = {{0}};
  ck_placeholder_write(text, &key, "pin", ck_bytes_text("7391"));
  tap_is_text(text, "[redacted:pin:000000000000]", "a key of zeros is none");
  key.bytes[3] = 1;
  ck_placeholder_write(text, &key, "pin", ck_bytes_text("7391"));
  tap_ok(strcmp(text, "[redacted:pin:000000000000]") != 0, "with a key there is a fingerprint");
  check_pair("a [redacted:x:0123456789ab] b", "a [redacted:x:000000000000] b", true);
  check_pair("[redacted:x:0123456789ab][redacted:y:aaaaaaaaaaaa]",
             "[redacted:x:bbbbbbbbbbbb][redacted:y:0123456789ab]", true);
  check_pair("a [redacted:x:0123456789ab] b", "a [redacted:y:0123456789ab] b", false);
  check_pair("a [redacted:x:0123456789ab] b", "a [redacted:x:0123456789ab] c", false);
  check_pair("[redacted:x:0123456789ab]", "[redacted:x:0123456789aX]", false);
  check_pair("0123456789ab", "000000000000", false);
  check_pair("", "", true);
  check_plain_digest();
  check_names();
  check_ids();
  return tap_done();
}
