/* active.h - the time that runs were at work behind a session's latest checkpoint: nothing else
 * tells it of one that was killed. */
#ifndef CK_RUNTIME_BUDGET_ACTIVE_H
#define CK_RUNTIME_BUDGET_ACTIVE_H

#include "core/model/checkpoint.h"
#include "core/model/event.h"

/* Begin with ck_active_begin, then give it all events behind the checkpoint, ascending. */
typedef struct ck_active {
  int64_t timeline, at_ms; /* of the last event at which the run is known to have been at work */
  bool rests;              /* the timeline's run has ended: what follows a person did */
  int64_t us;              /* so far */
} ck_active;
/* `latest` NULL: there is no checkpoint. */
void ck_active_begin(ck_active *self, const ck_checkpoint_info *latest);
void ck_active_take(ck_active *self, const ck_event *event);

#endif
