/* cmd_sessions_diff.c - sessions diff: what lies between two checkpoints. */
#include <string.h>

#include "core/host/commands.h"
#include "core/host/compare.h"
#include "core/host/errand.h"
#include "core/host/excerpt.h"
#include "core/host/pick.h"
#include "core/host/table.h"
#include "core/model/difference.h"

enum { EXCERPT = 60, ROWS_MAX = 200 }; /* bytes of a value in a row; rows for one key */

typedef struct values {
  const char *session, *from, *to;
} values;

typedef struct printing {
  ck_output *output;
  const ck_compare *of;
  ck_table table;
  const char *key;    /* of the differences that are told */
  size_t rows;        /* of that key */
  ck_document document;
  struct cJSON *list; /* its differences */
} printing;

/* Walks both lists of keys, which are in order; old or now is NULL where a key is missing. */
static void each_key(printing *self, void (*tell)(printing *self, const ck_state_entry *old, const ck_state_entry *now)) {
  const ck_compare_side *from = &self->of->from, *to = &self->of->to;
  size_t i = 0, j = 0;
  while (i < from->entry_count || j < to->entry_count) {
    const ck_state_entry *old = i < from->entry_count ? &from->entries[i] : NULL;
    const ck_state_entry *now = j < to->entry_count ? &to->entries[j] : NULL;
    int order = !old ? 1 : !now ? -1 : strcmp(old->key, now->key);
    i += order <= 0;
    j += order >= 0;
    bool same = order == 0 && ck_bytes_equal(ck_value_bytes(old->value), ck_value_bytes(now->value));
    if (!same) tell(self, order <= 0 ? old : NULL, order >= 0 ? now : NULL);
  }
}

/* ---- rows ---- */

static const ck_column columns[] = {{"WHAT", false}, {"NAME", false}, {"PATH", false}, {"FROM", false}, {"TO", false}, {NULL, false}};

static void put_excerpt(ck_table *table, ck_bytes value, ck_bytes other) {
  ck_buffer text = {0};
  ck_excerpt_append(&text, value, other, EXCERPT);
  if (text.failed) table->text.failed = true;
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static void put_change(printing *self, const char *what, const ck_difference *one) {
  ck_table_put_word(&self->table, what);
  ck_table_put_text(&self->table, ck_bytes_text(self->key));
  ck_table_put_text(&self->table, one->path);
  put_excerpt(&self->table, one->old, one->now);
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
    ck_output_talk(self->output, "%s: and %zu more differences; --json tells them all", self->key, self->rows - ROWS_MAX);
  if (self->rows == 0) put_change(self, "spelling", &(ck_difference){0});
}

static void put_key(printing *self, const ck_state_entry *old, const ck_state_entry *now) {
  ck_difference whole = {.old = old ? ck_value_bytes(old->value) : (ck_bytes){0}, .now = now ? ck_value_bytes(now->value) : (ck_bytes){0}};
  ck_error ignored = CK_ERROR_INIT;
  self->key = old ? old->key : now->key;
  self->rows = 0;
  if (!old || !now) put_change(self, old ? "removed" : "added", &whole);
  else if (ck_difference_find(whole.old, whole.now, put_difference, self, &ignored) != CK_OK) self->table.text.failed = true;
  else end_key(self);
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

static void put_counts(ck_table *table, const char *what, const char *name, int64_t from, int64_t to) {
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
  each_key(self, put_key);
  put_nodes(table, &of->from, "undone");
  put_nodes(table, &of->to, "completed");
  put_totals(table, &of->from.checkpoint.totals, &of->to.checkpoint.totals);
  for (int kind = 0; kind < CK_COMPARE_KINDS; kind++)
    put_counts(table, "events", ck_event_kind_name((ck_event_kind)kind), of->from.events[kind], of->to.events[kind]);
  ck_status status = ck_table_print(table, err);
  ck_table_clear(table);
  return status;
}

/* ---- JSON ---- */

static void put_span(ck_document *document, struct cJSON *at, const char *name, ck_bytes span) {
  ck_value *value = NULL;
  ck_error ignored = CK_ERROR_INIT;
  if (!span.len) return;
  if (ck_value_copy(&value, span, &ignored) != CK_OK) document->failed = true;
  ck_document_put_value(document, at, name, value);
  ck_value_free(value);
}

static bool add_difference(void *to, const ck_difference *one) {
  printing *self = to;
  ck_document *document = &self->document;
  struct cJSON *at = ck_document_put_object(document, self->list, NULL);
  ck_buffer path = {0};
  ck_buffer_append_bytes(&path, one->path);
  ck_document_put_text(document, at, "op", ck_difference_name(one->kind));
  ck_document_put_text(document, at, "path", path.data ? path.data : "");
  put_span(document, at, "old", one->old);
  put_span(document, at, "value", one->now);
  if (path.failed) document->failed = true;
  ck_buffer_clear(&path);
  return true;
}

static void add_key(printing *self, const ck_state_entry *old, const ck_state_entry *now) {
  ck_document *document = &self->document;
  ck_error ignored = CK_ERROR_INIT;
  struct cJSON *at = ck_document_put_object(document, self->list, NULL), *keys = self->list;
  ck_document_put_text(document, at, "key", old ? old->key : now->key);
  ck_document_put_text(document, at, "change", !old ? "added" : !now ? "removed" : "changed");
  if (!now) ck_document_put_value(document, at, "old", old->value);
  if (!old) ck_document_put_value(document, at, "value", now->value);
  if (!old || !now) return;
  self->list = ck_document_put_array(document, at, "differences");
  ck_status status = ck_difference_find(ck_value_bytes(old->value), ck_value_bytes(now->value), add_difference, self, &ignored);
  if (status != CK_OK) document->failed = true;
  self->list = keys;
}

static void add_side(ck_document *document, const char *name, const ck_compare_side *side) {
  struct cJSON *at = ck_document_put_object(document, NULL, name);
  ck_look_put_checkpoint(document, ck_document_put_object(document, at, "checkpoint"), &side->checkpoint);
  struct cJSON *nodes = ck_document_put_array(document, at, "completed");
  for (size_t i = 0; i < side->node_count; i++) {
    struct cJSON *node = ck_document_put_object(document, nodes, NULL);
    ck_document_put_text(document, node, "kind", ck_boundary_kind_name(side->nodes[i].kind));
    ck_document_put_text(document, node, "node", side->nodes[i].name);
    ck_document_put_text(document, node, "scope", side->nodes[i].scope);
    ck_document_put_int(document, node, "seq", side->nodes[i].seq);
  }
  struct cJSON *events = ck_document_put_object(document, at, "events");
  for (int kind = 0; kind < CK_COMPARE_KINDS; kind++)
    if (side->events[kind]) ck_document_put_int(document, events, ck_event_kind_name((ck_event_kind)kind), side->events[kind]);
}

static ck_totals spent_between(const ck_totals *from, const ck_totals *to) {
  return (ck_totals){.cost_micros = to->cost_micros - from->cost_micros,
                     .input_tokens = to->input_tokens - from->input_tokens,
                     .output_tokens = to->output_tokens - from->output_tokens,
                     .model_calls = to->model_calls - from->model_calls,
                     .tool_calls = to->tool_calls - from->tool_calls,
                     .unmetered = to->unmetered - from->unmetered,
                     .active_us = to->active_us - from->active_us};
}

static ck_status print_json(printing *self, const char *session, ck_error *err) {
  ck_document *document = &self->document;
  const ck_compare *of = self->of;
  ck_document_init(document, self->output);
  ck_document_put_text(document, NULL, "session", session);
  ck_document_put_int(document, NULL, "common", of->common);
  add_side(document, "from", &of->from);
  add_side(document, "to", &of->to);
  self->list = ck_document_put_array(document, NULL, "keys");
  each_key(self, add_key);
  ck_totals spent = spent_between(&of->from.checkpoint.totals, &of->to.checkpoint.totals);
  ck_look_fill_totals(document, ck_document_put_object(document, NULL, "spent"), &spent);
  ck_status status = ck_document_print(document, err);
  ck_document_clear(document);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_look look;
  ck_compare of = {0};
  printing self = {.output = host->output, .of = &of};
  ck_status status = ck_look_open_session(&look, host, v->session, err);
  if (status != CK_OK) return status;
  status = ck_errand_hide_secrets(host->output, look.store, v->session, err);
  if (status == CK_OK) status = ck_compare_read(&of, &look, host->output->redactor, v->from, v->to, err);
  if (status == CK_OK && host->output->json) status = print_json(&self, look.head.session.id, err);
  else if (status == CK_OK) status = print_table(&self, err);
  ck_compare_clear(&of);
  ck_look_close(&look);
  return status;
}

static const ck_operand operands[] = {
  {.name = "SESSION", .offset = offsetof(values, session), .help = "its id", .complete = CK_COMPLETE_SESSION},
  {.name = "A", .offset = offsetof(values, from), .help = "a checkpoint: " CK_PICK_HELP},
  {.name = "B", .offset = offsetof(values, to), .help = "another one, in the same words"},
  {0},
};

const ck_command ck_command_sessions_diff = {
  .name = "sessions diff",
  .summary = "tell what lies between two checkpoints",
  .details = "Columns: what, name, path, from, to. One row for each key that was added or removed, and for each place in a key's value "
             "that changed (a JSON pointer; in lists what is common at the beginning and at the end is left alone); for each node, step or "
             "round completed on the way to B (undone: on the way to A only); for what was spent; for each kind of event, how many "
             "lie behind A only and behind B only.\n\n"
             "Of long texts only what differs is shown, in brackets, with a few words around it and the number of bytes left out. "
             "With --json one object, complete: the differences of a key, applied to its value at A as a JSON patch (RFC 6902), give its "
             "value at B.",
  .operands = operands,
  .run = run,
};
