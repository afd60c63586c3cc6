/* test_redact_keys.c - what is stored under a named key is dropped, masked or referred to; nothing
 * else is touched. */
#include <stdlib.h>

#include "tests/policies/policy_case.h"
#include "tests/tap.h"

static const struct {
  const char *options, *key;
  ck_redact_verdict verdict;
  const char *ref;
} rows[] = {
    {NULL, "memory.api_key", CK_REDACT_DROP, NULL},
    {NULL, "outputs.credentials", CK_REDACT_DROP, NULL},
    {NULL, "scratch.access_token", CK_REDACT_DROP, NULL},
    {NULL, "api_key", CK_REDACT_DROP, NULL},
    {NULL, "memory.api_keys", CK_REDACT_LEAVE, NULL},
    {NULL, "memory.monkey", CK_REDACT_LEAVE, NULL},
    {NULL, "memory.", CK_REDACT_LEAVE, NULL},
    {NULL, "", CK_REDACT_LEAVE, NULL},
    {NULL, NULL, CK_REDACT_LEAVE, NULL},
    {"{\"keys\":{\"phone\":\"mask\",\"openai\":\"env:OPENAI_API_KEY\",\"a.b\":\"drop\"}}",
     "memory.phone", CK_REDACT_MASK, NULL},
    {"{\"keys\":{\"phone\":\"mask\",\"openai\":\"env:OPENAI_API_KEY\",\"a.b\":\"drop\"}}",
     "memory.openai", CK_REDACT_REF, "env:OPENAI_API_KEY"},
    {"{\"keys\":{\"phone\":\"mask\",\"openai\":\"env:OPENAI_API_KEY\",\"a.b\":\"drop\"}}",
     "memory.a.b", CK_REDACT_DROP, NULL},
    {"{\"keys\":{\"phone\":\"mask\"}}", "memory.api_key", CK_REDACT_LEAVE, NULL},
};

int main(void) {
  ck_error err = CK_ERROR_INIT;
  ck_value *value;
  tap_must(ck_value_new(&value, ck_bytes_text("\"x\""), &err) == CK_OK, "a value");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ck_policy_engine engine = policy_case_open("redact_keys", rows[i].options);
    ck_redaction got;
    ck_item item = {.key = rows[i].key, .kind = CK_EVENT_MESSAGE, .value = value};
    tap_is_status(engine.redact(&got, engine.self, &item, &err), CK_OK, &err,
                  "redact_keys looks at %s", rows[i].key ? rows[i].key : "an event");
    tap_is_int(got.verdict, rows[i].verdict, "and gives its verdict");
    tap_is_text(got.ref, rows[i].ref, "and its reference");
    free(got.ref);
    engine.free(engine.self);
  }
  policy_case_refused("redact_keys", "{\"keys\":{\"k\":\"erase\"}}",
                      "option 'keys', 'k': \"drop\", \"mask\" or \"env:*\" is expected");
  ck_value_free(value);
  return tap_done();
}
