/* mark.h - how a process is known to descend from a run's programs, also when nobody above it lives
 * any more.
 *
 * Two marks are handed down by fork and exec. The environment: CKRUN_RUN, this run's id behind
 * those of the runs that it is a program of, joined by ':'; and CKRUN_SESSION, for programs to
 * read. And the soft limit of RLIMIT_RSS, which Linux keeps and does not apply (setrlimit(2)): a
 * number above 2^61 made of the run's id. It stays when a program clears its environment, and can
 * be read of a process that lets nobody look into it.
 *
 * Whether a run lives can be seen, too: its process holds a Unix socket of its name in the abstract
 * namespace. A store that was copied has the same runs; what is alive in one of them is not dead in
 * the other. */
#ifndef CK_EFFECT_PROCESS_MARK_H
#define CK_EFFECT_PROCESS_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/error.h"

/* What this process starts from now on is marked, and the run lives until the process ends. Changes
 * this process's environment: before another thread looks at it. */
CK_CHECKED ck_status ck_mark_set(const char *session, const char *run, ck_error *err);

/* Runs to look for. */
typedef struct ck_mark_list {
  const char **runs; /* NULL-terminated; the names are borrowed */
  uint64_t *numbers; /* the limit of each */
} ck_mark_list;
/* Those of `runs` (NULL-terminated) that do not live. Clear it also after a failure. */
CK_CHECKED ck_status ck_mark_list_make(ck_mark_list *out, const char *const *runs, ck_error *err);
void ck_mark_list_clear(ck_mark_list *self);

/* Whether the process bears a mark of one of the runs. One that is gone, or shows neither mark,
 * does not. */
CK_CHECKED ck_status ck_mark_find(bool *out, const ck_mark_list *self, pid_t pid, ck_error *err);

#endif
