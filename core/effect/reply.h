/* reply.h - outcomes that are known at once, delivered from the loop as a driver must. */
#ifndef CK_EFFECT_REPLY_H
#define CK_EFFECT_REPLY_H

#include "core/effect/loop.h"
#include "core/model/driver.h"

/* The outcomes on their way. Set `loop`, zero-initialise the rest. */
typedef struct ck_replies {
  ck_loop *loop;
  ck_effect_run *first;
} ck_replies;

/* Takes `outcome`, also on failure. */
CK_CHECKED ck_status ck_reply(ck_effect_run **out, ck_replies *self, ck_outcome *outcome,
                              ck_effect_sink *sink, ck_error *err);
/* An outcome FAILED with the status and text of `error`. */
CK_CHECKED ck_status ck_reply_failed(ck_effect_run **out, ck_replies *self, const ck_error *error,
                                     ck_effect_sink *sink, ck_error *err);
/* Drops the outcomes on their way. */
void ck_replies_clear(ck_replies *self);

#endif
