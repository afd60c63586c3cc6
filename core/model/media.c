/* media.c - recognises images and files in contents, and decodes them. */
#include "core/model/media.h"

#include <string.h>

#include "core/base/base64.h"

/* ---- what a part is ---- */

static ck_bytes string_of(ck_bytes object, const char *name) {
  ck_bytes value = ck_json_get(object, name);
  return ck_json_type_of(value) == CK_JSON_STRING ? value : (ck_bytes){0};
}

static ck_bytes first(ck_bytes one, ck_bytes other) { return one.len ? one : other; }

static bool begins(ck_bytes json, const char *with) {
  size_t len = strlen(with);
  return json.len > len && memcmp(json.data + 1, with, len) == 0;
}

/* Bytes in line, or an address. */
static void put_place(ck_media *out, ck_bytes url) {
  if (begins(url, "data:"))
    out->data = url;
  else
    out->url = url;
}

static bool read_kept(ck_media *out, ck_bytes part) {
  ck_bytes hex = string_of(part, "digest");
  out->kept = hex.len == CK_DIGEST_HEX_SIZE + 1 &&
              ck_digest_read_hex(&out->digest, (ck_bytes){hex.data + 1, hex.len - 2}) &&
              ck_json_read_int(&out->bytes, ck_json_get(part, "bytes")) && out->type.len > 0;
  return out->kept;
}

static bool read_own(ck_media *out, ck_bytes part) {
  out->data = string_of(part, "data");
  return read_kept(out, part) || out->data.len > 0;
}

static bool read_source(ck_media *out, ck_bytes source) {
  ck_bytes of = ck_json_get(source, "type");
  if (ck_json_is_text(of, "base64")) out->data = string_of(source, "data");
  if (ck_json_is_text(of, "url")) out->url = string_of(source, "url");
  out->type = first(out->type, string_of(source, "media_type"));
  return out->data.len > 0 || out->url.len > 0;
}

static bool read_chat(ck_media *out, ck_bytes image, ck_bytes file) {
  if (image.len) put_place(out, string_of(image, "url"));
  if (file.len) put_place(out, string_of(file, "file_data"));
  out->detail = string_of(image, "detail");
  out->name = first(out->name, string_of(file, "filename"));
  return out->data.len > 0 || out->url.len > 0;
}

bool ck_media_read(ck_media *out, ck_bytes part) {
  *out = (ck_media){0};
  ck_bytes type = string_of(part, "type");
  bool image = ck_json_is_text(type, "image"), file = ck_json_is_text(type, "file"),
       document = ck_json_is_text(type, "document"), linked = ck_json_is_text(type, "image_url");
  if (!image && !file && !document && !linked) return false;
  out->is_file = file || document;
  out->type = first(string_of(part, "media_type"), string_of(part, "mimeType"));
  out->name = first(string_of(part, "name"), string_of(part, "title"));
  out->cache = ck_json_get(part, "cache_control");
  ck_bytes source = ck_json_get(part, "source"), nested = ck_json_get(part, "file");
  if (linked || nested.len) return read_chat(out, ck_json_get(part, "image_url"), nested);
  if (source.len) return read_source(out, source);
  bool read = (image || file) && read_own(out, part);
  out->detail = string_of(part, "detail");
  return read;
}

bool ck_media_is_content(ck_bytes json) {
  ck_media media;
  bool some = false;
  if (ck_json_type_of(json) != CK_JSON_ARRAY) return false;
  for (ck_json_iterator it = ck_json_iterate(json); ck_json_next(&it);) {
    bool is = ck_media_read(&media, it.value);
    some |= is;
    if (!is && (!ck_json_is_text(ck_json_get(it.value, "type"), "text") ||
                !string_of(it.value, "text").len))
      return false;
  }
  return some;
}

const char *ck_media_sniff(ck_bytes bytes) {
  static const struct {
    const char *type, *mark;
    size_t len, at;
  } known[] = {{"image/png", "\x89PNG\r\n\x1a\n", 8, 0},
               {"image/jpeg", "\xff\xd8\xff", 3, 0},
               {"image/gif", "GIF87a", 6, 0},
               {"image/gif", "GIF89a", 6, 0},
               {"image/webp", "WEBP", 4, 8},
               {"application/pdf", "%PDF-", 5, 0}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (bytes.len >= known[i].at + known[i].len &&
        memcmp(bytes.data + known[i].at, known[i].mark, known[i].len) == 0)
      return known[i].type;
  return NULL;
}

void ck_media_append_name(ck_buffer *out, const ck_media *self) {
  if (!ck_json_read_string(out, self->name))
    ck_buffer_append_text(out, self->is_file ? "a file" : "an image");
}

void ck_media_append_caption(ck_buffer *out, const ck_media *self) {
  ck_buffer_append_char(out, '[');
  ck_media_append_name(out, self);
  if (self->type.len || self->url.len) ck_buffer_append_text(out, ", ");
  ck_json_read_string(out, self->type.len ? self->type : self->url);
  if (self->kept) ck_buffer_append_format(out, ", %lld bytes", (long long)self->bytes);
  ck_buffer_append_char(out, ']');
}

/* ---- bytes in line ---- */

/* Behind "data:TYPE;base64,"; the whole of any other text. */
static ck_bytes base64_of(ck_bytes text) {
  const char *comma = NULL;
  if (text.len > 5 && memcmp(text.data, "data:", 5) == 0)
    comma = memchr(text.data, ',', text.len < 256 ? text.len : 256);
  if (!comma) return text;
  size_t before = (size_t)(comma + 1 - text.data);
  return (ck_bytes){comma + 1, text.len - before};
}

static ck_status check(const ck_buffer *bytes, const ck_media *media, bool read, ck_error *err) {
  ck_buffer name = {0};
  ck_media_append_name(&name, media);
  ck_status status = ck_buffer_check(bytes, err);
  if (status == CK_OK) status = ck_buffer_check(&name, err);
  if (status == CK_OK && (!read || !bytes->len))
    status = ck_error_set(err, CK_E_PARSE, "the data of %s is no base64", name.data);
  if (status == CK_OK && bytes->len > CK_MEDIA_BYTES_MAX)
    status = ck_error_set(err, CK_E_OVERSIZE, "%s has %zu bytes, and %d are the most that are kept",
                          name.data, bytes->len, CK_MEDIA_BYTES_MAX);
  ck_buffer_clear(&name);
  return status;
}

ck_status ck_media_decode(ck_buffer *out, const ck_media *self, ck_error *err) {
  ck_buffer text = {0};
  ck_json_read_string(&text, self->data);
  ck_status status = ck_buffer_check(&text, err);
  bool read = status == CK_OK && ck_base64_read(out, base64_of(ck_buffer_bytes(&text)));
  if (status == CK_OK) status = check(out, self, read, err);
  ck_buffer_clear(&text);
  return status;
}
