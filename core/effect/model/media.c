/* media.c - images and files in requests: each API's own form of them, and what they may cost. */
#include <string.h>

#include "core/effect/model/catalog.h"
#include "core/effect/model/private.h"

/* The most tokens that one comes to. Of images: what the dearest of OpenAI's models counts for the
 * largest one (https://platform.openai.com/docs/guides/images-vision), and twice what Anthropic's
 * do (https://docs.claude.com/en/docs/build-with-claude/vision). A file of any length may fill the
 * whole context. */
enum { TOKENS_OF_IMAGE_OPENAI = 49152, TOKENS_OF_IMAGE = 10000, TOKENS_OF_FILE = 1 << 20 };

bool ck_model_has_media(ck_bytes content) {
  ck_media media;
  if (!ck_model_is_blocks(content)) return false;
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);)
    if (ck_media_read(&media, it.value)) return true;
  return false;
}

/* ---- whether it may be sent ---- */

static int taken_by(const ck_profile_model *model) {
  const ck_model_entry *known = ck_catalog_find(model->model);
  return model->takes >= 0 ? model->takes : known ? known->takes : 0;
}

static ck_status check(const ck_profile_model *model, const ck_media *media, ck_error *err) {
  int bit = media->is_file ? CK_MODEL_TAKES_FILES : CK_MODEL_TAKES_IMAGES;
  const char *kind = media->is_file ? "file" : "image";
  ck_buffer name = {0};
  if (taken_by(model) & bit) return CK_OK;
  ck_media_append_name(&name, media);
  ck_status status = ck_buffer_check(&name, err);
  if (status == CK_OK)
    status = ck_error_set(err, CK_E_USAGE,
                          "model \"%s\" (%s) %s, and %s was not sent: use a model that takes it, "
                          "or, where this one does, add \"%s\" to takes in models[\"%s\"] of the "
                          "profile",
                          model->name, model->model,
                          model->takes >= 0 ? media->is_file ? "takes no files" : "takes no images"
                          : media->is_file  ? "is not known to take files"
                                            : "is not known to take images",
                          name.data, kind, model->name);
  ck_buffer_clear(&name);
  return status;
}

/* ---- a content ---- */

void ck_model_put_media(ck_json_writer *w, ck_model_media *self, const ck_media *media) {
  if (self->status != CK_OK) return;
  ck_buffer bytes = {0};
  const ck_profile_model *model = self->query->model;
  static const ck_media_form forms[] = {[CK_MODEL_OPENAI] = CK_MEDIA_CHAT,
                                        [CK_MODEL_ANTHROPIC] = CK_MEDIA_MESSAGES,
                                        [CK_MODEL_RESPONSES] = CK_MEDIA_RESPONSES,
                                        [CK_MODEL_GEMINI] = CK_MEDIA_GEMINI};
  self->status = check(model, media, self->err);
  if (self->status == CK_OK && !media->url.len)
    self->status = ck_media_load(&bytes, media, self->query->media, self->err);
  if (self->status == CK_OK) ck_media_put(w, forms[model->api], media, ck_buffer_bytes(&bytes));
  ck_buffer_clear(&bytes);
}

/* A provider may refuse a text without words. */
static bool is_blank_text(ck_bytes block) {
  return ck_json_is_text(ck_json_get(block, "type"), "text") &&
         ck_model_is_blank(ck_json_get(block, "text"));
}

void ck_model_write_media(ck_json_writer *w, ck_model_media *self, ck_bytes content, bool alone) {
  ck_json_iterator it = ck_json_iterate(content);
  ck_media media;
  while (self->status == CK_OK && ck_json_next(&it)) {
    if (ck_media_read(&media, it.value))
      ck_model_put_media(w, self, &media);
    else if (!alone && !is_blank_text(it.value))
      ck_json_put_raw(w, it.value);
  }
}

void ck_model_append_captions(ck_buffer *out, ck_bytes content) {
  ck_json_iterator it = ck_json_iterate(content);
  ck_buffer text = {0};
  ck_media media;
  for (bool begun = false; ck_json_next(&it); begun = true) {
    if (begun) ck_buffer_append_char(&text, '\n');
    if (ck_media_read(&media, it.value)) {
      ck_buffer_append_char(&text, '[');
      ck_media_append_name(&text, &media);
      ck_buffer_append_text(&text, ": in the message below]");
    } else if (!ck_json_read_string(&text, ck_json_get(it.value, "text"))) {
      ck_buffer_append_bytes(&text, it.value);
    }
  }
  ck_json_append_string(out, ck_buffer_bytes(&text));
  out->failed |= text.failed;
  ck_buffer_clear(&text);
}

/* ---- what they come to ---- */

void ck_model_count_media(ck_model_media_count *to, ck_bytes message) {
  ck_bytes content = ck_json_get(message, "content");
  ck_media media;
  if (ck_json_type_of(content) != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);) {
    if (!ck_media_read(&media, it.value)) continue;
    to->images += !media.is_file;
    to->files += media.is_file;
    if (media.kept && media.bytes > 0 && media.bytes <= CK_MEDIA_BYTES_MAX)
      to->bytes += media.bytes;
  }
}

int64_t ck_model_media_tokens(const ck_model_media_count *of, ck_model_api api) {
  bool dear = api == CK_MODEL_OPENAI || api == CK_MODEL_RESPONSES;
  int64_t image = dear ? TOKENS_OF_IMAGE_OPENAI : TOKENS_OF_IMAGE;
  return of->images * image + of->files * TOKENS_OF_FILE;
}
