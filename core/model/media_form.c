/* media_form.c - writes images and files with their bytes in line. */
#include "core/model/media_form.h"

#include <string.h>

#include "core/base/base64.h"
#include "core/model/media_walk.h"

static void append_type(ck_buffer *out, const ck_media *media, ck_bytes bytes) {
  const char *found = ck_media_sniff(bytes);
  if (found)
    ck_buffer_append_text(out, found);
  else if (!ck_json_read_string(out, media->type))
    ck_buffer_append_text(out, "application/octet-stream");
}

static void put_url(ck_json_writer *w, const char *name, const ck_buffer *type, ck_bytes bytes) {
  ck_json_name(w, name);
  ck_buffer_append_text(w->out, "\"data:");
  ck_buffer_append_bytes(w->out, ck_buffer_bytes(type));
  ck_buffer_append_text(w->out, ";base64,");
  ck_base64_append(w->out, bytes);
  ck_buffer_append_char(w->out, '"');
  w->comma = true;
}

static void put_image(ck_json_writer *w, const ck_media *media, const ck_buffer *type,
                      ck_bytes bytes) {
  ck_json_member_text(w, "type", "image_url");
  ck_json_name(w, "image_url");
  ck_json_begin(w, '{');
  if (media->url.len)
    ck_json_member_raw(w, "url", media->url);
  else
    put_url(w, "url", type, bytes);
  if (media->detail.len) ck_json_member_raw(w, "detail", media->detail);
  ck_json_end(w, '}');
}

/* Chat completions take no address of a file. */
static void put_file(ck_json_writer *w, const ck_media *media, const ck_buffer *type,
                     ck_bytes bytes) {
  ck_json_member_text(w, "type", "file");
  ck_json_name(w, "file");
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "filename", media->name.len ? media->name : ck_bytes_text("\"file\""));
  if (media->url.len)
    ck_json_member_raw(w, "file_data", media->url);
  else
    put_url(w, "file_data", type, bytes);
  ck_json_end(w, '}');
}

static void put_input(ck_json_writer *w, const ck_media *media, const ck_buffer *type,
                      ck_bytes bytes) {
  const char *address = media->is_file ? "file_url" : "image_url";
  ck_json_member_text(w, "type", media->is_file ? "input_file" : "input_image");
  if (media->is_file && !media->url.len)
    ck_json_member_raw(w, "filename", media->name.len ? media->name : ck_bytes_text("\"file\""));
  if (media->url.len)
    ck_json_member_raw(w, address, media->url);
  else
    put_url(w, media->is_file ? "file_data" : address, type, bytes);
  if (!media->is_file && media->detail.len) ck_json_member_raw(w, "detail", media->detail);
}

static void put_data(ck_json_writer *w, const ck_media *media, const ck_buffer *type,
                     ck_bytes bytes) {
  bool kept = media->url.len == 0;
  ck_json_name(w, kept ? "inlineData" : "fileData");
  ck_json_begin(w, '{');
  if (kept || media->type.len) ck_json_member_string(w, "mimeType", ck_buffer_bytes(type));
  if (kept) {
    ck_json_name(w, "data");
    ck_buffer_append_char(w->out, '"');
    ck_base64_append(w->out, bytes);
    ck_buffer_append_char(w->out, '"');
    w->comma = true;
  } else {
    ck_json_member_raw(w, "fileUri", media->url);
  }
  ck_json_end(w, '}');
}

static void put_source(ck_json_writer *w, const ck_media *media, const ck_buffer *type,
                       ck_bytes bytes) {
  ck_json_member_text(w, "type", media->is_file ? "document" : "image");
  ck_json_name(w, "source");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", media->url.len ? "url" : "base64");
  if (media->url.len) {
    ck_json_member_raw(w, "url", media->url);
  } else {
    ck_json_member_string(w, "media_type", ck_buffer_bytes(type));
    ck_json_name(w, "data");
    ck_buffer_append_char(w->out, '"');
    ck_base64_append(w->out, bytes);
    ck_buffer_append_char(w->out, '"');
    w->comma = true;
  }
  ck_json_end(w, '}');
  if (media->is_file && media->name.len) ck_json_member_raw(w, "title", media->name);
  if (media->cache.len) ck_json_member_raw(w, "cache_control", media->cache);
}

/* As it is kept, but for its bytes. */
static void put_own(ck_json_writer *w, const ck_media *media, const ck_buffer *type,
                    ck_bytes bytes) {
  ck_json_member_text(w, "type", media->is_file ? "file" : "image");
  ck_json_member_string(w, "media_type", ck_buffer_bytes(type));
  if (media->name.len) ck_json_member_raw(w, "name", media->name);
  ck_json_name(w, "data");
  ck_buffer_append_char(w->out, '"');
  ck_base64_append(w->out, bytes);
  ck_buffer_append_char(w->out, '"');
  w->comma = true;
  if (media->detail.len) ck_json_member_raw(w, "detail", media->detail);
  if (media->cache.len) ck_json_member_raw(w, "cache_control", media->cache);
}

void ck_media_put(ck_json_writer *w, ck_media_form form, const ck_media *media, ck_bytes bytes) {
  ck_buffer type = {0};
  append_type(&type, media, bytes);
  ck_json_begin(w, '{');
  if (form == CK_MEDIA_OWN)
    put_own(w, media, &type, bytes);
  else if (form == CK_MEDIA_MESSAGES)
    put_source(w, media, &type, bytes);
  else if (form == CK_MEDIA_RESPONSES)
    put_input(w, media, &type, bytes);
  else if (form == CK_MEDIA_GEMINI)
    put_data(w, media, &type, bytes);
  else if (media->is_file)
    put_file(w, media, &type, bytes);
  else
    put_image(w, media, &type, bytes);
  ck_json_end(w, '}');
  w->out->failed |= type.failed;
  ck_buffer_clear(&type);
}

void ck_media_write(ck_json_writer *w, const char *type, const char *name, ck_bytes bytes) {
  ck_buffer of_type = {0}, of_name = {0};
  ck_json_append_string(&of_type, ck_bytes_text(type));
  if (name) ck_json_append_string(&of_name, ck_bytes_text(name));
  const ck_media media = {.is_file = strncmp(type, "image/", 6) != 0,
                          .type = ck_buffer_bytes(&of_type),
                          .name = ck_buffer_bytes(&of_name)};
  ck_media_put(w, CK_MEDIA_OWN, &media, bytes);
  w->out->failed |= of_type.failed || of_name.failed;
  ck_buffer_clear(&of_name);
  ck_buffer_clear(&of_type);
}

/* ---- in the place of what is kept ---- */

ck_status ck_media_load(ck_buffer *out, const ck_media *media, const ck_media_source *source,
                        ck_error *err) {
  if (!media->kept) return ck_media_decode(out, media, err);
  ck_status status = source && source->read
                         ? source->read(out, source->self, &media->digest, err)
                         : ck_error_set(err, CK_E_UNSUPPORTED, "nothing is kept here");
  ck_buffer name = {0};
  ck_media_append_name(&name, media);
  if (status != CK_OK && status != CK_E_NO_MEMORY && name.data)
    status = ck_error_prefix(err, "%s, which the conversation holds", name.data);
  ck_buffer_clear(&name);
  return status;
}

typedef struct giving {
  const ck_media_source *source;
  ck_media_form form;
} giving;

static bool is_kept(const ck_media *media) { return media->kept; }

static ck_status give(ck_media_walk *self, const ck_media *media, ck_bytes part, ck_error *err) {
  const giving *to = self->to;
  ck_buffer bytes = {0};
  ck_error why = CK_ERROR_INIT;
  ck_status status = to->source->read(&bytes, to->source->self, &media->digest, &why);
  if (status == CK_OK)
    ck_media_put(&self->w, to->form, media, ck_buffer_bytes(&bytes));
  else if (status == CK_E_NOT_FOUND)
    ck_json_put_raw(&self->w, part);
  ck_buffer_clear(&bytes);
  if (status == CK_OK || status == CK_E_NOT_FOUND) return CK_OK;
  return ck_error_set(err, status, "%s", why.text);
}

ck_status ck_media_give(ck_value **out, const ck_value *whole, ck_media_form form,
                        const ck_media_source *source, ck_error *err) {
  giving to = {source, form};
  ck_media_walk self = {.mark = "\"digest\"", .wants = is_kept, .put = give, .to = &to};
  return ck_media_rewrite(out, &self, whole, err);
}
