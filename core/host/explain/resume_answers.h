/* resume_answers.h - what each policy answered about a resume, in words and as JSON. */
#ifndef CK_HOST_EXPLAIN_RESUME_ANSWERS_H
#define CK_HOST_EXPLAIN_RESUME_ANSWERS_H

#include "core/host/print/document.h"
#include "core/model/event.h"

/* What is recorded of it in the event of a resume, or of a refused one; no bytes: nothing. */
ck_bytes ck_resume_answers_of(const ck_event *event);
/* Some policy had an opinion. */
bool ck_resume_answers_any(ck_bytes answers);
/* "tight: budget reset, time continue; calm: no opinion". Neither redacted nor escaped, as the next
 * one. */
void ck_resume_answers_append(ck_buffer *out, ck_bytes answers);
/* The same as sentences, each with a NUL at its end. */
void ck_resume_answers_append_sentences(ck_buffer *out, ck_bytes answers);
/* The member `answers`. */
void ck_resume_answers_put(ck_document *document, ck_bytes answers);

#endif
