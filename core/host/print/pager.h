/* pager.h - a program that shows what does not fit on the terminal, such as less. */
#ifndef CK_HOST_PRINT_PAGER_H
#define CK_HOST_PRINT_PAGER_H

#include "core/host/print/output.h"

/* From here on what goes to a terminal goes to $CKRUN_PAGER, else $PAGER, else less, where there is
 * such a program: not when it is "" or "cat", not with JSON, not on a terminal that only prints.
 * Before the first output of a command. It is started without $CKRUN_KEY. */
void ck_pager_begin(ck_output *output);
/* All is written: waits until the person has left it. Does nothing without ck_pager_begin. */
void ck_pager_end(ck_output *output);

#endif
