/* runs.h - the runs of a session, as they are shown: each process's attempt, its end and its
 * cost. */
#ifndef CK_HOST_INSPECT_RUNS_H
#define CK_HOST_INSPECT_RUNS_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/session/place.h"
#include "core/runtime/budget/active.h"
#include "core/store/store.h"

typedef struct ck_run {
  const ck_timeline *timeline; /* the timeline that it opened; of the head */
  ck_place place;              /* where it ran */
  const char *outcome; /* "completed", "paused", …; "running"; "died": no event of its end;
                        * "stopped": it could not write one, but the session's row says why */
  const char *change;  /* "rewound", "forked", "undone": by a person, at rest; NULL: it executes */
  int64_t begun_ms, last_ms; /* its first and last event */
  ck_totals spent;           /* for what it began; active_us is unknown */
  ck_value *settings;        /* its own, see run_settings.h; owned; NULL: none */
  int64_t reserved; /* micro-dollars of that which are estimates: see ck_ledger_read_reserved */
} ck_run;

enum { CK_RUNS_LISTED = 5 };

/* Events of other kinds, of those that sums lay beside (core/model/sums.h), which are shown as
 * well: only where there are some must more than the newest events be looked through. */
typedef struct ck_runs_beside {
  uint64_t kinds;
  ck_event_visit visit;
  void *to;
} ck_runs_beside;

/* Zero-initialise. */
typedef struct ck_runs {
  bool whole;   /* rows of all of them are wanted */
  ck_run *list; /* oldest first; those inherited by a fork are left out */
  size_t count;
  /* Of the session: what its latest checkpoint counts, of a fork with what its origin had spent,
   * and every outcome behind it, as a resume would count them; active time likewise, of a run that
   * was killed up to its last event. */
  ck_totals totals;
  /* The part of it that was there when it was forked; active_us is unknown. Its agents' own
   * spending begins there. */
  ck_totals before_fork;
  bool forked;
  ck_active active; /* behind that checkpoint */
  const char *flow; /* where the session was begun; of the head */
  bool failed;      /* for want of memory, see ck_runs_read */
  int64_t reserved; /* the part of the totals that is an estimate */
  int64_t cut_off;  /* answers of models that end before their end */
  int64_t open;     /* intents that have no outcome yet */
  int64_t uncalled; /* seq up to which there are no calls and no verdicts; 0: not known */
} ck_runs;

/* Borrows `head`. `live`: a process runs the session now. `beside`: NULL for none. */
CK_CHECKED ck_status ck_runs_read(ck_runs *self, ck_store *store, const ck_head *head, bool live,
                                  const ck_runs_beside *beside, ck_error *err);
void ck_runs_clear(ck_runs *self);
/* Only the totals: what the session has spent by now. */
CK_CHECKED ck_status ck_runs_read_totals(ck_totals *out, ck_store *store, const ck_head *head,
                                         ck_error *err);
/* Adds "runs": [{run, parent_run?, flow?, stored?, directory?, host?, outcome, settings?, attempt,
 * begun, last, cost_micros, reserved_micros, …}, …]. */
void ck_runs_put(ck_document *document, const ck_runs *self);
/* A row "runs" for each; of many only for the last CK_RUNS_LISTED, unless `whole` is set. */
void ck_runs_put_rows(ck_table *table, const ck_runs *self);

#endif
