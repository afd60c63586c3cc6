/* checkpoint_tree.c - the checkpoints of a session as a tree, newest first. */
#include "core/host/inspect/checkpoint_tree.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/host/print/format.h"
#include "core/host/print/lanes.h"
#include "core/host/print/table.h"
#include "core/host/session/checkpoint_words.h"
#include "core/host/session/fields.h"
#include "core/host/session/short_id.h"

typedef struct ck_tree_row {
  char id[CK_ID_SIZE];
  int64_t seq, parent, timeline, created_ms;
  ck_boundary_kind kind;
  bool pinned, inherited, shown;
  ck_totals totals;
  ck_value *info;
} row;

static const ck_column columns[] = {
    {" ", CK_COLUMN_LEFT},
    {"CHECKPOINT", false},
    {"SEQ", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(2)},
    {"KIND", CK_COLUMN_CUT},
    {"AT", CK_COLUMN_CUT | CK_COLUMN_SPARE(1)},
    {"SPENT", CK_COLUMN_RIGHT},
    {"AGE", CK_COLUMN_SPARE(3)},
    {"REASON", CK_COLUMN_WIDE},
    {NULL, false},
};

ck_status ck_checkpoint_tree_add(ck_checkpoint_tree *self, const ck_checkpoint_info *checkpoint,
                                 bool shown, ck_error *err) {
  row *rows = ck_array_grow(self->rows, self->count, &self->cap, sizeof *rows);
  if (!rows) return ck_error_no_memory(err);
  self->rows = rows;
  row *added = &self->rows[self->count++];
  *added = (row){.seq = checkpoint->seq,
                 .parent = checkpoint->parent,
                 .timeline = checkpoint->timeline,
                 .created_ms = checkpoint->created_ms,
                 .kind = checkpoint->kind,
                 .pinned = checkpoint->pinned,
                 .inherited = checkpoint->session != 0,
                 .shown = shown,
                 .totals = checkpoint->totals,
                 .info = ck_value_share(checkpoint->info)};
  memcpy(added->id, checkpoint->id, sizeof added->id);
  self->shown += shown;
  return CK_OK;
}

void ck_checkpoint_tree_clear(ck_checkpoint_tree *self) {
  for (size_t i = 0; i < self->count; i++) ck_value_free(self->rows[i].info);
  free(self->rows);
  *self = (ck_checkpoint_tree){0};
}

/* ---- the tree ---- */

/* The index behind the last row whose seq is at most `seq`. */
static size_t behind(const ck_checkpoint_tree *self, int64_t seq) {
  size_t low = 0, high = self->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (self->rows[middle].seq <= seq)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static const ck_timeline *find_timeline(const ck_checkpoint_tree *self, int64_t no) {
  const ck_head *head = &self->inspection->head;
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].no == no) return &head->timelines[i];
  return NULL;
}

/* The newest row up to `seq` that is on the line of a timeline; 0: none. */
static int64_t newest_on(const ck_checkpoint_tree *self, int64_t timeline, int64_t seq) {
  const ck_timeline *at = find_timeline(self, timeline);
  for (size_t left = self->inspection->head.timeline_count; at && left > 0; left--) {
    size_t i = behind(self, seq);
    while (i > 0 && self->rows[i - 1].seq >= at->begin) {
      i--;
      if (self->rows[i].timeline == at->no) return self->rows[i].seq;
    }
    seq = at->cut;
    at = find_timeline(self, at->parent);
  }
  return 0;
}

/* The one it follows; of a pruned one what that followed, as far as its timeline knows. */
static int64_t parent_of(const ck_checkpoint_tree *self, const row *of) {
  size_t found = behind(self, of->parent);
  if (!of->parent) return 0;
  if (found > 0 && self->rows[found - 1].seq == of->parent) return of->parent;
  return newest_on(self, of->timeline, of->seq - 1);
}

/* ---- rows ---- */

static void put_where(ck_table *table, const row *of) {
  ck_buffer text = {0};
  ck_bytes info = of->info ? ck_value_bytes(of->info) : (ck_bytes){0};
  if (!ck_json_read_string(&text, ck_json_get(info, "node"))) {
    ck_buffer_reset(&text);
    ck_json_read_string(&text, ck_json_get(info, "agent"));
  }
  ck_table_put_text(table, ck_buffer_bytes(&text));
  table->text.failed |= text.failed;
  ck_buffer_clear(&text);
}

static void append_mark(ck_buffer *out, const char *text) {
  ck_buffer_append_text(out, out->len ? ", " : "(");
  ck_buffer_append_text(out, text);
}

/* "(head, pinned, forks: a b) policy: reason; …" */
static void put_reason(ck_table *table, const row *of, const ck_lineage *forks, bool head) {
  ck_buffer text = {0};
  size_t found = 0;
  if (head) append_mark(&text, "head");
  if (of->pinned) append_mark(&text, "pinned");
  if (of->inherited) append_mark(&text, "inherited");
  for (size_t i = 0; i < forks->count; i++) {
    if (forks->forks[i].cut != of->seq) continue;
    if (found++ == 0) append_mark(&text, "fork:");
    ck_buffer_append_format(&text, " %s", forks->forks[i].id);
  }
  if (text.len) ck_buffer_append_text(&text, ")");
  size_t marked = text.len;
  if (marked) ck_buffer_append_char(&text, ' ');
  ck_checkpoint_words_append_reasons(&text, of->info);
  if (marked && text.len == marked + 1) text.len--;
  ck_table_put_text(table, ck_buffer_bytes(&text));
  table->text.failed |= text.failed;
  ck_buffer_clear(&text);
}

static void put_join(ck_table *table, const ck_buffer *drawn) {
  ck_table_tone(table, CK_TONE_FAINT);
  ck_table_put_word(table, drawn->data);
  for (size_t i = 1; i < table->column_count; i++) ck_table_put_word(table, NULL);
}

typedef struct drawing {
  ck_table table;
  ck_lanes lanes;
  ck_lineage forks;
  ck_buffer drawn;
  int64_t head; /* its seq; 0: none */
} drawing;

static void put_row(drawing *self, const ck_checkpoint_tree *tree, const row *of) {
  ck_table *table = &self->table;
  bool left = !ck_view_contains(tree->view, of->seq);
  ck_tone tone = left ? CK_TONE_FAINT : CK_TONE_PLAIN;
  ck_tone named = of->seq == self->head ? CK_TONE_GOOD : left ? CK_TONE_FAINT : CK_TONE_NAME;
  ck_table_tone(table, of->pinned ? CK_TONE_WARN : named);
  ck_table_put_word(table, self->drawn.data);
  ck_table_tone(table, named);
  ck_table_put_text(table, ck_bytes_text(ck_short_id(of->id)));
  ck_table_tone(table, tone);
  ck_table_put_count(table, of->seq);
  ck_table_tone(table, of->kind == CK_BOUNDARY_FAILURE ? CK_TONE_BAD : tone);
  ck_table_put_word(table, ck_boundary_kind_name(of->kind));
  ck_table_tone(table, tone);
  put_where(table, of);
  ck_table_tone(table, tone);
  ck_fields_put_cost_cell(table, &of->totals);
  ck_table_tone(table, CK_TONE_FAINT);
  ck_table_put_age(table, of->created_ms);
  ck_table_tone(table, tone);
  put_reason(table, of, &self->forks, of->seq == self->head);
}

static void draw(drawing *self, const ck_checkpoint_tree *tree, int64_t limit) {
  int64_t printed = 0;
  for (size_t i = tree->count; i-- > 0 && (limit == 0 || printed < limit);) {
    const row *of = &tree->rows[i];
    bool left = !ck_view_contains(tree->view, of->seq);
    ck_buffer_reset(&self->drawn);
    if (ck_lanes_join(&self->drawn, &self->lanes, of->seq)) put_join(&self->table, &self->drawn);
    ck_buffer_reset(&self->drawn);
    ck_lanes_draw(&self->drawn, &self->lanes, of->seq, parent_of(tree, of),
                  of->pinned ? "◆"
                  : left     ? "○"
                             : "●");
    if (of->shown) put_row(self, tree, of);
    printed += of->shown;
  }
}

ck_status ck_checkpoint_tree_print(ck_checkpoint_tree *self, int64_t limit, ck_error *err) {
  const ck_head *head = &self->inspection->head;
  drawing to = {.head = head->has_checkpoint ? head->checkpoint.seq : 0};
  ck_status status = ck_lineage_read(&to.forks, self->inspection->store, &head->session, err);
  ck_table_init(&to.table, self->output, columns);
  to.table.aligned = true;
  if (to.head) ck_lanes_keep(&to.lanes, to.head);
  if (status == CK_OK) draw(&to, self, limit);
  if (status == CK_OK && (to.lanes.failed || to.drawn.failed)) status = ck_error_no_memory(err);
  if (status == CK_OK) status = ck_table_print(&to.table, err);
  ck_table_clear(&to.table);
  ck_lanes_clear(&to.lanes);
  ck_lineage_clear(&to.forks);
  ck_buffer_clear(&to.drawn);
  return status;
}

/* ---- boundaries without a checkpoint ---- */

enum { FEW = 3, BOUNDARIES_MAX = 1000 };

typedef struct counting {
  int64_t without;
} counting;

static bool count_boundary(void *to, const ck_event *event) {
  counting *self = to;
  self->without += !ck_json_get(ck_value_bytes(event->body), "checkpoint").len;
  return self->without < BOUNDARIES_MAX;
}

ck_status ck_checkpoint_tree_tell_rest(const ck_checkpoint_tree *self, ck_error *err) {
  const ck_head *head = &self->inspection->head;
  counting found = {0};
  ck_buffer text = {0};
  ck_event_query query = {
      .session = head->session.no, .view = self->view, .kinds = 1ull << CK_EVENT_BOUNDARY};
  if (self->count > FEW) return CK_OK;
  ck_status status =
      ck_store_read_events(self->inspection->store, &query, count_boundary, &found, err);
  if (status != CK_OK || !found.without) return status;
  ck_buffer_append_text(&text, found.without < BOUNDARIES_MAX ? "at " : "at more than ");
  ck_format_count(&text, found.without);
  ck_buffer_append_format(&text,
                          " %s no policy asked for a checkpoint ('ckrun policy explain %s'); a "
                          "resume repeats nothing for that: it replays what is recorded",
                          found.without == 1 ? "boundary" : "boundaries", head->session.id);
  if (!text.failed) ck_output_notice(self->output, "%s", text.data);
  self->output->failed |= text.failed;
  ck_buffer_clear(&text);
  return CK_OK;
}
