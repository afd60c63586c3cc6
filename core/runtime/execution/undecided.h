/* undecided.h - a session stops because a policy failed when it was asked. Within the runtime. */
#ifndef CK_RUNTIME_EXECUTION_UNDECIDED_H
#define CK_RUNTIME_EXECUTION_UNDECIDED_H

#include "core/base/error.h"

/* Says so behind `text`, why it was asked: what follows is not to read as its decision. */
void ck_undecided_append(char text[CK_ERROR_TEXT_MAX], const ck_error *failed);

#endif
