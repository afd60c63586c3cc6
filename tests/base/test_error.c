/* test_error.c - an error is of whole characters and acts on nothing, whatever went into it. */
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "tests/tap.h"

static bool is_utf8(const char *text) {
  size_t left = strlen(text), len;
  for (; left > 0 && (len = ck_utf8_length(text, left)) > 0; text += len) left -= len;
  return left == 0;
}

static void test_one_line(void) {
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_error_set(&err, CK_E_IO, "a%db", 1), CK_E_IO, &err,
                "setting an error returns its status");
  tap_is_text(err.text, "a1b", "the text is formatted");
  tap_is_int(err.status, CK_E_IO, "the status is kept");
  ck_error_set(&err, CK_E_PARSE, "x\ny\r\tz%s", "\x1b[31m\x7f\x1b[\x1b]a\r\nb\x1b[");
  tap_is_text(err.text, "x\ny  z  [ ]a\nb [",
              "control characters become spaces, colours nothing; line breaks stay");
  ck_error_make_line(err.text, strlen(err.text));
  tap_is_text(err.text, "x y  z  [ ]a b [", "until it is made a line");
  ck_error_set(&err, CK_E_PARSE, "x%sy", "\xc2\x9b");
  tap_is_text(err.text, "x  y", "two-byte control characters become spaces");
  tap_is_status(ck_error_set(NULL, CK_E_FULL, "%s", "x"), CK_E_FULL, NULL,
                "without an error there is the status");
  tap_is_status(ck_error_no_memory(&err), CK_E_NO_MEMORY, &err,
                "out of memory is said without memory");
}

static void test_cut(void) {
  ck_error err = CK_ERROR_INIT;
  char many[3 * CK_ERROR_TEXT_MAX];
  bool whole = true, full = true;
  for (size_t shift = 0; shift < 4; shift++) {
    memset(many, 'a', sizeof many);
    for (size_t i = shift; i + 4 < sizeof many; i += 4) memcpy(many + i, "\xf0\x9f\x98\x80", 4);
    many[sizeof many - 1] = '\0';
    ck_error_set(&err, CK_E_PARSE, "%s", many);
    whole = whole && is_utf8(err.text);
    full = full && strlen(err.text) > CK_ERROR_TEXT_MAX - 5;
  }
  tap_ok(whole, "a long text is cut at a character");
  tap_ok(full, "a long text fills the room there is");
  memset(many, '\x80', sizeof many - 1);
  ck_error_set(&err, CK_E_PARSE, "%s", many);
  tap_is_int((int64_t)strlen(err.text), CK_ERROR_TEXT_MAX - 1,
             "bytes that are no characters are cut at the limit");
}

static void test_prefix(void) {
  ck_error err = CK_ERROR_INIT;
  ck_error_set(&err, CK_E_NOT_FOUND, "no such file");
  tap_is_status(ck_error_prefix(&err, "profile '%s'", "p\t"), CK_E_NOT_FOUND, &err,
                "a prefix keeps the status");
  tap_is_text(err.text, "profile 'p ': no such file", "a prefix stands in front");
  ck_error_set(&err, CK_E_IO, "%s", err.text);
  tap_is_text(err.text, "profile 'p ': no such file", "an error can be made from its own text");
  for (int i = 0; i < 500; i++) ck_error_prefix(&err, "prefix");
  tap_is_int((int64_t)strlen(err.text), CK_ERROR_TEXT_MAX - 1, "prefixes stop at the limit");
  tap_ok(ck_error_prefix(NULL, "x") != CK_OK, "a prefix without an error is no success");
}

int main(void) {
  test_one_line();
  test_cut();
  test_prefix();
  return tap_done();
}
