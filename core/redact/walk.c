/* walk.c - walks the structure of a document and drops signed blocks that hold secrets. */
#include "core/redact/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ck_walk_level *top(ck_walk *self) { return &self->levels[self->depth]; }

static char byte(const ck_walk *self, size_t at) { return self->of->json.data[at]; }

static bool holds_known(const ck_walk *self, size_t start, size_t end) {
  const ck_edits *known = self->of->known;
  size_t i = ck_edits_find(known, start);
  return i < known->count && known->list[i].start < end;
}

/* A schema of the value is no secret: {"password": {"type": "string"}}. */
static bool is_schema(ck_bytes object) {
  static const char *const types[] = {"string", "number", "integer", "boolean",
                                      "object", "array",  "null",    NULL};
  ck_bytes type = ck_json_get(object, "type");
  for (const char *const *t = types; *t && type.len > 0; t++)
    if (ck_json_is_text(type, *t)) return true;
  return ck_json_type_of(ck_json_get(object, "anyOf")) == CK_JSON_ARRAY ||
         ck_json_type_of(ck_json_get(object, "$ref")) == CK_JSON_STRING;
}

static ck_status open_level(ck_walk *self) {
  ck_walk_level *parent = top(self);
  if (self->depth > CK_JSON_DEPTH_MAX) return CK_E_PARSE;
  bool object = byte(self, self->at) == '{';
  const ck_key_rule *rule = parent->rule;
  ck_bytes rest = {self->of->json.data + self->at, self->of->json.len - self->at};
  if (rule && object && rule != parent->outer && is_schema(rest)) rule = NULL;
  ck_walk_level *level = &self->levels[++self->depth];
  *level = (ck_walk_level){
      .open = self->at, .mark = self->out->count, .object = object, .outer = rule, .rule = rule};
  level->id = level->outer_id = parent->id && !object;
  self->at++;
  return CK_OK;
}

/* The expected value has been read. */
static void end_value(ck_walk *self, size_t start, size_t end) {
  ck_walk_level *level = top(self);
  if (!level->object && level->dropping) {
    ck_edits_append(self->out, level->dropped_from, start, (ck_bytes){NULL, 0}, CK_RULE_SIGNED);
    level->dropping = false;
  }
  level->kept = true;
  level->last_end = end;
  level->named = false;
  level->rule = level->outer;
  level->id = level->outer_id;
  level->type_due = level->seal_due = false;
}

/* Replaces a dropped block, so that a turn never becomes empty. */
static void put_block(ck_walk *self, size_t start, size_t end) {
  char placeholder[CK_PLACEHOLDER_SIZE], block[CK_PLACEHOLDER_SIZE + 32];
  ck_bytes whole = {self->of->json.data + start, end - start};
  ck_placeholder_write(placeholder, &self->of->redactor->key, "thinking", whole);
  int len = snprintf(block, sizeof block, "{\"type\":\"text\",\"text\":\"%s\"}", placeholder);
  ck_edits_append(self->out, start, end, (ck_bytes){block, (size_t)len}, CK_RULE_SIGNED);
}

/* A signed block is kept byte for byte or not at all. As an element of an array it is removed with
 * one of the adjacent commas. */
static void drop_value(ck_walk *self, size_t start, size_t end) {
  ck_walk_level *level = top(self);
  if (level->object || self->depth == 0) {
    put_block(self, start, end);
    end_value(self, start, end);
  } else if (level->kept) {
    ck_edits_append(self->out, level->last_end, end, (ck_bytes){NULL, 0}, CK_RULE_SIGNED);
    level->last_end = end;
  } else {
    if (!level->dropping) level->dropped_from = start;
    level->dropping = true;
    level->last_end = end;
  }
}

static ck_status close_level(ck_walk *self) {
  ck_walk_level *level = top(self);
  bool object = byte(self, self->at) == '}';
  if (self->depth == 0 || object != level->object || level->named) return CK_E_PARSE;
  size_t start = level->open, end = ++self->at;
  if (level->dropping) put_block(self, level->dropped_from, level->last_end);
  bool is_signed = level->thinking && level->sealed;
  if (is_signed) ck_edits_cut(self->out, level->mark);
  self->depth--;
  if (is_signed && holds_known(self, start, end))
    drop_value(self, start, end);
  else
    end_value(self, start, end);
  return CK_OK;
}

/* The index of the closing quote of the string whose content begins at `at`; the length of the
 * text: none. */
static size_t find_quote(ck_bytes json, size_t at) {
  for (size_t begin = at; at < json.len;) {
    const char *quote = memchr(json.data + at, '"', json.len - at);
    if (!quote) return json.len;
    at = (size_t)(quote - json.data);
    size_t slashes = 0;
    while (at - slashes > begin && json.data[at - slashes - 1] == '\\') slashes++;
    if (slashes % 2 == 0) return at;
    begin = ++at;
  }
  return json.len;
}

static ck_status pass_string(ck_walk *self) {
  size_t start = self->at + 1, end = find_quote(self->of->json, start);
  if (end == self->of->json.len) return CK_E_PARSE;
  ck_walk_level *level = top(self);
  self->at = end + 1;
  if (level->object && !level->named) return ck_walk_name(self, level, start, end);
  ck_status status = ck_walk_string(self, level, start, end);
  end_value(self, start - 1, end + 1);
  return status;
}

static ck_status pass_scalar(ck_walk *self) {
  size_t start = self->at;
  while (self->at < self->of->json.len && !strchr(" \t\r\n,:]}[{\"", byte(self, self->at)))
    self->at++;
  if (self->at == start) return CK_E_PARSE;
  ck_status status = ck_walk_scalar(self, top(self), start, self->at);
  end_value(self, start, self->at);
  return status;
}

static ck_status pass_token(ck_walk *self) {
  switch (byte(self, self->at)) {
    case ' ':
    case '\t':
    case '\r':
    case '\n':
    case ',':
    case ':':
      self->at++;
      return CK_OK;
    case '{':
    case '[':
      return open_level(self);
    case '}':
    case ']':
      return close_level(self);
    case '"':
      return pass_string(self);
    default:
      return pass_scalar(self);
  }
}

ck_status ck_walk_find(ck_edits *out, const ck_walk_case *of, ck_error *err) {
  ck_walk *self = malloc(sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->of = of;
  self->out = out;
  self->err = err;
  self->at = 0;
  self->depth = self->masked_names = 0;
  self->levels[0] = (ck_walk_level){.outer = of->rule, .rule = of->rule};
  ck_status status = CK_OK;
  while (self->at < of->json.len && status == CK_OK) status = pass_token(self);
  if (status == CK_OK && self->depth > 0) status = CK_E_PARSE;
  free(self);
  if (status == CK_E_PARSE)
    return ck_error_set(err, CK_E_PARSE, "a value on its way to a sink is not JSON");
  if (status == CK_OK) status = ck_edits_check(out, err);
  ck_edits_merge(out);
  return status;
}
