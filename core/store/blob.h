/* blob.h - bytes that are kept once, by their content: the texts of the flows, profiles and
 * policies that sessions ran, the images and files of their messages. */
#ifndef CK_STORE_BLOB_H
#define CK_STORE_BLOB_H

#include "core/base/digest.h"
#include "core/store/store.h"

/* Borrowed. */
typedef struct ck_blob {
  const char *kind; /* what it is, for people: "flow", "profile", "policy", "image", "file" */
  ck_bytes bytes;
} ck_blob;

/* False: the backend keeps none. */
bool ck_store_keeps_blobs(const ck_store *self);
/* Keeps each for as long as the leased session, or another one that needs it, is there; what is
 * kept already is not written again. One transaction, process-durable. CK_E_FENCED; CK_E_OVERSIZE;
 * CK_E_UNSUPPORTED: the backend keeps none. */
CK_CHECKED ck_status ck_store_put_blobs(ck_store *self, ck_lease lease, const ck_blob *list,
                                        size_t count, ck_error *err);
/* Appends the bytes with that digest to `out`. CK_E_NOT_FOUND; CK_E_CORRUPT, CK_E_WRONG_KEY: what
 * is kept under it is something else; CK_E_UNSUPPORTED. The text does not name the file. */
CK_CHECKED ck_status ck_store_get_blob(ck_buffer *out, ck_store *self, const ck_digest *digest,
                                       ck_error *err);

#endif
