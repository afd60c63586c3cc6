/* test_scrub_pages.c - the end of a scrub clears what SQLite left between the rows of a page when
 * it moved rows: no byte of a value that was replaced is in the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/store/fact.h"
#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

static ck_error err;
static char folder[] = "/tmp/ckrun-scrub.XXXXXX", path[64], url[80];

static void must(ck_status status, const char *what) {
  tap_must(status == CK_OK, "%s: %s", what, err.text);
}

/* A value of that word, and `more` bytes. */
static void put(ck_store *store, int key, const char *word, int more) {
  char name[16], *json = NULL;
  ck_value *value = NULL;
  snprintf(name, sizeof name, "k%d", key);
  tap_must(asprintf(&json, "\"%s%*d\"", word, more, key) > 0, "a text");
  must(ck_value_new(&value, ck_bytes_text(json), &err), "a value");
  must(ck_store_put_fact(store, &(ck_fact){.owner = "", .key = name, .value = value, .at_ms = 1},
                         &err),
       "a fact");
  ck_value_free(value);
  free(json);
}

/* Facts grow, so that their rows move; at last each has another word of the same length. */
static void grow(ck_store *store, int count, int step, int stride) {
  for (int round = 0; round < 3; round++)
    for (int i = 1; i <= count; i++)
      put(store, i * (stride + round) % count, "horse-battery", 20 + step * round);
  for (int i = 0; i < count; i++) put(store, i, "nothing-to-it", 20 + step * 2);
}

/* How often the file holds it, and its log. */
static int found(const char *word) {
  int count = 0;
  static const char *const endings[] = {"", "-wal"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    char name[80];
    static char bytes[4 << 20];
    snprintf(name, sizeof name, "%s%s", path, endings[i]);
    FILE *file = fopen(name, "rb");
    size_t len = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    tap_must(len < sizeof bytes, "all of %s was read", name);
    for (char *at = bytes; (at = memmem(at, len - (size_t)(at - bytes), word, strlen(word))); at++)
      count++;
  }
  return count;
}

int main(void) {
  tap_must(mkdtemp(folder) != NULL, "a folder");
  snprintf(path, sizeof path, "%s/s.db", folder);
  snprintf(url, sizeof url, "sqlite:%s", path);
  ck_store *store = fixture_open(url);
  const ck_backend *backend = &store->backend;
  must(backend->scrub.begin(backend->self, ck_bytes_text("a note"), &err), "begun");
  int left = 0, tries = 0;
  for (; !left && tries < 60; tries++) {
    grow(store, 101 + 7 * tries, 400 + 50 * (tries % 9), 1 + tries);
    must(backend->clear_log(backend->self, &err), "the log is folded");
    left = found("horse-battery");
  }
  tap_ok(left > 0, "%d values lie where no row is, at the %d. try", left, tries);
  must(backend->scrub.end(backend->self, &err), "ended");
  tap_is_int(found("horse-battery"), 0, "none is behind the end of a scrub");
  tap_ok(found("nothing-to-it") >= 101, "and every row is");
  tap_is_int(fixture_verify(store), 0, "all is well");
  ck_store_close(store);
  char remove[96];
  snprintf(remove, sizeof remove, "rm -rf %s", folder);
  return tap_done() | system(remove);
}
