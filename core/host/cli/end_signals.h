/* end_signals.h - the signals by which a person, a terminal or a manager asks a program to end. */
#ifndef CK_HOST_CLI_END_SIGNALS_H
#define CK_HOST_CLI_END_SIGNALS_H

#include <signal.h>

/* These and no others. */
void ck_end_signals_fill(sigset_t *out);

#endif
