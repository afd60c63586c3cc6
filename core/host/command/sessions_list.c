/* sessions_list.c - sessions list: every session of the store, newest first. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/host/print/pager.h"
#include "core/host/cli/duration.h"
#include "core/host/command/commands.h"
#include "core/host/inspect/failed_node.h"
#include "core/host/inspect/inspect.h"
#include "core/host/inspect/not_begun.h"
#include "core/host/inspect/updated.h"
#include "core/host/inspect/session_view.h"
#include "core/host/inspect/tones.h"
#include "core/host/print/table.h"
#include "core/host/session/queued.h"
#include "core/host/session/short_id.h"
#include "core/host/session/standing.h"
#include "core/runtime/session/tail/tail.h"
#include "core/store/maintenance.h"
#include "core/store/session_query.h"

typedef struct values {
  const char *status, *agent, *flow, *since;
  int64_t limit;
  bool resumable;
} values;

typedef struct listing {
  ck_inspection inspection;
  const values *wanted;
  int64_t since_ms; /* wall time; 0: any */
  const char *agent;
  ck_output *output;
  ck_table table;
  size_t count;
  ck_status status;
  ck_error *err;
} listing;

static const ck_column columns[] = {
    {"SESSION", false},
    {"STATUS", false},
    {"UPDATED", CK_COLUMN_SPARE(1)},
    {"PROFILE", CK_COLUMN_CUT | CK_COLUMN_SPARE(3)},
    {"FLOW", CK_COLUMN_PATH | CK_COLUMN_SPARE(2)},
    {"FAILED_AT", CK_COLUMN_CUT | CK_COLUMN_SPARE(4)},
    {"CHECKPOINT", CK_COLUMN_SPARE(5)},
    {"REASON", CK_COLUMN_WRAP},
    {NULL, false},
};

/* How it stands, what keeps it, or has stopped it. */
typedef struct condition {
  ck_standing standing;
  bool live;
  char fault[CK_STORE_FAULT_MAX]; /* of a live one; "": none */
  ck_refusals refusals;           /* why workers have not begun it */
  char *question;                 /* that a person answers before its resume; NULL. Owned */
} condition;

static void put_reason(listing *self, const ck_session_record *record, const char *error,
                       const condition *of) {
  ck_buffer text = {0};
  ck_buffer_append_text(&text, *of->fault ? of->fault : error ? error : "");
  if (of->question)
    ck_buffer_append_format(&text,
                            "%sa person is asked before its resume: %s (ckrun answer %s allow)",
                            text.len ? "; " : "", of->question, record->id);
  if (of->refusals.count && text.len) ck_buffer_append_text(&text, "; ");
  if (of->refusals.count) ck_not_begun_append(&text, &of->refusals.list[0]);
  ck_table_put_text(&self->table, ck_buffer_bytes(&text));
  self->table.text.failed |= text.failed;
  ck_buffer_clear(&text);
}

static void put_row(listing *self, const ck_session_record *record, const char *flow,
                    const ck_stop *stop, const condition *of) {
  ck_table *table = &self->table;
  const char *checkpoint = stop->last_checkpoint;
  ck_table_put_text(table, ck_bytes_text(record->id));
  ck_table_tone(table, ck_standing_tone(of->standing, of->live));
  ck_table_put_word(table, ck_standing_name(of->standing));
  ck_table_put_age(table, record->updated_ms);
  ck_table_put_text(table, ck_bytes_text(record->profile));
  ck_table_put_text(table, ck_bytes_text(flow));
  ck_table_put_text(table, ck_bytes_text(stop->node));
  ck_table_put_word(table, table->aligned && checkpoint ? ck_short_id(checkpoint) : checkpoint);
  put_reason(self, record, stop->error, of);
}

/* `wanted`: the file's path, or its last part. */
static bool has_flow(const char *flow, const char *wanted) {
  const char *slash = flow ? strrchr(flow, '/') : NULL;
  return flow && (strcmp(flow, wanted) == 0 || (slash && strcmp(slash + 1, wanted) == 0));
}

static bool has_standing(listing *self, const ck_session_record *record) {
  ck_standing wanted = ck_standing_named(self->wanted->status), is = 0;
  if (!wanted || ck_standing_status(wanted) != CK_SESSION_PAUSED) return true; /* the store's */
  self->status = ck_standing_read(&is, self->inspection.store, record, self->err);
  return is == wanted;
}

static bool is_wanted(listing *self, const ck_session_record *record) {
  ck_session_record now = {
      .no = record->no, .status = record->status, .updated_ms = record->updated_ms};
  if (now.updated_ms < self->since_ms)
    self->status = ck_updated_read(&now, self->inspection.store, self->err);
  return now.updated_ms >= self->since_ms && self->status == CK_OK && has_standing(self, record);
}

static ck_status print_json(listing *self, const ck_session_record *record, const char *flow,
                            const ck_stop *stop, const condition *of) {
  ck_document document;
  ck_session_view view = {0};
  ck_session_view_take_record(&view, record, of->live);
  ck_session_view_set_standing(&view, of->standing);
  view.flow = flow;
  ck_document_init(&document, self->output);
  ck_session_view_put_record(&document, &view);
  ck_stop_put(&document, NULL, stop);
  ck_document_put_text(&document, NULL, "trouble", *of->fault ? of->fault : NULL);
  ck_document_put_text(&document, NULL, "question", of->question);
  ck_not_begun_put(&document, &of->refusals);
  ck_status status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  return status;
}

static ck_status put(listing *self, const ck_head *head, const char *flow) {
  ck_store *store = self->inspection.store;
  const ck_session_record *record = &head->session;
  ck_error owned = CK_ERROR_INIT;
  condition of = {0};
  ck_stop stop = {0};
  of.live = record->status == CK_SESSION_RUNNING &&
            ck_store_check_owner(store, record->id, &owned) == CK_E_OWNED;
  if (of.live) ck_store_get_fault(of.fault, store, record->id);
  ck_status status = ck_standing_read_head(&of.standing, store, head, self->err);
  if (!of.live && ck_queued_is_due(record)) ck_store_get_refusals(&of.refusals, store, record->id);
  if (status == CK_OK) status = ck_stop_read(&stop, store, head, self->err);
  if (status == CK_OK && !of.live && ck_session_status_resumable(record->status))
    status = ck_session_view_read_question(&of.question, store, head, self->err);
  if (status == CK_OK && self->output->json)
    status = print_json(self, record, flow, &stop, &of);
  else if (status == CK_OK)
    put_row(self, record, flow, &stop, &of);
  self->count++;
  free(of.question);
  ck_stop_clear(&stop);
  return status;
}

static ck_status show(listing *self, const ck_session_record *record) {
  ck_store *store = self->inspection.store;
  const char *wanted = self->wanted->flow;
  ck_head head;
  ck_place place = {0};
  ck_status status = ck_store_get_head(&head, store, record->id, self->err);
  if (status != CK_OK) return status;
  status = ck_updated_read(&head.session, store, self->err);
  if (status == CK_OK) status = ck_place_find(&place, store, &head, self->err);
  const char *flow = place.flow ? place.flow : head.session.flow;
  if (status == CK_OK && (!wanted || has_flow(flow, wanted))) status = put(self, &head, flow);
  ck_place_clear(&place);
  ck_head_clear(&head);
  return status;
}

static bool visit(void *to, const ck_session_record *record) {
  listing *self = to;
  bool involved = true;
  if (!is_wanted(self, record)) return self->status == CK_OK;
  if (self->agent)
    self->status =
        ck_tail_find_agent(&involved, self->inspection.store, record->no, self->agent, self->err);
  if (self->status != CK_OK || !involved) return self->status == CK_OK;
  self->status = show(self, record);
  bool full = self->wanted->limit && (int64_t)self->count >= self->wanted->limit;
  return self->status == CK_OK && !full && ck_output_is_read(self->output);
}

/* What the store leaves out by itself. */
static ck_session_query query_of(const listing *self) {
  const values *v = self->wanted;
  ck_session_query query = {
      .since_ms = self->since_ms, .agent = self->agent, .others = ck_tail_naming_kinds};
  for (ck_session_status i = CK_SESSION_RUNNING; ck_session_status_name(i); i++)
    if (!v->resumable || ck_session_status_resumable(i)) query.statuses |= UINT64_C(1) << i;
  if (v->status) query.statuses &= UINT64_C(1) << ck_standing_status(ck_standing_named(v->status));
  const char *slash = v->flow ? strrchr(v->flow, '/') : NULL;
  query.flow_name = slash ? slash + 1 : v->flow;
  query.lean = !v->agent && !v->flow; /* show asks again for each that is listed */
  return query;
}

static ck_status list(listing *self) {
  const ck_session_query query = query_of(self);
  if (!query.statuses) return CK_OK; /* those of a status that cannot be resumed, and can */
  ck_status status = ck_store_find_sessions(self->inspection.store, &query, visit, self, self->err);
  return status == CK_OK ? self->status : status;
}

static void report_none(ck_output *output, const values *v) {
  if (v->flow || v->since || v->resumable)
    ck_output_notice(output, "no session is like that");
  else if (v->agent)
    ck_output_notice(output, "agent '%s' took part in no session%s%s", v->agent,
                     v->status ? " that is " : "", v->status ? v->status : "");
  else if (v->status)
    ck_output_notice(output, "no session is %s", v->status);
  else
    ck_output_notice(output, "no sessions yet; start one with 'ckrun run FLOW'");
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_pager_begin(host->output);
  listing self = {.wanted = v, .agent = v->agent, .output = host->output, .err = err};
  ck_clock clock = ck_clock_system();
  int64_t age_ms = 0;
  ck_status status = ck_duration_take(&age_ms, "--since", v->since, err);
  if (status == CK_OK && v->since) self.since_ms = clock.wall_ms(clock.self) - age_ms;
  if (status == CK_OK) status = ck_inspection_open(&self.inspection, host, err);
  if (status != CK_OK) return status;
  ck_table_init(&self.table, host->output, columns);
  if (self.inspection.store) status = list(&self);
  if (status == CK_OK && self.count) status = ck_table_print(&self.table, err);
  if (status == CK_OK && !self.count) report_none(host->output, v);
  ck_table_clear(&self.table);
  ck_inspection_close(&self.inspection);
  return status;
}

static const ck_option options[] = {
    {.name = "status",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, status),
     .value = "STATUS",
     .choices = ck_standing_names,
     .help = "only those that are running, paused, waiting, in_doubt, failing, failed, completed, "
             "cancelled, or in the hands of workers: queued, sleeping, retrying"},
    {.name = "agent",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, agent),
     .value = "AGENT",
     .help =
         "only those in which this agent took part: by itself, or by a delegation that names it"},
    {.name = "resumable",
     .offset = offsetof(values, resumable),
     .help = "only those that 'ckrun resume' can go on with"},
    {.name = "flow",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, flow),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "only those of this flow: its path as it is listed, or the file's name"},
    {.name = "since",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, since),
     .value = "TIME",
     .help = "only those that were changed within that time, such as 24h"},
    {.name = "limit",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, limit),
     .value = "N",
     .help = "the newest N of them"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions list --resumable --since 24h", "those of the last day that can go on"},
    {0},
};

const ck_command ck_command_sessions_list = {
    .name = "sessions list",
    .summary = "list the sessions, newest first",
    .details =
        "Columns: session, status, updated, profile, flow, the node at which it failed, "
        "its last checkpoint, reason. One that is paused until a worker goes on with it is shown "
        "as queued, sleeping or retrying, and is none of --status paused; with --json its status "
        "stays paused, and awaits has that word. With --json also error, failed_at_node and "
        "last_checkpoint, as MCP's list_resumable_sessions gives them. A running session whose "
        "process has died says so, and one that goes on though its store takes nothing.",
    .options = options,
    .examples = examples,
    .run = run,
};
