/* source.c - a file of another program: read whole, as one document or by lines; what cannot be
 * read is reported. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/digest.h"
#include "core/base/own_file.h"
#include "core/base/utf8.h"
#include "lua/import/bridge.h"

enum { DEPTH_MAX = CK_JSON_DEPTH_MAX - 32 };

/* ---- reading ---- */

static ck_status read_all(ck_buffer *out, int fd, const char *path, ck_error *err) {
  for (;;) {
    char *room = ck_buffer_extend(out, 1 << 16);
    if (!room) return ck_error_no_memory(err);
    ssize_t got = read(fd, room, 1 << 16);
    out->len -= (size_t)(got < 0 ? 1 << 16 : (1 << 16) - got);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ck_error_set(err, CK_E_IO, "%s: %s", path, strerror(errno));
    if (got == 0) return CK_OK;
    if (out->len > CK_IMPORT_FILE_MAX)
      return ck_error_set(err, CK_E_OVERSIZE, "%s: more than %d MiB, the most that is imported",
                          path, CK_IMPORT_FILE_MAX >> 20);
  }
}

static ck_status read_path(ck_buffer *out, const char *path, ck_error *err) {
  ck_status status = ck_own_file_check(path, err);
  if (status != CK_OK) return status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
    return ck_error_set(err, CK_E_NOT_FOUND, "%s: there is no such file", path);
  if (fd < 0) return ck_error_set(err, CK_E_IO, "%s: %s", path, strerror(errno));
  struct stat info;
  if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode))
    status = ck_error_set(err, CK_E_USAGE, "%s: a folder, not a file", path);
  if (status == CK_OK) status = read_all(out, fd, path, err);
  close(fd);
  return status;
}

/* A database becomes its rows: of the tables that an importer knows. */
static ck_status read_rows(ck_import_source *self, ck_error *err) {
  static const char magic[] = "SQLite format 3"; /* and its zero */
  static const char *const tables[] = {"checkpoints", "writes", NULL};
  bool is_database = self->text.len > sizeof magic && self->sink->read_tables &&
                     memcmp(self->text.data, magic, sizeof magic) == 0;
  if (!is_database) return CK_OK;
  ck_buffer_reset(&self->text);
  return self->sink->read_tables(&self->text, self->path, tables, CK_IMPORT_FILE_MAX, err);
}

static ck_status keep(ck_import_files *files, ck_import_source *source, ck_error *err) {
  ck_import_source **list = reallocarray(files->list, files->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  files->list = list;
  list[files->count++] = source;
  return CK_OK;
}

static void free_source(ck_import_source *self) {
  if (!self) return;
  ck_buffer_clear(&self->text);
  free(self->path);
  free(self);
}

ck_status ck_import_source_open(ck_import_source **out, ck_import_files *files, const char *path,
                                ck_error *err) {
  *out = NULL;
  ck_import_source *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->sink = files->sink;
  self->path = strdup(path);
  ck_status status = self->path ? read_path(&self->text, path, err) : ck_error_no_memory(err);
  if (status == CK_OK) {
    ck_digest digest = ck_digest_of(ck_buffer_bytes(&self->text));
    char hex[CK_DIGEST_HEX_SIZE];
    ck_digest_hex(hex, &digest);
    memcpy(self->digest, hex, sizeof self->digest - 1);
    status = read_rows(self, err);
  }
  if (status == CK_OK) status = keep(files, self, err);
  if (status != CK_OK) {
    free_source(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_import_files_clear(ck_import_files *self) {
  for (size_t i = 0; i < self->count; i++) free_source(self->list[i]);
  free(self->list);
  *self = (ck_import_files){0};
}

/* ---- parts ---- */

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static bool ends_with(const char *text, const char *ending) {
  size_t len = strlen(text), tail = strlen(ending);
  return len > tail && strcmp(text + len - tail, ending) == 0;
}

static ck_status open_folder(ck_import_files *files, const char *folder, const char *ending,
                             bool deeper, ck_error *err) {
  struct dirent **names = NULL;
  int count = scandir(folder, &names, NULL, by_name);
  ck_status status = CK_OK;
  for (int i = 0; i < count; i++) {
    ck_buffer path = {0};
    struct stat info;
    bool hidden = names[i]->d_name[0] == '.';
    ck_buffer_append_format(&path, "%s/%s", folder, names[i]->d_name);
    if (status == CK_OK) status = ck_buffer_check(&path, err);
    if (status == CK_OK && !hidden && stat(path.data, &info) == 0 &&
        files->count <= CK_IMPORT_PARTS_MAX) {
      ck_import_source *source;
      if (S_ISREG(info.st_mode) && ends_with(path.data, ending))
        status = ck_import_source_open(&source, files, path.data, err);
      else if (S_ISDIR(info.st_mode) && deeper)
        status = open_folder(files, path.data, ending, false, err);
    }
    ck_buffer_clear(&path);
    free(names[i]);
  }
  free(names);
  return status;
}

ck_status ck_import_source_open_parts(ck_import_files *files, ck_error *err) {
  if (files->parts_listed) return CK_OK;
  files->parts_listed = true;
  const char *path = files->list[0]->path, *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  if (!dot || (slash && dot < slash)) return CK_OK;
  char *folder = strndup(path, (size_t)(dot - path));
  if (!folder) return ck_error_no_memory(err);
  ck_status status = open_folder(files, folder, dot, true, err);
  free(folder);
  return status;
}

/* ---- text of other programs that strict JSON refuses ---- */

static bool is_hex4(const char *at) { return strspn(at, "0123456789abcdefABCDEF") >= 4; }

/* Length of the escape at `at` (a backslash) that is valid; 0 for a NUL or half of a surrogate
 * pair. */
static size_t escape_length(const char *at, size_t len) {
  if (len < 6 || at[1] != 'u' || !is_hex4(at + 2)) return len < 2 ? len : 2;
  unsigned point = (unsigned)strtoul((char[]){at[2], at[3], at[4], at[5], 0}, NULL, 16);
  if (point == 0 || (point >= 0xdc00 && point <= 0xdfff)) return 0;
  if (point < 0xd800 || point > 0xdbff) return 6;
  bool pair = len >= 12 && at[6] == '\\' && at[7] == 'u' && is_hex4(at + 8);
  unsigned low = pair ? (unsigned)strtoul((char[]){at[8], at[9], at[10], at[11], 0}, NULL, 16) : 0;
  return low >= 0xdc00 && low <= 0xdfff ? 12 : 0;
}

/* Replaces escapes of NULs and of half characters within the span, keeping the length; gives their
 * number. 0 also when it is not UTF-8: another encoding is not guessed. */
static size_t mend(char *text, size_t len) {
  size_t mended = 0;
  for (size_t i = 0; i < len;) {
    bool escape = text[i] == '\\';
    size_t step = escape ? escape_length(text + i, len - i) : ck_utf8_length(text + i, len - i);
    if (step == 0 && !escape) return 0;
    if (step == 0) {
      mended++;
      memcpy(text + i, "\\ufffd", step = 6);
    }
    i += step;
  }
  return mended;
}

static int64_t line_of(const ck_import_source *self, size_t offset) {
  int64_t line = 1;
  for (size_t i = 0; i < offset && i < self->text.len; i++) line += self->text.data[i] == '\n';
  return line;
}

/* Parts of it become nested members of an event's body, and JSON has a greatest depth. */
static bool is_too_deep(ck_bytes json) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.len; i++) {
    char c = json.data[i];
    if (in_string && c == '\\')
      i++;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && (c == '{' || c == '['))
      depth++;
    else if (!in_string && (c == '}' || c == ']'))
      depth--;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

ck_status ck_import_source_check(ck_bytes json, ck_error *err) {
  ck_status status = ck_json_check(json, err);
  if (status == CK_OK && is_too_deep(json))
    return ck_error_set(err, CK_E_PARSE, "nested deeper than %d levels", DEPTH_MAX);
  return status;
}

/* Checks the span; characters that can be replaced are repaired in place, and reported. */
static ck_status check(ck_import_source *self, ck_bytes span, int64_t line, ck_error *err) {
  if (ck_import_source_check(span, err) == CK_OK) return CK_OK;
  if (err->status != CK_E_PARSE) return err->status;
  ck_error first = *err;
  char *copy = malloc(span.len + 1);
  if (!copy) return ck_error_no_memory(err);
  memcpy(copy, span.data, span.len);
  copy[span.len] = 0; /* the end for is_hex4 */
  size_t mended = mend(copy, span.len);
  ck_status status = mended ? ck_import_source_check((ck_bytes){copy, span.len}, err) : CK_E_PARSE;
  if (status == CK_OK) {
    memcpy(self->text.data + (span.data - self->text.data), copy, span.len);
    char text[80];
    snprintf(text, sizeof text, "%zu characters that JSON cannot hold were replaced", mended);
    self->sink->problem(self->sink->self, self->path, line, text, false);
  } else {
    *err = first;
  }
  free(copy);
  return status;
}

ck_bytes ck_import_source_document(ck_import_source *self, ck_error *err) {
  ck_bytes text = ck_buffer_bytes(&self->text);
  if (text.len >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
    text = (ck_bytes){text.data + 3, text.len - 3};
  if (!self->checked) {
    self->checked = true;
    self->is_document = check(self, text, 0, err) == CK_OK;
    size_t offset = 0;
    const char *at = strstr(err->text, "at byte ");
    if (at) offset = strtoull(at + 8, NULL, 10);
    if (!self->is_document) ck_error_prefix(err, "line %lld", (long long)line_of(self, offset));
  }
  return self->is_document ? text : (ck_bytes){0};
}

/* ---- lines ---- */

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool ck_import_source_next(ck_bytes *json, ck_import_source *self, size_t *at, int64_t *number,
                           ck_error *problem) {
  *json = (ck_bytes){0};
  while (*at < self->text.len) {
    const char *begin = self->text.data + *at, *end = memchr(begin, '\n', self->text.len - *at);
    if (!end) end = self->text.data + self->text.len;
    *at = (size_t)(end - self->text.data) + 1;
    ++*number;
    if (*number == 1 && end - begin >= 3 && memcmp(begin, "\xEF\xBB\xBF", 3) == 0) begin += 3;
    while (begin < end && is_space(*begin)) begin++;
    while (end > begin && is_space(end[-1])) end--;
    if (begin == end) continue;
    ck_bytes line = {begin, (size_t)(end - begin)};
    bool cut = *at > self->text.len;
    if (check(self, line, *number, problem) == CK_OK) {
      *json = line;
      return true;
    }
    if (cut) ck_error_prefix(problem, "the last line is cut off");
    if (*number > self->reported_until)
      self->sink->problem(self->sink->self, self->path, *number, problem->text, true);
    if (*number > self->reported_until) self->reported_until = *number;
    return true;
  }
  return false;
}
