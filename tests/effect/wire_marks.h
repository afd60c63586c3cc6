/* wire_marks.h - the rules of Anthropic's messages API for marks of its cache. */
#ifndef CK_TESTS_EFFECT_WIRE_MARKS_H
#define CK_TESTS_EFFECT_WIRE_MARKS_H

#include "core/base/buffer.h"

/* At most four, each as it must be, and where one may stand. NULL: all is well; else what the
 * provider would refuse. `*count`: how many there are, at the end of the request or of a part. */
const char *wire_marks_check(size_t *count, ck_bytes body);

#endif
