/* exported_media.h - images and files of what is exported. */
#ifndef CK_HOST_INSPECT_EXPORTED_MEDIA_H
#define CK_HOST_INSPECT_EXPORTED_MEDIA_H

#include "core/model/media_form.h"
#include "core/store/store.h"

/* Replaces what `text`, a JSON document or one a line, refers to by the bytes that the store keeps:
 * whoever reads it has not got that store. */
CK_CHECKED ck_status ck_exported_media_put(ck_buffer *text, ck_store *store, ck_media_form form,
                                           ck_error *err);

#endif
