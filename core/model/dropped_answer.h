/* dropped_answer.h - a person's answer that does not count, because what was asked is asked
 * otherwise now. */
#ifndef CK_MODEL_DROPPED_ANSWER_H
#define CK_MODEL_DROPPED_ANSWER_H

#include "core/model/value.h"

/* The member of a question's event that tells of it: {question, answer, by?}. */
#define CK_DROPPED_ANSWER "dropped"

/* All are JSON; `by`: see person.h, no bytes: not known. */
CK_CHECKED ck_status ck_dropped_answer_write(ck_value **out, ck_bytes question, ck_bytes answer,
                                             ck_bytes by, ck_error *err);
/* No bytes of NULL. */
ck_bytes ck_dropped_answer_of(const ck_value *self);
/* "the answer allow, of ann on desk, ckrun answer, does not count: it was given to "May it?"";
 * `question`: what is asked now, a JSON string. Nothing without bytes. */
void ck_dropped_answer_append(ck_buffer *out, ck_bytes dropped, ck_bytes question);

#endif
