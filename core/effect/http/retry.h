/* retry.h - whether and when a request is made again; pure functions of numbers. */
#ifndef CK_EFFECT_HTTP_RETRY_H
#define CK_EFFECT_HTTP_RETRY_H

#include "core/base/buffer.h"

enum { CK_RETRY_BASE_MS = 500, CK_RETRY_CAP_MS = 30000, CK_RETRY_AFTER_MAX_MS = 60000 };

/* Statuses that may be temporary: 408, 409, 429 and from 500 on. */
bool ck_retry_is_passing(int code);

/* The wait before retry `number` (from 1): uniform between 0 and base * 2^(number - 1), at most
 * CK_RETRY_CAP_MS ("full jitter", AWS Architecture Blog, 2015). `random`: any 64 bits. */
int64_t ck_retry_wait(int number, int64_t base_ms, uint64_t random);

/* The milliseconds in a Retry-After header (seconds, also with a fraction, or an HTTP date of RFC
 * 9110 5.6.7); -1 when it cannot be read. A date in the past is 0. */
int64_t ck_retry_after(ck_bytes value, int64_t now_wall_ms);
/* The same of a retry-after-ms header. */
int64_t ck_retry_after_ms(ck_bytes value);

#endif
