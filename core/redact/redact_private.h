/* redact_private.h - the redactor's own structures, shared by its files. */
#ifndef CK_REDACT_REDACT_PRIVATE_H
#define CK_REDACT_REDACT_PRIVATE_H

#include "core/redact/assignments.h"
#include "core/redact/keys.h"
#include "core/redact/known.h"
#include "core/redact/redact.h"
#include "core/redact/values.h"

/* Numbers of rules, for the counts: those of the redactor itself, then the rows of the two
 * tables. */
enum {
  CK_RULE_KNOWN,
  CK_RULE_ID,               /* an id that held a known secret */
  CK_RULE_SIGNED,           /* a signed block that held one */
  CK_RULE_SECRET_REFERENCE, /* an item that already was a secret reference */
  CK_RULE_EXCLUDED,         /* a state key of the profile's list */
  CK_RULE_POLICY_DROP,
  CK_RULE_POLICY_MASK,
  CK_RULE_POLICY_REF,
  CK_RULE_POLICY_REPLACE,
  CK_RULE_VALUES = 16,
  CK_RULE_KEYS = CK_RULE_VALUES + CK_VALUES_MAX,
  CK_RULE_MAX = 1024
};

struct ck_redactor {
  ck_fingerprint_key key;
  bool scrubs; /* see ck_redactor_new_scrubber */
  ck_known known;
  ck_keys keys;
  ck_values *values;
  ck_event_kind kind; /* of the event whose body it is; 0: none */
  ck_redact_hook hook;
  void *hook_self;
  uint64_t counts[CK_RULE_MAX];
};

/* Which rules apply. */
enum { CK_APPLY_KEYS = 1, CK_APPLY_VALUES = 2 };

/* The input of a walk over one JSON document. */
typedef struct ck_walk_case {
  ck_redactor *redactor;
  ck_bytes json;
  const ck_edits *known; /* positions of known secrets, merged */
  unsigned apply;
  const ck_key_rule *rule; /* the rule that the document's own name matches; NULL: none */
  int nesting;             /* number of enclosing strings */
} ck_walk_case;

/* Appends the edits, merged. CK_E_PARSE: the text is no JSON. */
CK_CHECKED ck_status ck_walk_find(ck_edits *out, const ck_walk_case *of, ck_error *err);

/* The inside of a JSON string at `offset`: documents and members in it, tokens; not the known
 * secrets. */
CK_CHECKED ck_status ck_leaf_find(ck_edits *out, const ck_walk_case *of, ck_bytes inner,
                                  size_t offset, ck_error *err);
/* Tokens, and values of names, in a text without escapes; not merged. `open` as for
 * ck_values_find. */
CK_CHECKED ck_status ck_leaf_find_plain(ck_edits *out, ck_redactor *redactor, ck_bytes text,
                                        size_t *open, ck_error *err);
/* Members of JSON anywhere in a text. */
void ck_leaf_find_members(ck_edits *out, const ck_walk_case *of, ck_bytes text, size_t offset);

uint32_t ck_redactor_key_rule(const ck_redactor *self, const ck_key_rule *rule);
void ck_redactor_count(ck_redactor *self, const ck_edits *edits);
/* Appends the placeholder for `secret`: that of the known secret when it is exactly one. */
void ck_redactor_mask(char out[CK_PLACEHOLDER_SIZE], ck_redactor *self, const char *kind,
                      ck_bytes secret);

#endif
