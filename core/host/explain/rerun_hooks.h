/* rerun_hooks.h - another policy, or those of a profile, are asked about a session again, hook by
 * hook: what they would answer otherwise than was recorded. */
#ifndef CK_HOST_EXPLAIN_RERUN_HOOKS_H
#define CK_HOST_EXPLAIN_RERUN_HOOKS_H

#include "core/host/explain/rerun.h"
#include "core/host/print/table.h"

typedef struct ck_rerun_telling {
  ck_output *output;
  const ck_inspection *of;
  const char *policy;
  int64_t seq;             /* of the event that is asked about; 0: all */
  size_t asked, differing; /* boundaries; asked 0: there was no one to ask */
  ck_table *table;         /* gets the rows: eight columns */
  size_t shown;            /* answers that were told */
} ck_rerun_telling;

/* Each answer to a hook besides checkpoint that would be another, or was not recorded and is not
 * the neutral one: a row, with --json an object, of one event a sentence. Then notices: how many
 * boundaries and answers would be others, what would be masked, and the commands that list them. A
 * policy alone is asked for the hooks that it has, a profile for all. */
CK_CHECKED ck_status ck_rerun_hooks_tell(ck_rerun_telling *self, ck_error *err);

#endif
