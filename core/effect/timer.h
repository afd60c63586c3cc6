/* timer.h - a call that is made later on the loop, each time the timer is set. */
#ifndef CK_EFFECT_TIMER_H
#define CK_EFFECT_TIMER_H

#include <stdint.h>

#include "core/effect/loop.h"

typedef struct ck_timer ck_timer;

CK_CHECKED ck_status ck_timer_new(ck_timer **out, ck_loop *loop, void (*due)(void *to), void *to,
                                  ck_error *err);
/* Calls `due` once, `ms` from now; replaces an earlier setting. */
void ck_timer_set(ck_timer *self, int64_t ms);
void ck_timer_stop(ck_timer *self);
/* Withdraws the call; also from within `due`. */
void ck_timer_free(ck_timer *self);

#endif
