/* stand.h - tells where a session stands after a person went back in it. */
#ifndef CK_HOST_INSPECT_STAND_H
#define CK_HOST_INSPECT_STAND_H

#include "core/host/errand.h"
#include "core/runtime/history/hand.h"

/* Of a rewind or an undo: from where it goes on, who was told a report, what was left, and how to go on. */
CK_CHECKED ck_status ck_stand_print(const ck_errand *errand, const ck_hand_result *now, ck_error *err);

#endif
