/* permit_words.h - tells what a person was asked before an effect could begin, and who answered. */
#ifndef CK_HOST_EXPLAIN_PERMIT_WORDS_H
#define CK_HOST_EXPLAIN_PERMIT_WORDS_H

#include "core/host/inspect/inspect.h"
#include "core/host/print/document.h"

/* The event is about a question to a person whether an effect may begin. */
bool ck_permit_words_is_question(const ck_event *event);
/* It is an answer to one: its outcome, or what a session at rest was given. */
bool ck_permit_words_is_answer(const ck_event *event);
/* "KEY was answered allow by ann on desk, ckrun answer". */
void ck_permit_words_append(ck_buffer *out, const ck_event *event);
/* Whole sentences with a NUL behind each: the question; when it was answered. */
void ck_permit_words_append_sentences(ck_buffer *out, const ck_event *event);
/* The members question, answer, by, at. */
void ck_permit_words_put(ck_document *document, const ck_event *event);

/* The last answer to the question about the effect whose intent or outcome `event` is, before it;
 * NULL in *out: nobody was asked. Free with ck_event_free. */
CK_CHECKED ck_status ck_permit_words_find(ck_event **out, const ck_inspection *of,
                                          const ck_event *event, ck_error *err);

/* "; the answer allow, … does not count: …" of a question that is asked in other words; nothing of
 * other events. */
void ck_permit_words_append_dropped(ck_buffer *out, const ck_event *event);

#endif
