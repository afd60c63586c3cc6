/* media.h - images and files in messages: parts of a content whose bytes are kept by their digest.
 *
 * As it is stored, a part has no bytes of the image, but where they are:
 *
 *   {"type":"image"|"file","media_type":TEXT,"name"?:TEXT,"bytes":N,"digest":HEX}
 *
 * As they are given, parts have them in line, in any of these forms:
 *
 *   ckrun            {"type":"image"|"file","media_type"?,"name"?,"data":BASE64}
 *   MCP, ACP         {"type":"image","mimeType","data":BASE64}
 *   chat completions {"type":"image_url","image_url":{"url":"data:…","detail"?}}
 *                    {"type":"file","file":{"filename"?,"file_data":"data:…"}}
 *   messages         {"type":"image"|"document","source":{"type":"base64","media_type","data"}}
 *
 * or say where they are on the network: an address in image_url, or a source of type "url". */
#ifndef CK_MODEL_MEDIA_H
#define CK_MODEL_MEDIA_H

#include "core/base/digest.h"
#include "core/model/value.h"

enum { CK_MEDIA_BYTES_MAX = 32 << 20 }; /* of one image or file */

/* Spans of the part; no bytes: it does not say. */
typedef struct ck_media {
  bool is_file;           /* else an image */
  bool kept;              /* its bytes are kept, under `digest` */
  ck_digest digest;       /* of a kept one */
  int64_t bytes;          /* of a kept one */
  ck_bytes type;          /* a JSON string: "image/png" */
  ck_bytes name;          /* a JSON string, for people */
  ck_bytes data;          /* a JSON string: base64, or a URL with the scheme "data" */
  ck_bytes url;           /* a JSON string: an address elsewhere */
  ck_bytes detail, cache; /* a provider's: of chat completions, of messages */
} ck_media;

/* False: it is no image or file. */
bool ck_media_read(ck_media *out, ck_bytes part);
/* An array of parts, of which one is an image or a file, and all others have a text. */
bool ck_media_is_content(ck_bytes json);
/* What the bytes are, by how they begin: an image that models take, or a PDF. NULL: neither.
 * Static. */
const char *ck_media_sniff(ck_bytes bytes);
/* Appends the bytes of one that has them in line. CK_E_PARSE: they are no base64; CK_E_OVERSIZE. */
CK_CHECKED ck_status ck_media_decode(ck_buffer *out, const ck_media *self, ck_error *err);
/* "picture.png", or what it is: "an image", "a file". Appends. */
void ck_media_append_name(ck_buffer *out, const ck_media *self);
/* "[picture.png, image/png, 70 bytes]", in the place of the image. Appends. */
void ck_media_append_caption(ck_buffer *out, const ck_media *self);
/* The bytes of parts, which are to be kept. Zero-initialise. */
typedef struct ck_media_bytes {
  const char *kind; /* "image" or "file" */
  ck_digest digest;
  ck_buffer bytes;
} ck_media_bytes;
typedef struct ck_media_list {
  ck_media_bytes *list;
  size_t count, cap;
} ck_media_list;
void ck_media_list_clear(ck_media_list *self);

/* `whole` with each part that has its bytes in line, at any depth, in the form that is stored; what
 * it held is added to `taken`. `whole` itself, shared, when there is none. CK_E_PARSE: data that is
 * no base64; CK_E_OVERSIZE. */
CK_CHECKED ck_status ck_media_take(ck_value **out, ck_media_list *taken, const ck_value *whole,
                                   ck_error *err);

#endif
