/* flow_trust.h - whose signatures a worker takes: the public keys of its files of keys, and what
 * these take back. */
#ifndef CK_HOST_SESSION_FLOW_TRUST_H
#define CK_HOST_SESSION_FLOW_TRUST_H

#include "core/base/digest.h"
#include "core/base/signature.h"
#include "core/host/cli/command.h"

/* Zero-initialise. */
typedef struct ck_flow_trust {
  ck_public_key *keys;
  size_t key_count, key_cap;
  ck_digest *revoked;
  size_t revoked_count, revoked_cap;
} ck_flow_trust;
void ck_flow_trust_clear(ck_flow_trust *self);

/* Of each file: public keys in PEM; lines "revoked DIGEST", of a signed flow ('ckrun flow sign'
 * tells it) or of one file of such; empty lines, and lines that begin with '#'. CK_E_REFUSED:
 * others can write it, or replace it in its folder. CK_E_PARSE names file and line. CK_E_NOT_FOUND.
 */
CK_CHECKED ck_status ck_flow_trust_read(ck_flow_trust *self, const ck_words *files, ck_error *err);
bool ck_flow_trust_revokes(const ck_flow_trust *self, const ck_digest *digest);
/* Whether one of the keys made `signature` over `message`. */
bool ck_flow_trust_verify(const ck_flow_trust *self, ck_bytes message, ck_bytes signature);

#endif
