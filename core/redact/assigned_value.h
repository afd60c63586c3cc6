/* assigned_value.h - the value behind a name of a secret in plain text, and whether it is one. */
#ifndef CK_REDACT_ASSIGNED_VALUE_H
#define CK_REDACT_ASSIGNED_VALUE_H

#include "core/redact/keys.h"

/* The text that is read; `cut`: what was read depends on text that has not arrived. */
typedef struct ck_assigned_text {
  const ck_keys *keys;
  ck_bytes text;
  bool cut;
} ck_assigned_text;

static inline char ck_assigned_char(ck_assigned_text *self, size_t at) {
  if (at < self->text.len) return self->text.data[at];
  self->cut = true;
  return '\0';
}

static inline bool ck_assigned_is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

/* What was read before the value. */
typedef struct ck_assigned {
  const ck_key_rule *rule;
  size_t name, name_end;
  size_t value, end; /* `end` is set by ck_assigned_take, which moves `value` behind a quote */
  char sign;         /* '=', ':', '>' of a tag, ' ' behind an option */
  bool quoted_name, attribute;
  bool spaced; /* between the name, the sign and the value */
} ck_assigned;

/* Reads the value and decides whether it is to be masked. */
bool ck_assigned_take(ck_assigned *self, ck_assigned_text *from);

#endif
