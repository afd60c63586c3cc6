/* ckrun.h - the C API: sessions that survive every crash, for programs that drive them without a
 * flow.
 *
 *   ck_runtime *runtime;            the store of one process, and the thread that writes it
 *   ck_session *session;            one durable execution: its transcript and its keyed state
 *
 *   ck_store_options create = {.create = true};
 *   ck_runtime_open(&runtime, "sqlite:agent.db", &create, NULL, &err);
 *   ck_session_options options = {.id = "mine"};
 *   ck_session_start(&session, runtime, &options, &err);                  (or ck_session_resume)
 *   ck_session_append(session, CK_EVENT_NOTE, NULL, NULL, body, &err);    what happened
 *   ck_session_put(session, "memory.topic", value, &err);                 what is known
 *   ck_boundary here = {.kind = CK_BOUNDARY_SAFE_POINT};
 *   ck_session_boundary(&saved, session, &here, &err);
 *   ck_session_wait(session, saved.ticket, &err);                         now it is durable
 *   ck_session_end(session, CK_SESSION_COMPLETED, NULL, NULL, &err);
 *       (or ck_session_pause; ck_request_pause asks the process that runs a session)
 *   ck_session_close(session);
 *   ck_runtime_close(runtime);
 *
 * A process that dies anywhere in between loses what it had not yet committed and nothing else:
 * ck_session_resume gives the session back as it was at its latest checkpoint. Every function that
 * can fail returns a ck_status, fills `err` (which may be NULL) with one line for a person, and
 * leaves its `out` zero on failure. What a call hands out through `out` belongs to the caller; a
 * returned pointer is borrowed; arguments are borrowed unless the header says "Takes".
 *
 * A profile and its Lua policies judge a session when its options name them: ck_profile_load,
 * ck_policy_engine_new. Without them each boundary is a checkpoint that is waited for.
 *
 * It is C11 and C++20 (C++11 without designated initialisers). What is installed is one file, made
 * of this one and of those that it includes, each down to the line that says "within"; the names
 * that it declares are those that libckrun.so exports (core/public_header.awk). Structs that a
 * caller fills begin as zeros: a later version adds members. Link with `pkg-config ckrun`. */
#ifndef CK_CKRUN_H
#define CK_CKRUN_H

#include "core/base/buffer.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/status.h"
#include "core/base/version.h"
#include "core/base/waker.h"
#include "core/model/boundary.h"
#include "core/model/checkpoint.h"
#include "core/model/conversation.h"
#include "core/model/event.h"
#include "core/model/profile.h"
#include "core/model/session.h"
#include "core/model/state.h"
#include "core/model/value.h"
#include "core/store/fact.h"
#include "core/store/format/seal.h"
#include "core/store/stats.h"
#include "core/store/store.h"
#include "core/store/verify.h"
#include "core/runtime/commit/runtime.h"
#include "core/runtime/session/session.h"
#include "core/runtime/session/requests.h"
#include "lua/profile/profile.h"

#endif
