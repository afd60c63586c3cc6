/* read.h - the driver of reads of the clock, of randomness and of files.
 *
 * Request {what: "clock"}: the wall time in ms since 1970. {what: "random"}: a whole number below
 * 2^53, each equally likely, from the kernel. {what: "file", path}: a part of a message, see
 * core/model/media.h: an image or a PDF, whatever its name; of any other file of UTF-8 a text,
 * {type: "text", text}. The outcome is recorded like any other, so that a
 * flow reads the same again after a crash. */
#ifndef CK_EFFECT_READ_H
#define CK_EFFECT_READ_H

#include "core/base/clock.h"
#include "core/effect/loop.h"
#include "core/model/driver.h"

/* A driver named "read". Borrows `loop` and `directory`, from which paths lead; NULL: this
 * process's. */
CK_CHECKED ck_status ck_read_driver_new(ck_effect_driver **out, ck_loop *loop, ck_clock clock,
                                        const char *directory, ck_error *err);

#endif
