/* handover.c - the anonymous file: a number of variables, and then arguments, each with its NUL. */
#include "core/host/session/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host/session/own_process.h"

#define VARIABLE "CKRUN_HANDOVER"

enum { AT_FD = STDERR_FILENO + 1, SIZE_MAX_BYTES = 64 << 20 };

/* ---- giving ---- */

static ck_status write_all(int fd, ck_bytes bytes, ck_error *err) {
  while (bytes.len > 0) {
    ssize_t len = write(fd, bytes.data, bytes.len);
    if (len < 0 && errno == EINTR) continue;
    if (len < 0)
      return ck_error_set(err, CK_E_IO, "cannot hand variables over: %s", strerror(errno));
    bytes = (ck_bytes){bytes.data + len, bytes.len - (size_t)len};
  }
  return CK_OK;
}

/* An empty text ends the variables. Written piece by piece: a buffer would leave copies. */
static ck_status write_handover(int fd, ck_bytes hidden, ck_error *err) {
  ck_status status = CK_OK;
  for (char **variable = environ; status == CK_OK && *variable; variable++)
    if (**variable) status = write_all(fd, (ck_bytes){*variable, strlen(*variable) + 1}, err);
  if (status == CK_OK) status = write_all(fd, (ck_bytes){"", 1}, err);
  return status == CK_OK ? write_all(fd, hidden, err) : status;
}

/* The variables that are shown, and `handed`. `*out` is to be freed. */
static ck_status make_environment(char ***out, const char *handed, ck_error *err) {
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  *out = calloc(count + 2, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++)
    if (ck_own_process_is_shown(environ[i])) (*out)[kept++] = environ[i];
  (*out)[kept] = (char *)handed;
  return CK_OK;
}

static int set_stream(posix_spawn_file_actions_t *files, int given, int at, int mode) {
  return given < 0 ? posix_spawn_file_actions_addopen(files, at, "/dev/null", mode, 0)
                   : posix_spawn_file_actions_adddup2(files, given, at);
}

static int set_files(posix_spawn_file_actions_t *files, int handover,
                     const ck_handover_streams *streams) {
  int code = set_stream(files, streams->in, STDIN_FILENO, O_RDONLY);
  if (!code) code = set_stream(files, streams->out, STDOUT_FILENO, O_WRONLY);
  if (!code) code = set_stream(files, streams->error, STDERR_FILENO, O_WRONLY);
  return code ? code : posix_spawn_file_actions_adddup2(files, handover, AT_FD);
}

static int set_signals(posix_spawnattr_t *how) {
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGINT);
  sigaddset(&usual, SIGTERM);
  int code = posix_spawnattr_setsigmask(how, &none);
  if (!code) code = posix_spawnattr_setsigdefault(how, &usual);
  if (!code) code = posix_spawnattr_setpgroup(how, 0);
  return code ? code
              : posix_spawnattr_setflags(
                    how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

static int spawn(pid_t *out, char *const *argv, char *const *environment, int handover,
                 const ck_handover_streams *streams) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t how;
  int code = posix_spawn_file_actions_init(&files);
  if (code) return code;
  code = posix_spawnattr_init(&how);
  if (!code) {
    code = set_files(&files, handover, streams);
    if (!code) code = set_signals(&how);
    if (!code) code = posix_spawn(out, "/proc/self/exe", &files, &how, argv, environment);
    posix_spawnattr_destroy(&how);
  }
  posix_spawn_file_actions_destroy(&files);
  return code;
}

ck_status ck_handover_start(pid_t *out, char *const *argv, ck_bytes hidden,
                            ck_handover_streams streams, ck_error *err) {
  char **environment = NULL, handed[48];
  *out = 0;
  snprintf(handed, sizeof handed, VARIABLE "=%d %ld", AT_FD, (long)getpid());
  int fd = memfd_create("ckrun-handover", MFD_CLOEXEC);
  ck_status status = fd >= 0 ? write_handover(fd, hidden, err)
                             : ck_error_set(err, CK_E_IO, "memfd: %s", strerror(errno));
  if (status == CK_OK) status = make_environment(&environment, handed, err);
  if (status == CK_OK) {
    int code = spawn(out, argv, environment, fd, &streams);
    if (code)
      status = ck_error_set(err, CK_E_FAILED, "ckrun cannot be started: %s", strerror(code));
  }
  free(environment);
  if (fd >= 0) close(fd);
  return status;
}

/* ---- taking ---- */

/* Never freed, and no leaks: setenv(3) may have another list by then. */
static char **volatile taken_arguments, **volatile taken_variables;

static ck_status wrong(const char *why, ck_error *err) {
  return ck_error_set(err, CK_E_USAGE, VARIABLE " is for a ckrun that ckrun starts: %s", why);
}

/* `*text` has a NUL behind its last byte, and is kept until the program ends. */
static ck_status read_handover(char **text, size_t *len, int fd, ck_error *err) {
  struct stat info;
  if (fstat(fd, &info) != 0) return wrong(strerror(errno), err);
  if (!S_ISREG(info.st_mode) || info.st_size > SIZE_MAX_BYTES)
    return wrong("it names another file", err);
  *text = calloc(1, (size_t)info.st_size + 1);
  if (!*text) return ck_error_no_memory(err);
  for (*len = 0; *len < (size_t)info.st_size;) {
    ssize_t got = pread(fd, *text + *len, (size_t)info.st_size - *len, (off_t)*len);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return wrong("it cannot be read", err);
    *len += (size_t)got;
  }
  return CK_OK;
}

static size_t count_texts(const char *text, size_t len) {
  size_t count = 0;
  for (size_t i = 0; i < len; i++) count += text[i] == '\0';
  return count;
}

static ck_status take_variables(char **text, const char *end, ck_error *err) {
  char **list = calloc(count_texts(*text, (size_t)(end - *text)) + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  environ = taken_variables = list;
  for (; *text < end && **text; *text += strlen(*text) + 1) *list++ = *text;
  if (*text < end) (*text)++;
  return CK_OK;
}

static ck_status take_arguments(int *argc, char ***argv, char *text, const char *end,
                                ck_error *err) {
  int at = 0;
  size_t more = count_texts(text, (size_t)(end - text));
  char **list = taken_arguments = calloc((size_t)*argc + more + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  char **to = list;
  for (; at < *argc && strcmp((*argv)[at], "--") != 0; at++) *to++ = (*argv)[at];
  for (; text < end; text += strlen(text) + 1) *to++ = text;
  for (; at < *argc; at++) *to++ = (*argv)[at];
  *argc += (int)more;
  *argv = list;
  return CK_OK;
}

/* It is told to end when its parent dies, however that dies; one that is dead already tells
 * nothing. */
static ck_status follow_parent(const char *number, ck_error *err) {
  long parent;
  int fd, len = 0;
  if (sscanf(number, "%d %ld%n", &fd, &parent, &len) != 2 || number[len] || fd != AT_FD)
    return wrong("its value is not 3 and the number of that process", err);
  if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) != 0) return wrong(strerror(errno), err);
  if (getppid() != (pid_t)parent) raise(SIGTERM);
  return CK_OK;
}

ck_status ck_handover_take(int *argc, char ***argv, ck_error *err) {
  static char *text;
  const char *number = getenv(VARIABLE);
  size_t len = 0;
  if (!number) return CK_OK;
  ck_status status = read_handover(&text, &len, AT_FD, err);
  if (status == CK_OK) status = follow_parent(number, err);
  if (status != CK_OK) return status;
  close(AT_FD);
  char *at = text;
  status = take_variables(&at, text + len, err);
  return status == CK_OK ? take_arguments(argc, argv, at, text + len, err) : status;
}
