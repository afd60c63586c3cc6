/* mark.h - marks by which a process is recognised as a descendant of a run's programs, also when
 * none of its ancestors lives any more.
 *
 * Two marks are inherited through fork and exec. The environment: CKRUN_RUN, this run's id behind
 * those of the runs that it is a program of, joined by ':'; and CKRUN_SESSION, for programs to
 * read. And the soft limit of RLIMIT_RSS, which Linux keeps and does not apply (setrlimit(2)): a
 * number above 2^61 made of the run's id. It stays when a program clears its environment, and is
 * readable for a process whose memory is not.
 *
 * A run that is itself a program of runs has its own limit and shows no environment: it listens on
 * a Unix socket in the abstract namespace for each run above it, and whoever connects is told its
 * pid by the kernel (SO_PEERCRED in unix(7)). Not seen from another network namespace.
 *
 * Whether a run lives is visible, too: its process holds a Unix socket with the run's name in the
 * abstract namespace. A copied store has the same runs; a run that is alive in one copy is not dead
 * in the other. */
#ifndef CK_EFFECT_PROCESS_MARK_H
#define CK_EFFECT_PROCESS_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/buffer.h"

/* Marks every process that this process starts from now on; the run lives until this process ends.
 * Changes this process's environment: call it before other threads read it. */
CK_CHECKED ck_status ck_mark_set(const char *session, const char *run, ck_error *err);

/* The runs to look for. */
typedef struct ck_mark_list {
  const char **runs; /* NULL-terminated; the names are borrowed */
  uint64_t *numbers; /* the limit of each */
  ck_buffer nested;  /* runs below them, of this user; mark.c knows their form */
} ck_mark_list;
/* Keeps those of `runs` (NULL-terminated) that do not live. Clear it also after a failure. */
CK_CHECKED ck_status ck_mark_list_make(ck_mark_list *out, const char *const *runs, ck_error *err);
void ck_mark_list_clear(ck_mark_list *self);
/* Looks for runs below these ones, as there are now; before the first ck_mark_find, and whenever
 * others may have begun. */
CK_CHECKED ck_status ck_mark_list_find_nested(ck_mark_list *self, ck_error *err);

/* True when the process bears a mark of one of the runs; false for a process that is gone, or shows
 * neither mark. */
CK_CHECKED ck_status ck_mark_find(bool *out, const ck_mark_list *self, pid_t pid, ck_error *err);

#endif
