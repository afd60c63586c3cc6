/* session_view.h - one session as it is shown: its record, its state, and the command that
 * continues with it. */
#ifndef CK_HOST_INSPECT_SESSION_VIEW_H
#define CK_HOST_INSPECT_SESSION_VIEW_H

#include "core/host/inspect/agents_spent.h"
#include "core/host/inspect/inspect.h"
#include "core/host/inspect/lineage.h"
#include "core/host/inspect/marks.h"
#include "core/host/inspect/not_begun.h"
#include "core/host/inspect/questions.h"
#include "core/host/inspect/recent_effects.h"
#include "core/host/inspect/runs.h"
#include "core/host/inspect/verdicts.h"
#include "core/host/session/launch.h"
#include "core/host/session/place.h"
#include "core/host/session/queued.h"
#include "core/host/session/saving.h"
#include "core/host/session/standing.h"
#include "core/store/checkpoint_list.h"

/* Effects in doubt, by key. */
typedef struct ck_doubts {
  ck_buffer keys; /* each with a NUL behind it */
  size_t count;
} ck_doubts;

/* Texts are borrowed from the record, unless said otherwise; NULL: there is none. */
typedef struct ck_session_view {
  /* Of the record alone. */
  const char *id, *status, *reason, *failure, *profile, *flow, *run;
  ck_standing stands;
  const char *standing, *awaits; /* its words; awaits: ck_standing_awaits */
  int64_t created_ms, updated_ms, epoch, timeline;
  int live; /* 1: its owner runs; 0: it is running and has no owner; -1: it is not running */
  const ck_value *document; /* the session's input: what a resume needs again */
  ck_place place;           /* of its last runs: `flow` is theirs, where it is known */
  /* The start's parameters; empty for a session of another program. */
  ck_launch launch;
  const char *cause; /* the reason; that of a session whose process is gone */
  const ck_head *head;
  int64_t events;
  ck_checkpoint_count kept;
  ck_lineage lineage;
  ck_runs runs;
  ck_saving_view saving;
  ck_doubts doubts;
  ck_verdicts verdicts;
  ck_marks marks; /* of models' own explorations */
  ck_agents_spent agents;
  ck_recent_effects recent;
  char *question; /* that a person is to answer before its resume; NULL: none. Owned */
  ck_questions questions;
  ck_refusals refusals; /* why workers have not begun it */
  ck_value *queued;     /* the mark of the queue that it is in (queued.h); NULL: a person has it */
  ck_buffer next;       /* the command that continues with it; empty: none */
} ck_session_view;

/* Reads a session that was opened. Borrows `inspection`. Caller clears, also after a failure. */
CK_CHECKED ck_status ck_session_view_read(ck_session_view *out, const ck_host *host,
                                          const ck_inspection *inspection, ck_error *err);
void ck_session_view_clear(ck_session_view *self);

/* The question of policies that a person is to answer before the session is resumed; malloc'd; NULL
 * in *out: there is none. */
CK_CHECKED ck_status ck_session_view_read_question(char **out, ck_store *store, const ck_head *head,
                                                   ck_error *err);
/* Fills in the fields of the record alone; `live`: its owner runs. */
void ck_session_view_take_record(ck_session_view *self, const ck_session_record *record, bool live);
void ck_session_view_set_standing(ck_session_view *self, ck_standing standing);
/* Adds the fields of the record alone: session, status, awaits, live (of a running one), reason,
 * failure, created, updated, profile, flow, run, epoch, timeline. */
void ck_session_view_put_record(ck_document *document, const ck_session_view *self);
/* Prints every field: one JSON object with --json, else names and values. */
CK_CHECKED ck_status ck_session_view_print(const ck_session_view *self, ck_output *output,
                                           ck_error *err);

#endif
