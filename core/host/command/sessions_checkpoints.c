/* sessions_checkpoints.c - sessions checkpoints: the restore points of a session, oldest first. */
#include <stdlib.h>

#include "core/base/array.h"
#include "core/host/print/pager.h"
#include "core/host/command/commands.h"
#include "core/host/inspect/checkpoint_tree.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/print/table.h"
#include "core/host/session/checkpoint_words.h"
#include "core/host/session/fields.h"
#include "core/store/checkpoint_list.h"

typedef struct values {
  const char *session, *kind, *before;
  int64_t limit;
  bool clean, graph;
} values;

typedef struct listing {
  ck_output *output;
  const ck_view *view;
  const values *given;
  ck_table table;
  ck_checkpoint_tree tree;
  bool draws;               /* the tree */
  int64_t before;           /* a seq; 0: all */
  ck_checkpoint_info *page; /* the newest first, until they are printed */
  size_t page_count, page_cap;
  size_t count; /* of all that were met */
  int64_t shown;
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

static bool is_wanted(const values *given, const ck_checkpoint_info *checkpoint) {
  return (!given->kind || checkpoint->kind == ck_boundary_kind_of(given->kind)) &&
         (!given->clean || checkpoint->clean);
}

static bool print_json(listing *self, const ck_checkpoint_info *checkpoint, bool abandoned) {
  ck_document document;
  ck_document_init(&document, self->output);
  ck_fields_put_checkpoint(&document, NULL, checkpoint);
  ck_document_put_bool(&document, NULL, "abandoned", abandoned);
  self->status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  return self->status == CK_OK;
}

static bool visit(void *to, const ck_checkpoint_info *checkpoint) {
  listing *self = to;
  bool abandoned = !ck_view_contains(self->view, checkpoint->seq);
  bool wanted = is_wanted(self->given, checkpoint);
  self->count++;
  if (self->draws) {
    wanted &= !self->before || checkpoint->seq < self->before;
    self->status = ck_checkpoint_tree_add(&self->tree, checkpoint, wanted, self->err);
    return self->status == CK_OK;
  }
  if (!wanted) return true;
  self->shown++;
  if (self->output->json && !print_json(self, checkpoint, abandoned)) return false;
  if (!self->output->json) put_row(&self->table, checkpoint, abandoned);
  return ck_output_is_read(self->output);
}

/* ---- a page ---- */

static bool keep(void *to, const ck_checkpoint_info *checkpoint) {
  listing *self = to;
  int64_t limit = self->given->limit;
  self->count++;
  if (!is_wanted(self->given, checkpoint)) return true;
  ck_checkpoint_info *page =
      ck_array_grow(self->page, self->page_count, &self->page_cap, sizeof *page);
  if (!page) self->status = ck_error_no_memory(self->err);
  if (!page) return false;
  self->page = page;
  page[self->page_count] = *checkpoint;
  page[self->page_count++].info = ck_value_share(checkpoint->info);
  return !limit || (int64_t)self->page_count < limit;
}

/* Found from the end, so that older ones are not read. */
static ck_status list_page(listing *self, const ck_inspection *inspection) {
  int64_t session = inspection->head.session.no;
  ck_status status = ck_store_list_checkpoints_backward(inspection->store, session, self->before,
                                                        keep, self, self->err);
  bool more = status == CK_OK && self->status == CK_OK;
  for (size_t i = self->page_count; i-- > 0;) {
    if (more) more = visit(self, &self->page[i]);
    ck_checkpoint_info_clear(&self->page[i]);
  }
  free(self->page);
  return status;
}

static ck_status find_before(listing *self, const ck_inspection *inspection) {
  ck_checkpoint_info before;
  if (!self->given->before) return CK_OK;
  ck_status status = ck_resolve_checkpoint(&before, inspection, self->given->before, self->err);
  self->before = before.seq;
  ck_checkpoint_info_clear(&before);
  return status;
}

static ck_status list(listing *self, const ck_inspection *inspection) {
  int64_t session = inspection->head.session.no;
  ck_status status = find_before(self, inspection);
  bool page = !self->draws && (self->given->limit || self->before);
  if (status == CK_OK)
    status = page ? list_page(self, inspection)
                  : ck_store_list_checkpoints(inspection->store, session, visit, self, self->err);
  if (status == CK_OK) status = self->status;
  if (status == CK_OK && self->tree.shown)
    return ck_checkpoint_tree_print(&self->tree, self->given->limit, self->err);
  return status == CK_OK && self->shown ? ck_table_print(&self->table, self->err) : status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_pager_begin(host->output);
  ck_inspection inspection;
  ck_view view = {0};
  listing self = {.output = host->output, .view = &view, .given = v, .err = err};
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  self.draws = !host->output->json && (v->graph || host->output->terminal);
  self.tree =
      (ck_checkpoint_tree){.output = host->output, .inspection = &inspection, .view = &view};
  ck_table_init(&self.table, host->output, columns);
  status = ck_view_make(&view, inspection.head.timelines, inspection.head.timeline_count,
                        inspection.head.session.timeline, err);
  if (status == CK_OK) status = list(&self, &inspection);
  if (status == CK_OK && !self.count && !v->before)
    ck_output_notice(host->output, "no checkpoint yet: a resume begins at the first event");
  bool whole = self.draws && !v->kind && !v->clean && !v->limit && !v->before;
  if (status == CK_OK && whole) status = ck_checkpoint_tree_tell_rest(&self.tree, err);
  ck_checkpoint_tree_clear(&self.tree);
  ck_table_clear(&self.table);
  ck_view_clear(&view);
  ck_inspection_close(&inspection);
  return status;
}

static const char *const kinds[] = {
#define X(name, number, text, ...) text,
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
    {.name = "limit",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, limit),
     .value = "N",
     .help = "only the newest N of them"},
    {.name = "before",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, before),
     .value = "CHECKPOINT",
     .help =
         "only those before this one; with --limit the page before: " CK_RESOLVE_CHECKPOINT_HELP},
    {.name = "graph", .offset = offsetof(values, graph), .help = "draw the tree, as on a terminal"},
    {0},
};

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions checkpoints trip --graph", "the tree of its checkpoints"},
    {0},
};

const ck_command ck_command_sessions_checkpoints = {
    .name = "sessions checkpoints",
    .summary = "list the checkpoints of a session, or draw their tree",
    .details =
        "On a terminal the tree, newest first, as git log --graph draws it: the line that "
        "the session goes on along at the left, what was left behind with hollow marks, "
        "pins as diamonds, and where forks begin; per row the end of the id, which other "
        "commands take, seq, kind, node or agent, dollars so far, age, the policies' "
        "reasons. Elsewhere a list, oldest first. Columns: seq, checkpoint, kind, created, keys "
        "changed, bytes stored, clean (no retry or failure before it since the session began), "
        "delta or keyframe, timeline, description, the policies' reasons. A checkpoint that a "
        "resume has left behind is marked as abandoned.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
