/* search.h - looks for the option values that lose least at each number of checkpoints. */
#ifndef CK_HOST_TUNE_SEARCH_H
#define CK_HOST_TUNE_SEARCH_H

#include "core/host/tune/reference.h"
#include "core/host/tune/space.h"

/* One setting of all options, tried on the sessions to tune by. */
typedef struct ck_tune_point {
  double places[CK_TUNE_OPTIONS_MAX];
  int64_t checkpoints, bytes;
  double mean[CK_LOSS_COUNT];
  /* of a session's work, from 0 to 1: the mean over the kinds of work that are recorded */
  double loss;
  /* against every_n at as many checkpoints, as a logarithm: below 0 is better */
  double score;
  bool frontier; /* none with as few checkpoints loses less */
} ck_tune_point;

typedef void (*ck_tune_progress)(void *to, size_t tried, size_t of);

typedef struct ck_tune_search {
  ck_tune_space *space;
  ck_tune_part part;
  const ck_tune_reference *reference; /* of that part */
  int64_t target;                     /* checkpoints that the chosen setting may take */
  uint64_t seed;
  size_t tries;
  ck_tune_progress progress; /* NULL: nobody looks */
  void *to;
} ck_tune_search;

/* What a search has found. points[0] is the profile as it is given. */
typedef struct ck_tune_found {
  ck_tune_point *points;
  size_t count;
  size_t chosen; /* index of the best setting with at most `target` checkpoints */
} ck_tune_found;

/* As many settings as `tries`, whatever the time: the same seed, sessions and profile find the same
 * one. A quarter is spread over all ranges; each of the others changes one that was good, by less
 * and less. The kind of work that comes first in money, time, tokens, tool calls has to gain most,
 * and none may lose. */
CK_CHECKED ck_status ck_tune_search_run(ck_tune_found *out, const ck_tune_search *self,
                                        ck_error *err);
void ck_tune_found_clear(ck_tune_found *self);

#endif
