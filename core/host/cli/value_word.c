/* value_word.c - tells JSON from a text that is written without quotes. */
#include "core/host/cli/value_word.h"

#include <string.h>

/* A text that a person writes without quotes does not begin so. */
static bool begins_json(const char *given) {
  given += strspn(given, " \t\r\n");
  return *given && strchr("[{\"", *given);
}

ck_status ck_value_word_take(ck_value **out, const char *what, const char *given, ck_error *err) {
  ck_error no_json = CK_ERROR_INIT;
  ck_status status = ck_value_new(out, ck_bytes_text(given), &no_json);
  if (status == CK_E_PARSE && begins_json(given))
    return ck_error_set(err, status,
                        "%s: the value begins like JSON and is none: %s; write a text as \"…\"",
                        what, no_json.text);
  if (status == CK_E_PARSE) return ck_value_text(out, ck_bytes_text(given), err);
  return status == CK_OK ? status : ck_error_set(err, status, "%s", no_json.text);
}
