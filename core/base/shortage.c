/* shortage.c - words for what a process or its machine has run out of. */
#include "core/base/shortage.h"

#include <errno.h>
#include <stddef.h>

const char *ck_shortage_text(int error_number) {
  switch (error_number) {
    case EMFILE:
      return "too many files are open here: raise the limit ('ulimit -n')";
    case ENFILE:
      return "too many files are open on this machine: end other programs";
    case EAGAIN:
      return "no more processes or threads are allowed: end other programs, or raise the limits "
             "('ulimit -u', 'ulimit -v')";
    case ENOMEM:
      return "there is no memory for it: end other programs, or raise the limit ('ulimit -v')";
    default:
      return NULL;
  }
}
