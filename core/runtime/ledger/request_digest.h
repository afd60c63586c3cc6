/* request_digest.h - the digest of what is asked, which tells a request from another one.
 *
 * One letter, then 31 hex digits of BLAKE2b-256 over the redacted request and, for a model, the
 * conversation, with fingerprints of placeholders as zeros: no other key, host or store makes a
 * request another one. 'm': something in it is masked, 'u': nothing is. Earlier versions wrote
 * 32 hex digits, with fingerprints; nothing else was different. 's': a secret was taken out of it
 * afterwards (core/runtime/history/scrub.h); only the request that its intent has now is compared,
 * for what the whole was digested from is not there any more. */
#ifndef CK_RUNTIME_LEDGER_REQUEST_DIGEST_H
#define CK_RUNTIME_LEDGER_REQUEST_DIGEST_H

#include "core/model/effect.h"
#include "core/model/value.h"

enum { CK_REQUEST_DIGEST_SIZE = 33 }; /* with a NUL */

/* `request` is redacted. */
void ck_request_digest(char out[CK_REQUEST_DIGEST_SIZE], const ck_effect *effect, ck_bytes request);

/* Whether `digest`, of `effect`, stands for the same request as one that was recorded. Where an
 * earlier version recorded one that is masked, or it was scrubbed, its intent's request (NULL: not
 * known, then it is another one) is compared, and the masked conversation taken for the same. */
bool ck_request_digest_is_of(const char *digest, const ck_effect *effect, const char *recorded,
                             const ck_value *intent);
/* Of a request that was scrubbed, whose digest cannot be made again. */
void ck_request_digest_scrub(char out[CK_REQUEST_DIGEST_SIZE], ck_bytes request);
bool ck_request_digest_is_scrubbed(ck_bytes digest);
/* The two do not tell: an earlier version recorded the one, and the other is masked; or it was
 * scrubbed. */
bool ck_request_digest_is_open(const char *digest, ck_bytes recorded);
bool ck_request_digest_equal(ck_bytes a, ck_bytes b);

#endif
