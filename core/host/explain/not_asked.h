/* not_asked.h - which policies of a run were not asked at an event, and why. */
#ifndef CK_HOST_EXPLAIN_NOT_ASKED_H
#define CK_HOST_EXPLAIN_NOT_ASKED_H

#include "core/host/explain/said.h"
#include "core/host/print/document.h"

/* Sentences with a NUL behind each: that nobody was asked, who has no such hook, and of whom
 * another list has one of the same name. `policies`: the run's list; no bytes: not known. Neither
 * redacted nor escaped, as the next one. */
void ck_not_asked_append_sentences(ck_buffer *out, const ck_said_list *said, ck_bytes policies);
/* The members not_asked, and, where there are any, namesakes: [{policy, agent?}]. */
void ck_not_asked_put(ck_document *document, const ck_said_list *said, ck_bytes policies);

/* An event at which a hook is asked, though no answer to it is recorded here. */
bool ck_not_asked_is(const ck_event *event);
/* "; no policy was asked: none of a, b has the hook permit for it, or an earlier ckrun wrote it".
 */
void ck_not_asked_append_why(ck_buffer *out, const ck_event *event, ck_bytes policies);

#endif
