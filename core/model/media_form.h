/* media_form.h - images and files with their bytes in line, in each form that other programs know.
 */
#ifndef CK_MODEL_MEDIA_FORM_H
#define CK_MODEL_MEDIA_FORM_H

#include "core/model/media.h"

typedef enum {
  CK_MEDIA_OWN,       /* {"type":"image"|"file","media_type","name"?,"data"} */
  CK_MEDIA_CHAT,      /* of chat completions: image_url, file */
  CK_MEDIA_MESSAGES,  /* of messages: image, document */
  CK_MEDIA_RESPONSES, /* of responses: input_image, input_file */
  CK_MEDIA_GEMINI     /* of Gemini: inlineData, fileData */
} ck_media_form;

/* The part `media` with these bytes; of one that says where it is on the network, without. */
void ck_media_put(ck_json_writer *w, ck_media_form form, const ck_media *media, ck_bytes bytes);
/* The same as ckrun's own form. `type` and `name` are plain; name may be NULL. */
void ck_media_write(ck_json_writer *w, const char *type, const char *name, ck_bytes bytes);

/* Reads the bytes that are kept under a digest. */
typedef struct ck_media_source {
  CK_CHECKED ck_status (*read)(ck_buffer *out, void *self, const ck_digest *digest, ck_error *err);
  void *self;
} ck_media_source;
/* The bytes of one that is no address: those in line, or those that `source` keeps.
 * CK_E_UNSUPPORTED: `source` is NULL, or keeps nothing; else as ck_media_decode and as it reads. */
CK_CHECKED ck_status ck_media_load(ck_buffer *out, const ck_media *media,
                                   const ck_media_source *source, ck_error *err);
/* The reverse of ck_media_take, for whoever has not got what is kept. A part whose bytes are not
 * kept any more (CK_E_NOT_FOUND) stays as it is. */
CK_CHECKED ck_status ck_media_give(ck_value **out, const ck_value *whole, ck_media_form form,
                                   const ck_media_source *source, ck_error *err);

#endif
