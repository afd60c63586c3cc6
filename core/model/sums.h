/* sums.h - what the calls of a session come to, run by run, and which of them have no outcome yet:
 * added up event by event, and kept in checkpoints, so that who asks need not read all of them. */
#ifndef CK_MODEL_SUMS_H
#define CK_MODEL_SUMS_H

#include "core/base/json.h"
#include "core/base/map.h"
#include "core/model/event.h"
#include "core/model/session.h"
#include "core/model/stretches.h"

/* What outcomes that one run has recorded say of calls that one run began. */
typedef struct ck_sum {
  int64_t began, recorded; /* the timelines of the two runs; began: `recorded` without an intent */
  ck_totals spent;         /* active_us is not counted */
  int64_t reserved;        /* micro-dollars of it that are an estimate */
} ck_sum;

/* An intent that has no outcome yet. */
typedef struct ck_open_call {
  char *key;
  int64_t timeline;
  struct ck_open_call *before, *after;
} ck_open_call;

/* Zero-initialise: no event was taken yet. */
typedef struct ck_sums {
  ck_sum *list; /* in the order of the first outcome of each */
  size_t count, cap;
  ck_map open;                /* ck_open_call by key; owned */
  ck_open_call *first, *last; /* the same in the order in which they began */
  int64_t cut_off;            /* answers of models that end before their end */
  int64_t opened;             /* the timeline of the last event that opens a run; 0: none */
  /* The first and the last of the events, if any (0), that are not summed up and must be read: of
   * what policies have settled, of saves that failed, and further ones that open the same run. */
  int64_t beside_first, beside_last;
  ck_stretches said; /* where the events lie that conversations are made of */
  bool untold;       /* not known, as in sums that were kept before there was `said` */
  int64_t until;     /* seq up to which all events are taken */
  int64_t kept;      /* seq of the last checkpoint that has them; 0: none. The caller's */
  int64_t uncalled; /* seq up to which there are no calls and no verdicts; 0: not known. Likewise */
  bool failed;      /* the sums are worth nothing: for want of memory, or by the caller */
} ck_sums;

/* Events that count, as bits of ck_event_query.kinds. */
extern const uint64_t ck_sums_kinds;
/* Those that conversations are made of. */
extern const uint64_t ck_sums_said_kinds;

/* Of any kind, ascending by seq, all timelines. Of `event` seq, timeline and kind are read. */
void ck_sums_take(ck_sums *self, const ck_event *event, ck_bytes body);
/* The same without `said`, for who takes that apart. */
void ck_sums_take_calls(ck_sums *self, const ck_event *event, ck_bytes body);
void ck_sums_clear(ck_sums *self);
/* Appends them as a JSON object: the same sums give the same bytes. */
void ck_sums_write(ck_buffer *out, const ck_sums *self);
/* Caller clears, also behind a failure. False: not written by ck_sums_write, or no memory. */
bool ck_sums_read(ck_sums *out, ck_bytes json);

/* The member of a checkpoint's info: the sums up to the checkpoint, or the seq of the last
 * checkpoint before it that has them. */
#define CK_SUMS_MEMBER "sums"
/* The info without that member, as people are shown it; NULL: no memory. Caller frees. */
ck_value *ck_sums_hide(const ck_value *info);

/* Adds what the body of an outcome says. */
void ck_totals_add_body(ck_totals *totals, ck_bytes outcome);
/* The part of an outcome's cost that was counted at a reserve, micro-dollars. */
int64_t ck_outcome_read_reserved(ck_bytes outcome);

#endif
