/* test_redact_names.c - the names of a list are masked wherever they stand, as whole words in any
 * case unless the options say otherwise; a list of five hundred masks its own record, too. */
#include <stdlib.h>
#include <string.h>

#include "tests/policies/policy_case.h"
#include "tests/tap.h"

#define Z "[redacted:policy:000000000000]"
#define ADA "\"names\":[\"Ada Lovelace\",\"J\\u00f6rg\"]"

static const struct {
  const char *options, *before, *after;
} rows[] = {
    {NULL, "\"Ada Lovelace\"", NULL},
    {"{" ADA "}", "\"ask ADA LOVELACE, not Adaline\"", "\"ask " Z ", not Adaline\""},
    {"{" ADA "}", "{\"Ada Lovelace\":[\"J\xC3\x96RG\",7]}", "{\"Ada Lovelace\":[\"" Z "\",7]}"},
    {"{" ADA "}", "\"J\xC3\xB6rgen\"", NULL},
    {"{" ADA ",\"words\":false}", "\"J\xC3\xB6rgen\"", "\"" Z "en\""},
    {"{" ADA ",\"case\":true}", "\"ada lovelace, Ada Lovelace\"", "\"ada lovelace, " Z "\""},
    {"{\"names\":[\"Ada Lovelace\",\"Lovelace King\"]}", "\"Ada Lovelace King\"", "\"" Z "\""},
    /* JSON in a text, and in that another one */
    {"{" ADA "}", "\"{\\\"to\\\":\\\"J\\\\u00f6rg\\\\nAda Lovelace\\\"}\"",
     "\"{\\\"to\\\":\\\"" Z "\\\\n" Z "\\\"}\""},
    {"{\"names\":[\"A \\\"B\\\" C\"]}", "\"{\\\"a\\\":\\\"A \\\\\\\"B\\\\\\\" C\\\"}\"",
     "\"{\\\"a\\\":\\\"" Z "\\\"}\""},
};

static void ask(const char *options, const char *key, const char *before, const char *after) {
  ck_error err = CK_ERROR_INIT;
  ck_policy_engine engine = policy_case_open("redact_names", options);
  ck_value *value;
  tap_must(ck_value_new(&value, ck_bytes_text(before), &err) == CK_OK, "a value");
  ck_redaction got;
  ck_item item = {.key = key, .value = value};
  tap_is_status(engine.redact(&got, engine.self, &item, &err), CK_OK, &err,
                "redact_names looks at %.60s", before);
  tap_is_int(got.verdict, after ? CK_REDACT_REPLACE : CK_REDACT_LEAVE, "its verdict");
  if (after && got.value)
    tap_is_bytes(ck_value_bytes(got.value), ck_bytes_text(after), "and the rest stays");
  ck_value_free(got.value);
  ck_value_free(value);
  engine.free(engine.self);
}

/* What a session asks before it records the options. */
static void ask_many(int count) {
  ck_buffer options = {0}, list = {0}, gone = {0};
  ck_buffer_append_char(&list, '[');
  ck_buffer_append_char(&gone, '[');
  for (int i = 0; i < count; i++) {
    ck_buffer_append_format(&list, "%s\"Name%d O'Leary\"", i ? "," : "", i);
    ck_buffer_append_format(&gone, "%s\"" Z "\"", i ? "," : "");
  }
  ck_buffer_append_char(&list, ']');
  ck_buffer_append_char(&gone, ']');
  ck_buffer_append_format(&options, "{\"names\":%s}", list.data);
  ask(options.data, "options.names", list.data, gone.data);
  ask(options.data, NULL, "{\"text\":\"to Name499 O'Leary\"}", "{\"text\":\"to " Z "\"}");
  ck_buffer_clear(&options);
  ck_buffer_clear(&list);
  ck_buffer_clear(&gone);
}

int main(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    ask(rows[i].options, "memory.k", rows[i].before, rows[i].after);
  ask_many(500);
  ask_many(10000);
  policy_case_refused("redact_names", "{\"names\":[\"Ada\",\"\"]}",
                      "element 2 of the list: it is the empty text");
  policy_case_refused("redact_names", "{\"names\":[\"Ada\",7]}",
                      "element 2 of the list is a number");
  policy_case_refused("redact_names", "{\"names\":{\"Ada\":1}}", "a table with names is none");
  return tap_done();
}
