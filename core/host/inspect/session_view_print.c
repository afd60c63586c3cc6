/* session_view_print.c - prints one session: each field is a row of one table for text and JSON. */
#include <inttypes.h>
#include <string.h>

#include "core/host/inspect/session_view.h"
#include "core/host/session/checkpoint_words.h"
#include "core/host/session/fields.h"
#include "core/base/utf8.h"
#include "core/host/print/format.h"

/* ---- fields as members of the JSON object; `value` points to the field ---- */

typedef void put_member(ck_document *document, const char *name, const void *value);

static void member_text(ck_document *document, const char *name, const void *value) {
  ck_document_put_text(document, NULL, name, *(const char *const *)value);
}

static void member_int(ck_document *document, const char *name, const void *value) {
  ck_document_put_int(document, NULL, name, *(const int64_t *)value);
}

static void member_time(ck_document *document, const char *name, const void *value) {
  ck_document_put_time(document, NULL, name, *(const int64_t *)value);
}

static void member_value(ck_document *document, const char *name, const void *value) {
  ck_document_put_value(document, NULL, name, *(const ck_value *const *)value);
}

static void member_buffer(ck_document *document, const char *name, const void *value) {
  ck_document_put_text(document, NULL, name, ((const ck_buffer *)value)->data);
}

static void member_live(ck_document *document, const char *name, const void *value) {
  int live = *(const int *)value;
  if (live >= 0) ck_document_put_bool(document, NULL, name, live);
}

static void member_checkpoint(ck_document *document, const char *name, const void *value) {
  const ck_head *head = *(const ck_head *const *)value;
  if (head->has_checkpoint)
    ck_fields_put_checkpoint(document, ck_document_put_object(document, NULL, name),
                             &head->checkpoint);
}

static void member_totals(ck_document *document, const char *name, const void *value) {
  const ck_session_view *view = value;
  struct cJSON *totals = ck_document_put_object(document, NULL, name);
  ck_fields_fill_totals(document, totals, &view->runs.totals);
  ck_fields_put_reserved(document, totals, view->runs.reserved);
  ck_document_put_int(document, totals, "cut_off", view->runs.cut_off);
  if (!view->runs.forked) return;
  struct cJSON *before = ck_document_put_object(document, totals, "before_fork");
  ck_fields_fill_usage(document, before, &view->runs.before_fork);
}

static void member_timelines(ck_document *document, const char *name, const void *value) {
  const ck_head *head = *(const ck_head *const *)value;
  struct cJSON *list = ck_document_put_array(document, NULL, name);
  for (size_t i = 0; i < head->timeline_count; i++) {
    const ck_timeline *timeline = &head->timelines[i];
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_int(document, at, "timeline", timeline->no);
    ck_document_put_int(document, at, "parent", timeline->parent);
    ck_document_put_int(document, at, "cut", timeline->cut);
    ck_document_put_int(document, at, "begin", timeline->begin);
    ck_document_put_int(document, at, "checkpoint", timeline->checkpoint);
    ck_document_put_int(document, at, "attempt", timeline->attempt);
    if (timeline->session) ck_document_put_bool(document, at, "inherited", true);
    ck_document_put_text(document, at, "run", timeline->run);
    ck_document_put_text(document, at, "parent_run",
                         timeline->parent_run[0] ? timeline->parent_run : NULL);
  }
}

static void member_runs(ck_document *document, const char *name, const void *value) {
  (void)name;
  ck_runs_put(document, value);
}

static void member_lineage(ck_document *document, const char *name, const void *value) {
  (void)name;
  ck_lineage_put(document, value);
}

static void member_not_begun(ck_document *document, const char *name, const void *value) {
  (void)name;
  ck_not_begun_put(document, value);
}

static void member_saving(ck_document *document, const char *name, const void *value) {
  (void)name;
  ck_saving_put(document, value);
}

static void member_doubts(ck_document *document, const char *name, const void *value) {
  const ck_doubts *doubts = value;
  struct cJSON *list = ck_document_put_array(document, NULL, name);
  const char *key = doubts->keys.data;
  for (size_t i = 0; i < doubts->count; i++, key += strlen(key) + 1)
    ck_document_put_text(document, list, NULL, key);
}

static void member_verdicts(ck_document *document, const char *name, const void *value) {
  (void)name;
  ck_verdicts_put(document, value);
}

static void member_marks(ck_document *document, const char *name, const void *value) {
  (void)name;
  ck_marks_put(document, value);
}

static void member_agents(ck_document *document, const char *name, const void *value) {
  (void)name;
  ck_agents_spent_put(document, value);
}

static void member_recent(ck_document *document, const char *name, const void *value) {
  (void)name;
  ck_recent_effects_put(document, value);
}

static void member_questions(ck_document *document, const char *name, const void *value) {
  (void)name;
  ck_questions_put(document, value);
}

/* Absent: no worker has it. */
static void member_queued(ck_document *document, const char *name, const void *value) {
  const ck_value *mark = *(const ck_value *const *)value;
  if (mark) ck_document_put_value(document, NULL, name, mark);
}

/* ---- fields as names and values ---- */

typedef void put_rows(ck_table *table, const char *name, const void *value);

static void put_text(ck_table *table, const char *name, const char *text) {
  if (!text || !*text) return;
  ck_table_put_word(table, name);
  ck_table_put_text(table, ck_bytes_text(text));
}

static void put_count(ck_table *table, const char *name, int64_t count) {
  ck_table_put_word(table, name);
  ck_table_put_count(table, count);
}

static void row_text(ck_table *table, const char *name, const void *value) {
  put_text(table, name, *(const char *const *)value);
}

static void row_buffer(ck_table *table, const char *name, const void *value) {
  put_text(table, name, ((const ck_buffer *)value)->data);
}

static void row_count(ck_table *table, const char *name, const void *value) {
  put_count(table, name, *(const int64_t *)value);
}

static void row_bytes(ck_table *table, const char *name, const void *value) {
  ck_table_put_word(table, name);
  ck_table_put_bytes(table, *(const int64_t *)value);
}

static void row_time(ck_table *table, const char *name, const void *value) {
  ck_table_put_word(table, name);
  ck_table_put_time(table, *(const int64_t *)value);
}

enum { INPUT_SHOWN_MAX = 2000 }; /* bytes, after redaction: a secret is not cut in two */

static void row_value(ck_table *table, const char *name, const void *value) {
  const ck_value *given = *(const ck_value *const *)value;
  ck_buffer shown = {0};
  if (!given) return;
  ck_output_append_safe(table->output, &shown, ck_value_bytes(given));
  if (shown.len > INPUT_SHOWN_MAX && !shown.failed) {
    shown.len = ck_utf8_cut(shown.data, INPUT_SHOWN_MAX);
    ck_buffer_append_text(&shown, "… (");
    ck_format_bytes(&shown, (int64_t)ck_value_bytes(given).len);
    ck_buffer_append_text(&shown, "; all of it with --json)");
  }
  table->text.failed |= shown.failed;
  ck_table_put_word(table, name);
  ck_table_put_word(table, shown.data);
  ck_buffer_clear(&shown);
}

static void row_checkpoint(ck_table *table, const char *name, const void *value) {
  const ck_head *head = *(const ck_head *const *)value;
  if (head->has_checkpoint) put_text(table, name, head->checkpoint.id);
}

static void row_description(ck_table *table, const char *name, const void *value) {
  const ck_head *head = *(const ck_head *const *)value;
  ck_buffer words = {0};
  if (!head->has_checkpoint) return;
  ck_checkpoint_words_append(&words, &head->checkpoint);
  put_text(table, name, words.data);
  table->text.failed |= words.failed;
  ck_buffer_clear(&words);
}

static void rows_totals(ck_table *table, const char *name, const void *value) {
  const ck_session_view *view = value;
  const ck_totals *totals = &view->runs.totals;
  (void)name;
  put_count(table, "model_calls", totals->model_calls);
  if (view->runs.cut_off) put_count(table, "cut_off", view->runs.cut_off);
  put_count(table, "tool_calls", totals->tool_calls);
  put_count(table, "input_tokens", totals->input_tokens);
  put_count(table, "output_tokens", totals->output_tokens);
  ck_fields_put_cost_row(table, "spent", totals);
  if (view->runs.forked)
    ck_fields_put_cost_row(table, "spent_before_fork", &view->runs.before_fork);
  if (view->runs.reserved) {
    ck_table_put_word(table, "reserved");
    ck_table_put_money(table, view->runs.reserved);
  }
  if (totals->unmetered) put_count(table, "unmetered", totals->unmetered);
  ck_table_put_word(table, "active");
  ck_table_put_duration(table, totals->active_us);
}

static void rows_timelines(ck_table *table, const char *name, const void *value) {
  const ck_session_view *view = value;
  const ck_head *head = view->head;
  size_t count = head->timeline_count,
         left = view->runs.whole || count <= CK_RUNS_LISTED ? 0 : count - CK_RUNS_LISTED;
  for (size_t i = left; i < count; i++) {
    const ck_timeline *timeline = &head->timelines[i];
    char text[256];
    char cut[64] = "";
    if (timeline->parent)
      snprintf(cut, sizeof cut, ", after seq %" PRId64 " of %" PRId64, timeline->cut,
               timeline->parent);
    snprintf(text, sizeof text, "%" PRId64 "%s: from seq %" PRId64 "%s, attempt %u, %s",
             timeline->no, timeline->no == head->session.timeline ? " (live)" : "", timeline->begin,
             cut, timeline->attempt, timeline->run);
    put_text(table, name, text);
  }
}

static void rows_runs(ck_table *table, const char *name, const void *value) {
  (void)name;
  ck_runs_put_rows(table, value);
}

static void rows_not_begun(ck_table *table, const char *name, const void *value) {
  (void)name;
  ck_not_begun_put_rows(table, value);
}

static void rows_lineage(ck_table *table, const char *name, const void *value) {
  (void)name;
  ck_lineage_put_rows(table, value);
}

static void row_saving(ck_table *table, const char *name, const void *value) {
  (void)name;
  ck_saving_put_row(table, value);
}

static void rows_doubts(ck_table *table, const char *name, const void *value) {
  const ck_doubts *doubts = value;
  (void)name;
  const char *key = doubts->keys.data;
  for (size_t i = 0; i < doubts->count; i++, key += strlen(key) + 1)
    put_text(table, "in_doubt", key);
}

static void rows_verdicts(ck_table *table, const char *name, const void *value) {
  (void)name;
  ck_verdicts_put_rows(table, value);
}

static void rows_waits(ck_table *table, const char *name, const void *value) {
  (void)name;
  ck_recent_effects_put_refusals(table, value);
  ck_recent_effects_put_waits(table, value);
}

static void rows_marks(ck_table *table, const char *name, const void *value) {
  (void)name;
  ck_marks_put_rows(table, value);
}

static void rows_questions(ck_table *table, const char *name, const void *value) {
  (void)name;
  ck_questions_put_rows(table, value);
}

/* ---- the table ---- */

static void row_queued(ck_table *table, const char *name, const void *value) {
  const ck_value *mark = *(const ck_value *const *)value;
  ck_buffer text = {0};
  if (!mark) return;
  ck_queued_append_words(&text, ck_value_bytes(mark));
  ck_table_put_word(table, name);
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

/* In the order of the JSON object. The text has an order of its own: `row`, from 1 without gaps. */
typedef struct field {
  const char *name;
  size_t offset;      /* in ck_session_view; 0: `value` is all of it, or the id */
  put_member *member; /* NULL: not in JSON */
  put_rows *rows;     /* NULL: not in the text; an absent value gives no row */
  int row;
} field;

/* clang-format off */
#define AT(member) offsetof(ck_session_view, member)
static const field record_fields[] = {
    {"session",          AT(id),               member_text,       row_text,       1},
    {"status",           AT(status),           member_text,       NULL,           0},
    {"status",           AT(standing),         NULL,              row_text,       2},
    {"awaits",           AT(awaits),           member_text,       NULL,           0},
    {"live",             AT(live),             member_live,       NULL,           0},
    {"reason",           AT(reason),           member_text,       NULL,           0},
    {"failure",          AT(failure),          member_text,       row_text,       4},
    {"created",          AT(created_ms),       member_time,       row_time,      10},
    {"updated",          AT(updated_ms),       member_time,       row_time,      11},
    {"profile",          AT(profile),          member_text,       row_text,       6},
    {"flow",             AT(flow),             member_text,       row_text,       7},
    {"run",              AT(run),              member_text,       row_text,      12},
    {"epoch",            AT(epoch),            member_int,        NULL,           0},
    {"timeline",         AT(timeline),         member_int,        NULL,           0},
    {0},
};
static const field other_fields[] = {
    {"reason",           AT(cause),            NULL,              row_text,       3},
    {"cassette",         AT(launch.cassette),  NULL,              row_text,       8},
    {"input",            AT(launch.input),     NULL,              row_value,      9},
    {"input",            AT(document),         member_value,      NULL,           0},
    {"events",           AT(events),           member_int,        row_count,     15},
    {"checkpoints",      AT(kept.checkpoints),      member_int,        row_count,     16},
    {"keyframes",        AT(kept.keyframes),        member_int,        NULL,           0},
    {"checkpoint_bytes", AT(kept.stored_bytes), member_int,        row_bytes,     17},
    {"head",             AT(head),             member_checkpoint, row_checkpoint,19},
    {"description",      AT(head),             NULL,              row_description, 20},
    {"totals",           0,                    member_totals,     rows_totals,   21},
    {"timelines",        AT(head),             member_timelines,  NULL,           0},
    {"timeline",         0,                    NULL,              rows_timelines,13},
    {"runs",             AT(runs),             member_runs,       rows_runs,     14},
    {"lineage",          AT(lineage),          member_lineage,    rows_lineage,   5},
    {"saving",           AT(saving),           member_saving,     row_saving,    18},
    {"doubts",           AT(doubts),           member_doubts,     rows_doubts,   22},
    {"settled",          AT(verdicts),         member_verdicts,   rows_verdicts, 23},
    {"marks",            AT(marks),            member_marks,      rows_marks,    25},
    {"agents",           AT(agents),           member_agents,     NULL,           0},
    {"last_effects",     AT(recent),           member_recent,     rows_waits,    24},
    {"question",         AT(question),         member_text,       row_text,      26},
    {"questions",        AT(questions),        member_questions,  rows_questions,27},
    {"queued",           AT(queued),           member_queued,     row_queued,    28},
    {"not_begun",        AT(refusals),         member_not_begun,  rows_not_begun, 29},
    {"next",             AT(next),             member_buffer,     row_buffer,    30},
    {0},
};
#undef AT
/* clang-format on */

static const void *value_of(const ck_session_view *self, const field *of) {
  return (const char *)self + of->offset;
}

static void put_members(ck_document *document, const ck_session_view *self, const field *fields) {
  for (const field *f = fields; f->name; f++)
    if (f->member) f->member(document, f->name, value_of(self, f));
}

static const field *find_row(int row) {
  for (const field *f = record_fields; f->name; f++)
    if (f->row == row) return f;
  for (const field *f = other_fields; f->name; f++)
    if (f->row == row) return f;
  return NULL;
}

void ck_session_view_put_record(ck_document *document, const ck_session_view *self) {
  put_members(document, self, record_fields);
}

static ck_status print_json(const ck_session_view *self, ck_output *output, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  put_members(&document, self, record_fields);
  put_members(&document, self, other_fields);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status print_table(const ck_session_view *self, ck_output *output, ck_error *err) {
  static const ck_column columns[] = {{"", false}, {"", false}, {NULL, false}};
  ck_table table;
  ck_table_init(&table, output, columns);
  const field *f;
  for (int row = 1; (f = find_row(row)); row++) f->rows(&table, f->name, value_of(self, f));
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

ck_status ck_session_view_print(const ck_session_view *self, ck_output *output, ck_error *err) {
  return output->json ? print_json(self, output, err) : print_table(self, output, err);
}
