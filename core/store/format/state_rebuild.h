/* state_rebuild.h - the state as it is rebuilt from payloads: values that can be patched in
 * place. */
#ifndef CK_STORE_FORMAT_STATE_REBUILD_H
#define CK_STORE_FORMAT_STATE_REBUILD_H

#include "core/store/format/codec.h"

/* Starts as the empty state. Not thread-safe. */
typedef struct ck_state_rebuild ck_state_rebuild;

CK_CHECKED ck_status ck_state_rebuild_new(ck_state_rebuild **out, ck_error *err);
void ck_state_rebuild_free(ck_state_rebuild *self);

/* Applies all entries of a payload (a copy of `reader` is walked): a keyframe replaces everything.
 * After a failure `self` can only be freed. CK_E_TRUNCATED, CK_E_CORRUPT (a splice without its
 * predecessor), CK_E_OVERSIZE (the state outgrew twice CK_PLAIN_MAX). */
CK_CHECKED ck_status ck_state_rebuild_apply(ck_state_rebuild *self, const ck_codec_reader *reader,
                                            ck_error *err);
/* The same, but the values of the payload are borrowed: its bytes must outlive `self`. */
CK_CHECKED ck_status ck_state_rebuild_borrow(ck_state_rebuild *self, const ck_codec_reader *reader,
                                             ck_error *err);
/* Checks the hashes of all values whose last entry was a splice. (Values stored whole are covered
 * by the digest of their payload.) CK_E_CORRUPT names the key. */
CK_CHECKED ck_status ck_state_rebuild_check_splices(ck_state_rebuild *self, ck_error *err);
/* Checks that the state holds each change of the payload. CK_E_CORRUPT names the first key that
 * differs. */
CK_CHECKED ck_status ck_state_rebuild_check_changes(ck_state_rebuild *self,
                                                    const ck_codec_reader *reader, ck_error *err);
/* Checks that `self`, rebuilt from the keyframe that `reader` reads, is the state `parent` with the
 * payload's changes. CK_E_CORRUPT. */
CK_CHECKED ck_status ck_state_rebuild_check_keyframe(const ck_state_rebuild *self,
                                                     const ck_state_rebuild *parent,
                                                     const ck_codec_reader *reader, ck_error *err);

/* False when the key is absent. Borrowed until the next apply. */
bool ck_state_rebuild_get(ck_bytes *out, const ck_state_rebuild *self, ck_bytes key);
/* A copy as a state of shared values. */
CK_CHECKED ck_status ck_state_rebuild_get_state(ck_state **out, const ck_state_rebuild *self,
                                                ck_error *err);

#endif
