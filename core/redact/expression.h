/* expression.h - a regular expression by which a person says what is a secret: what it matches in
 * texts becomes a known secret, to be found in all its encodings. */
#ifndef CK_REDACT_EXPRESSION_H
#define CK_REDACT_EXPRESSION_H

#include "core/redact/redact.h"

typedef struct ck_expression ck_expression;

enum { CK_EXPRESSION_SECRETS = 1000 }; /* distinct ones, at most */

/* As PCRE2 reads it, over bytes; of one with a group the first group counts. CK_E_USAGE: it is
 * none, the text says where; it matches nothing at all. */
CK_CHECKED ck_status ck_expression_new(ck_expression **out, const char *text, ck_error *err);
void ck_expression_free(ck_expression *self);
/* Adds what it matches in a text to the secrets of `to`. CK_E_RANGE: a match that is no secret, for
 * it is too short or too long, or more than CK_EXPRESSION_SECRETS; CK_E_LIMIT: a text on which the
 * expression takes too long. */
CK_CHECKED ck_status ck_expression_learn(ck_expression *self, ck_redactor *to, ck_bytes text,
                                         ck_error *err);
/* The same of all strings of a JSON value. */
CK_CHECKED ck_status ck_expression_learn_json(ck_expression *self, ck_redactor *to, ck_bytes json,
                                              ck_error *err);
/* How many distinct ones it has matched. */
size_t ck_expression_count(const ck_expression *self);

#endif
