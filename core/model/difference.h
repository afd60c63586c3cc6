/* difference.h - what makes one JSON value into another: additions, removals and replacements by
 * path. */
#ifndef CK_MODEL_DIFFERENCE_H
#define CK_MODEL_DIFFERENCE_H

#include "core/base/json.h"

typedef enum { CK_DIFFERENCE_ADD, CK_DIFFERENCE_REMOVE, CK_DIFFERENCE_REPLACE } ck_difference_kind;
const char *ck_difference_name(
    ck_difference_kind kind); /* "add", "remove", "replace": the operations of RFC 6902 */

/* One of them; borrowed for the visit. */
typedef struct ck_difference {
  ck_difference_kind kind;
  ck_bytes path; /* a JSON pointer (RFC 6901); no bytes: the whole value */
  ck_bytes old;  /* no bytes when it was added */
  ck_bytes now;  /* no bytes when it was removed */
} ck_difference;
typedef bool (*ck_difference_visit)(void *to, const ck_difference *one); /* false stops */

/* Both are values that ck_json_check accepted. The differences, applied one after the other as RFC
 * 6902 has it, make `from` into `to`. Members are compared by name, in the order of their names'
 * bytes; of arrays the common beginning and end are left alone, what lies between is compared by
 * index, and the rest is added or removed behind it. Two values that differ in the order of
 * members, spaces or escapes only are the same; numbers are the same when they are spelt the
 * same. */
CK_CHECKED ck_status ck_difference_find(ck_bytes from, ck_bytes to, ck_difference_visit visit,
                                        void *visitor, ck_error *err);

#endif
