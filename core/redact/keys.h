/* keys.h - names of members and state keys that stand for secrets. */
#ifndef CK_REDACT_KEYS_H
#define CK_REDACT_KEYS_H

#include "core/base/buffer.h"
#include "core/redact/keys_table.h"

typedef struct ck_key_rule {
  const char *words, *kind;
  unsigned flags;
  size_t len;    /* of words */
  uint32_t next; /* index + 1 of the next rule in its chain */
} ck_key_rule;

enum { CK_KEY_CHAINS = 256, CK_KEY_BITS = 65536 };

/* Zero-initialise, then ck_keys_init. Pointers to rules are valid until the next ck_keys_init. */
typedef struct ck_keys {
  ck_key_rule *rules; /* the table's, then the extra ones */
  size_t count;
  char *extra;       /* the words of the extra ones */
  uint64_t *endings; /* a bit for the last letters of each rule */
  uint32_t chains[CK_KEY_CHAINS];
} ck_keys;

/* `names` (NULL: none) is NULL-terminated. On failure the previous rules remain. */
CK_CHECKED ck_status ck_keys_init(ck_keys *self, const char *const *names, ck_error *err);
/* The names alone, without the table, and for whatever values they have. */
CK_CHECKED ck_status ck_keys_init_only(ck_keys *self, const char *const *names, ck_error *err);
void ck_keys_clear(ck_keys *self);

/* The rule that matches a name; NULL: none. `name` is decoded, without quotes. */
const ck_key_rule *ck_keys_find(const ck_keys *self, ck_bytes name);
/* False when no rule can match; true is no answer yet. */
bool ck_keys_may_match(const ck_keys *self, ck_bytes name);
/* The last word of the name marks the value as an id, a hash or a signature. */
bool ck_keys_is_id(ck_bytes name);
/* The whole name is one of CK_KEY_SKELETON. */
bool ck_keys_is_skeleton(ck_bytes name);

/* The rule of the next string before a colon, at or after `*at`, that matches one, escaped or not.
 * `*at` moves past the colon; `*depth` is the number of backslashes before each of the string's
 * quotes. NULL at the end. */
const ck_key_rule *ck_keys_next(size_t *at, size_t *depth, const ck_keys *self, ck_bytes text);

/* Whether a text (decoded) or a number under a matching name is to be masked. Not when it is empty,
 * refers to a secret kept elsewhere, is masked already, or means "none". */
bool ck_keys_takes_text(const ck_key_rule *rule, ck_bytes text);
bool ck_keys_takes_number(const ck_key_rule *rule, ck_bytes number);

#endif
