/* json_check.c - checks a text by every rule of JSON. Iterative: depth costs no C stack. */
#include "core/base/json.h"
#include "core/base/json_names.h"
#include "core/base/json_scan.h"

/* One open array or object. */
typedef struct level {
  char closer;
  size_t first_name; /* of an object, in `names` */
} level;

typedef struct checker {
  ck_json_scan scan;
  ck_json_names names;
  bool no_memory;
  int depth;
  level levels[CK_JSON_DEPTH_MAX];
} checker;

static bool fail(checker *self, const char *fault) {
  self->scan.fault = fault;
  return false;
}

/* The next byte that is not space; NUL at the end (a NUL in the text is no token either). */
static char peek(checker *self) {
  self->scan.at = ck_json_skip_space(self->scan.at, self->scan.end);
  return self->scan.at < self->scan.end ? *self->scan.at : '\0';
}

static bool check_name(checker *self) {
  if (peek(self) != '"') return fail(self, "expected a member name");
  const char *start = self->scan.at;
  bool escaped;
  if (!ck_json_scan_string(&self->scan, &escaped)) return false;
  ck_bytes raw = {start + 1, (size_t)(self->scan.at - start) - 2};
  ck_status status =
      ck_json_names_add(&self->names, self->levels[self->depth - 1].first_name, raw, escaped);
  if (status == CK_E_EXISTS) {
    self->scan.at = start;
    return fail(self, "the member name occurs twice in its object");
  }
  if (status != CK_OK) {
    self->no_memory = true;
    return false;
  }
  if (peek(self) != ':') return fail(self, "expected ':'");
  self->scan.at++;
  return true;
}

static void close_level(checker *self) {
  level *closed = &self->levels[--self->depth];
  if (closed->closer == '}') ck_json_names_drop(&self->names, closed->first_name);
  self->scan.at++;
}

/* `*open`: a value must follow, inside the container. An empty one is closed at once. */
static bool open_level(checker *self, char closer, bool *open) {
  if (self->depth == CK_JSON_DEPTH_MAX) return fail(self, "nested deeper than 256 levels");
  self->levels[self->depth++] = (level){closer, self->names.count};
  self->scan.at++;
  *open = peek(self) != closer;
  if (!*open) close_level(self);
  return !*open || closer == ']' || check_name(self);
}

/* A scalar as a whole, or the opening of a container. */
static bool check_value(checker *self, bool *open) {
  *open = false;
  bool escaped;
  switch (peek(self)) {
    case '{':
      return open_level(self, '}', open);
    case '[':
      return open_level(self, ']', open);
    case '"':
      return ck_json_scan_string(&self->scan, &escaped);
    case '-':
    case '0' ... '9':
      return ck_json_scan_number(&self->scan);
    default:
      return ck_json_scan_literal(&self->scan);
  }
}

/* After a value: closing brackets, then a comma (`*more`) or the end. */
static bool check_behind(checker *self, bool *more) {
  *more = false;
  while (self->depth > 0) {
    char closer = self->levels[self->depth - 1].closer, c = peek(self);
    if (c == ',') {
      self->scan.at++;
      *more = true;
      return closer == ']' || check_name(self);
    }
    if (c != closer)
      return fail(self, closer == ']' ? "expected ',' or ']'" : "expected ',' or '}'");
    close_level(self);
  }
  peek(self);
  return self->scan.at == self->scan.end || fail(self, "expected the end of the text");
}

static bool check_text(checker *self) {
  bool more = true;
  while (more) {
    if (!check_value(self, &more)) return false;
    if (!more && !check_behind(self, &more)) return false;
  }
  return true;
}

ck_status ck_json_check(ck_bytes text, ck_error *err) {
  const char *start = text.data ? text.data : "";
  checker self;
  self.scan = (ck_json_scan){.at = start, .end = start + text.len};
  self.names = (ck_json_names){0};
  self.no_memory = false;
  self.depth = 0;
  bool valid = check_text(&self);
  ck_json_names_clear(&self.names);
  if (valid) return CK_OK;
  if (self.no_memory) return ck_error_no_memory(err);
  return ck_error_set(err, CK_E_PARSE, "malformed JSON at byte %zu: %s",
                      (size_t)(self.scan.at - start), self.scan.fault);
}
