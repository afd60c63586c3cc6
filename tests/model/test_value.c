/* test_value.c - a value keeps its bytes, is checked when it must be, and outlives all owners but
 * one on any thread. */
#include "core/model/value.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { THREADS = 4, ROUNDS = 50000 };

static void test_bytes(void) {
  static const char spaced[] = " {\"b\" : 1.0 , \"a\":[ 1e2,\"\\u0041\" ] }\n";
  char source[64];
  strcpy(source, spaced);
  ck_value *value = NULL;
  tap_is_status(ck_value_new(&value, ck_bytes_text(source), NULL), CK_OK, NULL,
                "a document with spaces is taken");
  memset(source, 'x', sizeof source);
  tap_is_bytes(ck_value_bytes(value), ck_bytes_text(spaced),
               "bytes are kept as they came, in a copy");
  tap_ok(ck_value_bytes(value).data[strlen(spaced)] == '\0', "a NUL stands behind the last byte");
  tap_ok(ck_value_share(value) == value, "sharing gives the same value");
  ck_value_free(value);
  tap_is_bytes(ck_value_bytes(value), ck_bytes_text(spaced),
               "one owner less leaves the other's bytes");
  ck_value_free(value);
}

static void test_refusals(void) {
  static const char *const bad[] = {"",
                                    " ",
                                    "{",
                                    "{} {}",
                                    "nul",
                                    "01",
                                    "\"\\u0000\"",
                                    "\"\\ud800\"",
                                    "\"\xff\"",
                                    "1e400",
                                    "[1,]",
                                    "{\"a\":1,\"a\":2}",
                                    "\xef\xbb\xbf{}",
                                    "NaN",
                                    "'a'",
                                    "\"\n\""};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ck_value *value = (ck_value *)(uintptr_t)1;
    ck_error err = CK_ERROR_INIT;
    ck_status status = ck_value_new(&value, ck_bytes_text(bad[i]), &err);
    tap_is_status(status, CK_E_PARSE, &err, "malformed JSON %zu is refused", i);
    tap_ok(value == NULL && err.status == CK_E_PARSE && err.text[0],
           "refusal %zu gives nothing and says why", i);
  }
}

static void test_copies(void) {
  ck_value *value = NULL;
  tap_is_status(ck_value_copy(&value, (ck_bytes){NULL, 0}, NULL), CK_OK, NULL,
                "no bytes can be copied");
  tap_is_int((int64_t)ck_value_bytes(value).len, 0, "no bytes stay none");
  tap_ok(*ck_value_bytes(value).data == '\0', "with a NUL behind them");
  ck_value_free(value);

  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_value_copy(&value, (ck_bytes){"", SIZE_MAX - 4}, &err), CK_E_NO_MEMORY, &err,
                "a length that overflows is out of memory, not a short value");
  tap_ok(value == NULL, "and gives nothing");

  ck_buffer buffer = {0};
  ck_buffer_append_text(&buffer, "[1,2]");
  tap_is_status(ck_value_from(&value, &buffer, NULL), CK_OK, NULL, "a buffer becomes a value");
  ck_buffer_reset(&buffer);
  ck_buffer_append_text(&buffer, "other");
  tap_is_bytes(ck_value_bytes(value), ck_bytes_text("[1,2]"), "which is a copy");
  ck_value_free(value);
  buffer.failed = true;
  tap_is_status(ck_value_from(&value, &buffer, &err), CK_E_NO_MEMORY, &err,
                "a buffer that failed is reported");
  tap_ok(value == NULL, "and gives nothing");
  ck_buffer_clear(&buffer);
}

static void test_text(void) {
  static const char plain[] = "a\"b\\c\n\x01\xc3\xa4\xff";
  ck_value *value = NULL, *again = NULL;
  tap_is_status(ck_value_text(&value, ck_bytes_text(plain), NULL), CK_OK, NULL,
                "any text becomes a JSON string");
  tap_is_status(ck_value_new(&again, ck_value_bytes(value), NULL), CK_OK, NULL,
                "which is strict JSON");
  char *decoded = ck_json_dup_string(ck_value_bytes(value));
  tap_is_text(decoded, "a\"b\\c\n\x01\xc3\xa4\xef\xbf\xbd",
              "and reads back, bytes that are no UTF-8 as U+FFFD");
  free(decoded);
  ck_value_free(value);
  ck_value_free(again);
  tap_is_status(ck_value_text(&value, (ck_bytes){NULL, 0}, NULL), CK_OK, NULL,
                "no text becomes a string, too");
  tap_is_bytes(ck_value_bytes(value), ck_bytes_text("\"\""), "the empty one");
  ck_value_free(value);
}

static void test_null(void) {
  tap_ok(ck_value_share(NULL) == NULL, "NULL shared stays NULL");
  ck_value_free(NULL);
  tap_ok(ck_value_bytes(NULL).len == 0, "NULL has no bytes");
}

/* Each thread owns one reference when it starts and none when it ends; the bytes must hold all the
 * time. */
static void *churn(void *arg) {
  ck_value *mine = arg, *held[8] = {0};
  uintptr_t bad = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    ck_value **at = &held[i * 2654435761u >> 29];
    ck_value_free(*at);
    *at = i % 3 ? ck_value_share(mine) : NULL;
    bad += *at && (ck_value_bytes(*at).len != 9 ||
                   memcmp(ck_value_bytes(*at).data, "\"0123456\"", 10) != 0);
  }
  ck_value_free(mine);
  for (size_t i = 0; i < 8; i++) {
    bad += held[i] && ck_value_bytes(held[i]).data[1] != '0';
    ck_value_free(held[i]);
  }
  return (void *)bad;
}

static void test_threads(void) {
  ck_value *value = NULL;
  tap_must(ck_value_new(&value, ck_bytes_text("\"0123456\""), NULL) == CK_OK,
           "a value to pass round");
  pthread_t threads[THREADS];
  size_t started = 0;
  while (started < THREADS &&
         pthread_create(&threads[started], NULL, churn, ck_value_share(value)) == 0)
    started++;
  tap_is_int((int64_t)started, THREADS, "threads run");
  ck_value_free(value); /* the last owner is one of the threads */
  uintptr_t bad = 0;
  for (size_t i = 0; i < started; i++) {
    void *result = NULL;
    pthread_join(threads[i], &result);
    bad += (uintptr_t)result;
  }
  tap_is_int((int64_t)bad, 0, "a value shared and freed by %d threads holds its bytes", THREADS);
}

int main(void) {
  test_bytes();
  test_refusals();
  test_copies();
  test_text();
  test_null();
  test_threads();
  return tap_done();
}
