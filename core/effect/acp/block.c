/* block.c - a prompt's parts as the protocol's blocks of content, as far as the agent takes them.
 */
#include <ctype.h>

#include "core/base/base64.h"
#include "core/effect/acp/private.h"

typedef struct writer {
  ck_json_writer *w;
  const ck_acp_agent *agent;
  ck_error *err;
} writer;

static bool is_type(ck_bytes part, const char *type) {
  return ck_json_is_text(ck_json_get(part, "type"), type);
}

void ck_acp_put_text(ck_json_writer *w, ck_bytes text) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "text");
  ck_json_member_raw(w, "text", text);
  ck_json_end(w, '}');
}

/* ---- images and files ---- */

/* Of what has no place of its own: what a person calls it. */
static void put_uri(ck_json_writer *w, const ck_media *media) {
  ck_buffer name = {0}, uri = {0};
  ck_media_append_name(&name, media);
  ck_buffer_append_text(&uri, "attachment:");
  for (size_t i = 0; i < name.len; i++) {
    unsigned char c = (unsigned char)name.data[i];
    if (isalnum(c) || c == '.' || c == '-' || c == '_')
      ck_buffer_append_char(&uri, (char)c);
    else
      ck_buffer_append_format(&uri, "%%%02X", c);
  }
  ck_json_member_string(w, "uri", ck_buffer_bytes(&uri));
  w->out->failed |= name.failed || uri.failed;
  ck_buffer_clear(&name);
  ck_buffer_clear(&uri);
}

static void put_link(ck_json_writer *w, const ck_media *media) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "resource_link");
  ck_json_member_raw(w, "uri", media->url);
  ck_json_member_raw(w, "name", media->name.len ? media->name : media->url);
  if (media->type.len) ck_json_member_raw(w, "mimeType", media->type);
  ck_json_end(w, '}');
}

static void put_bytes(ck_json_writer *w, const char *member, ck_bytes bytes) {
  ck_json_name(w, member);
  ck_buffer_append_char(w->out, '"');
  ck_base64_append(w->out, bytes);
  ck_buffer_append_char(w->out, '"');
  w->comma = true;
}

static void put_type(ck_json_writer *w, const ck_media *media, ck_bytes bytes) {
  const char *found = ck_media_sniff(bytes);
  if (found)
    ck_json_member_text(w, "mimeType", found);
  else
    ck_json_member_raw(
        w, "mimeType",
        media->type.len ? media->type : ck_bytes_text("\"application/octet-stream\""));
}

static void put_image(ck_json_writer *w, const ck_media *media, ck_bytes bytes) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "image");
  put_type(w, media, bytes);
  put_bytes(w, "data", bytes);
  ck_json_end(w, '}');
}

static void put_file(ck_json_writer *w, const ck_media *media, ck_bytes bytes) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "resource");
  ck_json_name(w, "resource");
  ck_json_begin(w, '{');
  put_uri(w, media);
  put_type(w, media, bytes);
  put_bytes(w, "blob", bytes);
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}

static ck_status refuse_media(const writer *self, const ck_media *media) {
  ck_buffer name = {0};
  ck_media_append_name(&name, media);
  ck_status status = ck_buffer_check(&name, self->err);
  if (status == CK_OK)
    status = ck_error_set(self->err, CK_E_USAGE,
                          "%s takes no %s (its promptCapabilities have no \"%s\"), and %s was not "
                          "sent: tell it where %s is, or prompt an agent that takes it",
                          self->agent->service.label, media->is_file ? "files" : "images",
                          media->is_file ? "embeddedContext" : "image", name.data,
                          media->is_file ? "the file" : "the image");
  ck_buffer_clear(&name);
  return status;
}

static ck_status put_media(const writer *self, const ck_media *media) {
  ck_buffer bytes = {0};
  if (media->url.len) { /* any agent takes a link */
    put_link(self->w, media);
    return CK_OK;
  }
  if (!(media->is_file ? self->agent->takes.resources : self->agent->takes.images))
    return refuse_media(self, media);
  ck_status status = ck_media_load(&bytes, media, &self->agent->options->media, self->err);
  if (status == CK_OK)
    (media->is_file ? put_file : put_image)(self->w, media, ck_buffer_bytes(&bytes));
  ck_buffer_clear(&bytes);
  return status;
}

/* ---- blocks that are the protocol's own already ---- */

static ck_status put_own(const writer *self, ck_bytes part) {
  const char *lacks = NULL;
  if (is_type(part, "audio") && !self->agent->takes.audio) lacks = "audio";
  if (is_type(part, "resource") && !self->agent->takes.resources) lacks = "embeddedContext";
  if (lacks)
    return ck_error_set(self->err, CK_E_USAGE,
                        "%s takes no such part of a prompt (its promptCapabilities have no "
                        "\"%s\"), and the prompt was not sent",
                        self->agent->service.label, lacks);
  if (is_type(part, "text") || is_type(part, "audio") || is_type(part, "resource") ||
      is_type(part, "resource_link")) {
    ck_json_put_raw(self->w, part);
    return CK_OK;
  }
  ck_buffer type = {0};
  ck_json_read_string(&type, ck_json_get(part, "type"));
  ck_status status = ck_buffer_check(&type, self->err);
  if (status == CK_OK)
    status = ck_error_set(self->err, CK_E_USAGE,
                          "a part of the prompt for %s has the type \"%.60s\", and the protocol "
                          "knows text, image, audio, resource and resource_link",
                          self->agent->service.label, type.len ? type.data : "");
  ck_buffer_clear(&type);
  return status;
}

ck_status ck_acp_put_block(ck_json_writer *w, const ck_acp_agent *agent, ck_bytes part,
                           ck_error *err) {
  const writer self = {w, agent, err};
  ck_media media;
  if (ck_json_type_of(part) == CK_JSON_STRING) {
    ck_acp_put_text(w, part);
    return CK_OK;
  }
  return ck_media_read(&media, part) ? put_media(&self, &media) : put_own(&self, part);
}
