/* work_time.h - how long a session was at work, as the wall times of its events tell it: without
 * what lies between its runs, and without the waiting for people.
 *
 * People are waited for while the only effects under way are questions (`ask`, a permit's, a
 * limit's), and before a user's message at the top level while nothing is under way: that is how an
 * imported session tells of its user's absence. */
#ifndef CK_RUNTIME_LEDGER_WORK_TIME_H
#define CK_RUNTIME_LEDGER_WORK_TIME_H

#include "core/base/map.h"
#include "core/model/event.h"

/* Zero-initialise, give it all events, ascending; ck_work_time_clear. */
typedef struct ck_work_time {
  int64_t ms;        /* between the events of its runs */
  int64_t active_ms; /* the part of it in which no person was waited for */
  int64_t at_ms;     /* wall time that was reached; 0: none yet */
  bool rests;        /* the run has ended: what follows a person did */
  ck_map open;       /* keys of the effects under way, owned; value: it is no question */
  int64_t working;   /* those of them that are no questions */
} ck_work_time;

/* Steps back by less are the disorder of a source that writes its lines late; others begin a branch
 * that went on beside what was told before: its time is work, too. */
enum { CK_WORK_TIME_DISORDER_MS = 1000 };

CK_CHECKED ck_status ck_work_time_take(ck_work_time *self, const ck_event *event, ck_error *err);
void ck_work_time_clear(ck_work_time *self);

#endif
