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

enum {
  STEP = 1 << 16,
  ENVIRONMENT_MAX = 8 << 20,
  LIFE_LOOKS = 20,
  DEPTH_MAX = 64, /* runs above a run that are told of it */
  BACKLOG = 4096, /* connections that wait: nobody takes them */
  NAME_SIZE = 256
};

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

/* "ckrun/RUN" lives; "ckrun/ABOVE/RUN" is a run below another one. */
#define PREFIX "ckrun/"

/* In the abstract namespace, without its leading NUL. False: it is too long. */
static bool make_address(struct sockaddr_un *out, socklen_t *len, const char *name) {
  *out = (struct sockaddr_un){.sun_family = AF_UNIX};
  int written = snprintf(out->sun_path + 1, sizeof out->sun_path - 1, "%s", name);
  *len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)written);
  return written > 0 && (size_t)written < sizeof out->sun_path - 1;
}

static int fail_with(int fd, int why) {
  if (fd >= 0) close(fd);
  errno = why;
  return -1;
}

/* A socket with that name; -1 and EADDRINUSE: it exists already. */
static int bind_name(const char *name, int type) {
  struct sockaddr_un address;
  socklen_t len;
  if (!make_address(&address, &len, name)) return fail_with(-1, ENAMETOOLONG);
  int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  if (fd >= 0 && bind(fd, (struct sockaddr *)&address, len) != 0) return fail_with(fd, errno);
  if (fd >= 0 && type == SOCK_STREAM && listen(fd, BACKLOG) != 0) return fail_with(fd, errno);
  return fd;
}

static int bind_run(const char *run) {
  char name[NAME_SIZE];
  snprintf(name, sizeof name, PREFIX "%s", run);
  return bind_name(name, SOCK_DGRAM);
}

/* A dying process closes its files one by one: its session's lock may be free already. */
static bool lives(const char *run) {
  for (int i = 0; i < LIFE_LOOKS; i++) {
    int fd = bind_run(run);
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
  held = bind_run(run);
}

/* Under each of `above`, "RUN:RUN:…". */
static void listen_below(const char *above, const char *run) {
  static int held[DEPTH_MAX];
  static int count;
  while (count > 0) close(held[--count]);
  while (above && *above && count < DEPTH_MAX) {
    char name[NAME_SIZE];
    int len = (int)strcspn(above, ":");
    snprintf(name, sizeof name, PREFIX "%.*s/%s", len, above, run);
    int fd = bind_name(name, SOCK_STREAM);
    if (fd >= 0) held[count++] = fd;
    above += len + (above[len] == ':');
  }
}

ck_status ck_mark_set(const char *session, const char *run, ck_error *err) {
  const char *above = getenv(RUN_VARIABLE);
  ck_buffer runs = {0};
  reserve_name(run);
  listen_below(above, run); /* while the limit is still that of the run above */
  if (above && *above) ck_buffer_append_format(&runs, "%s:", above);
  ck_buffer_append_text(&runs, run);
  ck_status status = ck_buffer_check(&runs, err);
  if (status == CK_OK &&
      (setenv(RUN_VARIABLE, runs.data, 1) != 0 || setenv("CKRUN_SESSION", session, 1) != 0))
    status = ck_error_no_memory(err);
  ck_buffer_clear(&runs);
  if (status == CK_OK) set_limit(run);
  return status;
}

ck_status ck_mark_list_make(ck_mark_list *out, const char *const *runs, ck_error *err) {
  size_t count = 0, dead = 0;
  while (runs[count]) count++;
  *out = (ck_mark_list){.runs = calloc(count + 1, sizeof *out->runs),
                        .numbers = calloc(count + 1, sizeof *out->numbers)};
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
  ck_buffer_clear(&self->nested);
  *self = (ck_mark_list){0};
}

/* ---- runs below others ---- */

/* "…: … 01 INODE @ckrun/ABOVE/RUN": the name, of a run below one of these; NULL. */
static const char *nested_name(char *line, const char *const *runs) {
  static const char mark[] = " @" PREFIX;
  char *name = strstr(line, mark);
  if (!name) return NULL;
  name += sizeof mark - 1 - (sizeof PREFIX - 1);
  name[strcspn(name, "\n")] = '\0';
  const char *above = name + sizeof PREFIX - 1, *slash = strchr(above, '/');
  for (; slash && *runs; runs++)
    if (strlen(*runs) == (size_t)(slash - above) && strncmp(*runs, above, strlen(*runs)) == 0)
      return name;
  return NULL;
}

/* The process of this user that listens under that name; 0: there is none. */
static pid_t listener_of(const char *name) {
  struct sockaddr_un address;
  struct ucred who = {0};
  socklen_t len, size = sizeof who;
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  bool known = fd >= 0 && make_address(&address, &len, name) &&
               connect(fd, (struct sockaddr *)&address, len) == 0 &&
               getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.uid == geteuid();
  if (fd >= 0) close(fd);
  return known ? who.pid : 0;
}

typedef struct nested_run {
  pid_t pid;
  char name[NAME_SIZE];
} nested_run;

static void add_nested(ck_buffer *to, const char *name) {
  nested_run run = {.pid = listener_of(name)};
  snprintf(run.name, sizeof run.name, "%s", name);
  if (run.pid > 0) ck_buffer_append(to, (const char *)&run, sizeof run);
}

ck_status ck_mark_list_find_nested(ck_mark_list *self, ck_error *err) {
  char line[256];
  ck_buffer_reset(&self->nested);
  FILE *sockets = fopen("/proc/net/unix", "re");
  while (sockets && fgets(line, sizeof line, sockets)) {
    const char *name = nested_name(line, self->runs);
    if (name) add_nested(&self->nested, name);
  }
  if (sockets) fclose(sockets);
  return ck_buffer_check(&self->nested, err);
}

/* Asked once more: what was found may have ended since, and its pid be another process's. */
static bool is_nested(ck_bytes nested, pid_t pid) {
  for (size_t at = 0; at < nested.len; at += sizeof(nested_run)) {
    nested_run run;
    memcpy(&run, nested.data + at, sizeof run);
    if (run.pid == pid && listener_of(run.name) == pid) return true;
  }
  return false;
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

static bool is_number_of_one(uint64_t number, const ck_mark_list *list) {
  for (size_t i = 0; list->runs[i]; i++)
    if (list->numbers[i] == number) return true;
  return false;
}

/* "Max resident set          <soft>  <hard>  bytes" */
static bool has_limit_line(const char *limits, const ck_mark_list *list) {
  static const char name[] = "Max resident set ";
  const char *line = strstr(limits, name);
  return line && is_number_of_one(strtoull(line + sizeof name - 1, NULL, 10), list);
}

/* The system tells it of this user's processes; /proc, at ten times the cost, of all. */
static ck_status find_limit(bool *out, const ck_mark_list *list, pid_t pid, ck_error *err) {
  struct rlimit limit;
  ck_buffer text = {0};
  if (prlimit(pid, RLIMIT_RSS, NULL, &limit) == 0) {
    *out = is_number_of_one(limit.rlim_cur, list);
    return CK_OK;
  }
  ck_status status = read_file(&text, pid, "limits", err);
  if (status == CK_OK) *out = has_limit_line(text.data, list);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_mark_find(bool *out, const ck_mark_list *self, pid_t pid, ck_error *err) {
  ck_buffer text = {0};
  *out = is_nested(ck_buffer_bytes(&self->nested), pid);
  if (*out) return CK_OK;
  ck_status status = find_limit(out, self, pid, err);
  if (status == CK_OK && !*out) status = read_file(&text, pid, "environ", err);
  if (status == CK_OK && !*out) *out = has_variable(ck_buffer_bytes(&text), self->runs);
  ck_buffer_clear(&text);
  return status;
}
