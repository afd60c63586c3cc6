/* media.h - the images and files of messages and results: their bytes go into the store before the
 * event that refers to them. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_MEDIA_H
#define CK_RUNTIME_SESSION_MEDIA_H

#include "core/model/media.h"
#include "core/store/blob.h"

typedef struct ck_session ck_session;

/* As ck_media_take; what was taken is kept for the session when this returns, so that an event that
 * refers to it finds it after any crash. In a store that keeps nothing it stays in line. */
CK_CHECKED ck_status ck_session_take_media(ck_value **out, ck_session *self, const ck_value *whole,
                                           ck_error *err);
/* The list as blobs, malloc'd, which borrow from it. */
CK_CHECKED ck_status ck_media_blobs(ck_blob **out, const ck_media_list *list, ck_error *err);

#endif
