/* cassette_fixture.c - cassettes of a few lines, for tests. */
#include "tests/effect/cassette/cassette_fixture.h"

#include <stdio.h>

#include "tests/tap.h"

const char *cassette_write_file(const char *text) {
  static int number;
  char name[32];
  snprintf(name, sizeof name, "cassette-%d", number++);
  const char *path = tap_tmpfile(name);
  FILE *file = fopen(path, "w");
  tap_must(file && fputs(text, file) >= 0 && fclose(file) == 0, "a file can be written");
  return path;
}

ck_cassette *cassette_open_text(const char *text) {
  ck_cassette *cassette = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_cassette_open(&cassette, cassette_write_file(text), &err);
  tap_must(status == CK_OK, "it opens: %s", err.text);
  return cassette;
}
