/* exported_media.c - puts the bytes of images and files into documents that leave the store. */
#include "core/host/inspect/exported_media.h"

#include <string.h>

#include "core/store/blob.h"

static ck_status read(ck_buffer *out, void *store, const ck_digest *digest, ck_error *err) {
  return ck_store_get_blob(out, store, digest, err);
}

static ck_status append(ck_buffer *out, ck_bytes json, ck_store *store, ck_media_form form,
                        ck_error *err) {
  const ck_media_source source = {read, store};
  ck_value *value = NULL, *whole = NULL;
  ck_status status = ck_value_copy(&value, json, err);
  if (status == CK_OK) status = ck_media_give(&whole, value, form, &source, err);
  if (status == CK_OK) ck_buffer_append_bytes(out, ck_value_bytes(whole));
  ck_value_free(whole);
  ck_value_free(value);
  return status;
}

/* The end of the line, or of the document, that begins at `at`. */
static size_t end_of(ck_bytes text, size_t at, bool lines) {
  const char *end = lines ? memchr(text.data + at, '\n', text.len - at) : NULL;
  return end ? (size_t)(end - text.data) : text.len;
}

ck_status ck_exported_media_put(ck_buffer *text, ck_store *store, ck_media_form form,
                                ck_error *err) {
  ck_bytes given = ck_buffer_bytes(text);
  ck_buffer out = {0};
  bool lines = ck_json_check(given, NULL) != CK_OK;
  ck_status status = CK_OK;
  if (!memmem(given.data, given.len, "\"digest\"", 8)) return CK_OK;
  for (size_t at = 0; at < given.len && status == CK_OK;) {
    size_t end = end_of(given, at, lines);
    ck_bytes json = {given.data + at, end - at};
    if (json.len) status = append(&out, json, store, form, err);
    if (end < given.len) ck_buffer_append_char(&out, '\n');
    at = end + 1;
  }
  if (status == CK_OK) status = ck_buffer_check(&out, err);
  if (status != CK_OK) {
    ck_buffer_clear(&out);
    return status;
  }
  ck_buffer_clear(text);
  *text = out;
  return CK_OK;
}
