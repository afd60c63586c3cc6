/* start.h - a new session. */
#ifndef CK_RUNTIME_SESSION_OPENING_START_H
#define CK_RUNTIME_SESSION_OPENING_START_H

#include "core/model/media.h"
#include "core/model/profile.h"
#include "core/runtime/commit/runtime.h"
#include "core/runtime/session/opening/edit.h"

typedef struct ck_session ck_session;
typedef struct ck_policy_engine ck_policy_engine;

/* All borrowed; profile and policies for the session's life. */
typedef struct ck_session_options {
  const char *id;                   /* NULL: one is made */
  const ck_profile *profile;        /* NULL: no limits, named "none" */
  const ck_policy_engine *policies; /* NULL: ck_policy_always */
  const char *flow;                 /* path of the flow; NULL */
  const ck_value *input;            /* kept with the session; NULL */
  const ck_value *about;            /* kept with the run: see ck_store_get_about; NULL */
  const ck_value *settings;         /* of this run alone, shown in its first event; NULL: none */
  const ck_state_edits *edits;      /* of the empty state; NULL: none */
  const char *parent_run;           /* of elsewhere, which this one goes on from; NULL: none */
  const ck_media_list *media;       /* of the input, kept with the session; NULL: none */
} ck_session_options;

/* CK_E_USAGE: a malformed id; CK_E_EXISTS: it is taken; CK_E_SECRET_MISSING: one of the profile's.
 * Power-durable when it returns. */
CK_CHECKED ck_status ck_session_start(ck_session **out, ck_runtime *runtime,
                                      const ck_session_options *options, ck_error *err);

/* ---- within ckrun ---- */

#include "core/runtime/session/policy.h"

#endif
