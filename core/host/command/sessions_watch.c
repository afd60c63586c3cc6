/* sessions_watch.c - sessions watch: follows a session until it has ended, wherever it runs, and
 * ends as a run of it would have. */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/inspect/event_list.h"
#include "core/host/inspect/not_begun.h"
#include "core/host/print/document.h"
#include "core/host/session/last_run.h"
#include "core/host/session/queued.h"
#include "core/host/worker/trouble.h"
#include "core/store/news.h"

typedef struct values {
  const char *session, *agent, *kind;
  int64_t last;
} values;

/* Between two looks: while it runs, or where nothing tells that it was given back; else. What wakes
 * may be of any session of the store: these looks are no closer than the gap. */
enum { LOOK_MS = 200, QUEUED_MS = 1000, GAP_MS = 20, TROUBLE_MS = 500 };

typedef struct watching {
  ck_inspection of;
  ck_event_list list;
  ck_event_list_wanted wanted;
  ck_trouble trouble; /* the store cannot be read for now */
  uint64_t epoch;     /* of the run that `queued` is of */
  bool known, queued; /* workers have it */
  ck_refusal told;    /* the last word of a worker that has not begun it, as it was told */
  bool unowned;       /* nobody ran it at the last look, though it is running */
  bool gone;          /* its profile deletes what has succeeded */
} watching;

/* ---- whether it goes on ---- */

static ck_status read_queued(watching *self, ck_error *err) {
  ck_last_run last = {0};
  const ck_head *head = &self->of.head;
  if (self->known && self->epoch == head->session.epoch) return CK_OK;
  ck_status status = ck_last_run_read(&last, self->of.store, head, err);
  if (status == CK_OK) {
    self->queued = ck_queued_of(&last).len > 0;
    self->epoch = head->session.epoch;
    self->known = true;
  }
  ck_last_run_clear(&last);
  return status;
}

/* Whoever waits for it reads why nobody begins it; the same word once. */
static void tell_refusal(watching *self) {
  ck_refusals found;
  ck_store_get_refusals(&found, self->of.store, self->of.head.session.id);
  const ck_refusal *last = &found.list[0];
  if (!found.count ||
      (strcmp(self->told.by, last->by) == 0 && strcmp(self->told.text, last->text) == 0))
    return;
  ck_buffer text = {0};
  ck_not_begun_append(&text, last);
  if (!text.failed) ck_output_notice(self->list.output, "%.*s", (int)text.len, text.data);
  ck_buffer_clear(&text);
  self->told = *last;
}

/* One that was just begun is seen running before its owner is: nobody's twice is nobody's. */
static ck_status find_going(bool *going, watching *self, ck_error *err) {
  const ck_session_record *record = &self->of.head.session;
  bool unowned = record->status == CK_SESSION_RUNNING && !self->of.live;
  bool again = unowned && self->unowned && self->epoch == record->epoch;
  *going = true;
  ck_status status = read_queued(self, err);
  self->unowned = unowned;
  if (status != CK_OK) return status;
  *going = self->of.live || (unowned && !again) || (self->queued && ck_queued_is_due(record));
  if (self->queued && !self->of.live && *going) tell_refusal(self);
  return CK_OK;
}

/* ---- until it does not ---- */

static void wait_for_more(watching *self) {
  bool found;
  int fd = ck_store_news(&found, self->of.store);
  struct pollfd wait = {.fd = fd, .events = POLLIN};
  int ms = fd >= 0 && !self->of.live ? QUEUED_MS : LOOK_MS;
  if (self->trouble.times) ms = ck_trouble_left_ms(&self->trouble);
  (void)!poll(&wait, fd >= 0 && !self->trouble.times, found ? GAP_MS : ms);
  if (wait.revents) (void)!poll(NULL, 0, GAP_MS);
}

/* A server that is away comes back; what is told of it is told once. */
static ck_status go_on(bool *going, watching *self, ck_error *err) {
  ck_error problem = CK_ERROR_INIT;
  self->list.err = &problem;
  ck_status status = ck_event_list_go_on(&self->list, &self->of, &self->wanted);
  if (status == CK_OK) status = find_going(going, self, &problem);
  self->list.err = err;
  self->gone = status == CK_E_NOT_FOUND;
  if (self->gone) *going = false;
  if (status == CK_OK || self->gone) return CK_OK;
  return ck_trouble_take(&self->trouble, self->list.output, status, &problem, err);
}

static ck_status follow(watching *self, ck_error *err) {
  bool going;
  ck_error problem = CK_ERROR_INIT;
  ck_status status = find_going(&going, self, &problem);
  if (status != CK_OK)
    status = ck_trouble_take(&self->trouble, self->list.output, status, &problem, err);
  while (status == CK_OK && going && ck_output_is_read(self->list.output)) {
    wait_for_more(self);
    int64_t times = self->trouble.times;
    status = go_on(&going, self, err);
    if (status == CK_OK && times && self->trouble.times == times)
      ck_trouble_end(&self->trouble, self->list.output);
  }
  return status;
}

/* ---- how it ended ---- */

static ck_status print_end(const watching *self, ck_output *output, ck_error *err) {
  const ck_session_record *record = &self->of.head.session;
  ck_session_status is = self->gone ? CK_SESSION_COMPLETED : record->status;
  ck_document document;
  if (!output->json) return ck_output_flush(output, err);
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "session", record->id);
  ck_document_put_text(&document, NULL, "status", ck_session_status_name(is));
  if (!self->gone) ck_document_put_text(&document, NULL, "reason", record->reason);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

/* As a run of it answers. */
static ck_status answer(const watching *self, ck_error *err) {
  const ck_session_record *record = &self->of.head.session;
  const char *id = record->id, *why = record->reason ? record->reason : "";
  if (self->gone) return CK_OK;
  switch (record->status) {
    case CK_SESSION_COMPLETED:
      return CK_OK;
    case CK_SESSION_RUNNING:
      return ck_error_set(err, CK_E_INTERRUPTED,
                          "session %s: the process that ran it is gone; 'ckrun resume %s' goes on",
                          id, id);
    case CK_SESSION_PAUSED:
      return ck_error_set(err, CK_E_PAUSED, "session %s is paused: %s", id, why);
    case CK_SESSION_WAITING:
      return ck_error_set(err, CK_E_WAITING, "session %s waits for a human: %s", id, why);
    case CK_SESSION_IN_DOUBT:
      return ck_error_set(err, CK_E_IN_DOUBT, "session %s: %s; see 'ckrun resolve %s'", id, why,
                          id);
    case CK_SESSION_CANCELLED:
      return ck_error_set(err, CK_E_CANCELLED, "session %s is cancelled: %s", id, why);
    default:
      return ck_error_set(err, CK_E_FAILED, "session %s failed: %s", id, why);
  }
}

static ck_status watch(watching *self, ck_output *output, ck_error *err) {
  ck_status status = ck_event_list_open(&self->list, &self->of, true);
  if (status == CK_OK) status = ck_event_list_read(&self->list, &self->of, &self->wanted);
  if (status == CK_OK) status = ck_table_print(&self->list.table, err);
  if (status == CK_OK) status = follow(self, err);
  bool read = ck_output_is_read(output);
  if (status == CK_OK && read) status = print_end(self, output, err);
  if (status == CK_OK && read) status = answer(self, err);
  ck_event_list_close(&self->list);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  watching self = {
      .list = {.output = host->output, .err = err, .last_max = (size_t)v->last},
      .wanted = {.agent = v->agent, .kind = v->kind},
      .trouble = {.first_ms = TROUBLE_MS, .without = "the session is not seen"},
  };
  ck_status status = ck_inspection_open_session(&self.of, host, v->session, err);
  if (status != CK_OK) return status;
  status = watch(&self, host->output, err);
  ck_inspection_close(&self.of);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

static const ck_option options[] = {
    {.name = "agent",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, agent),
     .value = "AGENT",
     .help = "only events of this agent"},
    {.name = "kind",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, kind),
     .value = "KIND",
     .choices = ck_inspection_kinds,
     .help = "only events of this kind, such as message, outcome or boundary"},
    {.name = "last",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, last),
     .value = "N",
     .help = "of those that are there already only the last N"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions watch trip --last 5", "follow a session from its last five events on"},
    {0},
};

const ck_command ck_command_sessions_watch = {
    .name = "sessions watch",
    .summary = "follow a session until it has ended, wherever it runs",
    .details =
        "Prints the events of the session as 'sessions log' does, those that are there and then "
        "each that comes, whoever runs it and on whatever machine: through the queue of workers, "
        "their deaths and take-overs, and as long as it sleeps. It ends when the session does, or "
        "when a person is needed to go on, with the exit code that 'ckrun run' would have: 0 "
        "completed, 1 failed, 8 paused or waiting, 75 in doubt; 130 when the process that ran it "
        "is gone, and no worker has it. With --json an object per event, and one for the end. "
        "Why no worker has begun it yet is said when one tells. "
        "'pause', 'answer', 'resolve' and 'cancel' reach the session meanwhile.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
