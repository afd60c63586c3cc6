/* ask.h - the driver of questions to a person.
 *
 * Request {question?, options?: [TEXT, …]}. With an asker the person's answer is the result, a JSON
 * string. Without one, or when no person answers, the outcome is FAILED with CK_E_WAITING and the
 * question as its error: the session waits, and the answer can come from elsewhere. */
#ifndef CK_EFFECT_ASK_H
#define CK_EFFECT_ASK_H

#include "core/effect/asker.h"
#include "core/effect/loop.h"
#include "core/model/driver.h"

/* A driver named "ask"; recordings come before it in the list. Borrows `loop`, and `asker` (NULL:
 * no person is present), which is freed after the driver. */
CK_CHECKED ck_status ck_ask_driver_new(ck_effect_driver **out, ck_loop *loop, ck_asker *asker,
                                       ck_error *err);

#endif
