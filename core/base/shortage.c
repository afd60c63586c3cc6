/* shortage.c - words for what a process or its machine has run out of. */
#include "core/base/shortage.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

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
      return "no memory is left: end other programs, or raise the limit ('ulimit -v')";
    default:
      return NULL;
  }
}

const char *ck_errno_text(int error_number) {
  const char *shortage = ck_shortage_text(error_number);
  return shortage ? shortage : strerror(error_number);
}
