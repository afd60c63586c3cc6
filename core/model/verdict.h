/* verdict.h - two answers of profiles and policies: ck_redact_verdict, what is written of an item,
 * and ck_rule, what a resume does with a limit. */
#ifndef CK_MODEL_VERDICT_H
#define CK_MODEL_VERDICT_H

/* What becomes of one item before it is written: it stays, is dropped whole, its text is masked, a
 * reference to its source ("env:NAME") takes its place, or it stays with other texts in it. */
typedef enum {
  CK_REDACT_LEAVE,
  CK_REDACT_DROP,
  CK_REDACT_MASK,
  CK_REDACT_REF,
  CK_REDACT_REPLACE
} ck_redact_verdict;

/* What a resume does to one dimension of the constraints. DEFAULT: nobody said; time is reset, the
 * others continue. */
typedef enum { CK_RULE_DEFAULT, CK_RULE_CONTINUE, CK_RULE_RESET, CK_RULE_REFUSE } ck_rule;

#endif
