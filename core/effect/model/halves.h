/* halves.h - a character whose surrogate pair a stream has in two of its events: the first half
 * ends a text, the second one begins a text of the next event. */
#ifndef CK_EFFECT_MODEL_HALVES_H
#define CK_EFFECT_MODEL_HALVES_H

#include <stdbool.h>

#include "core/base/buffer.h"

/* Whether a text of the event ends with a first half. */
bool ck_halves_is_open(ck_bytes event);
/* Moves the half that ends a text of `before` to the second half that begins a text of `next`, into
 * `*joined` (the caller's, empty). False: `next` has none, and nothing has changed. */
bool ck_halves_join(ck_buffer *before, ck_buffer *joined, ck_bytes next);

#endif
