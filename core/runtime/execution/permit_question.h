/* permit_question.h - the question whether an effect may begin, and its answer. Within the
 * runtime.
 *
 * It is an effect of its own, KEY/permit below the key of the effect, with the digest of its
 * request. */
#ifndef CK_RUNTIME_EXECUTION_PERMIT_QUESTION_H
#define CK_RUNTIME_EXECUTION_PERMIT_QUESTION_H

#include "core/runtime/execution/call_private.h"

#define CK_PERMIT_ALLOW "allow"
#define CK_PERMIT_DENY "deny"

/* What a question is about. Borrowed. */
typedef struct ck_permit_about {
  ck_session *session;
  const ck_effect *effect; /* its request as the ledger keeps it */
  const ck_leave *leave;   /* that asks */
  const char *digest;      /* of the request */
} ck_permit_about;
/* Fills the question that is put, and its intent's body as it is stored. The caller owns `request`
 * and `kept`, also after a failure. */
CK_CHECKED ck_status ck_permit_fill_question(ck_permit_question *out, const ck_permit_about *about,
                                             ck_error *err);
/* Of the call's policies; nothing where it has one. */
CK_CHECKED ck_status ck_permit_make_question(ck_call *self, ck_error *err);
/* Whether the question that was recorded is the one that policies ask now. */
bool ck_permit_is_same_question(const ck_permit_question *self, const ck_ledger_entry *recorded);
/* The answer to a recorded question that counts for an effect, of which `entry` is known (NULL:
 * nothing), with that request: JSON; no bytes: there is none. */
ck_bytes ck_permit_find_answer(const ck_ledger_entry *question, const ck_ledger_entry *entry,
                               const char *digest);
/* The question gets its outcome; `by`: who answered, see person.h; no bytes: not known, or nobody.
 */
CK_CHECKED ck_status ck_permit_close_question(ck_call *self, const char *answer, ck_bytes by,
                                              ck_error *err);
/* The same of an answer that is given to this process. */
CK_CHECKED ck_status ck_permit_take_answer(ck_call *self, const char *answer, ck_error *err);

#endif
