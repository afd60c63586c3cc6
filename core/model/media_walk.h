/* media_walk.h - a value with its images and files replaced, at any depth. For media_take.c and
 * media_form.c only. */
#ifndef CK_MODEL_MEDIA_WALK_H
#define CK_MODEL_MEDIA_WALK_H

#include "core/model/media.h"

typedef struct ck_media_walk {
  const char *mark; /* values without this text have none; most values have not */
  bool (*wants)(const ck_media *media);
  CK_CHECKED ck_status (*put)(struct ck_media_walk *self, const ck_media *media, ck_bytes part,
                              ck_error *err); /* writes to `w` */
  void *to;
  ck_json_writer w;
  bool changed;
} ck_media_walk;

/* `whole` itself, shared, when it has none that is wanted. */
CK_CHECKED ck_status ck_media_rewrite(ck_value **out, ck_media_walk *self, const ck_value *whole,
                                      ck_error *err);

#endif
