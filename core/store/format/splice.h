/* splice.h - the common prefix and suffix of a value and its predecessor, found at the speed of
 * memcmp. */
#ifndef CK_STORE_FORMAT_SPLICE_H
#define CK_STORE_FORMAT_SPLICE_H

#include "core/base/digest.h"

/* The new value is: `prefix` bytes of the old one, new bytes, `suffix` last bytes of the old
 * one. */
typedef struct ck_splice {
  size_t prefix, suffix; /* prefix + suffix <= the shorter of both */
} ck_splice;

/* The longest common prefix, then the longest common suffix of the rest. */
ck_splice ck_splice_get(ck_bytes old, ck_bytes new);
/* True when storing it saves enough to be worth a patch at each load. */
bool ck_splice_pays(ck_splice self, ck_bytes new);

/* A content hash that was stopped shortly before the end of a value, so that the value with
 * something appended costs only what was appended. */
typedef struct ck_splice_memo ck_splice_memo;
enum {
  CK_SPLICE_MEMO_FROM = 16384
}; /* bytes; shorter values are hashed as a whole, because a memo costs memory */
/* NULL without memory. */
ck_splice_memo *ck_splice_memo_new(void);
void ck_splice_memo_free(ck_splice_memo *self);

/* BLAKE2b-256 of `value`, whose first `same` bytes are those of the previous value given to `memo`.
 * `memo` may be NULL, and must be given every value of its key. */
ck_digest ck_splice_digest(ck_splice_memo *memo, ck_bytes value, size_t same);

#endif
