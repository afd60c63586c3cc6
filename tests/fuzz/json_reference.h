/* json_reference.h - a second reader of JSON, as plain as it can be, for comparison. */
#ifndef CK_TESTS_FUZZ_JSON_REFERENCE_H
#define CK_TESTS_FUZZ_JSON_REFERENCE_H

#include "core/base/buffer.h"

/* Whether `text` is JSON by the rules of core/base/json.h. */
bool json_reference_takes(ck_bytes text);

#endif
