/* test_sealed_export.c - a sealed export opens with its key, whole; a bit of any byte that is
 * another one, and any cut, is found. */
#include <string.h>

#include "core/host/session/sealed_export.h"
#include "tests/tap.h"

static ck_key *new_key(void) {
  ck_key *key;
  tap_must(ck_key_new(&key, "a test", NULL) == CK_OK, "a key");
  return key;
}

static ck_status open_file(ck_buffer *text, const ck_key *key, ck_bytes file) {
  ck_error err = CK_ERROR_INIT;
  ck_buffer_clear(text);
  ck_status status = ck_sealed_export_open(text, key, "trip.sealed", file, &err);
  tap_must(status == CK_OK || (text->len == 0 && strstr(err.text, "trip.sealed")),
           "nothing of it, and the file is named");
  return status;
}

static void test_bytes(const ck_key *key, ck_buffer *file) {
  ck_buffer text = {0};
  bool found = true;
  for (size_t i = 0; i < file->len; i++) {
    file->data[i] ^= 1;
    ck_status status = open_file(&text, key, ck_buffer_bytes(file)), want = CK_E_CORRUPT;
    if (i < 16) want = i < 8 ? CK_E_USAGE : CK_E_OTHER_KEY;
    found = found && status == want;
    file->data[i] ^= 1;
  }
  tap_ok(found, "each byte that was changed is found: mark, key, text");
  for (size_t len = 8; len < file->len; len++)
    found = found && open_file(&text, key, (ck_bytes){file->data, len}) == CK_E_CORRUPT;
  tap_ok(found, "and each cut");
  ck_buffer_append(file, "x", 1);
  tap_ok(open_file(&text, key, ck_buffer_bytes(file)) == CK_E_CORRUPT, "and a byte behind it");
  file->len--;
  ck_buffer_clear(&text);
}

int main(void) {
  static const char document[] = "{\"version\":1,\"history\":[\"a word\"]}";
  ck_key *key = new_key(), *other = new_key();
  ck_buffer file = {0}, again = {0}, text = {0};
  ck_bytes written = ck_bytes_text(document);
  tap_must(ck_sealed_export_write(&file, key, written, NULL) == CK_OK, "sealed");
  tap_must(ck_sealed_export_write(&again, key, written, NULL) == CK_OK, "sealed again");
  tap_ok(ck_sealed_export_is(ck_buffer_bytes(&file)) && !ck_sealed_export_is(written),
         "is told from what is not sealed");
  tap_ok(!memmem(file.data, file.len, "word", 4), "cannot be read");
  tap_ok(!ck_bytes_equal(ck_buffer_bytes(&file), ck_buffer_bytes(&again)),
         "is another file each time");
  tap_ok(open_file(&text, key, ck_buffer_bytes(&file)) == CK_OK &&
             ck_bytes_equal(ck_buffer_bytes(&text), written),
         "opens with its key");
  tap_ok(open_file(&text, NULL, ck_buffer_bytes(&file)) == CK_E_SECRET_MISSING, "not without");
  tap_ok(open_file(&text, other, ck_buffer_bytes(&file)) == CK_E_OTHER_KEY, "not with another");
  test_bytes(key, &file);
  memcpy(file.data + 16, again.data + 16, 32);
  tap_ok(open_file(&text, key, ck_buffer_bytes(&file)) == CK_E_CORRUPT,
         "nor with the beginning of another file");
  ck_buffer_clear(&file);
  ck_buffer_clear(&again);
  ck_buffer_clear(&text);
  ck_key_free(key);
  ck_key_free(other);
  return tap_done();
}
