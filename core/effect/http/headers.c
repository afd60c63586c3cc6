/* headers.c - lists headers, and leaves no copy of a secret behind. */
#include "core/effect/http/headers.h"

#include <stdlib.h>
#include <string.h>

ck_status ck_http_headers_init(ck_http_headers *out, size_t room, ck_error *err) {
  *out = (ck_http_headers){.list = calloc(room + 1, sizeof *out->list),
                           .secrets = calloc(room + 1, sizeof *out->secrets)};
  return out->list && out->secrets ? CK_OK : ck_error_no_memory(err);
}

void ck_http_headers_clear(ck_http_headers *self) {
  for (size_t i = 0; self->secrets && i < self->count; i++) {
    if (self->secrets[i].data) explicit_bzero(self->secrets[i].data, self->secrets[i].cap);
    ck_buffer_clear(&self->secrets[i]);
  }
  free(self->secrets);
  free(self->list);
  *self = (ck_http_headers){0};
}

void ck_http_headers_put(ck_http_headers *self, const char *name, const char *value) {
  self->list[self->count++] = (ck_http_header){name, value};
}

/* All memory is taken first: a buffer that grows leaves a copy behind. */
static ck_status join(ck_buffer *out, const char *prefix, ck_bytes secret, ck_error *err) {
  size_t before = strlen(prefix);
  char *room = ck_buffer_extend(out, before + secret.len);
  if (!room) return ck_error_no_memory(err);
  memcpy(room, prefix, before);
  if (secret.len) memcpy(room + before, secret.data, secret.len);
  return CK_OK;
}

ck_status ck_http_headers_put_secret(ck_http_headers *self, const char *name, const char *prefix,
                                     ck_bytes secret, ck_error *err) {
  ck_buffer *value = &self->secrets[self->count];
  ck_status status = join(value, prefix, secret, err);
  if (status == CK_OK) ck_http_headers_put(self, name, value->data);
  return status;
}
