/* drive.h - takes one effect at a time through a driver, as the runtime would. */
#ifndef CK_TESTS_EFFECT_DRIVE_H
#define CK_TESTS_EFFECT_DRIVE_H

#include "core/base/buffer.h"
#include "core/effect/loop.h"
#include "core/model/driver.h"

typedef struct drive {
  ck_effect_sink sink; /* first: the sink is the drive */
  ck_loop *loop;
  ck_outcome *outcome; /* of the last effect; owned */
  int delivered;       /* calls of done since drive_begin */
  int updates;         /* likewise of update */
  ck_buffer update;    /* the last one */
  bool inside;         /* start or probe is running */
  bool too_early;      /* done was called during that */
} drive;

void drive_init(drive *self, ck_loop *loop);
void drive_clear(drive *self);
/* Starts (or probes) without waiting. */
ck_status drive_begin(ck_effect_run **out, drive *self, const ck_effect_driver *driver,
                      const ck_effect *effect, bool probe);
/* Runs the loop until done was called. */
void drive_wait(drive *self);
/* Both; the outcome is borrowed until the next effect. Ends the test when the driver refuses. */
const ck_outcome *drive_effect(drive *self, const ck_effect_driver *driver, const ck_effect *effect,
                               bool probe);

#endif
