/* health.h - answers who asks over HTTP how a worker is: /metrics, /healthz, /readyz. */
#ifndef CK_HOST_WORKER_HEALTH_H
#define CK_HOST_WORKER_HEALTH_H

#include "core/host/worker/metrics.h"

typedef struct ck_health ck_health;

/* At `address`, as ck_ui_listen_open takes it; says where on people's lines. Borrows `store` (its
 * sessions are counted when metrics are asked for, and it is asked whether it answers; NULL:
 * neither is done) and `metrics`. `poll_ms`: a worker that takes no turn for many times as long
 * hangs. */
typedef struct ck_health_options {
  const char *address;
  ck_store *store;
  ck_metrics *metrics;
  ck_output *output;
  int64_t poll_ms;
} ck_health_options;
CK_CHECKED ck_status ck_health_start(ck_health **out, const ck_health_options *options,
                                     ck_error *err);
void ck_health_stop(ck_health *self);

#endif
