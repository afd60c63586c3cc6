/* claim.h - resume --queued: a worker takes a session out of the queue as whoever put it there
 * meant it to run. */
#ifndef CK_HOST_RUN_CLAIM_H
#define CK_HOST_RUN_CLAIM_H

#include "core/host/run/signed_flow.h"
#include "core/store/store.h"

/* What its last run was given for itself, for the next one. Zero-initialise. */
typedef struct ck_claim {
  uint64_t epoch;             /* of the session as it was found due */
  ck_session_status status;   /* so */
  ck_value *mark;             /* of the queue, see queued.h */
  ck_value *signature;        /* of its flow, for the record; NULL */
  char *profile;              /* in the place of the session's; NULL */
  ck_settings_words settings; /* the lists and their texts are owned */
  /* It is run from the store: `flow` is what a trusted key has signed; its tools run in
   * `directory`, a recording that lies in the worker's folders answers it. */
  bool is_signed;
  ck_signed_flow flow;
  char *directory, *cassette; /* cassette NULL: none */
} ck_claim;
void ck_claim_clear(ck_claim *self);

/* What a worker may run; neither: anything. A flow that is signed by a key of `trusted`
 * (flow_trust.h), or one in `folders`: there the flow, the profile, policies that are files, the
 * recording and the working folder must lie, for whoever can write the store names them. */
typedef struct ck_claim_limits {
  const ck_words *folders, *trusted;
} ck_claim_limits;

/* CK_E_REFUSED: the session is not queued or not due, it may not be run, or the value of an option
 * is masked where it is stored. CK_E_NOT_FOUND; CK_E_USAGE: no such folder; what
 * ck_flow_trust_read and ck_signed_flow_open answer. */
CK_CHECKED ck_status ck_claim_read(ck_claim *out, ck_store *store, const char *session,
                                   const ck_claim_limits *limits, ck_error *err);

#endif
