/* output_file.c - refuses to write a tuned profile over what is there, or over what it is made of.
 */
#include "core/host/tune/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/own_file.h"

static ck_status find_folder(char **folder, const char *file, ck_error *err) {
  const char *slash = strrchr(file, '/');
  size_t len = slash ? (size_t)(slash - file) : 0;
  char *given = slash ? strndup(file, len ? len : 1) : strdup(".");
  if (!given) return ck_error_no_memory(err);
  *folder = realpath(given, NULL);
  int code = errno;
  free(given);
  if (*folder) return CK_OK;
  return ck_error_set(err, code == ENOENT || code == ENOTDIR ? CK_E_NOT_FOUND : CK_E_IO,
                      "cannot write %s: %s", file, strerror(code));
}

static ck_status check_file(const char *file, bool force, ck_error *err) {
  struct stat found;
  ck_status status = ck_own_file_check_written(file, err);
  if (status != CK_OK || force || lstat(file, &found) != 0) return status;
  return ck_error_set(err, CK_E_EXISTS,
                      "%s is there already: name another file with -o, or write over it with "
                      "--force",
                      file);
}

ck_status ck_tune_output_check(char **folder, const char *file, bool force, ck_error *err) {
  *folder = NULL;
  ck_status status = check_file(file, force, err);
  return status == CK_OK ? find_folder(folder, file, err) : status;
}
