/* fuzz.c - the table of targets, and what they share. */
#include "tests/fuzz/fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/tap.h"

const fuzz_target fuzz_targets[] = {
#define X(name) {#name, fuzz_##name},
    FUZZ_TARGET_TABLE(X)
#undef X
        {NULL, NULL}};

const fuzz_target *fuzz_find(const char *name) {
  const fuzz_target *target = fuzz_targets;
  while (target->name && strcmp(target->name, name) != 0) target++;
  return target->name ? target : NULL;
}

void fuzz_must_at(const char *file, int line, bool held, const char *format, ...) {
  if (held) return;
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s:%d: broken: ", file, line);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  abort();
}

unsigned fuzz_byte(ck_bytes *from) {
  ck_bytes byte = fuzz_take(from, 1);
  return byte.len ? (unsigned char)*byte.data : 0;
}

ck_bytes fuzz_take(ck_bytes *from, size_t most) {
  size_t len = from->len < most ? from->len : most;
  ck_bytes front = {from->data, len};
  if (len > 0) *from = (ck_bytes){from->data + len, from->len - len};
  return front;
}

char *fuzz_exact(ck_bytes bytes) {
  char *copy = malloc(bytes.len ? bytes.len : 1);
  fuzz_must(copy != NULL, "no memory");
  if (bytes.len) memcpy(copy, bytes.data, bytes.len);
  return copy;
}

const char *fuzz_file(ck_bytes bytes, const char *name) {
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", tap_tmpdir(), name);
  FILE *file = fopen(path, "w");
  fuzz_must(file != NULL, "%s cannot be written", path);
  if (bytes.len) fwrite(bytes.data, 1, bytes.len, file);
  fclose(file);
  chmod(path, 0600);
  return path;
}
