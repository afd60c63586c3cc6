/* metrics.h - what a worker has done, in numbers, for Prometheus. No label names a session, a flow
 * or a person: the number of series does not grow with what is run. */
#ifndef CK_HOST_WORKER_METRICS_H
#define CK_HOST_WORKER_METRICS_H

#include <pthread.h>

#include "core/host/worker/census.h"
#include "core/host/worker/child.h"

enum { CK_METRICS_BOUNDS_MAX = 12, CK_METRICS_RULES_MAX = 160 };

/* Of durations, in seconds. */
typedef struct ck_histogram {
  const double *bounds; /* ascending */
  size_t bound_count;
  int64_t within[CK_METRICS_BOUNDS_MAX]; /* up to that bound, and all below it */
  int64_t count;
  double sum;
} ck_histogram;
void ck_histogram_add(ck_histogram *self, double seconds);

/* Any thread; ck_metrics_init first. */
typedef struct ck_metrics {
  pthread_mutex_t lock;
  int64_t claims, takeovers, lost_claims, refusals, fences, lapses, deaths;
  int64_t ended[CK_STANDING_END]; /* by ck_standing */
  ck_histogram queue, checkpoint;
  int64_t input_tokens, output_tokens, unmetered;
  double dollars;
  struct {
    char family[16], rule[48];
    int64_t count;
  } redactions[CK_METRICS_RULES_MAX];
  size_t redaction_count;
  size_t running, concurrency;
  int64_t turn_us; /* monotonic: when the worker last took a turn */
  bool ending;
  char trouble[CK_ERROR_TEXT_MAX]; /* what it cannot do for now; "" */
} ck_metrics;
void ck_metrics_init(ck_metrics *self, size_t concurrency);
void ck_metrics_clear(ck_metrics *self);

/* A run was begun: after that time in the queue; `takes_over`: of a session whose process died. */
void ck_metrics_begin(ck_metrics *self, int64_t waited_ms, bool takes_over);
/* How one ended, and what it said of itself: the document of `ckrun --json resume`; no bytes: it
 * was killed. */
typedef enum { CK_RUN_ENDED, CK_RUN_TAKEN, CK_RUN_REFUSED, CK_RUN_LAPSED } ck_run_ending;
void ck_metrics_end(ck_metrics *self, ck_run_ending how, ck_standing standing,
                    const ck_worker_end *end, ck_bytes said);
/* The worker is alive, and so it is with it. */
void ck_metrics_turn(ck_metrics *self, size_t running, bool ending, const char *trouble);
/* Appends the text format, version 0.0.4. `census`: of the store; NULL: not known. */
void ck_metrics_append(ck_buffer *out, ck_metrics *self, const ck_census *census);

#endif
