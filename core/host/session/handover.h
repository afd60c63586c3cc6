/* handover.h - starts this program again, and hands over what nobody else may see: in an anonymous
 * file, not in the argument list or the environment, which /proc shows. */
#ifndef CK_HOST_SESSION_HANDOVER_H
#define CK_HOST_SESSION_HANDOVER_H

#include <sys/types.h>

#include "core/base/buffer.h"

/* Its standard streams; -1: /dev/null. */
typedef struct ck_handover_streams {
  int in, out, error;
} ck_handover_streams;

/* Starts `argv`, in a process group of its own, with all variables of this process. `hidden`
 * (texts, each with its NUL) become arguments in front of the "--" of `argv`. No signal is blocked
 * or ignored that this process blocks. It gets a SIGTERM when the calling thread ends, by
 * whatever. */
CK_CHECKED ck_status ck_handover_start(pid_t *out, char *const *argv, ck_bytes hidden,
                                       ck_handover_streams streams, ck_error *err);

/* In the program that was started so: its variables and arguments. Changes nothing in another.
 * The lists live until the program ends. CK_E_USAGE: CKRUN_HANDOVER names no such file. */
CK_CHECKED ck_status ck_handover_take(int *argc, char ***argv, ck_error *err);

#endif
