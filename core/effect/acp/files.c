/* files.c - the content of a file as a text, and a text as its content. */
#include "core/effect/acp/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/utf8.h"
#include "core/effect/acp/beneath.h"

static bool is_text(ck_bytes text) {
  for (size_t i = 0; i < text.len;) {
    size_t len = text.data[i] ? ck_utf8_length(text.data + i, text.len - i) : 0;
    if (len == 0) return false;
    i += len;
  }
  return true;
}

static ck_status read_all(ck_buffer *out, int fd, const char *path, ck_error *err) {
  struct stat about;
  if (fstat(fd, &about) != 0)
    return ck_error_set(err, CK_E_REFUSED, "%.200s: %s", path, strerror(errno));
  if (about.st_size > CK_ACP_FILE_MAX)
    return ck_error_set(err, CK_E_REFUSED, "%.200s has more than %d bytes", path, CK_ACP_FILE_MAX);
  size_t size = (size_t)about.st_size, got = 0;
  char *to = ck_buffer_extend(out, size);
  if (!to) return ck_error_no_memory(err);
  for (ssize_t n; got < size && (n = read(fd, to + got, size - got)) > 0;) got += (size_t)n;
  out->len = got;
  return is_text(ck_buffer_bytes(out))
             ? CK_OK
             : ck_error_set(err, CK_E_REFUSED, "%.200s is not text in UTF-8", path);
}

/* Lines are counted from 1; at most `limit` of them. */
static ck_bytes take_lines(ck_bytes text, ck_bytes params) {
  int64_t line, limit;
  if (!ck_json_read_int(&line, ck_json_get(params, "line"))) line = 1;
  if (!ck_json_read_int(&limit, ck_json_get(params, "limit"))) limit = INT64_MAX;
  size_t at = 0, from;
  for (; line > 1 && at < text.len; line--) {
    const char *end = memchr(text.data + at, '\n', text.len - at);
    at = end ? (size_t)(end - text.data) + 1 : text.len;
  }
  for (from = at; limit > 0 && at < text.len; limit--) {
    const char *end = memchr(text.data + at, '\n', text.len - at);
    at = end ? (size_t)(end - text.data) + 1 : text.len;
  }
  return (ck_bytes){text.data + from, at - from};
}

static ck_status read_path(char **out, ck_bytes params, ck_error *err) {
  *out = ck_json_dup_string(ck_json_get(params, "path"));
  return *out ? CK_OK
              : ck_error_set(err, CK_E_REFUSED, "'path' must be the absolute path of a file");
}

ck_status ck_acp_file_read(ck_buffer *out, const char *folder, ck_bytes params, ck_error *err) {
  ck_buffer text = {0};
  char *path;
  int fd = -1;
  ck_status status = read_path(&path, params, err);
  if (status == CK_OK) status = ck_acp_open_beneath(&fd, folder, path, false, err);
  if (status == CK_OK) status = read_all(&text, fd, path, err);
  if (status == CK_OK) {
    ck_json_writer w = {.out = out};
    ck_json_begin(&w, '{');
    ck_json_member_string(&w, "content", take_lines(ck_buffer_bytes(&text), params));
    ck_json_end(&w, '}');
    status = ck_buffer_check(out, err);
  }
  if (fd >= 0) close(fd);
  free(path);
  ck_buffer_clear(&text);
  return status;
}

static ck_status write_all(int fd, ck_bytes text, const char *path, ck_error *err) {
  bool failed = ftruncate(fd, 0) != 0;
  for (ssize_t n; !failed && text.len; text = (ck_bytes){text.data + n, text.len - (size_t)n}) {
    n = write(fd, text.data, text.len);
    if (n < 0) failed = true, n = 0;
  }
  return failed ? ck_error_set(err, CK_E_REFUSED, "%.200s: %s", path, strerror(errno)) : CK_OK;
}

ck_status ck_acp_file_write(const char *folder, ck_bytes params, ck_error *err) {
  ck_buffer text = {0};
  char *path;
  int fd = -1;
  ck_status status = read_path(&path, params, err);
  if (status == CK_OK && !ck_json_read_string(&text, ck_json_get(params, "content")))
    status = ck_error_set(err, CK_E_REFUSED, "'content' must be a text");
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK && text.len > CK_ACP_FILE_MAX)
    status = ck_error_set(err, CK_E_REFUSED, "more than %d bytes", CK_ACP_FILE_MAX);
  if (status == CK_OK) status = ck_acp_open_beneath(&fd, folder, path, true, err);
  if (status == CK_OK) status = write_all(fd, ck_buffer_bytes(&text), path, err);
  if (fd >= 0 && close(fd) != 0 && status == CK_OK)
    status = ck_error_set(err, CK_E_REFUSED, "%.200s: %s", path, strerror(errno));
  free(path);
  ck_buffer_clear(&text);
  return status;
}
