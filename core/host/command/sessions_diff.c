/* sessions_diff.c - sessions diff: the difference between two checkpoints. */
#include <string.h>

#include "core/host/print/pager.h"
#include "core/host/command/commands.h"
#include "core/host/inspect/compare.h"
#include "core/host/print/excerpt.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/print/table.h"
#include "core/host/session/profile_secrets.h"
#include "core/host/print/document.h"
#include "core/model/difference.h"

enum { EXCERPT = 60, ROWS_MAX = 200 }; /* bytes of a value in a row; rows for one key */

typedef struct values {
  const char *session, *from, *to;
} values;

typedef struct printing {
  ck_output *output;
  const ck_compare *of;
  ck_table table;
  const char *key; /* of the differences that are shown */
  size_t rows;     /* of that key */
} printing;

/* ---- rows ---- */

static const ck_column columns[] = {{"WHAT", false},         {"NAME", CK_COLUMN_CUT},
                                    {"PATH", CK_COLUMN_CUT}, {"FROM", CK_COLUMN_CUT},
                                    {"TO", false},           {NULL, false}};

static void put_excerpt(ck_table *table, ck_bytes value, ck_bytes other) {
  ck_buffer text = {0};
  ck_excerpt_append(&text, value, other, EXCERPT);
  if (text.failed) table->text.failed = true;
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

/* On a terminal what was is red, what is now green; so is what came or went as a whole. */
static void put_change(printing *self, const char *what, const ck_difference *one) {
  ck_tone gone = one->old.len ? CK_TONE_BAD : CK_TONE_PLAIN;
  ck_tone come = one->now.len ? CK_TONE_GOOD : CK_TONE_PLAIN;
  bool both = one->old.len && one->now.len;
  ck_table_tone(&self->table, both ? CK_TONE_PLAIN : one->now.len ? come : gone);
  ck_table_put_word(&self->table, what);
  ck_table_tone(&self->table, CK_TONE_NAME);
  ck_table_put_text(&self->table, ck_bytes_text(self->key));
  ck_table_put_text(&self->table, one->path);
  ck_table_tone(&self->table, gone);
  put_excerpt(&self->table, one->old, one->now);
  ck_table_tone(&self->table, come);
  put_excerpt(&self->table, one->now, one->old);
}

static bool put_difference(void *to, const ck_difference *one) {
  static const char *const words[] = {"added", "removed", "changed"};
  printing *self = to;
  if (self->rows++ < ROWS_MAX) put_change(self, words[one->kind], one);
  return true;
}

static void end_key(printing *self) {
  if (self->rows > ROWS_MAX)
    ck_output_notice(self->output, "%s: and %zu more differences; --json tells them all", self->key,
                     self->rows - ROWS_MAX);
  if (self->rows == 0) put_change(self, "spelling", &(ck_difference){0});
}

static void put_key(void *to, const ck_state_entry *old, const ck_state_entry *now) {
  printing *self = to;
  ck_difference whole = {.old = old ? ck_value_bytes(old->value) : (ck_bytes){0},
                         .now = now ? ck_value_bytes(now->value) : (ck_bytes){0}};
  ck_error ignored = CK_ERROR_INIT;
  self->key = old ? old->key : now->key;
  self->rows = 0;
  if (!old || !now)
    put_change(self, old ? "removed" : "added", &whole);
  else if (ck_difference_find(whole.old, whole.now, put_difference, self, &ignored) != CK_OK)
    self->table.text.failed = true;
  else
    end_key(self);
}

static void put_words(ck_table *table, const char *what, const char *name) {
  ck_table_put_word(table, what);
  ck_table_put_text(table, ck_bytes_text(name));
  ck_table_put_word(table, NULL);
}

static void put_nodes(ck_table *table, const ck_compare_side *side, const char *what) {
  for (size_t i = 0; i < side->node_count; i++) {
    const ck_compare_node *node = &side->nodes[i];
    ck_table_put_word(table, what);
    ck_table_put_text(table, ck_bytes_text(node->name ? node->name : node->scope));
    ck_table_put_word(table, ck_boundary_kind_name(node->kind));
    ck_table_put_word(table, NULL);
    ck_table_put_count(table, node->seq);
  }
}

static void put_counts(ck_table *table, const char *what, const char *name, int64_t from,
                       int64_t to) {
  if (from == to) return;
  put_words(table, what, name);
  ck_table_put_count(table, from);
  ck_table_put_count(table, to);
}

static void put_totals(ck_table *table, const ck_totals *from, const ck_totals *to) {
  if (from->cost_micros != to->cost_micros) {
    put_words(table, "spent", "money");
    ck_table_put_money(table, from->cost_micros);
    ck_table_put_money(table, to->cost_micros);
  }
  put_counts(table, "spent", "input_tokens", from->input_tokens, to->input_tokens);
  put_counts(table, "spent", "output_tokens", from->output_tokens, to->output_tokens);
  put_counts(table, "spent", "model_calls", from->model_calls, to->model_calls);
  put_counts(table, "spent", "tool_calls", from->tool_calls, to->tool_calls);
  put_counts(table, "spent", "unmetered", from->unmetered, to->unmetered);
  put_words(table, "spent", "time");
  ck_table_put_duration(table, from->active_us);
  ck_table_put_duration(table, to->active_us);
}

static ck_status print_table(printing *self, ck_error *err) {
  const ck_compare *of = self->of;
  ck_table *table = &self->table;
  ck_table_init(table, self->output, columns);
  put_words(table, "checkpoint", ck_boundary_kind_name(of->to.checkpoint.kind));
  ck_table_put_text(table, ck_bytes_text(of->from.checkpoint.id));
  ck_table_put_text(table, ck_bytes_text(of->to.checkpoint.id));
  ck_compare_visit_keys(of, put_key, self);
  put_nodes(table, &of->from, "undone");
  put_nodes(table, &of->to, "completed");
  put_totals(table, &of->from.checkpoint.totals, &of->to.checkpoint.totals);
  for (int kind = 0; kind < CK_COMPARE_KINDS; kind++)
    put_counts(table, "events", ck_event_kind_name((ck_event_kind)kind), of->from.events[kind],
               of->to.events[kind]);
  ck_status status = ck_table_print(table, err);
  ck_table_clear(table);
  return status;
}

static ck_status print_json(const printing *self, const char *session, ck_error *err) {
  ck_document document;
  ck_document_init(&document, self->output);
  ck_compare_put(&document, NULL, self->of, session);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_pager_begin(host->output);
  ck_inspection inspection;
  ck_compare of = {0};
  printing self = {.output = host->output, .of = &of};
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  status = ck_profile_secrets_hide(host->output, inspection.store, inspection.head.session.id, err);
  if (status == CK_OK)
    status = ck_compare_read(&of, &inspection, host->output->redactor, v->from, v->to, err);
  if (status == CK_OK && host->output->json)
    status = print_json(&self, inspection.head.session.id, err);
  else if (status == CK_OK)
    status = print_table(&self, err);
  if (status == CK_OK) status = ck_output_flush_shown(host->output, err);
  ck_compare_clear(&of);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {.name = "A",
     .offset = offsetof(values, from),
     .help = "a checkpoint: " CK_RESOLVE_CHECKPOINT_HELP},
    {.name = "B", .offset = offsetof(values, to), .help = "another one, in the same words"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions diff trip first latest", "what has changed in all"},
    {0},
};

const ck_command ck_command_sessions_diff = {
    .name = "sessions diff",
    .summary = "tell what lies between two checkpoints",
    .details = "Columns: what, name, path, from, to. One row for each key that was added or "
               "removed, and for each place in a key's value that changed (a JSON pointer; in "
               "lists what is common at the beginning and at the end is left alone); for each "
               "node, step or round completed on the way to B (undone: on the way to A only); for "
               "what was spent; for each kind of event, how many lie behind A only and behind B "
               "only.\n\n"
               "Of long texts only what differs is shown, in brackets, with a few words around it "
               "and the number of bytes left out. With --json one object, complete: the "
               "differences of a key, applied to its value at A as a JSON patch (RFC 6902), give "
               "its value at B.",
    .operands = operands,
    .examples = examples,
    .run = run,
};
