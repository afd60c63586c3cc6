/* signed_flow.h - a flow that travels with its signature: signed where it is written, compared
 * where it is submitted, checked and taken out of the store where a worker runs it.
 *
 * Kept with each run: "signed": {"statement": TEXT, "signature": BASE64}. The signature is that of
 * Ed25519 over the bytes of the statement (flow_statement.h). A worker takes the names of files,
 * their digests, the profile, policies and options from the statement alone: what the store says of
 * them decides nothing. */
#ifndef CK_HOST_RUN_SIGNED_FLOW_H
#define CK_HOST_RUN_SIGNED_FLOW_H

#include "core/base/clock.h"
#include "core/base/signature.h"
#include "core/host/run/flow_statement.h"
#include "core/host/session/flow_trust.h"
#include "core/store/store.h"

/* Signs what was loaded. *digest: of the statement, by which it can be revoked. */
typedef struct ck_flow_signing {
  const ck_signing_key *key;
  int64_t signed_ms, expires_ms; /* wall time; expires_ms 0: never */
} ck_flow_signing;
CK_CHECKED ck_status ck_signed_flow_make(ck_value **out, ck_digest *digest,
                                         const ck_flow_parts *parts, const ck_flow_signing *with,
                                         ck_error *err);

/* The signature in `file`, when it is of what was loaded. CK_E_REFUSED: it is of something else;
 * CK_E_PARSE; CK_E_NOT_FOUND. Whose it is, its worker asks. */
CK_CHECKED ck_status ck_signed_flow_read(ck_value **out, const char *file,
                                         const ck_flow_parts *parts, ck_error *err);

/* The same of the member "signed" of an earlier run: NULL in *out when it is of something else. */
CK_CHECKED ck_status ck_signed_flow_keep(ck_value **out, ck_bytes is, const ck_flow_parts *parts,
                                         ck_error *err);

/* What a worker runs of it, its names below a folder of the worker's. Zero-initialise. */
typedef struct ck_signed_flow {
  ck_scripts scripts;         /* closed: nothing else can be had */
  char *flow, *profile;       /* profile NULL: the default one */
  ck_settings_words settings; /* the lists and their texts are owned */
} ck_signed_flow;
void ck_signed_flow_clear(ck_signed_flow *self);

/* Of the member "signed" of a run. CK_E_REFUSED: no key of `trust` signed it, it is revoked or has
 * expired. CK_E_NOT_FOUND, CK_E_CORRUPT: the store has not kept a file, or another one. */
typedef struct ck_signed_place {
  ck_store *store;
  const ck_flow_trust *trust;
  const char *folder; /* absolute */
  int64_t now_ms;     /* wall time */
} ck_signed_place;
CK_CHECKED ck_status ck_signed_flow_open(ck_signed_flow *out, ck_bytes is,
                                         const ck_signed_place *at, ck_error *err);

#endif
