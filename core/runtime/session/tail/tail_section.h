/* tail_section.h - an agent's tail as the text that enters its context when its session goes on.
 *
 * Three lines of heading, then one line for each event, oldest first, without a line break behind
 * the last:
 *
 *   TIME KIND AGENT: WHAT
 *
 *   2026-01-31T23:59:59.123Z delegation lead: id=d1  target=ann  message=Look at the costs
 *
 * TIME is UTC, and left out where it is not known; AGENT is who the event belongs to, "-" for
 * nobody; WHAT is ck_describe_event's text. Everything is as the store has it, redacted when it was
 * written. Line breaks and other control characters are escaped (\n, \t, \x1b), and what is longer
 * than CK_TAIL_TEXT_MAX bytes ends with "… (N more bytes)". A line says nothing of the event's
 * place, so an outcome reads the same where it was recorded and where it is replayed. */
#ifndef CK_RUNTIME_SESSION_TAIL_TAIL_SECTION_H
#define CK_RUNTIME_SESSION_TAIL_TAIL_SECTION_H

#include "core/runtime/session/tail/tail.h"

enum { CK_TAIL_TEXT_MAX = 1000 };

/* One line, without its end. */
void ck_tail_append_line(ck_buffer *out, const ck_event *event);
/* The heading: three lines, without the end of the last. */
void ck_tail_append_heading(ck_buffer *out);
/* The whole text; nothing for an empty tail. */
void ck_tail_append_section(ck_buffer *out, const ck_tail *tail);
/* The same, read from the store: ck_tail_read's answers. */
CK_CHECKED ck_status ck_tail_section(ck_buffer *out, ck_store *store, const ck_tail_query *query,
                                     ck_error *err);

#endif
