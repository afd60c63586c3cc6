/* scrub_body.h - what a scrub leaves of the body of an event: a secret is masked, what ckrun itself
 * works with stays, and digests of requests are made again. Private to core/runtime/history. */
#ifndef CK_RUNTIME_HISTORY_SCRUB_BODY_H
#define CK_RUNTIME_HISTORY_SCRUB_BODY_H

#include "core/base/map.h"
#include "core/redact/redact.h"
#include "core/runtime/ledger/request_digest.h"

/* From a digest of a request as it was to what stands for it. */
typedef struct ck_digest_change {
  char before[CK_REQUEST_DIGEST_SIZE], after[CK_REQUEST_DIGEST_SIZE];
} ck_digest_change;

/* Of sessions that are related; zero-initialise. */
typedef struct ck_scrub_bodies {
  ck_redactor *redactor;
  bool touched; /* an event has changed: what models were told behind it was other words */
  ck_map digests;
  bool kept;       /* of the last one: a member stayed that holds the secret */
  bool of_request; /* of the present one: it has digests of requests */
} ck_scrub_bodies;
void ck_scrub_bodies_clear(ck_scrub_bodies *self);

/* *out: `body` itself, shared, when nothing of it changes. In the order of the events. */
CK_CHECKED ck_status ck_scrub_body(ck_value **out, ck_scrub_bodies *self, ck_event_kind kind,
                                   const ck_value *body, ck_error *err);

#endif
