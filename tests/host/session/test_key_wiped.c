/* test_key_wiped.c - keys and secrets that are read, from wherever, and what is derived from a key
 * leave nothing in memory that is given back: each block is read as it is freed. */
/* link: -Wl,--wrap=free,--wrap=realloc */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/sealed_text.h"
#include "core/host/session/key_source.h"
#include "core/host/session/sealed_export.h"
#include "core/runtime/session/secret.h"
#include "tests/tap.h"

enum { DIGITS = 64, FORMS = 4 };

/* What is looked for, a byte beside each of its own, so that this is not found itself. */
static struct {
  char bytes[2 * DIGITS];
  size_t len;
} forms[FORMS];
/* volatile: what free does with them is not known to the compiler. */
static volatile int given_back;
static volatile bool watches;

static void note_form(int which, const void *form, size_t len) {
  forms[which].len = len;
  for (size_t i = 0; i < len; i++) {
    forms[which].bytes[2 * i] = ((const char *)form)[i];
    forms[which].bytes[2 * i + 1] = '|';
  }
}

static bool holds(const char *block, size_t len, int which) {
  for (size_t at = 0; forms[which].len && at + forms[which].len <= len; at++) {
    size_t i = 0;
    while (i < forms[which].len && block[at + i] == forms[which].bytes[2 * i]) i++;
    if (i == forms[which].len) return true;
  }
  return false;
}

static void check_block(const void *block) {
  if (!watches || !block) return;
  for (int which = 0; which < FORMS; which++)
    given_back += holds(block, malloc_usable_size((void *)(uintptr_t)block), which);
}

void __real_free(void *block);
void __wrap_free(void *block);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);

void __wrap_free(void *block) {
  check_block(block);
  __real_free(block);
}

void *__wrap_realloc(void *block, size_t size) {
  check_block(block);
  return __real_realloc(block, size);
}

/* No literal of the program has them. */
static void make_digits(char out[DIGITS + 1]) {
  for (int i = 0; i < DIGITS; i++) out[i] = "0123456789abcdef"[(i * 11 + 5) % 16];
  for (int i = 0; i < DIGITS; i += 5) out[i] = '7';
  out[DIGITS] = '\0';
}

static void put_file(const char *path, const char *text) {
  FILE *file = fopen(path, "we");
  tap_must(file && fputs(text, file) >= 0 && fclose(file) == 0, "a file");
  tap_must(chmod(path, 0600) == 0, "its mode");
}

/* What a caller does with a key: an export, a seal, a fingerprint. */
static void use_key(const ck_key *key) {
  static const uint8_t store[CK_DIGEST_SIZE] = {1};
  ck_seal *seal;
  ck_buffer file = {0}, text = {0};
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_seal_new(&seal, key, store, &err) == CK_OK, "a seal");
  ck_seal_free(seal);
  tap_must(ck_sealed_export_write(&file, key, ck_bytes_text("a document"), &err) == CK_OK &&
               ck_sealed_export_open(&text, key, "f", ck_buffer_bytes(&file), &err) == CK_OK,
           "an export");
  ck_buffer_clear(&file);
  ck_buffer_clear(&text);
}

static void test_sources(const char *const *refs, size_t count, ck_redactor *redactor) {
  for (size_t i = 0; i < count; i++) {
    ck_error err = CK_ERROR_INIT;
    ck_key *key;
    given_back = 0;
    watches = true;
    ck_status status = ck_key_source_read(&key, refs[i], redactor, &err);
    if (status == CK_OK) use_key(key);
    ck_key_free(key);
    watches = false;
    tap_is_status(status, CK_OK, &err, "a key by %.8s", refs[i]);
    tap_is_int(given_back, 0, "nothing of it, or derived from it, is given back");
  }
}

static void test_secrets(const char *const *refs, size_t count) {
  for (size_t i = 0; i < count; i++) {
    ck_error err = CK_ERROR_INIT;
    ck_redactor *redactor;
    tap_must(ck_redactor_new(&redactor, &err) == CK_OK, "a redactor");
    given_back = 0;
    watches = true;
    ck_status status = ck_secret_register(redactor, "s", refs[i], &err);
    ck_redactor_free(redactor);
    watches = false;
    tap_is_status(status, CK_OK, &err, "a secret by %.8s", refs[i]);
    tap_is_int(given_back, 0, "nothing of it is given back");
  }
}

/* That this finds what is given back. */
static void test_finds(const char *digits) {
  given_back = 0;
  watches = true;
  char *volatile copy = strdup(digits); /* the compiler keeps it */
  free(copy);
  watches = false;
  tap_is_int(given_back, 1, "what is given back is seen");
}

int main(void) {
  char digits[DIGITS + 1], path[200], wide[300], command[300];
  uint8_t bytes[DIGITS / 2], subkey[CK_KEY_SIZE];
  ck_key *key;
  ck_redactor *redactor;
  ck_error err = CK_ERROR_INIT;
  make_digits(digits);
  for (int i = 0; i < DIGITS / 2; i++) sscanf(digits + 2 * i, "%2hhx", &bytes[i]);
  tap_must(ck_key_read(&key, ck_bytes_text(digits), "a test", &err) == CK_OK, "the key");
  ck_key_export(subkey, key);
  ck_key_free(key);
  note_form(0, digits, DIGITS);
  note_form(1, bytes, sizeof bytes);
  note_form(2, subkey, sizeof subkey);
  tap_must(ck_redactor_new(&redactor, &err) == CK_OK, "a redactor");
  snprintf(path, sizeof path, "%s", tap_tmpfile("key"));
  put_file(path, digits);
  snprintf(wide, sizeof wide, "file:%s", path);
  snprintf(command, sizeof command, "command:cat %s", path);
  setenv("A_KEY", digits, 1);
  const char *const refs[] = {"env:A_KEY", wide, command};
  test_finds(digits);
  test_sources(refs, 3, NULL);
  test_sources(refs, 3, redactor);
  test_secrets(refs, 2);
  ck_redactor_free(redactor);
  unlink(path);
  return tap_done();
}
