/* assignments.c - finds what stands between a name and its value, the name before it, and the value
 * behind it. */
#include "core/redact/assignments.h"

#include <string.h>

#include "core/redact/assigned_value.h"

enum { GAP_MAX = 8, PROSE_MAX = 48, NAME_MAX_BYTES = 128 };

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (unsigned char)c >= 0x80;
}

static bool is_name(char c) { return is_word(c) || c == '-' || c == '.'; }

static size_t skip_blanks(ck_assigned_text *self, size_t at) {
  size_t most = at + GAP_MAX;
  while (at < most && is_blank(ck_assigned_char(self, at))) at++;
  return at;
}

static size_t back_over_blanks(ck_bytes text, size_t at) {
  size_t least = at > GAP_MAX ? at - GAP_MAX : 0;
  while (at > least && is_blank(text.data[at - 1])) at--;
  return at;
}

static size_t back_over_name(ck_bytes text, size_t end) {
  size_t least = end > NAME_MAX_BYTES ? end - NAME_MAX_BYTES : 0, at = end;
  while (at > least && is_name(text.data[at - 1])) at--;
  return at;
}

/* Where the name of the quoted text that ends before `end` begins; `end` when there is none. */
static size_t back_over_quoted(ck_bytes text, size_t end) {
  size_t least = end > NAME_MAX_BYTES ? end - NAME_MAX_BYTES : 0, at = end;
  while (at > least && text.data[at - 1] != text.data[end] && text.data[at - 1] != '\n') at--;
  return at > least && text.data[at - 1] == text.data[end] ? at : end;
}

static size_t back_over_slashes(ck_bytes text, size_t at) {
  while (at > 0 && text.data[at - 1] == '\\') at--;
  return at;
}

/* ---- names ---- */

/* The name before a separator at `before`: quoted, an index, or bare; false when no rule can match
 * it, which most names are told by their last letters. */
static bool read_name(ck_assigned *out, const ck_keys *keys, ck_bytes text, size_t before) {
  size_t end = back_over_blanks(text, before);
  out->spaced = end < before;
  if (end > 1 && text.data[end - 1] == ']' && ck_assigned_is_quote(text.data[end - 2])) end--;
  out->quoted_name = end > 0 && ck_assigned_is_quote(text.data[end - 1]);
  if (out->quoted_name) end = back_over_slashes(text, end - 1);
  if (!ck_keys_may_match(keys, (ck_bytes){text.data, end})) return false;
  out->name_end = end;
  out->name = back_over_name(text, end);
  out->quoted_name =
      out->quoted_name && out->name > 0 && ck_assigned_is_quote(text.data[out->name - 1]);
  while (out->name < end && text.data[out->name] == '-') out->name++;
  return out->name < end;
}

/* "Your new API key: …": words before the name that change what it means. */
static size_t back_over_words(ck_bytes text, size_t name) {
  size_t least = name > PROSE_MAX ? name - PROSE_MAX : 0, at = name;
  while (at > least && (is_name(text.data[at - 1]) || text.data[at - 1] == ' ')) at--;
  return at;
}

static const ck_key_rule *rule_of(const ck_keys *keys, ck_bytes text, size_t from, size_t to) {
  ck_bytes name = {text.data + from, to - from};
  return ck_keys_may_match(keys, name) ? ck_keys_find(keys, name) : NULL;
}

/* The rule for the name before a colon or an equals sign. */
static const ck_key_rule *find_rule(ck_assigned *out, const ck_keys *keys, ck_bytes text,
                                    size_t before, char sign) {
  if (!read_name(out, keys, text, before)) return NULL;
  const ck_key_rule *rule = rule_of(keys, text, out->name, out->name_end);
  if (sign != ':' || out->quoted_name) return rule;
  size_t first = back_over_words(text, out->name);
  if (first == out->name) return rule;
  return rule_of(keys, text, first, out->name_end);
}

/* <x name="api_key" value="…": the quoted text before the attribute, whose quotes may be escaped;
 * NULL: none. */
static const ck_key_rule *find_attribute(const ck_keys *keys, ck_bytes text, size_t end) {
  size_t close = back_over_blanks(text, end);
  if (close < 4 || !ck_assigned_is_quote(text.data[close - 1])) return NULL;
  size_t begin = back_over_quoted(text, close - 1);
  size_t open = begin < close - 1 ? back_over_slashes(text, begin - 1) : 0;
  if (open == 0 || text.data[open - 1] != '=') return NULL;
  return rule_of(keys, text, begin, back_over_slashes(text, close - 1));
}

/* ---- separators ---- */

static size_t next_of(ck_bytes text, size_t at, char c) {
  const char *found = at < text.len ? memchr(text.data + at, c, text.len - at) : NULL;
  return found ? (size_t)(found - text.data) : text.len;
}

static size_t next_dashes(ck_bytes text, size_t at) {
  while ((at = next_of(text, at, '-')) + 1 < text.len && text.data[at + 1] != '-') at += 2;
  return at + 1 < text.len ? at : text.len;
}

/* The next sign, each kind of which is looked for again only when it has been passed. */
static size_t next_sign(ck_assignment_signs *self, ck_bytes text, size_t at) {
  bool all = !self->known;
  self->known = true;
  if (all || self->equals < at) self->equals = next_of(text, at, '=');
  if (all || self->colon < at) self->colon = next_of(text, at, ':');
  if (all || self->angle < at) self->angle = next_of(text, at, '>');
  if (all || self->dashes < at) self->dashes = next_dashes(text, at);
  size_t least = self->equals < self->colon ? self->equals : self->colon;
  if (self->angle < least) least = self->angle;
  return self->dashes < least ? self->dashes : least;
}

/* Behind "=", ":", ":=" or "=>"; 0: a comparison, a scope, an address. */
static size_t behind_sign(ck_assigned_text *self, size_t at) {
  char sign = self->text.data[at], next = ck_assigned_char(self, at + 1);
  if (sign == '=' && at > 0 && strchr("=!<>~*+-/%&|^", self->text.data[at - 1])) return 0;
  if (sign == ':' && at > 0 && self->text.data[at - 1] == ':') return 0;
  if (sign == '=' && next == '>') return at + 2;
  if (sign == ':' && next == '=') return at + 2;
  return next == sign || (sign == ':' && next == '/') ? 0 : at + 1;
}

/* "name": of JSON, whose members have rules of their own; but not 'value' behind it, of Python. */
static bool is_member(ck_assigned_text *self, size_t at) {
  return at > 0 && self->text.data[at] == ':' && self->text.data[at - 1] == '"' &&
         ck_assigned_char(self, skip_blanks(self, at + 1)) != '\'';
}

static bool at_sign(ck_assigned *out, ck_assigned_text *self, size_t at) {
  size_t behind = is_member(self, at) ? 0 : behind_sign(self, at);
  if (behind == 0) return false;
  char sign = self->text.data[at];
  out->sign = sign;
  out->rule = find_rule(out, self->keys, self->text, at, sign);
  if (!out->rule && sign == '=' && out->name_end - out->name == 5 &&
      memcmp(self->text.data + out->name, "value", 5) == 0) {
    out->rule = find_attribute(self->keys, self->text, out->name);
    out->attribute = out->rule != NULL;
  }
  out->value = skip_blanks(self, behind);
  out->spaced = out->spaced || out->value > behind;
  return out->rule != NULL;
}

/* <name>value</name>, <x name="name">value</x> */
static bool at_tag(ck_assigned *out, ck_assigned_text *self, size_t at) {
  ck_bytes text = self->text;
  size_t end = at;
  out->sign = '>';
  out->name_end = end;
  out->name = back_over_name(text, end);
  bool element = out->name > 0 && out->name < end &&
                 (text.data[out->name - 1] == '<' || text.data[out->name - 1] == ':');
  out->rule =
      element ? rule_of(self->keys, text, out->name, end) : find_attribute(self->keys, text, end);
  out->value = at + 1;
  return out->rule != NULL;
}

/* --name value; "--name=value" is found at its sign. */
static bool at_option(ck_assigned *out, ck_assigned_text *self, size_t at) {
  ck_bytes text = self->text;
  if (at > 0 && !strchr(" \t\n\r\"'`([,", text.data[at - 1])) return false;
  size_t end = at + 2;
  while (end - at < NAME_MAX_BYTES && is_name(ck_assigned_char(self, end))) end++;
  *out = (ck_assigned){.name = at + 2, .name_end = end, .sign = ' ', .spaced = true};
  if (end == at + 2 || !is_blank(ck_assigned_char(self, end))) return false;
  out->value = skip_blanks(self, end);
  out->rule = rule_of(self->keys, text, at + 2, end);
  return out->rule && ck_assigned_char(self, out->value) != '-';
}

static bool read_at(ck_assigned *out, ck_assigned_text *self, size_t at) {
  *out = (ck_assigned){.name = at, .name_end = at};
  switch (self->text.data[at]) {
    case '>':
      return at_tag(out, self, at);
    case '-':
      return at_option(out, self, at);
    default:
      return at_sign(out, self, at);
  }
}

static size_t beginning(const ck_assigned *self, ck_bytes text) {
  size_t at = self->name;
  while (at > 0 && (text.data[at - 1] == '-' || ck_assigned_is_quote(text.data[at - 1]))) at--;
  return at;
}

bool ck_assignments_next(ck_assignment *out, ck_assignments *self, size_t *open) {
  ck_bytes text = self->text;
  for (size_t i; (i = next_sign(&self->signs, text, self->at)) < text.len;) {
    ck_assigned_text from = {.keys = self->keys, .text = text};
    ck_assigned found;
    self->at = i + 1;
    if (!read_at(&found, &from, i)) continue;
    bool taken = ck_assigned_take(&found, &from);
    if (open && from.cut) {
      size_t begin = beginning(&found, text);
      if (begin < *open) *open = begin;
      break;
    }
    if (!taken) continue;
    *out = (ck_assignment){.rule = found.rule, .start = found.value, .end = found.end};
    if (found.end > self->at) self->at = found.end;
    return true;
  }
  self->at = text.len;
  return false;
}

bool ck_assignments_suspect(const ck_keys *keys, ck_bytes text) {
  ck_assignment_signs signs = {0};
  for (size_t at = 0, i; (i = next_sign(&signs, text, at)) < text.len; at = i + 1) {
    ck_assigned_text from = {.keys = keys, .text = text};
    ck_assigned found;
    if (read_at(&found, &from, i)) return true;
  }
  return false;
}
