/* call_permit.h - leave for an effect to begin: the policies' permit, or a person's answer. Within
 * the room. */
#ifndef CK_RUNTIME_EXECUTION_CALL_PERMIT_H
#define CK_RUNTIME_EXECUTION_CALL_PERMIT_H

#include "core/runtime/execution/call_private.h"

/* Asks the policies, once in this process. *denied: the denial is recorded as the outcome. */
CK_CHECKED ck_status ck_permit_judge(bool *denied, ck_call *self, ck_error *err);
/* That is recorded as the outcome, in the words of self->leave. */
CK_CHECKED ck_status ck_permit_deny(ck_call *self, ck_error *err);
/* Where they ask: true in *may when a person has allowed it. Else the question's intent is being
 * committed, or the denial is recorded, or the session is to end. */
CK_CHECKED ck_status ck_permit_ask(bool *may, ck_call *self, ck_error *err);
/* The key of that question; NULL: there is none. */
const char *ck_permit_key(const ck_call *self);
/* Its intent is committed. In *asks the question, for the driver that is now the call's; NULL:
 * nobody is present, and the call waits. */
CK_CHECKED ck_status ck_permit_find(const ck_effect **asks, ck_call *self, ck_error *err);
/* The driver of questions has delivered. True in *may: the effect is to begin. */
CK_CHECKED ck_status ck_permit_complete(bool *may, ck_call *self, ck_error *err);
/* The question was withdrawn from its driver: the call has its own again. */
void ck_permit_put_back(ck_call *self);
/* Nobody waits for the effect any more; an answer that was given is recorded. */
CK_CHECKED ck_status ck_permit_close(ck_call *self, ck_error *err);
/* The same of an answer from elsewhere. CK_E_REFUSED: it is neither "allow" nor "deny". */
CK_CHECKED ck_status ck_permit_answer(bool *may, ck_call *self, const char *text, ck_error *err);

/* The next event of that kind has what the policies answered; once. */
void ck_permit_keep_answers(ck_call *self, ck_event_kind kind);
/* Adds the member `at` to the body of that event, where a policy looked at the place. */
CK_CHECKED ck_status ck_permit_keep_place(ck_value **body, ck_call *self, ck_error *err);

/* Notes in the outcome of a call that came back masked, and so is not made, that a person had
 * allowed it; takes the question back. */
CK_CHECKED ck_status ck_permit_note_masked(ck_outcome *outcome, ck_call *self, ck_error *err);

#endif
