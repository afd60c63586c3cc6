/* ids.h - which ids of tool calls can be sent as received: providers refuse absent, malformed and
 * repeated ids, and not every server avoids them. For the files of this folder only. */
#ifndef CK_EFFECT_MODEL_IDS_H
#define CK_EFFECT_MODEL_IDS_H

#include "core/effect/model/turns.h"

/* The ids seen so far. Zero-initialise. */
typedef struct ck_model_ids {
  ck_bytes *slots;
  size_t count, cap;
  bool failed;
} ck_model_ids;
void ck_model_ids_clear(ck_model_ids *self);

/* Removes the ids that cannot be sent from the calls of a message; such a call gets an id made of
 * its position instead. Those of chat completions must be unique in their message, the others in
 * the whole conversation; an accepted id never looks like a made one. */
void ck_model_ids_sift(ck_model_ids *self, ck_model_call *calls, size_t count,
                       ck_model_shape shape);

#endif
