/* watch.h - waits until a Lua file in one of several folders changes, or a signal ends it. */
#ifndef CK_HOST_CLI_WATCH_H
#define CK_HOST_CLI_WATCH_H

#include "core/host/cli/command.h"

typedef struct ck_watch {
  int changes, signals; /* descriptors; -1: closed */
} ck_watch;

/* From now on changes are noticed: in each folder of `paths`, and in the folder of each file.
 * SIGINT, SIGTERM and SIGHUP no longer end the process, but the next wait. CK_E_NOT_FOUND: there is
 * no such folder. CK_E_IO. On failure `self` is closed. */
CK_CHECKED ck_status ck_watch_open(ck_watch *self, const ck_words *paths, ck_error *err);
void ck_watch_close(ck_watch *self);
/* True as soon as there was a change since the wait before; several at once count as one. False: a
 * signal came. */
bool ck_watch_wait(ck_watch *self);

#endif
