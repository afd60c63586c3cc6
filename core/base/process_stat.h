/* process_stat.h - what the kernel says of a process of this machine. */
#ifndef CK_BASE_PROCESS_STAT_H
#define CK_BASE_PROCESS_STAT_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct ck_process_stat {
  char state; /* as proc(5) has it: 'R', 'S', 'T', … */
  pid_t parent;
} ck_process_stat;

/* False when nothing can be known: there is no such process, or no /proc that shows it. */
bool ck_process_stat_read(ck_process_stat *out, pid_t pid);
/* No such process, or one that has ended and only waits to be collected by its parent. One that
 * cannot be looked at is not gone. */
bool ck_process_is_gone(pid_t pid);

#endif
