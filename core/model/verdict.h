/* verdict.h - answers of profiles and policies: ck_redact_verdict, what is written of an item;
 * ck_rule, what a resume does with a limit; words beside an answer about an effect. */
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

/* Who decides about an agent's action where no policy does: the profile's rules, as `policies` of a
 * denial or a question says it. */
#define CK_LEAVE_BY_RULES "permissions"
/* Behind the question of a policy whose effect is masked where it is stored. */
#define CK_LEAVE_MASKED_HINT                                                                    \
  " (Part of what it is called with is masked where it is stored: where it comes back masked, " \
  "it is not made, and its outcome says so.)"

#endif
