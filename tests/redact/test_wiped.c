/* test_wiped.c - memory that held a secret is wiped before it is given back: each block is read as
 * it is freed, and all of the process when the redactor is gone. */
/* link: -Wl,--wrap=free,--wrap=realloc */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/digest.h"
#include "core/redact/redact.h"
#include "core/redact/scanner.h"
#include "tests/tap.h"

enum { SECRET_LEN = 26, FORMS = 8, FORM_SIZE = 80 };

/* Where they may be found: what is looked for lies here, a byte beside each of its own. */
static struct {
  char bytes[2 * FORM_SIZE];
  size_t len;
} forms[FORMS];

/* No literal of the program has it. */
static void make_secret(char out[SECRET_LEN + 1]) {
  for (int i = 0; i < SECRET_LEN; i++) out[i] = (char)('A' + (i * 7 + 3) % 26 + (i % 3 ? 32 : 0));
  out[SECRET_LEN - 2] = '\xff'; /* it is known as it is mended, too */
  out[SECRET_LEN] = '\0';
}

static void note_form(int which, const char *form, size_t len) {
  forms[which].len = len;
  for (size_t i = 0; i < len; i++) {
    forms[which].bytes[2 * i] = form[i];
    forms[which].bytes[2 * i + 1] = '|';
  }
}

static bool is_form(const char *at, size_t left, int which) {
  size_t len = forms[which].len;
  if (len == 0 || left < len) return false;
  for (size_t i = 0; i < len; i++)
    if (at[i] != forms[which].bytes[2 * i]) return false;
  return true;
}

static int count_in(const char *bytes, size_t len) {
  int found = 0;
  for (size_t i = 0; i < len; i++)
    for (int which = 0; which < FORMS; which++)
      found += bytes[i] == forms[which].bytes[0] && is_form(bytes + i, len - i, which);
  return found;
}

/* Blocks that were given back as they were; what grows can leave its bytes behind. */
static int given_back;
static bool watches;

void __real_free(void *block);
void __wrap_free(void *block);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);

static void check_block(const void *block) {
  if (watches && block) given_back += count_in(block, malloc_usable_size((void *)block)) > 0;
}

void __wrap_free(void *block) {
  check_block(block);
  __real_free(block);
}

void *__wrap_realloc(void *block, size_t size) {
  check_block(block);
  return __real_realloc(block, size);
}

/* How often one of them is in the memory of this process that it can write; -1: it cannot be
 * read. */
static int count_everywhere(void) {
  static char chunk[(1 << 20) + FORM_SIZE];
  FILE *maps = fopen("/proc/self/maps", "re");
  int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC), found = 0;
  char line[512];
  while (maps && mem >= 0 && fgets(line, sizeof line, maps)) {
    unsigned long begin, end;
    char mode[8];
    if (sscanf(line, "%lx-%lx %7s", &begin, &end, mode) != 3 || mode[1] != 'w') continue;
    if (strstr(line, "[v")) continue;
    for (unsigned long at = begin; at < end; at += 1 << 20) {
      bool own =
          at < (unsigned long)chunk + sizeof chunk && at + sizeof chunk > (unsigned long)chunk;
      size_t want = end - at < sizeof chunk ? end - at : sizeof chunk;
      ssize_t len = own ? 0 : pread(mem, chunk, want, (off_t)at);
      if (len > 0) found += count_in(chunk, (size_t)len);
    }
    explicit_bzero(chunk, sizeof chunk);
  }
  bool read_all = maps && mem >= 0;
  if (maps) fclose(maps);
  if (mem >= 0) close(mem);
  return read_all ? found : -1;
}

static void note_forms(const char *secret) {
  char form[FORM_SIZE];
  note_form(0, secret, 16);
  for (int i = 0; i < 16; i++) sprintf(form + 2 * i, "%02x", (unsigned char)secret[i]);
  note_form(1, form, 32);
  for (int i = 0; i < 16; i++) sprintf(form + 2 * i, "%02X", (unsigned char)secret[i]);
  note_form(2, form, 32);
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int shift = 0; shift < 3; shift++) { /* the whole groups of base64, from each byte */
    for (int i = 0; i < 12; i++) {
      const unsigned char *group = (const unsigned char *)secret + shift + i / 4 * 3;
      unsigned bits = group[0] << 16 | group[1] << 8 | group[2];
      form[i] = digits[bits >> (18 - 6 * (i % 4)) & 63];
    }
    note_form(3 + shift, form, 12);
  }
  static const char low[] = "abcdefghijklmnopqrstuvwxyz234567";
  for (int i = 0; i < 24; i++) { /* the whole groups of base32 behind four bytes */
    const unsigned char *group = (const unsigned char *)secret + 1 + i / 8 * 5;
    uint64_t bits = 0;
    for (int byte = 0; byte < 5; byte++) bits = bits << 8 | group[byte];
    form[i] = low[bits >> (35 - 5 * (i % 8)) & 31];
  }
  note_form(6, form, 24);
  explicit_bzero(form, sizeof form);
}

static void use_key(ck_redactor *redactor) {
  uint8_t key[32];
  for (int i = 0; i < 32; i++) key[i] = (uint8_t)(i * 37 + 11);
  note_form(7, (const char *)key, 16);
  ck_redactor_set_fingerprint_key(redactor, key);
  explicit_bzero(key, sizeof key);
}

/* One that is given up in the middle, and one that comes to its end. */
static void scan(ck_redactor *redactor, ck_bytes text) {
  ck_buffer out = {0};
  ck_scanner *scanner, *given_up;
  tap_must(ck_scanner_new(&scanner, redactor, NULL) == CK_OK &&
               ck_scanner_new(&given_up, redactor, NULL) == CK_OK,
           "scanners");
  tap_must(ck_scanner_push(&out, scanner, text, NULL) == CK_OK, "a piece");
  tap_must(ck_scanner_finish(&out, scanner, NULL) == CK_OK, "the end");
  int before = count_everywhere();
  ck_scanner_free(scanner);
  tap_is_int(count_everywhere(), before, "a scanner at its end keeps nothing of its text");
  tap_must(ck_scanner_push(&out, given_up, text, NULL) == CK_OK, "a piece");
  ck_scanner_free(given_up);
  ck_buffer_clear(&out);
}

static void use(ck_redactor *redactor, const char *secret, int times) {
  ck_buffer text = {0}, out = {0};
  tap_must(ck_buffer_extend(&text, 16384) != NULL, "room");
  ck_buffer_reset(&text);
  for (int i = 0; i < times; i++)
    ck_buffer_append_format(&text, "it is %s, \"\\u0041%s\", %%41%s, &#65;%s, \\x41%s ", secret,
                            secret, secret, secret, secret);
  ck_bytes all = ck_buffer_bytes(&text);
  tap_must(ck_redactor_apply_text(&out, redactor, CK_SINK_LOG, all, NULL) == CK_OK, "it is masked");
  if (times == 1) scan(redactor, all);
  explicit_bzero(text.data, text.cap);
  ck_buffer_clear(&text);
  ck_buffer_clear(&out);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { KEEPS_COPIES = true }; /* and has terabytes of its own */
#else
enum { KEEPS_COPIES = false };
#endif

int main(void) {
  if (KEEPS_COPIES) {
    tap_ok(true, "the sanitizer keeps what is freed # SKIP");
    return tap_done();
  }
  char secret[SECRET_LEN + 1];
  ck_redactor *redactor = NULL, *copy = NULL;
  ck_error err = CK_ERROR_INIT;
  make_secret(secret);
  note_forms(secret);
  watches = true;
  tap_must(ck_redactor_new(&redactor, &err) == CK_OK && ck_redactor_new(&copy, &err) == CK_OK,
           "redactors");
  tap_must(ck_redactor_add_secret(redactor, "t", ck_bytes_text(secret), &err) == CK_OK, "a secret");
  tap_must(ck_redactor_copy_secrets(copy, redactor, &err) == CK_OK, "another one that knows it");
  int known = count_everywhere();
  if (known < 0) {
    tap_ok(true, "memory cannot be read here # SKIP");
    return tap_done();
  }
  tap_ok(known > 10, "what a redactor knows is found in memory, %d times", known);
  use_key(redactor);
  use(redactor, secret, 1);
  use(redactor, secret, 60);
  ck_redactor_free(copy);
  ck_redactor_free(redactor);
  explicit_bzero(secret, sizeof secret);
  watches = false;
  tap_is_int(given_back, 0, "no block is given back with one in it");
  tap_is_int(count_everywhere(), 0, "when it is freed nothing of it is left");
  return tap_done();
}
