/* moment.h - what policies would be shown at one event of a session. */
#ifndef CK_HOST_INSPECT_MOMENT_H
#define CK_HOST_INSPECT_MOMENT_H

#include "core/host/inspect/asked_views.h"
#include "core/host/inspect/inspect.h"
#include "core/model/effect.h"
#include "core/runtime/session/checkpoint_list.h"
#include "core/runtime/simulation/recording.h"
#include "lua/policy_tool/prompt.h"

/* Does not move once it is read. */
typedef struct ck_moment {
  ck_policy_moment shown; /* of the below */
  ck_recording *recording;
  ck_boundary at;
  ck_changed_keys changed; /* of `at` */
  ck_asked_views asked;    /* what the hook that belongs to the event was shown */
  ck_event *event;
  ck_item item;
  ck_value *content; /* of `item`; NULL: the event has none. Owned */
  ck_effect effect;
  char *key;
  ck_checkpoint_list checkpoints;
  ck_history history;
} ck_moment;

/* "SESSION#SEQ", or "SESSION" of the last boundary: opens the session, too. `at` is the boundary
 * that has the number, what permit was shown, or the last boundary before; the checkpoints are
 * those up to it that still exist. CK_E_USAGE: what is behind # is no number. CK_E_NOT_FOUND: no
 * such session or event, or no boundary in it. `profile`: whose texts and budget are shown; NULL:
 * as recorded. */
CK_CHECKED ck_status ck_moment_open(ck_moment *out, ck_inspection *inspection, const ck_host *host,
                                    const char *word, const ck_profile *profile, ck_error *err);
void ck_moment_close(ck_moment *self);

#endif
