/* content.c - the content of a tool's result as parts of a message. */
#include "core/effect/mcp/private.h"
#include "core/model/media.h"

static bool is_type(ck_bytes block, const char *type) {
  return ck_json_is_text(ck_json_get(block, "type"), type);
}

/* An image or a PDF with its bytes in line, of this block or of the resource within. False: it has
 * none, or what it has is none. */
static bool read_media(ck_media *out, ck_bytes block) {
  ck_bytes resource = ck_json_get(block, "resource");
  *out = (ck_media){0};
  if (is_type(block, "image"))
    *out = (ck_media){.type = ck_json_get(block, "mimeType"), .data = ck_json_get(block, "data")};
  else if (is_type(block, "resource"))
    *out = (ck_media){.type = ck_json_get(resource, "mimeType"),
                      .data = ck_json_get(resource, "blob"),
                      .name = ck_json_get(resource, "uri")};
  ck_buffer bytes = {0};
  ck_error ignored = CK_ERROR_INIT;
  bool is = ck_json_type_of(out->data) == CK_JSON_STRING &&
            ck_media_decode(&bytes, out, &ignored) == CK_OK &&
            (is_type(block, "image") || ck_media_sniff(ck_buffer_bytes(&bytes)));
  ck_buffer_clear(&bytes);
  return is;
}

/* Bytes that no model reads. */
static ck_bytes bytes_of(ck_bytes block) {
  if (is_type(block, "image") || is_type(block, "audio")) return ck_json_get(block, "data");
  return ck_json_get(ck_json_get(block, "resource"), "blob");
}

bool ck_mcp_has_bytes(ck_bytes content) {
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);)
    if (bytes_of(it.value).len) return true;
  return false;
}

/* No member of the server's but these: a digest would be taken for something that is kept. */
static void write_media(ck_json_writer *w, const ck_media *media) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "image");
  ck_json_member_raw(w, "data", media->data);
  if (ck_json_type_of(media->type) == CK_JSON_STRING)
    ck_json_member_raw(w, "mimeType", media->type);
  if (ck_json_type_of(media->name) == CK_JSON_STRING) ck_json_member_raw(w, "name", media->name);
  ck_json_end(w, '}');
}

/* What the server says of it, without the bytes. */
static void append_said(ck_buffer *out, ck_bytes block) {
  static const char *const names[] = {"uri", "name", "mimeType"};
  ck_bytes resource = ck_json_get(block, "resource");
  ck_json_read_string(out, ck_json_get(block, "type"));
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ck_bytes value = ck_json_get(resource.len ? resource : block, names[i]);
    if (ck_json_type_of(value) != CK_JSON_STRING) continue;
    ck_buffer_append_char(out, ' ');
    ck_json_read_string(out, value);
  }
}

/* Texts are texts, all else its JSON: a link to a resource, one with its text. */
static void write_text(ck_json_writer *w, ck_bytes block) {
  ck_buffer text = {0};
  if (bytes_of(block).len) {
    ck_buffer_append_char(&text, '[');
    append_said(&text, block);
    ck_buffer_append_text(&text, ": its bytes are left out]");
  } else if (!is_type(block, "text") || !ck_json_read_string(&text, ck_json_get(block, "text"))) {
    ck_buffer_append_bytes(&text, block);
  }
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "text");
  ck_json_member_string(w, "text", ck_buffer_bytes(&text));
  ck_json_end(w, '}');
  w->out->failed |= text.failed;
  ck_buffer_clear(&text);
}

void ck_mcp_write_parts(ck_json_writer *w, ck_bytes content, ck_bytes structured) {
  ck_media media;
  ck_json_begin(w, '[');
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);) {
    if (read_media(&media, it.value))
      write_media(w, &media);
    else
      write_text(w, it.value);
  }
  if (structured.len) write_text(w, structured);
  ck_json_end(w, ']');
}
