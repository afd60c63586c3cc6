/* confirm.h - asks a person before something is lost. */
#ifndef CK_HOST_PRINT_CONFIRM_H
#define CK_HOST_PRINT_CONFIRM_H

#include "core/host/print/output.h"

/* Asks on the terminal; where there is none (a script, or --json), nothing is asked. CK_E_REFUSED:
 * the answer was not yes. */
CK_CHECKED ck_status ck_confirm(ck_output *output, const char *question, ck_error *err);

#endif
