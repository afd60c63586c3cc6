/* usage.c - what an answer states of its tokens, also one that is no valid JSON: it was paid for
 * whatever else is wrong with it. */
#include <string.h>

#include "core/effect/model/private.h"

/* ---- figures ---- */

bool ck_model_read_tokens(ck_model_reply *to, int64_t *tokens, ck_bytes usage, const char *name) {
  ck_bytes figure = ck_json_get(usage, name);
  ck_json_type type = ck_json_type_of(figure);
  int64_t number;
  if (type == CK_JSON_NONE || type == CK_JSON_NULL) return false;
  bool sound = ck_json_read_int(&number, figure) && number >= 0 && number <= CK_USAGE_TOKENS_MAX;
  if (sound) *tokens = number;
  to->unreadable |= !sound;
  return sound;
}

/* ---- where they are, in any text ---- */

typedef struct walk {
  const char *at, *end;
  size_t depth;
  bool in_message; /* within the member "message" or "response" of the outermost object */
} walk;

/* Behind the string that begins at `at`; NULL: it does not end. */
static const char *skip_string(const char *at, const char *end) {
  for (at++; at < end && *at != '"'; at++)
    if (*at == '\\') at++;
  return at < end ? at + 1 : NULL;
}

/* Behind the object that begins at `at`; NULL: there is none, or it does not end. */
static const char *skip_object(const char *at, const char *end) {
  size_t depth = 0;
  if (at == end || *at != '{') return NULL;
  while (at && at < end) {
    char c = *at;
    at = c == '"' ? skip_string(at, end) : at + 1;
    if (c == '{' || c == '[') depth++;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return NULL;
}

static const char *skip_space(const char *at, const char *end) {
  while (at < end && memchr(" \t\r\n", *at, 4)) at++;
  return at;
}

static bool is(ck_bytes string, const char *text) {
  return ck_bytes_equal(string, ck_bytes_text(text));
}

static void state(ck_model_reply *to, const ck_model_format *format, ck_bytes usage, bool begins) {
  if (ck_json_check(usage, NULL) == CK_OK)
    format->state(to, usage, begins);
  else
    to->unreadable = true;
}

static const char *name_of(const ck_model_format *format) {
  return format->usage_name ? format->usage_name : "\"usage\"";
}

/* A string, at the walk's position: the name of a member, or not. False: the text ends in it. */
static bool take_string(walk *self, ck_model_reply *to, const ck_model_format *format) {
  const char *begin = self->at, *behind = skip_string(begin, self->end);
  if (!behind) return false;
  ck_bytes name = {begin, (size_t)(behind - begin)};
  self->at = skip_space(behind, self->end);
  if (self->at == self->end || *self->at != ':') return true;
  const char *value = skip_space(self->at + 1, self->end);
  if (self->depth == 1) self->in_message = is(name, "\"message\"") || is(name, "\"response\"");
  bool inner = self->depth == 2 && self->in_message;
  if (!is(name, name_of(format)) || (self->depth != 1 && !inner)) return true;
  const char *end = skip_object(value, self->end);
  if (!end) return true;
  state(to, format, (ck_bytes){value, (size_t)(end - value)}, inner);
  self->at = end;
  return true;
}

void ck_model_take_usage(ck_model_reply *to, const ck_model_format *format, ck_bytes text) {
  const char *mark = name_of(format);
  walk self = {.at = text.data, .end = text.data + text.len};
  if (text.len == 0 || !memmem(text.data, text.len, mark, strlen(mark))) return;
  while (self.at < self.end) {
    char c = *self.at;
    if (c == '"') {
      if (!take_string(&self, to, format)) return;
      continue;
    }
    self.at++;
    if (c == '{' || c == '[') self.depth++;
    if ((c == '}' || c == ']') && self.depth-- <= 1) return; /* what follows is no part of it */
  }
}
