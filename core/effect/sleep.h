/* sleep.h - the driver of sleeps, which continue after a restart.
 *
 * Request {ms}. It ends when the wall clock reaches effect->begun_ms + ms (begun_ms 0: it begins
 * now), and never later than ms from this start, however the clock is set. After a suspend of the
 * machine it ends within 30 s of the machine's resume. */
#ifndef CK_EFFECT_SLEEP_H
#define CK_EFFECT_SLEEP_H

#include "core/base/clock.h"
#include "core/effect/loop.h"
#include "core/model/driver.h"

/* A driver named "sleep". A cancelled sleep is FAILED with CK_E_INTERRUPTED at once. Borrows
 * `loop`. */
CK_CHECKED ck_status ck_sleep_driver_new(ck_effect_driver **out, ck_loop *loop, ck_clock clock,
                                         ck_error *err);

#endif
