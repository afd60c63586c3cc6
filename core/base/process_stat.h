/* process_stat.h - what the kernel says of a process of this machine. */
#ifndef CK_BASE_PROCESS_STAT_H
#define CK_BASE_PROCESS_STAT_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct ck_process_stat {
  char state; /* as proc(5) has it: 'R', 'S', 'T', … */
  pid_t parent;
  unsigned long long started; /* clock ticks after the machine's start: with its pid it is unique */
} ck_process_stat;

/* False when nothing can be known: there is no such process, or no /proc that shows it. */
bool ck_process_stat_read(ck_process_stat *out, pid_t pid);
/* No such process, or one that has ended and only waits to be collected by its parent. One that
 * cannot be looked at is not gone. */
bool ck_process_is_gone(pid_t pid);
/* The same of the one that was started then: its pid may be another's by now. `started` 0: unknown.
 */
bool ck_process_is_gone_since(pid_t pid, unsigned long long started);

#endif
