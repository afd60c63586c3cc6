/* questions.h - the questions of a session at rest: which wait, which are answered. */
#ifndef CK_HOST_INSPECT_QUESTIONS_H
#define CK_HOST_INSPECT_QUESTIONS_H

#include "core/host/inspect/inspect.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"

typedef struct ck_question_asked {
  ck_value *request; /* {question, options?} */
  char *key;
  ck_value *answer, *by; /* NULL: it waits */
  ck_value *dropped;     /* an answer that does not count for it; NULL: none */
  char *command;         /* that answers it; NULL: it is answered */
} ck_question_asked;

/* Zero-initialise. */
typedef struct ck_questions {
  ck_question_asked *list;
  size_t count, cap, waiting;
} ck_questions;
void ck_questions_clear(ck_questions *self);

/* Of a session that no process runs. The one before a resume is left out while it waits. */
CK_CHECKED ck_status ck_questions_read(ck_questions *out, const ck_host *host,
                                       const ck_inspection *of, ck_error *err);
/* The command that answers the first one that waits; NULL: none does. */
const char *ck_questions_command(const ck_questions *self);

/* The member `dropped` of what asks, see core/model/dropped_answer.h; without bytes nothing. */
void ck_questions_put_dropped(ck_document *document, struct cJSON *at, ck_bytes dropped);
/* The list `questions`, and its rows. */
void ck_questions_put(ck_document *document, const ck_questions *self);
void ck_questions_put_rows(ck_table *table, const ck_questions *self);

#endif
