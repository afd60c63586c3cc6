/* rerun_hooks.h - another policy, or those of a profile, are asked about a session again: how many
 * of its answers would be others, hook by hook. */
#ifndef CK_HOST_EXPLAIN_RERUN_HOOKS_H
#define CK_HOST_EXPLAIN_RERUN_HOOKS_H

#include "core/host/explain/rerun.h"

/* Notices: of the boundaries, of which `asked` and `differing` are known, and of each other hook
 * with answers that would be others, with the command that lists them. A policy alone is asked for
 * the hooks that it has, a profile for all. */
CK_CHECKED ck_status ck_rerun_hooks_tell(ck_output *output, const ck_inspection *of,
                                         const char *policy, size_t asked, size_t differing,
                                         ck_error *err);

#endif
