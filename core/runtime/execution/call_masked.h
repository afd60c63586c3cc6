/* call_masked.h - what is not begun because its request came back from the store masked. Within the
 * runtime. */
#ifndef CK_RUNTIME_EXECUTION_CALL_MASKED_H
#define CK_RUNTIME_EXECUTION_CALL_MASKED_H

#include "core/runtime/execution/call_private.h"

/* A tool call whose arguments hold a placeholder; a program, unless it is pure, in whose request
 * one stands for what a person answered or said of an effect. True in *refused: the outcome, an
 * error that says why, is recorded. */
CK_CHECKED ck_status ck_call_refuse_masked(bool *refused, ck_call *self, ck_error *err);

#endif
