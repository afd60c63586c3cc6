/* release.c - pauses a run until the first of its sleeps is over. */
#include "core/host/run/release.h"

#include <string.h>

#include "core/model/pause_reason.h"

static bool has_services(const ck_drivers *drivers) {
  for (size_t i = 0; i < drivers->count; i++) {
    const char *name = drivers->list[i]->name;
    if (strcmp(name, "acp") == 0 || strcmp(name, "mcp") == 0) return true;
  }
  return false;
}

void ck_release_sleeping(ck_engine *engine) {
  const ck_clock *clock = &engine->runtime->clock;
  char reason[CK_PAUSE_REASON_SIZE];
  bool retries = false;
  int64_t until = engine->queued ? ck_execution_sleeps_until(&retries, engine->execution) : 0;
  if (until == 0) return;
  bool services = has_services(&engine->drivers);
  int64_t least = services ? CK_RELEASE_SERVICES_SLEEP_MS : CK_RELEASE_SLEEP_MS;
  if (until - clock->wall_ms(clock->self) < least) return;
  if (retries)
    ck_pause_reason_retrying(reason, until);
  else
    ck_pause_reason_sleeping(reason, until);
  ck_execution_pause(engine->execution, reason);
}
