/* ids.h - which ids of tool calls can be sent as they came: providers refuse those that are absent,
 * malformed or not unique, and not every server gives others. For model*.c only. */
#ifndef CK_EFFECT_MODEL_IDS_H
#define CK_EFFECT_MODEL_IDS_H

#include "core/effect/model/turns.h"

/* Those that were seen. Zero-initialise. */
typedef struct ck_model_ids {
  ck_bytes *slots;
  size_t count, cap;
  bool failed;
} ck_model_ids;
void ck_model_ids_clear(ck_model_ids *self);

/* Takes the ids that cannot be sent from the calls of a message, which get one made of their place
 * instead. OpenAI's must be unique in their message, Anthropic's in the whole conversation; none of
 * these looks like one that is made. */
void ck_model_ids_sift(ck_model_ids *self, ck_model_call *calls, size_t count,
                       ck_model_shape shape);

#endif
