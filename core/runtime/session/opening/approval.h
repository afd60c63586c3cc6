/* approval.h - a person approves a resume: the question and the answer are events of a session at
 * rest, and count for the next resume alone. What a program
 * that resumes needs is the answer.
 *
 * A `resume_approval` event lies behind all others, at the end of the live timeline, where no
 * resume sees it. The last one counts until the resume that it decides, a refusal by policies, a
 * rewind or an undo follows it: allow or deny, one that something else stands against (a changed
 * flow, a missing file) leaves it as it is. */
#ifndef CK_RUNTIME_SESSION_OPENING_APPROVAL_H
#define CK_RUNTIME_SESSION_OPENING_APPROVAL_H

typedef enum { CK_APPROVAL_NONE, CK_APPROVAL_ALLOW, CK_APPROVAL_DENY } ck_approval_answer;
/* "allow"; NULL for NONE. */
const char *ck_approval_answer_name(ck_approval_answer answer);

/* ---- within ckrun ---- */

#include "core/runtime/commit/runtime.h"

/* The key by which people answer it. */
#define CK_APPROVAL_KEY "resume"
/* The answers that are taken, a JSON array. */
#define CK_APPROVAL_OPTIONS "[\"allow\",\"deny\"]"

/* Behind a question that was put in other words before, though nothing has changed since. */
#define CK_APPROVAL_REWORDED                                                                 \
  " (it was put in other words before, though no policy and no flow has changed: an answer " \
  "counts for the very words, so a question must not say what is other at each look, such "  \
  "as at.now)"

/* As stored. */
typedef struct ck_approval {
  ck_value *body; /* NULL: none counts. Owned */
  int64_t seq;
  ck_approval_answer answer;
} ck_approval;
void ck_approval_clear(ck_approval *self);

/* The one that counts. Caller clears. */
CK_CHECKED ck_status ck_approval_read(ck_approval *out, ck_store *store, const ck_head *head,
                                      ck_error *err);
/* The question of a body, a JSON string. */
ck_bytes ck_approval_question(const ck_value *body);
/* The body of a question; `seen`: what policies were told, NULL; `changed`: policies or flow were
 * others than in the last run. */
CK_CHECKED ck_status ck_approval_write(ck_value **out, const char *question, const char *policies,
                                       const ck_value *seen, bool changed, ck_error *err);
/* Records an answer to a question's body. CK_E_OWNED, CK_E_FENCED. */
CK_CHECKED ck_status ck_approval_answer_record(ck_runtime *runtime, const ck_head *head,
                                               const ck_value *question, ck_approval_answer answer,
                                               ck_error *err);
/* Records a body behind all other events, durably. CK_E_OWNED, CK_E_FENCED. */
CK_CHECKED ck_status ck_opening_record(ck_runtime *runtime, const ck_head *head, ck_event_kind kind,
                                       ck_value *body, ck_error *err);

#endif
