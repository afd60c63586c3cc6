/* timer.h - a call that is made later on the loop, each time the timer is set. */
#ifndef CK_EFFECT_HTTP_TIMER_H
#define CK_EFFECT_HTTP_TIMER_H

#include <stdint.h>

#include "core/effect/loop.h"

typedef struct ck_http_timer ck_http_timer;

CK_CHECKED ck_status ck_http_timer_new(ck_http_timer **out, ck_loop *loop, void (*due)(void *to),
                                       void *to, ck_error *err);
/* Calls `due` once, `ms` from now; replaces an earlier setting. */
void ck_http_timer_set(ck_http_timer *self, int64_t ms);
void ck_http_timer_stop(ck_http_timer *self);
/* Withdraws the call; also from within `due`. */
void ck_http_timer_free(ck_http_timer *self);

#endif
