/* test_embed.c - the embedded texts are the files, byte for byte, in the order of their names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "tests/tap.h"

static bool equals_file(const ck_embedded *row) {
  FILE *file = fopen(row->name, "r");
  if (!file) return false;
  ck_bytes text = ck_embedded_get(row->name);
  bool same = true;
  for (size_t i = 0; i < text.len && same; i++) same = getc(file) == (unsigned char)text.data[i];
  same = same && getc(file) == EOF && text.data[text.len] == '\0';
  fclose(file);
  return same;
}

int main(void) {
  bool sorted = true;
  size_t count = 0, same = 0;
  for (const ck_embedded *row = ck_embedded_table; row->name; row++) {
    sorted = sorted && (count == 0 || strcmp(row[-1].name, row->name) < 0);
    same += equals_file(row);
    count++;
  }
  tap_ok(sorted, "the table is sorted by name");
  tap_is_int((int64_t)same, (int64_t)count,
             "each of the %zu texts is its file, with a NUL behind it", count);
  tap_ok(ck_embedded_get("lua/none.lua").data == NULL, "a name that is not there gives no bytes");
  tap_ok(ck_embedded_get("").data == NULL, "an empty name gives no bytes");
  return tap_done();
}
