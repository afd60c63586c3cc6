/* resume.h - a session goes on from one of its checkpoints. */
#ifndef CK_RUNTIME_SESSION_OPENING_RESUME_H
#define CK_RUNTIME_SESSION_OPENING_RESUME_H

#include "core/model/profile.h"
#include "core/runtime/commit/runtime.h"
#include "core/runtime/session/opening/approval.h"
#include "core/runtime/session/opening/edit.h"

typedef struct ck_session ck_session;
typedef struct ck_policy_engine ck_policy_engine;

enum { CK_RESTARTS_MAX = 3, CK_RESTART_SOON_MS = 30000 };

/* The person at the terminal. */
typedef struct ck_resume_asker {
  ck_approval_answer (*ask)(void *to, const char *question); /* NONE: nobody answers */
  void *to;
} ck_resume_asker;

/* All borrowed; profile and policies for the session's life. */
typedef struct ck_resume_options {
  const ck_profile *profile;        /* NULL: no limits, named "none" */
  const ck_policy_engine *policies; /* NULL: ck_policy_always */
  const char *checkpoint; /* id; NULL: the latest resumable one; none at all: the first event */
  const ck_state_edits *edits; /* of the checkpoint's state; NULL: none. The attempt rises */
  const ck_value *about;       /* kept with the run: see ck_store_get_about; NULL */
  const ck_value *settings;    /* of this run alone, shown in its first event; NULL: none */
  const ck_value *accepted;    /* what a person accepted as changed, for its first event; NULL */
  int64_t flow_version;        /* of the flow that goes on with it; see migrate.h */
  /* what policies are told of the circumstances, which the first event keeps where they are asked:
   * {utc_offset_s?, flow_changed?, host?, host_before?, models?: [{agent?, name, was?, now?}]};
   * NULL: nothing */
  const ck_value *seen;
  const ck_resume_asker
      *asker; /* who approves the resume where a policy asks; NULL: nobody is there */
  bool retry; /* also a session that died again and again, and is failing */
  /* the caller only adds events: keys that were kept as a reference to a secret stay references,
   * restarts do not count, nothing is migrated */
  bool keep_references;
  bool records_refusal; /* a dry run writes down that policies refuse, as a resume does */
  /* it also takes a person's deny for its own, as a resume does that nothing else stands against */
  bool takes_denial;
  /* as the caller has seen the session: with another epoch or status by now it is CK_E_OWNED, for
   * somebody was faster. epoch 0: however it is */
  uint64_t seen_epoch;
  ck_session_status seen_status;
} ck_resume_options;

/* A session that died three times in a row within CK_RESTART_SOON_MS of being resumed, without a
 * new outcome or boundary, becomes `failing` instead (CK_E_REFUSED), and stays so until a resume
 * with `retry`. CK_E_SECRET_MISSING: one of the profile's, or one that a key was kept as;
 * CK_E_WAITING: a person is to allow it first, see approval.h: the question is recorded;
 * CK_E_NOT_FOUND, CK_E_REFUSED (completed, cancelled), CK_E_OWNED, CK_E_FENCED, the store's answers
 * about the checkpoint. Nothing was changed on any other failure. */
CK_CHECKED ck_status ck_session_resume(ck_session **out, ck_runtime *runtime, const char *id,
                                       const ck_resume_options *options, ck_error *err);

/* ---- within the runtime ---- */

#include "core/runtime/session/policy.h"

/* It died too often. One whose deaths were taken back since (ck_store_put_lapse) is gone on with as
 * any other, though its row still says `failing`. */
bool ck_session_is_failing(const ck_session_record *record);
/* A resume up to its acquisition, as ck_session_dry_run promises it: the session can only be
 * inspected and closed. `*failing`: it is, or would be marked so. */
CK_CHECKED ck_status ck_session_prepare(ck_session **out, bool *failing, ck_runtime *runtime,
                                        const char *id, const ck_resume_options *options,
                                        ck_error *err);

#endif
