/* mark.c - writes the marks of a run, and reads those of a process from /proc. */
#include "core/effect/process/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "core/base/digest.h"

#define RUN_VARIABLE "CKRUN_RUN"

enum { STEP = 1 << 16, ENVIRONMENT_MAX = 8 << 20, LIFE_LOOKS = 20 };

/* From 2^61 to 2^62: no memory is as large, and RLIM_INFINITY is another number. */
static uint64_t number_of(const char *run) {
  ck_digest digest = ck_digest_of(ck_bytes_text(run));
  uint64_t number;
  memcpy(&number, digest.bytes, sizeof number);
  return (number & ((UINT64_C(1) << 61) - 1)) | UINT64_C(1) << 61;
}

/* Where a lower hard limit is set already, only the environment carries the mark. */
static void set_limit(const char *run) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_RSS, &limit) != 0) return;
  limit.rlim_cur = number_of(run);
  setrlimit(RLIMIT_RSS, &limit);
}

/* ---- life ---- */

/* A socket with the run's name; -1 and EADDRINUSE: it exists already. */
static int bind_name(const char *run) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  int len = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "ckrun/%s", run);
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&name,
                     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) == 0)
    return fd;
  int why = errno;
  close(fd);
  errno = why;
  return -1;
}

/* A dying process closes its files one by one: its session's lock may be free already. */
static bool lives(const char *run) {
  for (int i = 0; i < LIFE_LOOKS; i++) {
    int fd = bind_name(run);
    bool taken = fd < 0 && errno == EADDRINUSE;
    if (fd >= 0) close(fd);
    if (!taken) return false;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return true;
}

/* Held until the process ends. Where sockets are not available, a run counts as dead when its
 * session's lock is free. */
static void reserve_name(const char *run) {
  static int held = -1;
  if (held >= 0) close(held);
  held = bind_name(run);
}

ck_status ck_mark_set(const char *session, const char *run, ck_error *err) {
  const char *above = getenv(RUN_VARIABLE);
  ck_buffer runs = {0};
  if (above && *above) ck_buffer_append_format(&runs, "%s:", above);
  ck_buffer_append_text(&runs, run);
  ck_status status = ck_buffer_check(&runs, err);
  if (status == CK_OK &&
      (setenv(RUN_VARIABLE, runs.data, 1) != 0 || setenv("CKRUN_SESSION", session, 1) != 0))
    status = ck_error_no_memory(err);
  ck_buffer_clear(&runs);
  if (status == CK_OK) set_limit(run);
  if (status == CK_OK) reserve_name(run);
  return status;
}

ck_status ck_mark_list_make(ck_mark_list *out, const char *const *runs, ck_error *err) {
  size_t count = 0, dead = 0;
  while (runs[count]) count++;
  *out =
      (ck_mark_list){calloc(count + 1, sizeof *out->runs), calloc(count + 1, sizeof *out->numbers)};
  if (!out->runs || !out->numbers) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++) {
    if (lives(runs[i])) continue;
    out->numbers[dead] = number_of(runs[i]);
    out->runs[dead++] = runs[i];
  }
  return CK_OK;
}

void ck_mark_list_clear(ck_mark_list *self) {
  free(self->runs);
  free(self->numbers);
  *self = (ck_mark_list){0};
}

/* Reads as much as permitted, with a NUL behind it: nothing of a process that is gone, or another
 * user's. */
static ck_status read_file(ck_buffer *out, pid_t pid, const char *name, ck_error *err) {
  char path[48];
  ssize_t len = 1;
  snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  while (fd >= 0 && len > 0 && out->len < ENVIRONMENT_MAX) {
    char *room = ck_buffer_extend(out, STEP);
    if (!room) break;
    len = read(fd, room, STEP);
    out->len -= STEP - (len > 0 ? (size_t)len : 0);
  }
  if (fd >= 0) close(fd);
  ck_buffer_append_char(out, '\0');
  return ck_buffer_check(out, err);
}

static bool names_one(const char *value, const char **runs) {
  while (*value) {
    size_t len = strcspn(value, ":");
    for (const char **run = runs; *run; run++)
      if (strlen(*run) == len && memcmp(*run, value, len) == 0) return true;
    value += len + (value[len] == ':');
  }
  return false;
}

static bool has_variable(ck_bytes environment, const char **runs) {
  static const char prefix[] = RUN_VARIABLE "=";
  for (size_t at = 0; at < environment.len; at += strlen(environment.data + at) + 1) {
    const char *variable = environment.data + at;
    if (strncmp(variable, prefix, sizeof prefix - 1) == 0 &&
        names_one(variable + sizeof prefix - 1, runs))
      return true;
  }
  return false;
}

/* "Max resident set          <soft>  <hard>  bytes" */
static bool has_limit(const char *limits, const ck_mark_list *list) {
  static const char name[] = "Max resident set ";
  const char *line = strstr(limits, name);
  uint64_t soft = line ? strtoull(line + sizeof name - 1, NULL, 10) : 0;
  for (size_t i = 0; list->runs[i]; i++)
    if (list->numbers[i] == soft) return true;
  return false;
}

ck_status ck_mark_find(bool *out, const ck_mark_list *self, pid_t pid, ck_error *err) {
  ck_buffer text = {0};
  *out = false;
  ck_status status = read_file(&text, pid, "limits", err);
  if (status == CK_OK) *out = has_limit(text.data, self);
  ck_buffer_reset(&text);
  if (status == CK_OK && !*out) status = read_file(&text, pid, "environ", err);
  if (status == CK_OK && !*out) *out = has_variable(ck_buffer_bytes(&text), self->runs);
  ck_buffer_clear(&text);
  return status;
}
