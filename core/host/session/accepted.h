/* accepted.h - what a person accepted as changed when a session was resumed: {user, host, with,
 * flow? {file, was, now}, policies? [change, …]} in the first event of the run. */
#ifndef CK_HOST_SESSION_ACCEPTED_H
#define CK_HOST_SESSION_ACCEPTED_H

#include "core/base/json.h"
#include "core/model/event.h"

/* No bytes: nothing was, or the event begins no run. Borrowed. */
ck_bytes ck_accepted_of(const ck_event *event);
/* "ann on desk with --accept-changed". */
void ck_accepted_append_person(ck_buffer *out, ck_bytes accepted);
/* "the flow /a/flow.lua was 0dd666b05eda and is fedcba987654"; nothing when it is the same. */
void ck_accepted_append_flow(ck_buffer *out, ck_bytes accepted);
/* All of it in one line, after "; accepted by"; nothing where nothing was accepted. */
void ck_accepted_append(ck_buffer *out, const ck_event *event);
/* Whole sentences with a NUL behind each: who accepted it, then each change. */
void ck_accepted_append_sentences(ck_buffer *out, ck_bytes accepted);

#endif
