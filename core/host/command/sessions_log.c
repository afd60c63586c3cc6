/* sessions_log.c - sessions log: the events of a session, oldest first. */
#include "core/host/command/commands.h"
#include "core/host/inspect/inspect.h"
#include "core/host/print/table.h"
#include "core/host/session/fields.h"
#include "core/runtime/session/tail/describe.h"

typedef struct values {
  const char *session, *agent, *kind;
  bool all;
  int64_t last;
} values;

typedef struct listing {
  ck_output *output;
  const ck_view *view;
  bool all;
  ck_table table;
  ck_buffer text;
  ck_status status;
  ck_error *err;
} listing;

static const ck_column columns[] = {
    {"SEQ", true},
    {"TIME", CK_COLUMN_SPARE(1)},
    {"KIND", false},
    {"SCOPE", CK_COLUMN_CUT},
    {"AGENT", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
    {"EVENT", CK_COLUMN_WIDE},
    {NULL, false},
};
static const ck_column columns_of_all[] = {
    {"SEQ", true},
    {"TIME", CK_COLUMN_SPARE(1)},
    {"KIND", false},
    {"SCOPE", CK_COLUMN_CUT},
    {"AGENT", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
    {"TIMELINE", false},
    {"EVENT", CK_COLUMN_WIDE},
    {NULL, false},
};

static void put_row(listing *self, const ck_event *event, bool abandoned) {
  ck_table *table = &self->table;
  ck_table_put_count(table, event->seq);
  ck_table_put_time(table, event->at_ms);
  ck_table_put_word(table, ck_event_kind_name(event->kind));
  ck_table_put_text(table, ck_bytes_text(event->scope));
  ck_table_put_text(table, ck_bytes_text(event->agent));
  if (self->all) {
    char timeline[48];
    snprintf(timeline, sizeof timeline, "%lld%s", (long long)event->timeline,
             abandoned ? " (abandoned)" : "");
    ck_table_put_word(table, timeline);
  }
  ck_buffer_reset(&self->text);
  ck_describe_event(&self->text, event);
  if (self->text.failed) table->text.failed = true;
  ck_table_put_text(table, ck_buffer_bytes(&self->text));
}

static bool print_json(listing *self, const ck_event *event, bool abandoned) {
  ck_document document;
  ck_document_init(&document, self->output);
  ck_fields_put_event(&document, NULL, event);
  if (self->all) ck_document_put_bool(&document, NULL, "abandoned", abandoned);
  self->status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  return self->status == CK_OK;
}

static bool visit(void *to, const ck_event *event) {
  listing *self = to;
  bool abandoned = !ck_view_contains(self->view, event->seq);
  if (self->output->json) return print_json(self, event, abandoned);
  put_row(self, event, abandoned);
  return true;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_inspection inspection;
  ck_view view = {0};
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  const ck_session_record *session = &inspection.head.session;
  ck_event_query query = {.session = session->no,
                          .view = v->all ? NULL : &view,
                          .agent = v->agent,
                          .last = (size_t)v->last};
  if (v->kind) query.kinds = UINT64_C(1) << ck_event_kind_of(v->kind);
  listing self = {.output = host->output, .view = &view, .all = v->all, .err = err};
  ck_table_init(&self.table, host->output, v->all ? columns_of_all : columns);
  status = ck_view_make(&view, inspection.head.timelines, inspection.head.timeline_count,
                        session->timeline, err);
  if (status == CK_OK) status = ck_store_read_events(inspection.store, &query, visit, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK) status = ck_table_print(&self.table, err);
  ck_buffer_clear(&self.text);
  ck_table_clear(&self.table);
  ck_view_clear(&view);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_operand operands[] = {
    {.name = "SESSION",
     .offset = offsetof(values, session),
     .help = CK_RESOLVE_SESSION_HELP,
     .complete = CK_COMPLETE_SESSION},
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
    {.name = "all",
     .offset = offsetof(values, all),
     .help = "every timeline: what a resume has left behind is marked as abandoned"},
    {.name = "last",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, last),
     .value = "N",
     .help = "only the last N of them"},
    {0},
};

const ck_command ck_command_sessions_log = {
    .name = "sessions log",
    .summary = "print the events of a session, oldest first",
    .details = "Columns: seq, time, kind, scope, agent, (with --all) timeline, what happened. With "
               "--json one event per line with its body byte for byte.",
    .operands = operands,
    .options = options,
    .run = run,
};
