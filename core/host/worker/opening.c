/* opening.c - the store of a worker, which may be started before its server. */
#include "core/host/worker/opening.h"

#include <signal.h>
#include <stdio.h>

#include "core/host/cli/end_signals.h"
#include "core/host/worker/notify.h"
#include "core/host/worker/trouble.h"
#include "core/store/postgres/url.h"

/* A worker may be started before anything is submitted. */
static ck_status make_store(const ck_store_location *location, ck_error *err) {
  ck_store *store = NULL;
  ck_store_options options = {.create = true, .key = location->key, .watch = &location->watch};
  ck_status status = ck_store_location_make_parents(location, err);
  if (status == CK_OK) status = ck_store_open(&store, location->opens, &options, err);
  ck_store_close(store);
  return status;
}

static ck_status open_once(ck_store **out, const ck_store_location *location, ck_error *err) {
  ck_status status = ck_store_location_open_store(out, location, err);
  if (status != CK_E_NOT_FOUND) return status;
  status = make_store(location, err);
  return status == CK_OK ? ck_store_location_open_store(out, location, err) : status;
}

/* As long as it waits it lives, and is what its manager has asked for. */
static void tell_manager(const ck_trouble *trouble) {
  char text[96 + CK_ERROR_TEXT_MAX];
  snprintf(text, sizeof text, "READY=1\nWATCHDOG=1\nSTATUS=waits for the store; %s\n",
           trouble->text);
  ck_notify_send(text);
}

/* False: a signal asked for the end. */
static bool wait_for_it(const ck_trouble *trouble, int64_t poll_ms) {
  sigset_t ends;
  ck_end_signals_fill(&ends);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  for (int left_ms; (left_ms = ck_trouble_left_ms(trouble)) > 0;) {
    int64_t ms = left_ms < poll_ms ? left_ms : poll_ms;
    struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    tell_manager(trouble);
    if (sigtimedwait(&ends, NULL, &wait) > 0) return false;
  }
  return true;
}

/* A file is there, or it is not. */
ck_status ck_worker_open_store(ck_store **out, const ck_worker_options *options,
                               const ck_store_location *location, ck_error *err) {
  ck_output *output = options->host->output;
  ck_trouble trouble = {.first_ms = options->poll_ms, .without = "nothing is begun"};
  bool waits = ck_postgres_url_is(location->opens) && !options->until_idle;
  for (;;) {
    ck_error problem = CK_ERROR_INIT;
    ck_status status = open_once(out, location, &problem);
    if (status == CK_OK) break;
    if (!waits) return ck_error_set(err, status, "%s", problem.text);
    status = ck_trouble_take(&trouble, output, status, &problem, err);
    if (status != CK_OK) return status;
    if (!wait_for_it(&trouble, options->poll_ms)) return CK_OK;
  }
  ck_trouble_end(&trouble, output);
  return CK_OK;
}
