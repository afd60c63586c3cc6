/* process_stat.c - reads /proc/PID/stat. */
#include "core/base/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool ck_process_stat_read(ck_process_stat *out, pid_t pid) {
  char path[32], text[512];
  int parent;
  *out = (ck_process_stat){0};
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  ssize_t len = read(fd, text, sizeof text - 1);
  close(fd);
  if (len <= 0) return false;
  text[len] = '\0';
  const char *rest = strrchr(text, ')'); /* the name before it may have any characters */
  /* the 3rd, the 4th and the 22nd: see proc(5) */
  static const char fields[] = ") %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                               "%*s %*s %*s %llu";
  if (!rest || sscanf(rest, fields, &out->state, &parent, &out->started) < 2) return false;
  out->parent = parent;
  return true;
}

bool ck_process_is_gone_since(pid_t pid, unsigned long long started) {
  ck_process_stat found;
  return ck_process_is_gone(pid) ||
         (started && ck_process_stat_read(&found, pid) && found.started != started);
}

bool ck_process_is_gone(pid_t pid) {
  ck_process_stat found;
  if (kill(pid, 0) != 0 && errno == ESRCH) return true;
  return ck_process_stat_read(&found, pid) && (found.state == 'Z' || found.state == 'X');
}
