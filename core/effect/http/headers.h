/* headers.h - the headers of one request, secrets among them: read for it, and wiped. */
#ifndef CK_EFFECT_HTTP_HEADERS_H
#define CK_EFFECT_HTTP_HEADERS_H

#include "core/base/buffer.h"
#include "core/effect/http/http.h"

/* Zero-initialise; ck_http_headers_init, ck_http_headers_clear. */
typedef struct ck_http_headers {
  ck_http_header *list;
  size_t count;
  ck_buffer *secrets; /* as many as there is room for headers */
} ck_http_headers;

/* With room for `room` headers; no more may be put. */
CK_CHECKED ck_status ck_http_headers_init(ck_http_headers *out, size_t room, ck_error *err);
/* Texts are borrowed. */
void ck_http_headers_put(ck_http_headers *self, const char *name, const char *value);
/* The value is `prefix` and `secret`, which is copied once. */
CK_CHECKED ck_status ck_http_headers_put_secret(ck_http_headers *self, const char *name,
                                                const char *prefix, ck_bytes secret, ck_error *err);
/* Wipes the secrets. */
void ck_http_headers_clear(ck_http_headers *self);

#endif
