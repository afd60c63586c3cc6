/* call_retry.h - the tries of a failed effect that a policy asks for, and the waits before them. */
#ifndef CK_RUNTIME_EXECUTION_CALL_RETRY_H
#define CK_RUNTIME_EXECUTION_CALL_RETRY_H

#include "core/runtime/execution/call_private.h"

/* When the answer has another try follow: adds that moment to what is kept of the question. */
void ck_call_plan_retry(ck_json_writer *w, ck_call *self, const ck_failure_answer *answer);
CK_CHECKED ck_status ck_call_wait_to_retry(ck_call *self, const ck_failure_answer *answer,
                                           ck_error *err);
/* The wait is over: the next try begins, or is left to a resume. */
CK_CHECKED ck_status ck_call_end_wait(ck_call *self, ck_error *err);
/* It failed, and was to be tried again: nobody has been told of it. */
bool ck_call_has_retry(const ck_call *self, const ck_ledger_entry *entry);
/* True: it has, and this run goes on with that: tries are counted on, nobody is asked again whether
 * it may begin. */
bool ck_call_restore_retry(ck_call *self, const ck_ledger_entry *entry);
/* Waits for what is left until then. */
CK_CHECKED ck_status ck_call_go_on_waiting(ck_call *self, const ck_ledger_entry *entry,
                                           ck_error *err);

#endif
