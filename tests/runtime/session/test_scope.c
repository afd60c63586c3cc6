/* test_scope.c - what a scope's context was made of does not become more trusted when a report
 * takes the place of its messages. */
#include "core/runtime/session/scope.h"
#include "tests/tap.h"

static ck_value *value_of(const char *json) {
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&value, ck_bytes_text(json), &err) == CK_OK, "a value: %s", err.text);
  return value;
}

static void apply(ck_scope *scope, const char *json) {
  ck_error err = CK_ERROR_INIT;
  ck_value *body = value_of(json);
  tap_must(ck_scope_apply(scope, body, &err) == CK_OK, "apply: %s", err.text);
  ck_value_free(body);
}

int main(void) {
  ck_scope *scope;
  ck_error err = CK_ERROR_INIT;
  ck_value *rewind = value_of("{\"to\":0,\"report\":\"It says so.\"}");
  tap_must(ck_scope_new(&scope, "main", &err) == CK_OK, "scope");
  apply(scope, "{\"message\":{\"role\":\"user\",\"content\":\"Go.\"}}");
  tap_is_int((int64_t)ck_scope_untrusted(scope).len, 0, "what a person says is trusted");
  apply(scope, "{\"untrusted\":[\"web\"],\"message\":{\"role\":\"tool\",\"content\":\"page\"}}");
  tap_is_bytes(ck_scope_untrusted(scope), ck_bytes_text("[\"web\"]"), "what the web says is not");
  tap_is_status(ck_scope_rewind(scope, rewind, &err), CK_OK, &err, "it is rewound");
  tap_is_int((int64_t)ck_conversation_count(ck_scope_conversation(scope)), 1, "to a report");
  tap_is_bytes(ck_scope_untrusted(scope), ck_bytes_text("[\"web\"]"),
               "which is made of what was read, and as untrusted");
  ck_value_free(rewind);
  ck_scope_free(scope);
  return tap_done();
}
