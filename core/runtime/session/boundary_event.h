/* boundary_event.h - what the transcript says of a boundary and of a policy that failed. Within the
 * runtime. */
#ifndef CK_RUNTIME_SESSION_BOUNDARY_EVENT_H
#define CK_RUNTIME_SESSION_BOUNDARY_EVENT_H

#include "core/runtime/session/policy.h"

typedef struct ck_session ck_session;

/* The body of a BOUNDARY event: all that the checkpoint hook was shown, and the decision, so that a
 * simulation repeats what ran live. `checkpoint_id` NULL: none was taken. `outcome`: JSON, of a
 * step that completed, which no checkpoint holds yet; no bytes: none. */
CK_CHECKED ck_status ck_boundary_write_event(ck_value **out, const ck_boundary *at,
                                             const ck_decision *decision, const char *checkpoint_id,
                                             ck_bytes outcome, ck_error *err);
/* The fields that `permit` is shown and that no other member of an effect's events tells, or not of
 * each: the effect's reserve, which is the first, and of the boundary's view; ends with NULL. */
extern const char *const ck_boundary_place_fields[];
/* The same as an object, the boundary's inputs as its event has them, with `seq` and `reserve`
 * (micro-dollars). */
CK_CHECKED ck_status ck_boundary_write_place(ck_value **out, const ck_boundary *at,
                                             int64_t reserve_micros, ck_error *err);
/* Appends a POLICY_ERROR event: {hook, error}. */
CK_CHECKED ck_status ck_session_record_policy_error(ck_session *self, const char *hook,
                                                    const ck_error *cause, ck_error *err);

#endif
