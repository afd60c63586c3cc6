/* decider.h - the policy and its hook by whose answer a run ended as it did, from its last events.
 */
#ifndef CK_HOST_EXPLAIN_DECIDER_H
#define CK_HOST_EXPLAIN_DECIDER_H

#include "core/host/inspect/inspect.h"

/* Zero-initialise. */
typedef struct ck_decider {
  char *policy;     /* several: "a, b"; NULL: no policy decided it */
  const char *hook; /* NULL likewise */
  bool failed;      /* the policy failed: it decided nothing */
} ck_decider;
void ck_decider_clear(ck_decider *self);

/* Of a run that has ended: paused, failed, waiting or in doubt. `text`: what its end said. */
CK_CHECKED ck_status ck_decider_find(ck_decider *out, const ck_inspection *of, const char *text,
                                     ck_error *err);
/* Of a resume that did not begin, and failed with `text`. */
CK_CHECKED ck_status ck_decider_find_resume(ck_decider *out, const ck_inspection *of,
                                            const char *text, ck_error *err);

#endif
