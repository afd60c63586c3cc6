/* asked_views.h - what a hook was shown at one event of a session, besides boundaries: the effect
 * and the place of permit, the effect of in_doubt, the failure of on_failure, the case of resume.
 */
#ifndef CK_HOST_INSPECT_ASKED_VIEWS_H
#define CK_HOST_INSPECT_ASKED_VIEWS_H

#include "core/runtime/simulation/hook_rerun.h"

enum { CK_ASKED_TEXTS_MAX = 24, CK_ASKED_UNKNOWN_MAX = 24 };

/* Does not move once it is read. What is NULL was not shown. */
typedef struct ck_asked_views {
  const char *hook; /* that was asked, or would have been; NULL: none */
  const ck_effect *effect;
  const ck_boundary *at; /* of permit; NULL: the session does not tell it */
  const ck_failure *failure;
  const ck_resume_case *resume;
  const char *unknown[CK_ASKED_UNKNOWN_MAX + 1]; /* fields that are not told; ends with NULL */
  /* of the above; owned */
  ck_effect own_effect;
  ck_boundary own_at;
  ck_changed_keys changed; /* of own_at */
  ck_failure own_failure;
  ck_resume_case own_resume;
  ck_session_record session;
  ck_checkpoint_info checkpoint;
  ck_totals totals;
  ck_value *seen;
  char *texts[CK_ASKED_TEXTS_MAX];
  size_t text_count;
  bool failed; /* no memory */
} ck_asked_views;

/* `profile`: whose texts and budget are shown, as ck_shown_as_profile; NULL: as recorded. */
CK_CHECKED ck_status ck_asked_views_read(ck_asked_views *out, ck_store *store,
                                         const char *session_id, const ck_event *event,
                                         const ck_profile *profile, ck_error *err);
void ck_asked_views_clear(ck_asked_views *self);

#endif
