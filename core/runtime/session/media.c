/* media.c - keeps the bytes of images and files, and leaves where they are in their place. */
#include "core/runtime/session/media.h"

#include <stdlib.h>

#include "core/runtime/session/session_private.h"

ck_status ck_media_blobs(ck_blob **out, const ck_media_list *list, ck_error *err) {
  size_t count = list ? list->count : 0;
  *out = calloc(count + 1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++)
    (*out)[i] = (ck_blob){list->list[i].kind, ck_buffer_bytes(&list->list[i].bytes)};
  return CK_OK;
}

static ck_status keep(ck_session *self, const ck_media_list *list, ck_error *err) {
  ck_blob *blobs;
  if (!list->count) return CK_OK;
  ck_status status = ck_media_blobs(&blobs, list, err);
  if (status != CK_OK) return status;
  status = ck_store_put_blobs(self->runtime->store, self->lease, blobs, list->count, err);
  free(blobs);
  return status;
}

ck_status ck_session_take_media(ck_value **out, ck_session *self, const ck_value *whole,
                                ck_error *err) {
  ck_media_list taken = {0};
  if (!ck_store_keeps_blobs(self->runtime->store)) {
    *out = ck_value_share(whole);
    return CK_OK;
  }
  ck_status status = ck_media_take(out, &taken, whole, err);
  if (status == CK_OK) status = keep(self, &taken, err);
  ck_media_list_clear(&taken);
  if (status == CK_OK) return CK_OK;
  ck_value_free(*out);
  *out = NULL;
  return status;
}
