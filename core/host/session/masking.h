/* masking.h - what is masked of a person's word before a session keeps it, for who gives it: the
 * flow goes on with what is kept. */
#ifndef CK_HOST_SESSION_MASKING_H
#define CK_HOST_SESSION_MASKING_H

#include "core/host/print/document.h"
#include "core/host/session/own_policies.h"

/* Zero-initialise. */
typedef struct ck_masking {
  ck_value *kept; /* what the session keeps; NULL: what was given, or nothing is known */
  ck_value *by;   /* [{policy, (agent), rule} | {rule: a kind of secret that ckrun knows}] */
} ck_masking;
void ck_masking_clear(ck_masking *self);

/* What becomes of `given`, the answer to the question `key` or the result of that effect, before
 * any rule was applied; `own` NULL: no policies mask. */
typedef struct ck_masking_word {
  const char *key;
  const ck_value *given;
} ck_masking_word;
CK_CHECKED ck_status ck_masking_find(ck_masking *out, ck_own_policies *own, ck_redactor *redactor,
                                     const ck_masking_word *word, ck_error *err);
/* The members `masked_by` and `kept`; a sentence; that as a notice. Nothing where nothing is
 * masked. */
void ck_masking_put(ck_document *document, const ck_masking *self);
void ck_masking_append(ck_buffer *out, const ck_masking *self);
void ck_masking_tell(ck_output *output, const ck_masking *self);

#endif
