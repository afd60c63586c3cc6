/* duration.h - an option's span of time, "250ms" or "2h", as milliseconds. */
#ifndef CK_HOST_CLI_DURATION_H
#define CK_HOST_CLI_DURATION_H

#include <stdint.h>

#include "core/base/error.h"

/* "250ms", "10s", "2m", "1h"; a plain number is seconds. `given` NULL: `*ms` is left as it is.
 * CK_E_USAGE names `what`; at most a year. */
CK_CHECKED ck_status ck_duration_take(int64_t *ms, const char *what, const char *given,
                                      ck_error *err);

#endif
