/* candidates.h - which sessions of a queue a worker may begin now. */
#ifndef CK_HOST_WORKER_CANDIDATES_H
#define CK_HOST_WORKER_CANDIDATES_H

#include "core/base/map.h"
#include "core/host/cli/command.h"
#include "core/host/worker/limits.h"
#include "core/store/reservation.h"

/* What is known of a session as long as its row stays as it is. */
typedef struct ck_candidate {
  char id[CK_ID_SIZE];
  int64_t no, timeline; /* the live one */
  uint64_t epoch;
  int64_t updated_ms;
  int64_t restarts;      /* of its row: fewer when a lapse is told */
  bool runs;             /* its row says so: due when its process is gone */
  bool examined, ours;   /* ours: it is in the queue, with labels that fit */
  uint64_t limits;       /* of the worker's, that concern it; those of labels once examined */
  uint64_t profile;      /* a hash of its name */
  size_t rank;           /* how many of its profile come before it */
  bool present;          /* in the look that was taken last, and as it was seen there */
  int64_t refusals;      /* how often it could not be begun in a row */
  int64_t deaths;        /* how often its run here died in a row; whatever its row becomes */
  int64_t not_before_ms; /* wall time: after refusals and deaths */
  int64_t from_ms;       /* wall time: when it has slept enough; 0 */
} ck_candidate;

/* Zero-initialise; set store, redactor, labels and limits. */
typedef struct ck_candidates {
  ck_store *store;
  ck_redactor *redactor; /* for what is said in the store */
  const ck_words *labels;
  const ck_worker_limits *limits;
  ck_map known;        /* by id, all that may be due */
  ck_candidate **list; /* of the last look, see ck_candidates_look */
  size_t count, cap;
  size_t told; /* sessions of this look of which was said that they ask for other labels */
} ck_candidates;
void ck_candidates_clear(ck_candidates *self);

/* Looks which sessions may be due. The profiles take turns, so that a long queue of one keeps no
 * other one waiting; of each profile the oldest comes first. Who sleeps keeps nobody's turn. */
CK_CHECKED ck_status ck_candidates_look(ck_candidates *self, int64_t now_ms, ck_error *err);
/* Looks at those that run alone, however long the queue is, and puts them before the list's `*at`th
 * in the place of where they stood: one whose worker died does not wait for the queue. *at moves
 * with what is taken out before it. */
CK_CHECKED ck_status ck_candidates_look_running(ck_candidates *self, size_t *at, ck_error *err);
/* Whether it is due at `now_ms`; *later_ms: when it will be, without anybody's doing; 0: never. */
CK_CHECKED ck_status ck_candidates_check(bool *due, int64_t *later_ms, ck_candidates *self,
                                         ck_candidate *candidate, int64_t now_ms, ck_error *err);
/* *mine: it is due still, and no other worker begins it, until `reserved` is given back. */
CK_CHECKED ck_status ck_candidates_reserve(bool *mine, ck_reservation *reserved,
                                           ck_candidates *self, const ck_candidate *candidate,
                                           ck_error *err);
/* It could not be begun, and its row is this one now: it is tried again after a minute, then after
 * longer times, at most ten minutes; at once when the row changes. */
void ck_candidates_put_off(ck_candidate *self, const ck_session_record *record, int64_t now_ms);
/* Its run ended: the next look tells how it stands. One that died again and again waits longer each
 * time, at most a minute. */
void ck_candidates_note_end(ck_candidate *self, bool died, int64_t now_ms);

#endif
