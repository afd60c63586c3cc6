/* scrub_rules.h - what a person names as secret, for a scrub: files that hold secrets, names under
 * which they stand, a pattern. */
#ifndef CK_HOST_SESSION_SCRUB_RULES_H
#define CK_HOST_SESSION_SCRUB_RULES_H

#include "core/host/cli/command.h"
#include "core/redact/expression.h"

/* As given on the command line. */
typedef struct ck_scrub_words {
  ck_words secret_files, files, names;
  const char *pattern; /* NULL */
} ck_scrub_words;

typedef struct ck_scrub_means {
  ck_redactor *redactor;
  ck_expression *expression; /* NULL */
  ck_value *rules;           /* for the record: kinds of rules and names, never a value */
} ck_scrub_means;

/* The secrets become known to `output` as well. CK_E_USAGE: no rule, an empty name, a pattern that
 * is none; CK_E_RANGE: a secret that is too short or too long; CK_E_SECRET_MISSING. Caller
 * clears, also after a failure. */
CK_CHECKED ck_status ck_scrub_means_take(ck_scrub_means *out, const ck_scrub_words *words,
                                         ck_output *output, ck_error *err);
void ck_scrub_means_clear(ck_scrub_means *self);

#endif
