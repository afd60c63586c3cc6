/* worker.h - runs the sessions of a queue, each in a ckrun of its own, so that none takes another
 * down.
 *
 * One turn: take note of runs that ended, look which sessions are due, begin as many as there is
 * room for. A turn follows each end of a run and each poll. Everything that must survive is in the
 * store: a worker that is killed leaves sessions that another one finds due. */
#ifndef CK_HOST_WORKER_WORKER_H
#define CK_HOST_WORKER_WORKER_H

#include "core/host/cli/command.h"
#include "core/store/store.h"

enum { CK_WORKER_CONCURRENCY_MAX = 1024 };

/* All borrowed. */
typedef struct ck_worker_options {
  const ck_host *host;
  const char *url;                 /* of the store, with its key as host->key says */
  ck_store *store;                 /* to read */
  size_t concurrency;              /* how many run at once; 1 to CK_WORKER_CONCURRENCY_MAX */
  int64_t poll_ms;                 /* between looks at the store */
  const char *grace;               /* as 'ckrun resume --grace' takes it; NULL */
  const ck_words *flows, *trusted; /* as 'ckrun resume --flows' and '--trust' take them */
  const ck_words *labels, *limits; /* of ck_worker_limits_read */
  const char
      *metrics;    /* where metrics and health are served, as 'ckrun ui --listen' takes it; NULL */
  bool until_idle; /* ends when nothing runs and nothing is due */
} ck_worker_options;

/* Until SIGTERM, SIGINT or SIGHUP: then every session is paused at its next boundary, back in the
 * queue; a second signal stops them where they stand. What begins and ends is printed. A store that
 * cannot be read and a shortage of processes are waited out; with until_idle they end it, and so
 * does anything else (CK_E_CORRUPT, …): the sessions are left as by a signal. */
CK_CHECKED ck_status ck_worker_run(const ck_worker_options *options, ck_error *err);

#endif
