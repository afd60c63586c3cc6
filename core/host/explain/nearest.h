/* nearest.h - refuses to explain an event that policies decided nothing about. */
#ifndef CK_HOST_EXPLAIN_NEAREST_H
#define CK_HOST_EXPLAIN_NEAREST_H

#include "core/host/inspect/inspect.h"

/* CK_E_NOT_FOUND: there is no event `seq`, or it is none of that sort; the boundaries nearest to it
 * are named. Never CK_OK. */
CK_CHECKED ck_status ck_nearest_refuse(const ck_inspection *of, int64_t seq, ck_error *err);

#endif
