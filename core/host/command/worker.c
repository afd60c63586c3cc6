/* worker.c - worker: runs the sessions that were put into the queue of a store. */
#include "core/host/worker/worker.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/shortage.h"
#include "core/host/cli/duration.h"
#include "core/host/command/commands.h"
#include "core/host/session/flow_trust.h"
#include "core/host/session/queued.h"
#include "core/host/session/store_location.h"
#include "core/host/worker/opening.h"

enum { POLL_MS = 1000, POLL_MIN_MS = 50, POLL_MAX_MS = 3600000 };

typedef struct values {
  int64_t concurrency;
  const char *poll, *grace, *metrics;
  ck_words flows, trusted, labels, limits;
  bool until_idle;
} values;

static size_t count_processors(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1                           ? 1
         : count > CK_WORKER_CONCURRENCY_MAX ? CK_WORKER_CONCURRENCY_MAX
                                             : (size_t)count;
}

static ck_status check(const values *v, int64_t *poll_ms, ck_error *err) {
  int64_t grace_ms = 0;
  ck_value *mark = NULL;
  ck_status status = ck_duration_take(poll_ms, "--poll", v->poll, err);
  if (status == CK_OK && (*poll_ms < POLL_MIN_MS || *poll_ms > POLL_MAX_MS))
    status = ck_error_set(err, CK_E_USAGE, "--poll %s: from %dms to 1h", v->poll, POLL_MIN_MS);
  if (status == CK_OK) status = ck_duration_take(&grace_ms, "--grace", v->grace, err);
  if (status == CK_OK && v->concurrency > CK_WORKER_CONCURRENCY_MAX)
    status = ck_error_set(err, CK_E_USAGE, "--concurrency: at most %d", CK_WORKER_CONCURRENCY_MAX);
  if (status == CK_OK) status = ck_queued_mark(&mark, &v->labels, err);
  ck_value_free(mark);
  return status;
}

/* Else each session would be told as one that lacks something here. */
static ck_status check_folders(const ck_words *folders, ck_error *err) {
  struct stat found;
  for (size_t i = 0; i < folders->count; i++) {
    if (stat(folders->list[i], &found) != 0)
      return ck_error_set(err, errno == ENOENT ? CK_E_NOT_FOUND : CK_E_USAGE, "--flows %s: %s",
                          folders->list[i], ck_errno_text(errno));
    if (!S_ISDIR(found.st_mode))
      return ck_error_set(err, CK_E_USAGE, "--flows %s: is no folder", folders->list[i]);
  }
  return CK_OK;
}

/* A file that its user alone writes is trusted as a resume trusts it; any other store names files
 * that somebody else may have named. */
static ck_status check_trust(const values *v, const char *url, ck_error *err) {
  ck_flow_trust keys = {0};
  ck_status status = ck_flow_trust_read(&keys, &v->trusted, err); /* each run reads them again */
  ck_flow_trust_clear(&keys);
  if (status != CK_OK) return status;
  if (v->flows.count || v->trusted.count || strncmp(url, "sqlite:", 7) == 0) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "whoever can write this store names the flows that a worker runs: give "
                      "--flows DIR, the folders whose flows it may run, or --trust KEYFILE, the "
                      "keys whose flows");
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_store_location location = {0};
  ck_worker_options options = {
      .host = host,
      .concurrency = v->concurrency ? (size_t)v->concurrency : count_processors(),
      .poll_ms = POLL_MS,
      .grace = v->grace,
      .metrics = v->metrics,
      .flows = &v->flows,
      .trusted = &v->trusted,
      .labels = &v->labels,
      .limits = &v->limits,
      .until_idle = v->until_idle,
  };
  ck_status status = check(v, &options.poll_ms, err);
  if (status == CK_OK) status = check_folders(&v->flows, err);
  if (status == CK_OK) status = ck_store_location_find(&location, host, err);
  options.url = location.url;
  if (status == CK_OK) status = ck_queued_check_store(location.url, err);
  if (status == CK_OK) status = check_trust(v, location.url, err);
  if (status == CK_OK) status = ck_worker_open_store(&options.store, &options, &location, err);
  if (status == CK_OK && options.store) status = ck_worker_run(&options, err);
  ck_store_close(options.store);
  ck_store_location_clear(&location);
  return status;
}

static const ck_option options[] = {
    {.name = "concurrency",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, concurrency),
     .value = "N",
     .help = "how many sessions run at once; as many as there are processors otherwise"},
    {.name = "flows",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, flows),
     .value = "DIR",
     .complete = CK_COMPLETE_FILE,
     .help = "run only sessions whose flow, profile, policies, recording and working folder lie in "
             "here; may be given again"},
    {.name = "trust",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, trusted),
     .value = "KEYFILE",
     .complete = CK_COMPLETE_FILE,
     .help = "run also sessions whose flow a key of this file has signed ('ckrun flow sign'), from "
             "the store, in the folder where the worker was started; may be given again"},
    {.name = "label",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, labels),
     .value = "LABEL",
     .help = "run also sessions that ask for this label; may be given again"},
    {.name = "limit",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, limits),
     .value = "LIMIT",
     .help = "profile=NAME:N or label=NAME:N: run at most N sessions of that profile, or that ask "
             "for that label, at once, in this worker: others count their own; may be given again"},
    {.name = "poll",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, poll),
     .value = "TIME",
     .help = "how often it looks into the store: 1s unless given"},
    {.name = "grace",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, grace),
     .value = "TIME",
     .help = "how long SIGINT or SIGTERM waits for the steps under way: 10s unless given"},
    {.name = "metrics",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, metrics),
     .value = "ADDRESS",
     .help =
         "serve /metrics (for Prometheus), /healthz and /readyz (503 as soon as the store has "
         "not answered for 2 s) at 127.0.0.1:PORT, [::1]:PORT or unix:PATH, this machine alone; "
         "port 0: any free one, which is told"},
    {.name = "until-idle",
     .offset = offsetof(values, until_idle),
     .help = "end when nothing runs and nothing is due"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun worker --until-idle", "run what is in the queue, and end"},
    {"ckrun worker --until-idle --concurrency 4 --flows . --label gpu",
     "run up to four at once, only flows of this folder, also those for the label"},
    {0},
};

const ck_command ck_command_worker = {
    .name = "worker",
    .summary = "run the sessions that were put into the queue",
    .details =
        "Runs what 'submit', 'run --detach' and 'resume --detach' put into the queue of the "
        "store, each in a program of its own: profiles take turns, of each the oldest first; "
        "and goes on with those whose process died, wherever it ran, and with those whose "
        "question was answered. Any number of workers may share a store: each session has one "
        "at a time. A session that sleeps, waits for a person, or before a try that a "
        "policy asked for, keeps no worker busy; one that is paused is left to "
        "whoever paused it.\n\n"
        "A session that cannot be begun here, because a secret or a file is missing, is told and "
        "tried again later, here or by another worker. One that dies again and again waits longer "
        "each time, and is failing after the third. A shortage of processes, or a store that "
        "cannot be read, is told and waited out, a server that is away also at the start; "
        "--until-idle ends with it.\n\n"
        "On SIGTERM or SIGINT every session pauses at its next boundary and is back in the queue; "
        "a second one stops at once. Under systemd it says when it is ready and that it lives "
        "(Type=notify, WatchdogSec=).",
    .options = options,
    .examples = examples,
    .run = run,
};
