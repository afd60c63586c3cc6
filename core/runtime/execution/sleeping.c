/* sleeping.c - tells when an execution does nothing but wait for a time. */
#include "core/runtime/execution/call_private.h"

#include <string.h>

/* The end of a sleep, or of a wait before a policy's next try, that is under way; 0: it is
 * something else. */
static int64_t sleep_end(const ck_call *call) {
  int64_t ms;
  if (!call->run || call->delivered || strcmp(call->driver->name, "sleep") != 0) return 0;
  if (call->waits_with) return call->retry_at_ms;
  if (call->effect.kind != CK_EFFECT_SLEEP ||
      !ck_json_read_int(&ms, ck_json_get(call->effect.request, "ms")))
    return 0;
  return call->effect.begun_ms + ms;
}

/* The wait that ends first. */
typedef struct waiting {
  int64_t first_ms;
  bool retries;
} waiting;

/* False: something of it is under way that does not end by time. */
static bool look_at_call(waiting *self, const ck_call *call) {
  if (call->phase == CK_CALL_DONE || call->phase == CK_CALL_WAITING) return true;
  int64_t end = call->phase == CK_CALL_DRIVER ? sleep_end(call) : 0;
  if (end > 0 && (self->first_ms == 0 || end < self->first_ms))
    *self = (waiting){.first_ms = end, .retries = call->waits_with != NULL};
  return end > 0;
}

int64_t ck_execution_sleeps_until(bool *retries, const ck_execution *self) {
  waiting found = {0};
  *retries = false;
  if (self->ending.status || self->runners.due) return 0;
  for (const ck_runner *runner = self->runners.first; runner; runner = runner->place.next) {
    if (runner->phase < CK_PHASE_CALLS || runner->phase == CK_PHASE_SAVE) return 0;
    if (runner->phase != CK_PHASE_CALLS) continue;
    for (size_t i = 0; i < runner->call_count; i++)
      if (!look_at_call(&found, runner->calls[i])) return 0;
  }
  *retries = found.retries;
  return found.first_ms;
}
