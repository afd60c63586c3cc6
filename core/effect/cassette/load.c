/* load.c - opens a cassette file, detects its format, reads the JSON lines. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/shortage.h"
#include "core/effect/cassette/record.h"

enum { READ_SIZE = 1 << 16, FILE_MAX = 1 << 30, FORMAT_VERSION = 1 };

ck_status ck_cassette_split(char **file, const char **index, const char *spec, ck_error *err) {
  const char *mark = strrchr(spec, '#');
  bool indexed = mark && mark[1] && !mark[1 + strspn(mark + 1, "0123456789")];
  *index = indexed ? mark + 1 : NULL;
  *file = indexed ? strndup(spec, (size_t)(mark - spec)) : strdup(spec);
  return *file ? CK_OK : ck_error_no_memory(err);
}

static ck_status read_file(ck_buffer *out, const char *path, ck_error *err) {
  ck_status status = ck_own_file_check(path, err);
  if (status == CK_OK) status = ck_own_file_add(CK_OWN_TAPE, path, err);
  if (status != CK_OK) return status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return ck_error_set(err, errno == ENOENT ? CK_E_NOT_FOUND : CK_E_USAGE, "cannot open: %s",
                        ck_errno_text(errno));
  char chunk[READ_SIZE];
  ssize_t got;
  do {
    got = read(fd, chunk, sizeof chunk);
    if (got > 0) ck_buffer_append(out, chunk, (size_t)got);
  } while ((got > 0 && out->len <= FILE_MAX) || (got < 0 && errno == EINTR));
  int failed = got < 0 ? errno : 0;
  close(fd);
  if (failed) return ck_error_set(err, CK_E_USAGE, "cannot read: %s", ck_errno_text(failed));
  if (out->len > FILE_MAX) return ck_error_set(err, CK_E_USAGE, "larger than %d bytes", FILE_MAX);
  return ck_buffer_check(out, err);
}

static ck_status wrong_member(size_t line, const char *name, const char *wanted, ck_error *err) {
  return ck_error_set(err, CK_E_PARSE, "line %zu: \"%s\" must be %s", line, name, wanted);
}

static ck_status read_member_text(char **out, ck_bytes object, const char *name, size_t line,
                                  ck_error *err) {
  ck_bytes value = ck_json_get(object, name);
  if (ck_json_type_of(value) != CK_JSON_STRING) return wrong_member(line, name, "a string", err);
  *out = ck_json_dup_string(value);
  return *out ? CK_OK : ck_error_no_memory(err);
}

/* `*out` stays NULL when the member is absent. */
static ck_status read_words(char **out, ck_bytes object, const char *name, size_t line,
                            ck_error *err) {
  return ck_json_get(object, name).len ? read_member_text(out, object, name, line, err) : CK_OK;
}

static ck_status read_member_value(ck_value **out, ck_bytes object, const char *name, size_t line,
                                   ck_error *err) {
  ck_bytes value = ck_json_get(object, name);
  if (!value.len) return wrong_member(line, name, "there", err);
  return ck_value_copy(out, value, err);
}

/* `*out` stays as it was when the member is absent. */
static ck_status read_member_int(int64_t *out, ck_bytes object, const char *name, size_t line,
                                 ck_error *err) {
  ck_bytes value = ck_json_get(object, name);
  if (!value.len || ck_json_read_int(out, value)) return CK_OK;
  return wrong_member(line, name, "an integer", err);
}

static ck_status read_usage(ck_record *out, ck_bytes usage, ck_error *err) {
  ck_status status =
      read_member_int(&out->input_tokens, usage, "prompt_tokens", out->position, err);
  if (!status)
    status = read_member_int(&out->output_tokens, usage, "completion_tokens", out->position, err);
  if (!status)
    status = read_member_int(&out->input_tokens, usage, "input_tokens", out->position, err);
  if (!status)
    status = read_member_int(&out->output_tokens, usage, "output_tokens", out->position, err);
  return status;
}

static ck_status read_flag(bool *out, ck_bytes line, const char *name, size_t position,
                           ck_error *err) {
  ck_bytes flag = ck_json_get(line, name);
  return !flag.len || ck_json_read_bool(out, flag)
             ? CK_OK
             : wrong_member(position, name, "true or false", err);
}

/* How the answer ended, and what it cost: recordings of earlier versions have less of it. */
static ck_status read_ending(ck_record *out, ck_bytes line, ck_error *err) {
  size_t at = out->position;
  ck_status status = read_member_int(&out->cost_micros, line, "cost_micros", at, err);
  if (!status) status = read_member_int(&out->reserved_micros, line, "reserved_micros", at, err);
  if (!status) status = read_words(&out->cut, line, "cut", at, err);
  if (!status) status = read_words(&out->refusal, line, "refusal", at, err);
  if (!status) status = read_flag(&out->goes_on, line, "goes_on", at, err);
  return status ? status : read_words(&out->note, line, "note", at, err);
}

static ck_status read_digest(ck_record *out, ck_bytes request, ck_error *err) {
  ck_buffer hex = {0};
  out->has_request = ck_json_read_string(&hex, request) &&
                     ck_digest_read_hex(&out->request, ck_buffer_bytes(&hex));
  ck_status status = ck_buffer_check(&hex, err);
  ck_buffer_clear(&hex);
  if (status) return status;
  return out->has_request ? CK_OK
                          : wrong_member(out->position, "request_digest", "64 hex digits", err);
}

static ck_status read_model(ck_record *out, ck_bytes line, ck_error *err) {
  ck_bytes request = ck_json_get(line, "request_digest");
  if (ck_json_type_of(ck_json_get(line, "message")) != CK_JSON_OBJECT) {
    return wrong_member(out->position, "message", "an object", err);
  }
  ck_status status = read_member_value(&out->value, line, "message", out->position, err);
  if (!status) status = read_usage(out, ck_json_get(line, "usage"), err);
  if (!status) status = read_ending(out, line, err);
  return status || !request.len ? status : read_digest(out, request, err);
}

static ck_status read_call(ck_record *out, ck_bytes line, ck_error *err) {
  ck_bytes request = ck_json_get(line, "request");
  out->index = -1;
  if (ck_json_type_of(request) == CK_JSON_OBJECT) return ck_value_copy(&out->own, request, err);
  if (request.len) return wrong_member(out->position, "request", "an object", err);
  ck_status status = read_member_int(&out->index, line, "index", out->position, err);
  if (!status && out->index < 0)
    status = wrong_member(out->position, "index", "an integer from 0", err);
  if (!status) status = read_member_text(&out->name, line, "name", out->position, err);
  return status ? status
                : read_member_value(&out->arguments, line, "arguments", out->position, err);
}

static ck_status read_tool(ck_record *out, ck_bytes line, ck_error *err) {
  ck_status status = read_call(out, line, err);
  if (!status) status = read_member_value(&out->value, line, "result", out->position, err);
  if (!status) status = read_flag(&out->is_error, line, "is_error", out->position, err);
  if (!status) status = read_flag(&out->tools_changed, line, "tools_changed", out->position, err);
  return status;
}

static ck_status read_record(ck_record *out, ck_bytes line, ck_error *err) {
  ck_bytes kind = ck_json_get(line, "kind");
  if (ck_json_is_text(kind, "ask")) {
    out->kind = CK_EFFECT_ASK;
    return read_member_value(&out->value, line, "answer", out->position, err);
  }
  if (ck_json_is_text(kind, "model")) {
    out->kind = CK_EFFECT_MODEL;
    return read_model(out, line, err);
  }
  if (ck_json_is_text(kind, "tool")) {
    out->kind = CK_EFFECT_TOOL;
    return read_tool(out, line, err);
  }
  return wrong_member(out->position, "kind", "\"ask\", \"model\" or \"tool\"", err);
}

static ck_status add_line(ck_cassette *self, ck_bytes line, size_t number, ck_error *err) {
  ck_record record = {.position = number, .cost_micros = -1};
  char *scope = NULL;
  ck_status status = read_member_text(&scope, line, "scope", number, err);
  if (!status) status = read_record(&record, line, err);
  if (!status) status = ck_cassette_add(self, scope, &record, err);
  ck_record_clear(&record);
  free(scope);
  return status;
}

static ck_status read_header(ck_cassette *self, ck_bytes line, size_t number, ck_error *err) {
  ck_bytes version = ck_json_get(line, "cassette"), prompt = ck_json_get(line, "prompt"),
           tools = ck_json_get(line, "tools");
  int64_t found = 0;
  if (!ck_json_read_int(&found, version)) {
    return ck_error_set(err, CK_E_PARSE,
                        "line %zu: not a cassette: it must begin with {\"cassette\":%d}", number,
                        FORMAT_VERSION);
  }
  if (found != FORMAT_VERSION) {
    return ck_error_set(err, CK_E_UNSUPPORTED,
                        "it has version %lld of the cassette format; this program reads version %d",
                        (long long)found, FORMAT_VERSION);
  }
  ck_status status = CK_OK;
  if (prompt.len && ck_json_type_of(prompt) != CK_JSON_NULL) {
    status = read_member_text(&self->prompt, line, "prompt", number, err);
  }
  if (!status && tools.len) status = ck_value_copy(&self->tools, tools, err);
  return status;
}

static bool is_blank(ck_bytes line) {
  for (size_t i = 0; i < line.len; i++) {
    if (!strchr(" \t\r", line.data[i]) || !line.data[i]) return false;
  }
  return true;
}

static ck_bytes take_line(ck_bytes *text) {
  const char *end = memchr(text->data, '\n', text->len);
  ck_bytes line = {text->data, end ? (size_t)(end - text->data) : text->len};
  size_t taken = line.len + (end != NULL);
  text->data += taken;
  text->len -= taken;
  return line;
}

ck_status ck_cassette_read_lines(ck_cassette *self, ck_bytes text, ck_error *err) {
  bool begun = false;
  self->position_name = "line";
  for (size_t number = 1; text.len; number++) {
    ck_bytes line = take_line(&text);
    if (is_blank(line)) continue;
    ck_status status = ck_json_check(line, err);
    if (status) {
      ck_error_prefix(err, "line %zu", number);
      return status;
    }
    status = begun ? add_line(self, line, number, err) : read_header(self, line, number, err);
    if (status) return status;
    begun = true;
  }
  return begun ? CK_OK
               : ck_error_set(err, CK_E_PARSE, "malformed JSON at byte 0: the file is empty");
}

static ck_status read_text(ck_cassette *self, ck_bytes text, size_t index, ck_error *err) {
  size_t begin = 0;
  while (begin < text.len && strchr(" \t\r\n", text.data[begin]) && text.data[begin]) begin++;
  if (begin < text.len && text.data[begin] == '[')
    return ck_cassette_read_tau(self, text, index, err);
  ck_status status = ck_cassette_read_lines(self, text, err);
  if (status || index == 0) return status;
  return ck_error_set(err, CK_E_USAGE, "session #%zu is out of range: the file holds 1 session, #0",
                      index);
}

static ck_status read_cassette(ck_cassette *self, ck_buffer *text, const char *path, size_t index,
                               ck_error *err) {
  ck_status status = read_file(text, path, err);
  if (status == CK_OK) status = read_text(self, ck_buffer_bytes(text), index, err);
  if (status == CK_OK) status = ck_cassette_finish(self, err);
  if (status != CK_OK) ck_error_prefix(err, "cassette %s", path);
  return status;
}

ck_status ck_cassette_open(ck_cassette **out, const char *spec, ck_error *err) {
  *out = NULL;
  char *path = NULL;
  const char *number = NULL;
  ck_buffer text = {0};
  ck_cassette *self = calloc(1, sizeof *self);
  ck_status status = self ? ck_cassette_split(&path, &number, spec, err) : ck_error_no_memory(err);
  /* too long a number is ULONG_MAX: out of any range */
  size_t index = status == CK_OK && number ? strtoul(number, NULL, 10) : 0;
  if (status == CK_OK) status = read_cassette(self, &text, path, index, err);
  if (status == CK_OK)
    *out = self;
  else
    ck_cassette_close(self);
  ck_buffer_clear(&text);
  free(path);
  return status;
}
