/* release.h - a worker's run of a session that only waits for a time is ended, so that it keeps
 * none busy. */
#ifndef CK_HOST_RUN_RELEASE_H
#define CK_HOST_RUN_RELEASE_H

#include "core/host/run/engine.h"

/* Shorter sleeps, and waits before a try that a policy asked for, are waited for: to end a run and
 * to begin another takes its time. So are longer ones where agents or MCP servers are part of the
 * flow: they end with the run, and what they know besides what they can load is gone. */
enum { CK_RELEASE_SLEEP_MS = 5000, CK_RELEASE_SERVICES_SLEEP_MS = 300000 };

/* Of a run that belongs to workers: pauses it when nothing but sleeps and questions is left for
 * that long. */
void ck_release_sleeping(ck_engine *engine);

#endif
