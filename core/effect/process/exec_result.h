/* exec_result.h - the outcome that a program's end stands for. */
#ifndef CK_EFFECT_PROCESS_EXEC_RESULT_H
#define CK_EFFECT_PROCESS_EXEC_RESULT_H

#include "core/effect/process/child.h"
#include "core/effect/process/exec_output.h"

/* `outputs`: standard output, standard error, closed. */
CK_CHECKED ck_status ck_exec_outcome(ck_outcome **out, const char *program, const ck_child_end *end,
                                     const ck_exec_output outputs[2], ck_error *err);

#endif
