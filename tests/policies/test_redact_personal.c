/* test_redact_personal.c - what tells who somebody is is masked in texts and numbers, wherever it
 * stands, of the kinds that are asked for; the rest stays to the byte. */
#include <stdlib.h>

#include "tests/policies/policy_case.h"
#include "tests/tap.h"

static const struct {
  const char *options, *key, *before, *after;
} rows[] = {
    {NULL, NULL, "\"write to ada@example.org\"", "\"write to [redacted:email:000000000000]\""},
    {NULL, "memory.cell_phone", "\"0301234567\"", "\"[redacted:phone:000000000000]\""},
    {NULL, "memory.number", "\"0301234567\"", NULL},
    {NULL, "memory.card", "4111111111111111", "\"[redacted:card:000000000000]\""},
    {NULL, "memory.count", "4111111111111112", NULL},
    {NULL, "outputs.a", "{\"bsn\":\"111222333\",\"n\":[1,2.5,null,true,111222333]}",
     "{\"bsn\":\"[redacted:national_id:000000000000]\",\"n\":[1,2.5,null,true,111222333]}"},
    {NULL, "outputs.a", "[[],{},\"\",\"[redacted:card:0123456789ab]\"]", NULL},
    {"{\"kinds\":[\"iban\"]}", NULL, "\"a@b.co pays to DE89 3704 0044 0532 0130 00\"",
     "\"a@b.co pays to [redacted:iban:000000000000]\""},
};

int main(void) {
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ck_policy_engine engine = policy_case_open("redact_personal", rows[i].options);
    ck_value *value;
    tap_must(ck_value_new(&value, ck_bytes_text(rows[i].before), &err) == CK_OK, "a value");
    ck_redaction got;
    ck_item item = {.key = rows[i].key, .value = value};
    tap_is_status(engine.redact(&got, engine.self, &item, &err), CK_OK, &err,
                  "redact_personal looks at %s", rows[i].before);
    tap_is_int(got.verdict, rows[i].after ? CK_REDACT_REPLACE : CK_REDACT_LEAVE, "its verdict");
    if (rows[i].after && got.value)
      tap_is_bytes(ck_value_bytes(got.value), ck_bytes_text(rows[i].after), "and the rest stays");
    ck_value_free(got.value);
    ck_value_free(value);
    engine.free(engine.self);
  }
  policy_case_refused("redact_personal", "{\"kinds\":[\"emial\"]}",
                      "option 'kinds', element 1: \"email\", \"phone\"");
  policy_case_refused("redact_personal", "{\"kinds\":[]}", "which masks nothing");
  return tap_done();
}
