/* tail_words.h - tells which events policies kept in the tail that an agent was told, and which
 * they left out. */
#ifndef CK_HOST_EXPLAIN_TAIL_WORDS_H
#define CK_HOST_EXPLAIN_TAIL_WORDS_H

#include "core/host/explain/run_policies.h"
#include "core/host/explain/said.h"
#include "core/host/print/document.h"

/* By the event an agent is told its tail, and it keeps what policies said. */
bool ck_tail_words_is(const ck_event *event);
/* "agent ann is told its tail, of 12 events 5 are left out". Neither redacted nor escaped, as all
 * of these. */
void ck_tail_words_append(ck_buffer *out, const ck_event *event);
/* Sentences with a NUL behind each: "events 3, 5: in: brief; out: short". `policies`: the run's
 * list. */
void ck_tail_words_append_sentences(ck_buffer *out, const ck_event *event, ck_bytes policies);
/* The members told, events, events_more. */
void ck_tail_words_put(ck_document *document, const ck_event *event, ck_bytes policies);

/* What was said of the event at `seq` in each tail that could have it: sentences on the output, or
 * with --json objects. *shown rises by their number. */
CK_CHECKED ck_status ck_tail_words_tell(size_t *shown, ck_output *output, const ck_inspection *of,
                                        int64_t seq, ck_error *err);

#endif
