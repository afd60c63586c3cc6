/* call_dropped.h - an answer that was given to another question under a question's key. Within the
 * runtime. */
#ifndef CK_RUNTIME_EXECUTION_CALL_DROPPED_H
#define CK_RUNTIME_EXECUTION_CALL_DROPPED_H

#include "core/runtime/execution/call_private.h"

/* Of a question that is put in other words than the recorded one: what that was answered is kept,
 * and told with the new one. */
CK_CHECKED ck_status ck_call_drop_answer(ck_call *self, const ck_ledger_entry *recorded,
                                         ck_error *err);
/* The member of its intent's body that tells of it. */
CK_CHECKED ck_status ck_call_keep_dropped(ck_value **body, const ck_call *self, ck_error *err);
/* As a line for who is asked at this process, and behind the words of one that waits. */
void ck_call_notify_dropped(const ck_call *self);
CK_CHECKED ck_status ck_call_tell_dropped(ck_call *self, ck_error *err);

#endif
