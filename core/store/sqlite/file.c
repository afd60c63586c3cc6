/* file.c - the store's path and file: checked before anything is changed, without opening the file
 * twice. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/store/sqlite/sqlite.h"
#include "core/base/shortage.h"
#include "core/store/sqlite/wal.h"

enum { HEADER_SIZE = 100, USER_VERSION_AT = 60, APPLICATION_AT = 68 };

ck_status ck_sqlite_path_error(ck_error *err, const char *doing, const char *path) {
  ck_status status = CK_E_IO;
  if (errno == EACCES || errno == EPERM || errno == EROFS) status = CK_E_READ_ONLY;
  if (errno == ENOSPC || errno == EDQUOT) status = CK_E_FULL;
  return ck_error_set(err, status, "store %s: cannot %s: %s", path, doing, ck_errno_text(errno));
}

/* Creates the missing folders of `path`. */
static ck_status make_folders(char *path, const char *store, ck_error *err) {
  for (char *c = path + 1;; c++) {
    if (*c != '/' && *c != '\0') continue;
    char end = *c;
    *c = '\0';
    bool failed = mkdir(path, 0700) != 0 && errno != EEXIST;
    *c = end;
    if (failed) return ck_sqlite_path_error(err, "make its folder", store);
    if (end == '\0') return CK_OK;
  }
}

/* The folder's path without links; missing folders are made if `create`. */
static ck_status find_folder(char **out, char *folder, const char *path, bool create,
                             ck_error *err) {
  *out = realpath(folder, NULL);
  if (!*out && errno == ENOENT && create) {
    ck_status status = make_folders(folder, path, err);
    if (status != CK_OK) return status;
    *out = realpath(folder, NULL);
  }
  if (*out) return CK_OK;
  if (errno == ENOENT || errno == ENOTDIR)
    return ck_error_set(err, CK_E_NOT_FOUND, "store %s: there is no folder %s", path, folder);
  return ck_sqlite_path_error(err, "find its folder", path);
}

/* Symbolic links in the folder's path are followed; a file that is one is not. */
ck_status ck_sqlite_resolve(char **out, const char *path, bool create, ck_error *err) {
  *out = NULL;
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  if (*name == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
    return ck_error_set(err, CK_E_USAGE, "\"sqlite:%s\" does not name a file", path);
  ck_status status = CK_OK;
  char *real = NULL;
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  if (!folder) return ck_error_no_memory(err);
  status = find_folder(&real, folder, path, create, err);
  if (status == CK_OK && asprintf(out, "%s/%s", strcmp(real, "/") == 0 ? "" : real, name) < 0) {
    *out = NULL;
    status = ck_error_no_memory(err);
  }
  free(real);
  free(folder);
  return status;
}

static uint32_t read_u32(const uint8_t *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

ck_status ck_sqlite_check_schema(const ck_sqlite *self, int64_t application, int64_t schema,
                                 ck_error *err) {
  if (application != CK_SQLITE_APPLICATION)
    return ck_error_set(err, CK_E_NOT_A_STORE,
                        "%s is a database of another application, not a ckrun store", self->path);
  if (schema > CK_STORE_SCHEMA)
    return ck_error_set(err, CK_E_NEWER,
                        "store %s has schema %lld; this ckrun knows schemas up to %d", self->path,
                        (long long)schema, CK_STORE_SCHEMA);
  if (schema < 1)
    return ck_error_set(err, CK_E_CORRUPT, "store %s has no schema number", self->path);
  return CK_OK;
}

/* Reads the header through a connection's own file: closing a descriptor beside SQLite would drop
 * its locks. */
static ck_status check_header(ck_sqlite *self, ck_error *err) {
  uint8_t header[HEADER_SIZE] = {0};
  ck_connection *probe = NULL;
  ck_status status = ck_connection_open(&probe, self, CK_CONNECTION_PROBE, err);
  if (status != CK_OK) return status;
  sqlite3_file *file = NULL;
  int code = sqlite3_file_control(probe->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code == SQLITE_OK)
    code = file->pMethods ? file->pMethods->xRead(file, header, HEADER_SIZE, 0) : SQLITE_CANTOPEN;
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
    status = ck_sqlite_error(self, probe->db, code, "read its header", err);
  else if (memcmp(header, "SQLite format 3", 16) != 0)
    status = ck_error_set(err, CK_E_NOT_A_STORE, "%s is not a database, so not a ckrun store",
                          self->path);
  else
    status = ck_sqlite_check_schema(self, read_u32(header + APPLICATION_AT),
                                    read_u32(header + USER_VERSION_AT), err);
  ck_connection_close(probe);
  return status;
}

ck_status ck_sqlite_check_file(bool *fresh, ck_sqlite *self, bool create, ck_error *err) {
  *fresh = false;
  struct stat found;
  if (lstat(self->path, &found) != 0) {
    if (errno != ENOENT) return ck_sqlite_path_error(err, "look at it", self->path);
    *fresh = create;
    return create ? CK_OK : ck_error_set(err, CK_E_NOT_FOUND, "there is no store %s", self->path);
  }
  if (S_ISLNK(found.st_mode))
    return ck_error_set(err, CK_E_NOT_A_STORE,
                        "%s is a symbolic link, which is not followed: name the file itself",
                        self->path);
  if (!S_ISREG(found.st_mode))
    return ck_error_set(err, CK_E_NOT_A_STORE, "%s is not a regular file", self->path);
  if (found.st_size == 0) {
    *fresh = create;
    return create ? CK_OK
                  : ck_error_set(err, CK_E_NOT_A_STORE, "%s is empty, so not a ckrun store",
                                 self->path);
  }
  if (access(self->path, R_OK) != 0)
    return ck_error_set(err, CK_E_IO, "store %s: cannot read it: %s", self->path,
                        ck_errno_text(errno));
  if (!self->read_only && access(self->path, W_OK) != 0)
    return ck_sqlite_path_error(err, "write it", self->path);
  return check_header(self, err);
}

/* mknod, because opening and closing a database beside SQLite would drop its locks. */
ck_status ck_sqlite_make_draft(char **out, const ck_sqlite *self, ck_error *err) {
  if (asprintf(out, "%s.new", self->path) < 0) {
    *out = NULL;
    return ck_error_no_memory(err);
  }
  unlink(*out); /* left by a process that was killed here */
  return mknod(*out, S_IFREG | 0600, 0) == 0 ? CK_OK
                                             : ck_sqlite_path_error(err, "make it", self->path);
}

/* Needs no memory: the file has its name by now. */
ck_status ck_sqlite_sync_folder(const char *path, ck_error *err) {
  char folder[PATH_MAX];
  size_t len = (size_t)(strrchr(path, '/') - path) + 1;
  if (len >= sizeof folder) errno = ENAMETOOLONG;
  memcpy(folder, path, len < sizeof folder ? len : 0);
  folder[len < sizeof folder ? len : 0] = 0;
  int fd = len < sizeof folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  ck_status status =
      fd >= 0 && fsync(fd) == 0 ? CK_OK : ck_sqlite_path_error(err, "sync the folder of", path);
  if (fd >= 0) close(fd);
  return status;
}

ck_status ck_sqlite_end_draft(char *draft, const ck_sqlite *self, ck_status status, ck_error *err) {
  if (status == CK_OK && rename(draft, self->path) != 0)
    status = ck_sqlite_path_error(err, "make it", self->path);
  if (status != CK_OK && draft) unlink(draft);
  free(draft);
  return status == CK_OK ? ck_sqlite_sync_folder(self->path, err) : status;
}
