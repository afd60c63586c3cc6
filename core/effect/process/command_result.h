/* command_result.h - the outcome that a command's end stands for. */
#ifndef CK_EFFECT_PROCESS_COMMAND_RESULT_H
#define CK_EFFECT_PROCESS_COMMAND_RESULT_H

#include "core/effect/process/child.h"
#include "core/effect/process/command.h"

enum { CK_COMMAND_TEXT_MAX = 4096 }; /* bytes of each output that an error shows, from its end */

CK_CHECKED ck_status ck_command_outcome(ck_outcome **out, const char *name, const ck_child_end *end,
                                        bool probe, ck_error *err);

#endif
