/* words.h - what explanations in rows, in sentences and as JSON say alike. */
#ifndef CK_HOST_EXPLAIN_WORDS_H
#define CK_HOST_EXPLAIN_WORDS_H

#include "core/host/explain/said.h"
#include "core/host/print/document.h"

#define CK_WORDS_ABANDONED "a resume or a rewind has left this event behind"

/* "tools"; "policy 3" where the names are not known. */
void ck_words_append_name(ck_buffer *out, const ck_said *said);
/* Its name, and the list where the name alone does not tell which it is. */
void ck_words_append_whose(ck_buffer *out, const ck_said *said);
/* The same of the policy at a place of the run's list. */
void ck_words_append_whose_place(ck_buffer *out, ck_bytes place, ck_bytes policies);
/* The name of the policy at a place, a number, of the run's list; "policy 3" where it is not known.
 */
void ck_words_append_place(ck_buffer *out, ck_bytes place, ck_bytes policies);
/* Of redact, sentences with a NUL at their ends: who left all as it is. */
void ck_words_append_left(ck_buffer *out, const ck_said_list *said);
/* "not recorded", and why: `recorded` as in ck_said_list, not CK_OK. Static. */
const char *ck_words_unrecorded(ck_status recorded);

/* The member `reason`: null when there is none. */
void ck_words_put_reason(ck_document *document, struct cJSON *at, ck_bytes reason);
/* The members recorded, answers, and when recorded not_asked and took_ms. `policies`: the run's
 * list. */
void ck_words_put_said(ck_document *document, const ck_said_list *said, ck_bytes policies);

/* Sentences with a NUL behind each: the options in force of who was asked, as they are recorded. */
void ck_words_append_options(ck_buffer *out, const ck_said_list *said);

#endif
