/* run_policies.h - the list of policies that a run of a session had, as it was recorded. */
#ifndef CK_HOST_EXPLAIN_RUN_POLICIES_H
#define CK_HOST_EXPLAIN_RUN_POLICIES_H

#include "core/host/inspect/inspect.h"

/* Zero but for `of`: nothing is read yet. */
typedef struct ck_run_policies {
  const ck_inspection *of;
  int64_t timeline; /* whose run's they are; 0: nobody's yet */
  ck_value *about;  /* NULL: it is not known what the run executed */
} ck_run_policies;
void ck_run_policies_clear(ck_run_policies *self);

/* The list of the run that the timeline belongs to, or, where a person acted at rest, of the last
 * run before, a JSON array of {name, version, …, agent?}; no
 * bytes: it is not recorded. Borrowed until the next call with another timeline. */
CK_CHECKED ck_status ck_run_policies_get(ck_bytes *out, ck_run_policies *self, int64_t timeline,
                                         ck_error *err);

#endif
