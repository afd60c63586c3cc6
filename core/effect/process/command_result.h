/* command_result.h - what a command's end means as an outcome. */
#ifndef CK_EFFECT_PROCESS_COMMAND_RESULT_H
#define CK_EFFECT_PROCESS_COMMAND_RESULT_H

#include "core/effect/process/child.h"
#include "core/effect/process/command.h"

enum { CK_COMMAND_TEXT_MAX = 4096 }; /* bytes of each output that an error tells, from its end */

CK_CHECKED ck_status ck_command_outcome(ck_outcome **out, const char *name, const ck_child_end *end,
                                        bool probe, ck_error *err);

#endif
