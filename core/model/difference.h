/* difference.h - the differences of two JSON values: additions, removals and replacements by
 * path. */
#ifndef CK_MODEL_DIFFERENCE_H
#define CK_MODEL_DIFFERENCE_H

#include "core/base/json.h"

typedef enum { CK_DIFFERENCE_ADD, CK_DIFFERENCE_REMOVE, CK_DIFFERENCE_REPLACE } ck_difference_kind;
const char *ck_difference_name(
    ck_difference_kind kind); /* "add", "remove", "replace": the operations of RFC 6902 */

/* One difference; borrowed for the visit. */
typedef struct ck_difference {
  ck_difference_kind kind;
  ck_bytes path; /* a JSON pointer (RFC 6901); no bytes: the whole value */
  ck_bytes old;  /* no bytes when it was added */
  ck_bytes now;  /* no bytes when it was removed */
} ck_difference;
typedef bool (*ck_difference_visit)(void *to, const ck_difference *one); /* false stops */

/* Both are values that ck_json_check accepted. The differences, applied one after the other as RFC
 * 6902 has it, make `from` into `to`. Members are compared by name, in the order of their names'
 * bytes; of arrays the common beginning and end are skipped, the elements between are compared by
 * index, and the remaining ones are added or removed after them. Values that differ only in the
 * order of members, in spaces or in escapes are equal; numbers are equal when they are written
 * identically. */
CK_CHECKED ck_status ck_difference_find(ck_bytes from, ck_bytes to, ck_difference_visit visit,
                                        void *visitor, ck_error *err);

#endif
