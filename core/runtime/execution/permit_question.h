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

/* A question whether it may begin, which a policy has a person asked. */
struct ck_permit_question {
  ck_effect effect; /* an ask */
  char key[2 * CK_STATE_KEY_MAX];
  ck_value *request;
  ck_value *kept;                /* the body of its intent as it is stored; NULL: not known */
  bool open;                     /* it was put, and is not answered */
  bool reworded;                 /* it was put in other words before, and nothing has changed */
  ck_value *dropped;             /* an answer to what was asked before; NULL: none */
  const ck_effect_driver *other; /* of the call, while that of the question is in its place */
};

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
/* The call's request as it is stored, with the name of the model that is asked. */
CK_CHECKED ck_status ck_permit_show_request(ck_value **out, const ck_call *self, ck_error *err);
/* Of the call's policies; nothing where it has one. */
CK_CHECKED ck_status ck_permit_make_question(ck_call *self, ck_error *err);
/* Whether the question that was recorded is the one that policies ask now. */
bool ck_permit_is_same_question(const ck_permit_question *self, const ck_ledger_entry *recorded);
/* Somebody was asked the like for the same request, and that has come to nothing since; no policy
 * has changed. */
bool ck_permit_is_reworded(const ck_call *self);
/* What who is asked should know of it beside its words: that an answer does not count, and why. */
void ck_permit_append_notes(ck_buffer *out, const ck_permit_question *question);
/* The same, as a line for who is asked at this process. */
void ck_permit_notify_notes(const ck_call *self);
/* The answer to a recorded question that counts for an effect, of which `entry` is known (NULL:
 * nothing), with that request: JSON; no bytes: there is none. */
ck_bytes ck_permit_find_answer(const ck_ledger_entry *question, const ck_ledger_entry *entry,
                               const char *digest);
/* The answer that it has and that does not count, for it is asked otherwise now: see
 * core/model/dropped_answer.h; NULL: it has none. `question`: NULL: it was not asked. */
CK_CHECKED ck_status ck_permit_find_dropped(ck_value **out, const ck_ledger_entry *question,
                                            const ck_ledger_entry *entry, ck_error *err);
/* The question gets its outcome; `by`: who answered, see person.h; no bytes: not known, or nobody.
 */
CK_CHECKED ck_status ck_permit_close_question(ck_call *self, const char *answer, ck_bytes by,
                                              ck_error *err);
/* The same of an answer that is given to this process. */
CK_CHECKED ck_status ck_permit_take_answer(ck_call *self, const char *answer, ck_error *err);

#endif
