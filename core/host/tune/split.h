/* split.h - which sessions are held out: the seed and their ids alone determine it. */
#ifndef CK_HOST_TUNE_SPLIT_H
#define CK_HOST_TUNE_SPLIT_H

#include "core/runtime/simulation/recording.h"

/* Orders the recordings by chance; the first ones answered are held out, the nearest whole number
 * to the share `holdout` (from 0, below 1), with one left to tune by in any case. Both parts are
 * then in the order of their ids. */
CK_CHECKED ck_status ck_tune_split(size_t *held_out, ck_recording **list, size_t count,
                                   double holdout, uint64_t seed, ck_error *err);

#endif
