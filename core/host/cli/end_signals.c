/* end_signals.c - fills the set. */
#include "core/host/cli/end_signals.h"

void ck_end_signals_fill(sigset_t *out) {
  sigemptyset(out);
  sigaddset(out, SIGINT);
  sigaddset(out, SIGTERM);
  sigaddset(out, SIGHUP);
}
