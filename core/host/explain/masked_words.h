/* masked_words.h - what policies took out of one event and of keys, in words and as JSON. */
#ifndef CK_HOST_EXPLAIN_MASKED_WORDS_H
#define CK_HOST_EXPLAIN_MASKED_WORDS_H

#include "core/host/explain/said.h"
#include "core/model/verdict.h"
#include "core/host/print/document.h"

/* Something was taken out of the event's body, or of keys (of a boundary). */
bool ck_masked_words_any(const ck_event *event);
/* "names rewrote texts of message.content; redact_keys masked memory.card". `policies`: the run's
 * list, JSON; no bytes: not known. Neither redacted nor escaped, as the next one. */
void ck_masked_words_append(ck_buffer *out, const ck_event *event, ck_bytes policies);
/* The same as sentences, each with a NUL at its end: "policy names …". */
void ck_masked_words_append_sentences(ck_buffer *out, const ck_event *event, ck_bytes policies);
/* The member `redacted`, when there is something to tell: [{policy, rule, key?, paths?, more?}]. */
void ck_masked_words_put(ck_document *document, const ck_event *event, ck_bytes policies);

#endif
