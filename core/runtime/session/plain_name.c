/* plain_name.c - asks policies about a name, and about one that is none. */
#include "core/runtime/session/plain_name.h"

#include <stdlib.h>

static ck_status write_item(ck_value **out, const char *what, const char *name, ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "input");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, what, name);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

static ck_status ask(ck_redact_verdict *out, const ck_policy_engine *policies, const char *what,
                     const char *name, ck_error *err) {
  ck_value *value;
  ck_redaction said = {0};
  ck_status status = write_item(&value, what, name, err);
  if (status != CK_OK) return status;
  ck_item item = {.kind = CK_EVENT_SESSION_STARTED, .value = value};
  status = policies->redact(&said, policies->self, &item, err);
  *out = said.verdict;
  free(said.ref);
  ck_value_free(said.value);
  ck_value_free(value);
  return status;
}

ck_status ck_plain_name_check(const ck_policy_engine *policies, const char *what, const char *name,
                              const char *remedy, ck_error *err) {
  ck_redact_verdict verdict, usual = CK_REDACT_LEAVE;
  ck_error failure = CK_ERROR_INIT;
  if (!policies || !policies->redact || !name) return CK_OK;
  ck_status status = ask(&verdict, policies, what, name, &failure);
  if (status == CK_OK && verdict != CK_REDACT_LEAVE)
    status = ask(&usual, policies, what, "some-name", &failure);
  if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
  if (status != CK_OK || verdict == usual) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "%s '%.80s': a policy of the profile masks it, and it would be written as it "
                      "is: %s",
                      what, name, remedy);
}
