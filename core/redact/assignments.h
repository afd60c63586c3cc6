/* assignments.h - names of secrets and their values in plain text: files of settings, commands,
 * code, headers, connection strings. */
#ifndef CK_REDACT_ASSIGNMENTS_H
#define CK_REDACT_ASSIGNMENTS_H

#include "core/redact/keys.h"

/* A value that belongs to a name of a secret, from `start` to `end`, without its quotes. */
typedef struct ck_assignment {
  const ck_key_rule *rule;
  size_t start, end;
} ck_assignment;

/* Where the next sign of each kind is, so that a text is gone through once. */
typedef struct ck_assignment_signs {
  bool known;
  size_t equals, colon, angle, dashes;
} ck_assignment_signs;

/* A way through `text`; begins as {.keys = …, .text = …}. */
typedef struct ck_assignments {
  const ck_keys *keys;
  ck_bytes text;
  size_t at; /* behind what was found */
  ck_assignment_signs signs;
} ck_assignments;

/* The next value that is to be masked; false at the end. Found are
 *
 *   name=value  name: value  name := value  name => value  "name": 'value'  x["name"] = 'value'
 *   name: type = 'value'  --name value  <name>value</name>  <x name="name" value="value"/>
 *
 * The less sure it is that a text is meant as a value (no quotes, letters only, amid code or
 * prose), the more random it has to look. `open` (may be NULL): more text follows later; when a
 * value can still become longer or another, `*open` is where its name may begin, and nothing behind
 * it is found; else it stays as it is. JSON's own members, "name": "value", are those of
 * ck_keys_next. */
bool ck_assignments_next(ck_assignment *out, ck_assignments *self, size_t *open);
/* Whether ck_assignments_next could find something, escapes in the text or not: a cheap answer for
 * whole documents. */
bool ck_assignments_suspect(const ck_keys *keys, ck_bytes text);
/* How far before a value its name and what decides on it can begin, in bytes. */
enum { CK_ASSIGNMENT_REACH = 256 };

#endif
