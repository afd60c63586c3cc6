/* timing.h - measures checkpoints, from the flow's yield to the acknowledgement that they are
 * durable. */
#ifndef CK_HOST_RUN_TIMING_H
#define CK_HOST_RUN_TIMING_H

#include "core/runtime/session/session.h"

enum { CK_TIMING_OPEN_MAX = 64, CK_TIMING_BOUND_COUNT = 11 };

/* Ascending; what took longer than the last one is in the count alone. */
extern const int64_t ck_timing_bounds_ms[CK_TIMING_BOUND_COUNT];

/* Zero-initialise; set session and clock. */
typedef struct ck_timing {
  ck_session *session;
  ck_clock clock;
  struct {
    uint64_t ticket;
    int64_t begun_us;
  } open[CK_TIMING_OPEN_MAX]; /* oldest first; beyond the maximum a checkpoint is not measured */
  size_t open_count;
  int64_t count, sum_us, max_us;
  int64_t within[CK_TIMING_BOUND_COUNT]; /* above the bound before, up to this one */
} ck_timing;

void ck_timing_begin(ck_timing *self, const ck_saved *saved);
/* Completes the measurements of those that are durable by now. */
void ck_timing_update(ck_timing *self);

#endif
