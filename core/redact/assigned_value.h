/* assigned_value.h - the value behind a name of a secret in plain text, and whether it is one. */
#ifndef CK_REDACT_ASSIGNED_VALUE_H
#define CK_REDACT_ASSIGNED_VALUE_H

#include "core/redact/keys.h"

/* What was read before the value. */
typedef struct ck_assigned {
  const ck_key_rule *rule;
  size_t name, name_end;
  size_t value, end; /* `end` is set by ck_assigned_take, which moves `value` behind a quote */
  char sign;         /* '=', ':', '>' of a tag, ' ' behind an option */
  bool quoted_name, attribute;
  bool spaced; /* between the name, the sign and the value */
  bool prose;  /* words stand before the name */
} ck_assigned;

/* Reads the value and decides whether it is to be masked. `*cut` is set when text that has not
 * arrived could change that. */
bool ck_assigned_take(ck_assigned *self, ck_bytes text, const ck_keys *keys, bool *cut);

#endif
