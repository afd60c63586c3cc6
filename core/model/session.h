/* session.h - a session's row in a store, its timelines, and their views. */
#ifndef CK_MODEL_SESSION_H
#define CK_MODEL_SESSION_H

#include "core/base/id.h"
#include "core/model/value.h"

/* X(enumerator, number on disk, name, can be resumed). A `running` session can be resumed once its
 * owner is dead. */
/* clang-format off */
#define CK_SESSION_STATUS_TABLE(X) \
  X(CK_SESSION_RUNNING, 1, "running", true) \
  X(CK_SESSION_PAUSED, 2, "paused", true) \
  X(CK_SESSION_WAITING, 3, "waiting", true) \
  X(CK_SESSION_IN_DOUBT, 4, "in_doubt", true) \
  X(CK_SESSION_FAILING, 5, "failing", true) \
  X(CK_SESSION_FAILED, 6, "failed", true) \
  X(CK_SESSION_COMPLETED, 7, "completed", false) \
  X(CK_SESSION_CANCELLED, 8, "cancelled", false)
/* clang-format on */

typedef enum {
#define X(name, number, text, resumable) name = number,
  CK_SESSION_STATUS_TABLE(X)
#undef X
} ck_session_status;

const char *ck_session_status_name(ck_session_status status); /* NULL outside the table */
ck_session_status ck_session_status_of(const char *name);     /* 0 when there is none */
bool ck_session_status_resumable(ck_session_status status);

/* Usage, summed over all outcomes on all timelines: each is paid once, replays are free. */
typedef struct ck_totals {
  int64_t cost_micros; /* micro-dollars */
  int64_t input_tokens, output_tokens;
  int64_t model_calls, tool_calls;
  int64_t unmetered; /* outcomes that had no price */
  int64_t active_us; /* monotonic time the session was running */
} ck_totals;

/* The beginning of a fork's transcript: after seq `cut` of another session, at which that session
 * has a checkpoint. */
typedef struct ck_origin {
  int64_t session; /* ck_session_record.no; 0: no fork */
  int64_t cut;
} ck_origin;

/* The number of consecutive restarts without progress. Stored as the acquiring run sets it. */
typedef struct ck_restarts {
  int64_t count;
  int64_t at_ms;        /* of the last one, wall time */
  int64_t progress_seq; /* the seq that the session had reached */
} ck_restarts;

/* One session's row. Texts are malloc'd and owned; ck_session_record_clear frees them. */
typedef struct ck_session_record {
  int64_t no; /* the store's own number, from 1 */
  char id[CK_ID_SIZE];
  ck_session_status status;
  char *reason;         /* why it is not running: "user_requested", an error's text; NULL */
  uint64_t epoch;       /* incremented by each acquisition */
  int64_t timeline;     /* the live one */
  char run[CK_ID_SIZE]; /* the run that owns or last owned it */
  int64_t created_ms, updated_ms;
  char *profile;     /* its name */
  char *flow;        /* path of the flow file; NULL when driven through the C API */
  char *description; /* what it is for, in a person's words; NULL */
  char *node;        /* where the flow stood when the status was set, for people; NULL: not known */
  char *failure;     /* of a failed session, the name of the status it failed with; NULL */
  ck_origin origin;
  ck_restarts restarts;
  /* needed again by a resume: {flow_digest?, cassette?, profile_path?, input?}; may be NULL */
  ck_value *input;
} ck_session_record;
void ck_session_record_clear(ck_session_record *self);

/* A branch of the transcript. The first timeline of a session has parent 0; that of a fork
 * continues the timeline it was cut from, which lies in the origin: its number and its first seq
 * are the next ones. So the timelines of a fork and the older ones of its origin are numbered like
 * those of one session. */
typedef struct ck_timeline {
  int64_t no, parent;
  int64_t cut;        /* last seq of the parent that this timeline's view contains; 0: none */
  int64_t begin;      /* seq of its first event */
  int64_t checkpoint; /* seq of the checkpoint it continues; 0: from the first event */
  uint32_t attempt;   /* 1; rises when a resume follows a failure, an edit or an older checkpoint */
  char run[CK_ID_SIZE], parent_run[CK_ID_SIZE];
  int64_t session; /* number of the session it is inherited from; 0: the session's own */
} ck_timeline;

/* The events in a timeline's view: ranges of seq, ascending, disjoint; the last one is open
 * (INT64_MAX). */
typedef struct ck_range {
  int64_t first, last;
  int64_t session; /* number of the session it is inherited from; 0: the session's own */
} ck_range;
typedef struct ck_view {
  ck_range *ranges;
  size_t count;
} ck_view;
void ck_view_clear(ck_view *self);
bool ck_view_contains(const ck_view *self, int64_t seq);

/* ---- within ckrun ---- */

/* The name of its flow's file, borrowed; NULL: it has no flow. */
const char *ck_session_flow_name(const ck_session_record *self);

/* Folds the timelines of a session, inherited ones too (any order), into the view of `timeline`.
 * CK_E_CORRUPT when an ancestor is missing. */
CK_CHECKED ck_status ck_view_make(ck_view *out, const ck_timeline *timelines, size_t count,
                                  int64_t timeline, ck_error *err);

#endif
