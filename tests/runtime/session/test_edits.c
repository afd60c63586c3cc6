/* test_edits.c - an edit of the state is read back from its event as a person made it, for a crash
 * can come before its checkpoint. */
#include <string.h>

#include "core/runtime/session/opening/edit.h"
#include "tests/tap.h"

static bool is_text(const char *got, const char *want) {
  return want ? got && strcmp(got, want) == 0 : !got;
}

/* `value` is JSON; one of it and `ref` is NULL. */
static void check_back(const char *key, const char *value, const char *ref) {
  ck_error err = CK_ERROR_INIT;
  ck_value *given = NULL, *body = NULL;
  ck_state_edits made = {0}, read = {0};
  if (value) tap_must(ck_value_new(&given, ck_bytes_text(value), &err) == CK_OK, "%s", err.text);
  tap_is_status(ck_state_edits_append(&made, key, given, ref, &err), CK_OK, &err, "%s", key);
  tap_must(ck_state_edit_write(&body, &made.items[0], &err) == CK_OK, "%s", err.text);
  for (size_t times = 1; times <= 2; times++) {
    tap_is_status(ck_state_edits_read(&read, body, &err), CK_OK, &err, "%s: it is read", key);
    tap_is_int((int64_t)read.count, (int64_t)times, "%s: behind those before", key);
  }
  ck_state_edit none = {0};
  const ck_state_edit *got = read.count ? &read.items[read.count - 1] : &none;
  bool same = is_text(got->key, key) && is_text(got->ref, ref) && !got->value == !value;
  if (same && value) {
    ck_bytes bytes = ck_value_bytes(got->value);
    same = bytes.len == strlen(value) && memcmp(bytes.data, value, bytes.len) == 0;
  }
  tap_ok(same, "%s: as it was made", key);
  ck_value_free(given);
  ck_value_free(body);
  ck_state_edits_clear(&made);
  ck_state_edits_clear(&read);
}

static void check_none(const char *json, const char *what) {
  ck_error err = CK_ERROR_INIT;
  ck_value *body;
  ck_state_edits read = {0};
  tap_must(ck_value_new(&body, ck_bytes_text(json), &err) == CK_OK, "%s", err.text);
  tap_is_status(ck_state_edits_read(&read, body, &err), CK_OK, &err, "%s: it is passed over", what);
  tap_is_int((int64_t)read.count, 0, "%s: no edit", what);
  ck_value_free(body);
  ck_state_edits_clear(&read);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  ck_value *body;
  ck_state_edits read = {0};
  check_back("memory.topic", "\"ships\"", NULL);
  check_back("memory.list", "[1,{\"a\":null}]", NULL);
  check_back("memory.none", "null", NULL);
  check_back("memory.token", NULL, "env:TOKEN");
  check_none("{\"value\":1}", "without a key");
  check_none("{\"key\":\"memory.x\"}", "without a value");
  check_none("{\"key\":7,\"value\":1}", "with a number for a key");
  check_none("{}", "an empty one");
  tap_must(ck_value_new(&body, ck_bytes_text("{\"key\":\"\",\"value\":1}"), &err) == CK_OK, "JSON");
  tap_is_status(ck_state_edits_read(&read, body, &err), CK_E_USAGE, &err,
                "what is no key of a state is an error");
  ck_value_free(body);
  ck_state_edits_clear(&read);
  return tap_done();
}
