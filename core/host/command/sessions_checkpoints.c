/* sessions_checkpoints.c - sessions checkpoints: the restore points of a session, oldest first. */
#include "core/host/command/commands.h"
#include "core/host/inspect/inspect.h"
#include "core/host/print/table.h"
#include "core/host/session/checkpoint_words.h"
#include "core/host/session/fields.h"

typedef struct values {
  const char *session, *kind;
  bool clean;
} values;

typedef struct listing {
  ck_output *output;
  const ck_view *view;
  const values *given;
  ck_table table;
  size_t count, shown;
  ck_status status;
  ck_error *err;
} listing;

/* The id contains the time. */
static const ck_column columns[] = {
    {"SEQ", true},
    {"CHECKPOINT", false},
    {"KIND", false},
    {"CREATED", CK_COLUMN_SPARE(5)},
    {"KEYS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(3)},
    {"BYTES", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(2)},
    {"CLEAN", CK_COLUMN_SPARE(1)},
    {"STORED", CK_COLUMN_SPARE(6)},
    {"TIMELINE", CK_COLUMN_SPARE(4)},
    {"DESCRIPTION", CK_COLUMN_WIDE},
    {"REASONS", CK_COLUMN_SPARE(7)},
    {NULL, false},
};

static void put_row(ck_table *table, const ck_checkpoint_info *checkpoint, bool abandoned) {
  char timeline[48];
  snprintf(timeline, sizeof timeline, "%lld%s", (long long)checkpoint->timeline,
           abandoned ? " (abandoned)" : "");
  ck_table_put_count(table, checkpoint->seq);
  ck_table_put_text(table, ck_bytes_text(checkpoint->id));
  ck_table_put_word(table, ck_boundary_kind_name(checkpoint->kind));
  ck_table_put_time(table, checkpoint->created_ms);
  ck_table_put_count(table, checkpoint->changed);
  ck_table_put_bytes(table, checkpoint->stored_bytes);
  ck_table_put_word(table, checkpoint->clean ? "yes" : "no");
  ck_table_put_word(table, checkpoint->keyframe == checkpoint->seq ? "keyframe" : "delta");
  ck_table_put_word(table, timeline);
  ck_checkpoint_words_put_cells(table, checkpoint);
}

static bool visit(void *to, const ck_checkpoint_info *checkpoint) {
  listing *self = to;
  bool abandoned = !ck_view_contains(self->view, checkpoint->seq);
  self->count++;
  if (self->given->kind && checkpoint->kind != ck_boundary_kind_of(self->given->kind)) return true;
  if (self->given->clean && !checkpoint->clean) return true;
  self->shown++;
  if (!self->output->json) {
    put_row(&self->table, checkpoint, abandoned);
    return true;
  }
  ck_document document;
  ck_document_init(&document, self->output);
  ck_fields_put_checkpoint(&document, NULL, checkpoint);
  ck_document_put_bool(&document, NULL, "abandoned", abandoned);
  self->status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  return self->status == CK_OK;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_inspection inspection;
  ck_view view = {0};
  listing self = {.output = host->output, .view = &view, .given = v, .err = err};
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  const ck_session_record *session = &inspection.head.session;
  ck_table_init(&self.table, host->output, columns);
  status = ck_view_make(&view, inspection.head.timelines, inspection.head.timeline_count,
                        session->timeline, err);
  if (status == CK_OK)
    status = ck_store_list_checkpoints(inspection.store, session->no, visit, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK && self.shown) status = ck_table_print(&self.table, err);
  if (status == CK_OK && !self.count)
    ck_output_notice(host->output, "no checkpoint yet: a resume begins at the first event");
  ck_table_clear(&self.table);
  ck_view_clear(&view);
  ck_inspection_close(&inspection);
  return status;
}

static const char *const kinds[] = {
#define X(name, number, text, always) text,
    CK_BOUNDARY_TABLE(X)
#undef X
        NULL,
};

static const ck_option options[] = {
    {.name = "kind",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, kind),
     .value = "KIND",
     .choices = kinds,
     .help = "only those of this kind, such as node_complete, tool_round or pause"},
    {.name = "clean",
     .offset = offsetof(values, clean),
     .help = "only those before which nothing was tried again or failed since the session began"},
    {0},
};

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

const ck_command ck_command_sessions_checkpoints = {
    .name = "sessions checkpoints",
    .summary = "list the checkpoints of a session, oldest first",
    .details = "Columns: seq, checkpoint, kind, created, keys changed, bytes stored, clean (no "
               "retry or failure before it since the session began), delta or keyframe, timeline, "
               "description, the policies' reasons. A checkpoint that a resume has left behind is "
               "marked as abandoned.",
    .operands = operands,
    .options = options,
    .run = run,
};
