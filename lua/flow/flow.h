/* flow.h - the flow engine: flow files are Lua, each in a VM of its own, each scope a coroutine in
 * it. */
#ifndef CK_LUA_FLOW_FLOW_H
#define CK_LUA_FLOW_FLOW_H

#include "core/base/clock.h"
#include "core/runtime/session/flow.h"

/* The engine of core/runtime/session/flow.h. Free it with engine->free(engine->self), after its
 * flows; *out goes with it. `clock` (borrowed) measures stalls; NULL: the thread's processor time.
 * load: a file that does not parse, or raises, is CK_E_PARSE ("file:line: message"); one that
 * returns no flow CK_E_TYPE; one that does not end CK_E_FLOW_STALLED; and the statuses of
 * ck_vm_read_file. Each BOUNDARY has a position, with another path than the previous one. */
CK_CHECKED ck_status ck_flow_engine_new(ck_flow_engine **out, const ck_clock *clock, ck_error *err);

#endif
