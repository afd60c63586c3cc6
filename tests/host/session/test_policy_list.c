/* test_policy_list.c - what is recorded of policies holds nothing that they mask, and no digest
 * that it can be tried against; unchanged options are known as the same, also under another key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"
#include "core/base/placeholder.h"
#include "core/host/session/policy_changes.h"
#include "lua/policy/same_text.h"
#include "tests/tap.h"

static const uint8_t one[32] = {1, 2, 3}, two[32] = {4, 5, 6};

/* Masks every text "Ada". */
static ck_status redact(ck_redaction *out, void *self, const ck_item *item, ck_error *err) {
  (void)self;
  ck_buffer text = {0};
  ck_bytes from = ck_value_bytes(item->value);
  *out = (ck_redaction){0};
  for (size_t i = 0; i < from.len; i++) {
    char mask[CK_PLACEHOLDER_SIZE];
    bool found = from.len - i >= 3 && memcmp(from.data + i, "Ada", 3) == 0;
    ck_placeholder_write(mask, item->fingerprint, "policy", ck_bytes_text("Ada"));
    if (found) out->verdict = CK_REDACT_REPLACE;
    if (found)
      ck_buffer_append_text(&text, mask), i += 2;
    else
      ck_buffer_append_char(&text, from.data[i]);
  }
  ck_status status = out->verdict ? ck_value_from(&out->value, &text, err) : CK_OK;
  ck_buffer_clear(&text);
  return status;
}

static const ck_policy_engine masking = {.redact = redact};

static void hex_of(char hex[CK_DIGEST_HEX_SIZE], const char *options) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text(options));
  ck_digest digest = ck_digester_final(&digester);
  ck_digest_hex(hex, &digest);
}

/* The entry of such options, as it is recorded; malloc'd. `key` NULL: without one. */
static char *record(const char *options, const uint8_t *key, const ck_policy_engine *policies) {
  char hex[CK_DIGEST_HEX_SIZE], text[512];
  ck_error err = CK_ERROR_INIT;
  ck_redactor *redactor = NULL;
  ck_value *list = NULL, *kept = NULL;
  hex_of(hex, options);
  snprintf(text, sizeof text,
           "[{\"name\":\"p\",\"version\":1,\"digest\":\"d\",\"options_digest\":\"%s\","
           "\"options\":%s}]",
           hex, options);
  bool ok = ck_redactor_new(&redactor, &err) == CK_OK &&
            ck_value_copy(&list, ck_bytes_text(text), &err) == CK_OK;
  if (ok) ck_redactor_set_fingerprint_key(redactor, key);
  ok = ok && ck_policy_list_clean(&kept, &(ck_policy_cleaning){redactor, policies, key}, list,
                                  &err) == CK_OK;
  tap_must(ok, "it is recorded: %s", err.text);
  ck_bytes json = ck_value_bytes(kept);
  char *out = strndup(json.data + 1, json.len - 2);
  ck_value_free(kept);
  ck_value_free(list);
  ck_redactor_free(redactor);
  return out;
}

static void check_same(const char *then, const char *now, bool same, const char *what) {
  tap_ok(ck_policy_is_same(ck_bytes_text(then), ck_bytes_text(now)) == same, "%s: %s", what,
         same ? "the same" : "other ones");
}

static void check_store(const uint8_t *key, const char *what) {
  static const char options[] = "{\"names\":[\"Ada\",\"Bob\"]}";
  char hex[CK_DIGEST_HEX_SIZE];
  char *plain = record(options, key, &ck_policy_always), *ours = record(options, key, &masking),
       *again = record(options, key, &masking),
       *other = record("{\"names\":[\"Ada\",\"Rob\"]}", key, &masking),
       *more = record("{\"names\":[\"Ada\",\"Bob\",\"Ada\"]}", key, &masking);
  hex_of(hex, options);
  tap_ok(strstr(plain, "Ada") && strstr(plain, hex), "%s: what nobody masks is told", what);
  tap_ok(!strstr(ours, "Ada") && strstr(ours, "Bob"), "%s: what a policy masks is not", what);
  tap_ok(!strstr(ours, hex), "%s: nor is a digest of it", what);
  check_same(ours, again, true, "unchanged options");
  check_same(ours, other, false, "another value that is not masked");
  check_same(ours, more, false, "one more");
  check_same(plain, ours, true, "those that an earlier version recorded");
  check_same(plain, other, false, "others than an earlier version recorded");
  free(plain), free(ours), free(again), free(other), free(more);
}

static void check_keys(void) {
  char *a = record("{\"names\":[\"Ada\"]}", one, &masking),
       *b = record("{\"names\":[\"Ada\"]}", two, &masking),
       *c = record("{\"names\":[\"Ada\",\"x\"]}", two, &masking),
       *none = record("{\"names\":[\"Ada\"]}", NULL, &masking);
  check_same(a, b, true, "under another key what is left");
  check_same(a, c, false, "under another key what is left is not the same:");
  tap_ok(ck_policy_is_of_other_key(ck_bytes_text(a), ck_bytes_text(b)), "the keys are two");
  tap_ok(!ck_policy_is_of_other_key(ck_bytes_text(a), ck_bytes_text(a)), "or one");
  tap_ok(ck_policy_hides_options(ck_bytes_text(none)), "without a key it is said that it cannot");
  tap_ok(!ck_policy_hides_options(ck_bytes_text(a)), "be told; with a key it can");
  free(a), free(b), free(c), free(none);
}

int main(void) {
  check_store(NULL, "without a key");
  check_store(one, "with a key");
  check_keys();
  return tap_done();
}
