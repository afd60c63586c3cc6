/* unsaved.h - how saving gets on. */
#ifndef CK_RUNTIME_COMMIT_UNSAVED_H
#define CK_RUNTIME_COMMIT_UNSAVED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

typedef struct ck_saving {
  bool failing;
  int64_t checkpoints, events; /* waiting to be saved */
  int64_t since_us;            /* when the first of them was queued; 0: none waits */
  int64_t times, late; /* so far: how often saving began to fail, how many checkpoints came late */
  char cause[CK_ERROR_TEXT_MAX]; /* of the last failure; "" */
} ck_saving;

#endif
