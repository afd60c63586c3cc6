/* candidates.h - what policies said of each checkpoint at a prune, as its event keeps it, with
 * their names. */
#ifndef CK_HOST_EXPLAIN_CANDIDATES_H
#define CK_HOST_EXPLAIN_CANDIDATES_H

#include "core/host/print/document.h"
#include "core/model/event.h"

/* [{from, to, drop?, keep?}] with names in the place of numbers, last {more} when the event does
 * not keep all; NULL: it keeps none, or is of an earlier version. `policies`: the list that was
 * asked. */
CK_CHECKED ck_status ck_candidates_name(ck_value **out, const ck_event *pruned, ck_bytes policies,
                                        ck_error *err);
/* The element that the checkpoint at `seq` is in; no bytes: nobody spoke about it. */
ck_bytes ck_candidates_find(const ck_value *self, int64_t seq);
/* "checkpoints from seq 2 to 30: drop: keep_recent", each with a NUL behind it. */
void ck_candidates_append_sentences(ck_buffer *out, const ck_value *self);
/* "a, b", of one of its lists. */
void ck_candidates_append_names(ck_buffer *out, ck_bytes names);
/* The list `candidates`, and `candidates_more`; nothing for NULL. */
void ck_candidates_put(ck_document *document, const ck_value *self);

#endif
