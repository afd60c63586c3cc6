/* secret.c - reads secrets by their references, and makes them known to redactors. */
#include "core/runtime/session/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/shortage.h"

#define REMEDY "then try again"

void ck_secret_wipe(ck_buffer *secret) {
  if (secret->data) explicit_bzero(secret->data, secret->cap);
  ck_buffer_clear(secret);
}

/* Reads into the given room only: a growing buffer would leave copies of the secret behind. */
static ssize_t read_whole(int fd, char *to, size_t size) {
  size_t len = 0;
  while (len < size) {
    ssize_t more = read(fd, to + len, size - len);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return -1;
    if (more == 0) break;
    len += (size_t)more;
  }
  return (ssize_t)len;
}

/* Of the open file: another one may lie at its path by now. */
static ck_status check_hands(const struct stat *info, bool key, const char *path, ck_error *err) {
  ck_status failure = key ? CK_E_REFUSED : CK_E_SECRET_MISSING;
  unsigned mode = (unsigned)info->st_mode & 07777;
  if (info->st_uid != geteuid() && info->st_uid != 0)
    return ck_error_set(err, failure,
                        "file:%s belongs to another user (uid %u): chown it to yourself, if what "
                        "is in it is yours",
                        path, (unsigned)info->st_uid);
  if (key && (mode & 077))
    return ck_error_set(err, failure,
                        "file:%s can be read or written by others (mode %04o): chmod 600 it, if "
                        "nobody has read it yet",
                        path, mode);
  if (mode & S_IWOTH)
    return ck_error_set(err, failure,
                        "file:%s can be written by others (mode %04o): chmod o-w it, if what is in "
                        "it is yours",
                        path, mode);
  return CK_OK;
}

static ck_status check_file(struct stat *info, int fd, bool key, const char *path, ck_error *err) {
  if (fstat(fd, info) != 0 || !S_ISREG(info->st_mode))
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "file:%s is no regular file: put the secret into one, " REMEDY, path);
  ck_status status = check_hands(info, key, path, err);
  if (status != CK_OK || info->st_size <= CK_SECRET_MAX) return status;
  return ck_error_set(err, CK_E_SECRET_MISSING,
                      "file:%s has more than %d bytes: give a smaller one, " REMEDY, path,
                      CK_SECRET_MAX);
}

static ck_status read_open_file(ck_buffer *out, int fd, bool key, const char *path, ck_error *err) {
  struct stat info;
  ck_status status = check_file(&info, fd, key, path, err);
  if (status != CK_OK) return status;
  size_t size = (size_t)info.st_size, before = out->len;
  char *room = ck_buffer_extend(out, size);
  if (!room) return ck_error_no_memory(err);
  ssize_t len = read_whole(fd, room, size);
  if (len < 0)
    return ck_error_set(err, CK_E_SECRET_MISSING, "file:%s cannot be read (%s): fix that, " REMEDY,
                        path, ck_errno_text(errno));
  out->len = before + (size_t)len;
  while (out->len > before && (out->data[out->len - 1] == '\n' || out->data[out->len - 1] == '\r'))
    out->len--;
  if (out->len > before) return CK_OK;
  return ck_error_set(err, CK_E_SECRET_MISSING, "file:%s is empty: put the secret into it, " REMEDY,
                      path);
}

static ck_status read_file(ck_buffer *out, bool key, const char *path, ck_error *err) {
  ck_status status = ck_own_file_check(path, err);
  if (status == CK_OK) status = ck_own_file_add(CK_OWN_SECRET, path, err);
  if (status != CK_OK) return status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (fd < 0)
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "file:%s cannot be opened (%s): fix that, " REMEDY, path,
                        ck_errno_text(errno));
  status = read_open_file(out, fd, key, path, err);
  close(fd);
  return status;
}

static ck_status read_ref(ck_buffer *out, bool key, const char *ref, ck_error *err) {
  if (strncmp(ref, "file:", 5) == 0) return read_file(out, key, ref + 5, err);
  bool env = strncmp(ref, "env:", 4) == 0;
  const char *value = env ? getenv(ref + 4) : NULL;
  if (!env)
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "%s is no reference: \"env:NAME\" or \"file:PATH\" is one", ref);
  if (!value || !*value)
    return ck_error_set(err, CK_E_SECRET_MISSING, "%s is %s: set it, " REMEDY, ref,
                        value ? "empty" : "not set");
  size_t len = strlen(value);
  char *room = ck_buffer_extend(out, len);
  if (!room) return ck_error_no_memory(err);
  memcpy(room, value, len);
  return CK_OK;
}

ck_status ck_secret_read(ck_buffer *out, const char *ref, ck_error *err) {
  return read_ref(out, false, ref, err);
}

ck_status ck_secret_read_key(ck_buffer *out, const char *ref, ck_error *err) {
  return read_ref(out, true, ref, err);
}

ck_status ck_secret_register(ck_redactor *to, const char *name, const char *ref, ck_error *err) {
  ck_buffer secret = {0};
  ck_status status = ck_secret_read(&secret, ref, err);
  if (status == CK_OK) status = ck_redactor_add_secret(to, name, ck_buffer_bytes(&secret), err);
  if (status == CK_E_SECRET_MISSING) ck_error_prefix(err, "secret \"%s\"", name);
  ck_secret_wipe(&secret);
  return status;
}

/* Joins problems to one error; a secret that is missing decides its status. */
typedef struct joined {
  ck_buffer text;
  ck_status status;
} joined;

static void join_problem(void *to, const ck_error *problem) {
  joined *self = to;
  if (self->text.len > 0) ck_buffer_append_text(&self->text, "; ");
  ck_buffer_append_text(&self->text, problem->text);
  if (self->status != CK_E_SECRET_MISSING) self->status = problem->status;
}

static ck_status register_each(ck_redactor *to, const ck_profile *profile,
                               ck_secret_problem problem, void *self, ck_error *err) {
  for (size_t i = 0; i < profile->secret_count; i++) {
    ck_error failure = CK_ERROR_INIT;
    ck_status status =
        ck_secret_register(to, profile->secrets[i].name, profile->secrets[i].ref, &failure);
    if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
    if (status != CK_OK) problem(self, &failure);
  }
  return CK_OK;
}

ck_status ck_secret_register_all(ck_redactor *to, const ck_profile *profile,
                                 ck_secret_problem problem, void *self, ck_error *err) {
  if (!profile) return CK_OK;
  if (problem) return register_each(to, profile, problem, self, err);
  joined all = {.status = CK_OK};
  ck_status status = register_each(to, profile, join_problem, &all, err);
  if (status == CK_OK) status = ck_buffer_check(&all.text, err);
  if (status == CK_OK && all.status != CK_OK)
    status = ck_error_set(err, all.status, "%s", all.text.data);
  ck_buffer_clear(&all.text);
  return status;
}
