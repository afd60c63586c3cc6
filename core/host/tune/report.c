/* report.c - the tables and the drawing for people, and the comments of a tuned profile. */
#include "core/host/tune/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/host/print/format.h"
#include "core/host/print/table.h"
#include "core/host/tune/plot.h"
#include "core/host/tune/report_document.h"

/* ---- figures ---- */

static void append_loss(ck_buffer *out, ck_loss_kind kind, double mean) {
  if (kind == CK_LOSS_COST)
    ck_format_money(out, llround(mean));
  else if (kind == CK_LOSS_TOKENS)
    ck_format_count(out, llround(mean));
  else if (kind == CK_LOSS_TOOL_CALLS)
    ck_buffer_append_format(out, "%.2f", mean);
  else
    ck_format_duration(out, llround(mean * 1000));
}

static void append_change(ck_buffer *out, const ck_tune_change *change) {
  if (!change->known) return;
  ck_buffer_append_format(out, "%+.1f%%", change->mean * 100);
  if (change->interval)
    ck_buffer_append_format(out, " (%+.1f..%+.1f)", change->low * 100, change->high * 100);
  else
    ck_buffer_append_text(out, " (one session: no interval)");
}

/* ---- comments ---- */

static void append_figures(ck_buffer *out, const char *name, const ck_tune_figures *figures) {
  ck_buffer_append_format(out, "  %s: %lld checkpoints, %lld bytes; lost on average", name,
                          (long long)figures->checkpoints, (long long)figures->bytes);
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    if (!figures->recorded[kind]) continue;
    ck_buffer_append_format(out, " %s ", ck_loss_names[kind]);
    append_loss(out, kind, figures->mean[kind]);
    ck_buffer_append_char(out, ';');
  }
  if (out->data && out->data[out->len - 1] == ';') out->len--;
  ck_buffer_append_char(out, '\n');
}

static void append_outcome(ck_buffer *out, const ck_tune_outcome *outcome) {
  enum { NAMED = 20 };
  ck_digester digester;
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digester_init(&digester);
  for (size_t i = 0; i < outcome->part.count; i++)
    ck_digester_update_field(&digester, ck_bytes_text(outcome->part.list[i]->id));
  ck_digest id = ck_digester_final(&digester);
  ck_digest_hex(hex, &id);
  ck_buffer_append_format(out, "\n%s: %zu session%s, %lld %s, digest of their ids %.16s\n",
                          outcome->name, outcome->part.count, outcome->part.count == 1 ? "" : "s",
                          (long long)outcome->tuned.boundaries,
                          outcome->tuned.boundaries == 1 ? "boundary" : "boundaries", hex);
  append_figures(out, "as given", &outcome->given);
  append_figures(out, "tuned", &outcome->tuned);
  ck_buffer_append_text(out, "  sessions:");
  for (size_t i = 0; i < outcome->part.count && i < NAMED; i++)
    ck_buffer_append_format(out, " %s", outcome->part.list[i]->id);
  if (outcome->part.count > NAMED)
    ck_buffer_append_format(out, " and %zu others", outcome->part.count - NAMED);
  ck_buffer_append_char(out, '\n');
}

void ck_tune_report_append_about(ck_buffer *out, const ck_tune_report *self) {
  ck_buffer_append_format(out,
                          "Made by `ckrun policy tune`: seed %lld, %lld settings tried, share of "
                          "the sessions\nheld out %g, at most %lld checkpoints in training.\n",
                          (long long)self->seed, (long long)self->tries, self->holdout,
                          (long long)self->target);
  for (size_t i = 0; i < self->outcome_count; i++) append_outcome(out, &self->outcomes[i]);
}

/* ---- tables ---- */

static void put_cell(ck_table *table, const ck_buffer *text) {
  ck_table_put_text(table, ck_buffer_bytes(text));
}

static void put_figures(ck_table *table, const char *part, const char *under,
                        const ck_tune_figures *figures) {
  ck_table_put_word(table, part);
  ck_table_put_word(table, under);
  ck_table_put_count(table, figures->checkpoints);
  ck_table_put_bytes(table, figures->bytes);
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    ck_buffer text = {0};
    if (figures->recorded[kind]) append_loss(&text, kind, figures->mean[kind]);
    put_cell(table, &text);
    ck_buffer_clear(&text);
  }
}

/* every_n between two n, at the number of checkpoints of the tuned profile. */
static void put_reference(ck_table *table, const ck_tune_outcome *outcome) {
  ck_tune_figures between = {.checkpoints = outcome->tuned.checkpoints};
  const ck_tune_figures *above = &outcome->reference.at[outcome->at.above];
  const ck_tune_figures *below = &outcome->reference.at[outcome->at.below];
  double weight = outcome->at.weight;
  between.bytes = llround((double)above->bytes * weight + (double)below->bytes * (1 - weight));
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    between.recorded[kind] = above->recorded[kind];
    between.mean[kind] = ck_tune_reference_mean(&outcome->reference, outcome->at, kind);
  }
  put_figures(table, outcome->name, "every_n", &between);
}

static ck_status print_outcomes(const ck_tune_report *self, ck_output *output, ck_error *err) {
  ck_column columns[5 + CK_LOSS_COUNT] = {{"part", CK_COLUMN_LEFT},
                                          {"profile", CK_COLUMN_LEFT},
                                          {"checkpoints", CK_COLUMN_RIGHT},
                                          {"bytes", CK_COLUMN_RIGHT}};
  for (int kind = 0; kind < CK_LOSS_COUNT; kind++)
    columns[4 + kind] = (ck_column){ck_loss_names[kind], CK_COLUMN_RIGHT};
  ck_table table;
  ck_table_init(&table, output, columns);
  for (size_t i = 0; i < self->outcome_count; i++) {
    const ck_tune_outcome *outcome = &self->outcomes[i];
    put_figures(&table, outcome->name, "as given", &outcome->given);
    put_figures(&table, outcome->name, "tuned", &outcome->tuned);
    put_reference(&table, outcome);
  }
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status print_changes(const ck_tune_report *self, ck_output *output, ck_error *err) {
  static const ck_column columns[] = {{"part", CK_COLUMN_LEFT},
                                      {"lost", CK_COLUMN_LEFT},
                                      {"against every_n, 95 of 100 resamplings", CK_COLUMN_LEFT},
                                      {NULL, 0}};
  ck_table table;
  ck_table_init(&table, output, columns);
  for (size_t i = 0; i < self->outcome_count; i++) {
    for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
      ck_buffer text = {0};
      append_change(&text, &self->outcomes[i].changes[kind]);
      if (text.len) {
        ck_table_put_word(&table, self->outcomes[i].name);
        ck_table_put_word(&table, ck_loss_names[kind]);
        put_cell(&table, &text);
      }
      ck_buffer_clear(&text);
    }
  }
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

/* "0.02 -> 0.01", of the kind of work that most is known of. */
static void append_group_losses(ck_buffer *out, const ck_tune_group *group, ck_loss_kind kind) {
  if (!group->events[kind]) return;
  append_loss(out, kind, group->given.lost[kind] / (double)group->events[kind]);
  ck_buffer_append_text(out, " -> ");
  append_loss(out, kind, group->tuned.lost[kind] / (double)group->events[kind]);
}

static void put_group(ck_table *table, const ck_tune_group *group) {
  ck_buffer text = {0};
  ck_table_put_text(table, ck_bytes_text(group->agent ? group->agent : "-"));
  ck_table_put_word(table, group->kind ? group->kind : "(behind the last)");
  ck_table_put_count(table, group->boundaries);
  ck_buffer_append_format(&text, "%lld -> %lld", (long long)group->given.checkpoints,
                          (long long)group->tuned.checkpoints);
  put_cell(table, &text);
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    ck_buffer_reset(&text);
    append_group_losses(&text, group, kind);
    put_cell(table, &text);
  }
  ck_buffer_clear(&text);
}

/* Of the part held out, or of all sessions where none is. */
static ck_status print_groups(const ck_tune_report *self, ck_output *output, ck_error *err) {
  const ck_tune_outcome *outcome = &self->outcomes[self->outcome_count - 1];
  ck_column columns[5 + CK_LOSS_COUNT] = {{"agent", CK_COLUMN_LEFT},
                                          {"boundary", CK_COLUMN_LEFT},
                                          {"boundaries", CK_COLUMN_RIGHT},
                                          {"checkpoints", CK_COLUMN_RIGHT}};
  for (int kind = 0; kind < CK_LOSS_COUNT; kind++)
    columns[4 + kind] = (ck_column){ck_loss_names[kind], CK_COLUMN_RIGHT};
  ck_table table;
  ck_table_init(&table, output, columns);
  ck_output_print(output, "\n%s, by agent and boundary, as given -> tuned\n", outcome->name);
  for (size_t i = 0; i < outcome->groups.count; i++) put_group(&table, &outcome->groups.list[i]);
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status print_options(const ck_tune_report *self, ck_output *output, ck_error *err) {
  static const ck_column columns[] = {{"option", CK_COLUMN_LEFT},
                                      {"as given", CK_COLUMN_RIGHT},
                                      {"tuned", CK_COLUMN_RIGHT},
                                      {NULL, 0}};
  ck_table table;
  ck_table_init(&table, output, columns);
  for (size_t i = 0; i < self->space->count; i++) {
    const ck_tune_option *option = &self->space->options[i];
    char name[200], value[CK_TUNE_VALUE_SIZE];
    snprintf(name, sizeof name, "%s.%s", option->policy_name, option->name);
    ck_tune_space_value(value, option, self->found->points[self->found->chosen].places[i]);
    ck_table_put_text(&table, ck_bytes_text(name));
    ck_table_put_text(&table, ck_bytes_text(option->given));
    ck_table_put_text(&table, ck_bytes_text(value));
  }
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

/* ---- the frontier ---- */

static ck_tune_dot dot_of(const ck_tune_report *self, const ck_tune_point *point, char mark) {
  double boundaries = (double)self->outcomes[0].tuned.boundaries;
  return (ck_tune_dot){
      .across = 100 * (double)point->checkpoints / boundaries, .up = point->loss, .mark = mark};
}

static ck_status append_frontier(ck_buffer *out, const ck_tune_report *self, ck_error *err) {
  const ck_tune_found *found = self->found;
  size_t count = 0;
  ck_tune_dot *dots = calloc(found->count + 2, sizeof *dots);
  if (!dots) return ck_error_no_memory(err);
  for (size_t i = 0; i < found->count; i++)
    if (found->points[i].frontier) dots[count++] = dot_of(self, &found->points[i], '*');
  dots[count++] = dot_of(self, &found->points[0], 'G');
  dots[count++] = dot_of(self, &found->points[found->chosen], 'T');
  ck_buffer_append_text(out, "\nTraining: the share of its session's work that a crash loses, over "
                             "checkpoints\nin 100 boundaries. * frontier, G as given, T tuned\n");
  ck_tune_plot_append(out, dots, count);
  free(dots);
  return ck_buffer_check(out, err);
}

ck_status ck_tune_report_print(const ck_tune_report *self, ck_output *output, ck_error *err) {
  if (output->json) return ck_tune_report_print_document(self, output, err);
  ck_buffer text = {0};
  ck_status status = print_options(self, output, err);
  ck_output_print(output, "\n");
  if (status == CK_OK) status = print_outcomes(self, output, err);
  ck_output_print(output, "\n");
  if (status == CK_OK) status = print_changes(self, output, err);
  if (status == CK_OK) status = print_groups(self, output, err);
  if (status == CK_OK) status = append_frontier(&text, self, err);
  if (status == CK_OK) ck_output_write(output, ck_buffer_bytes(&text));
  if (status == CK_OK && self->file) ck_output_print(output, "\nwrote %s\n", self->file);
  ck_buffer_clear(&text);
  return status;
}
