/* simulation_print.c - simulated profiles side by side, as a table and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/host/simulate/simulation.h"
#include "core/host/print/table.h"

/* ---- JSON ---- */

void ck_simulation_put_loss(ck_document *document, struct cJSON *at, const char *name,
                            ck_loss_kind kind, double amount) {
  if (kind == CK_LOSS_COST)
    ck_document_put_money(document, at, name, llround(amount));
  else if (kind == CK_LOSS_MS)
    ck_document_put_duration(document, at, name, llround(amount * 1000));
  else
    ck_document_put_number(document, at, name, amount);
}

/* null when no session records it. */
static void put_loss(ck_document *document, struct cJSON *at, const ck_simulation_sum *sum,
                     ck_loss_kind kind) {
  if (!sum->lost_count[kind]) {
    ck_document_put_null(document, at, ck_loss_members[kind]);
    return;
  }
  ck_loss loss;
  struct cJSON *object = ck_document_put_object(document, at, ck_loss_members[kind]);
  ck_loss_measure(&loss, sum->lost[kind], sum->lost_count[kind]);
  ck_simulation_put_loss(document, object, "mean", kind, loss.mean);
  ck_simulation_put_loss(document, object, "p95", kind, (double)loss.p95);
  ck_simulation_put_loss(document, object, "worst", kind, (double)loss.worst);
}

void ck_simulation_put_sum(ck_document *document, struct cJSON *at, const ck_simulation_sum *sum) {
  ck_document_put_int(document, at, "boundaries", sum->boundaries);
  ck_document_put_int(document, at, "as_recorded", sum->as_recorded);
  ck_document_put_int(document, at, "checkpoints", sum->checkpoints);
  struct cJSON *reasons = ck_document_put_array(document, at, "reasons");
  for (size_t i = 0; i < sum->reason_count; i++) {
    struct cJSON *row = ck_document_put_object(document, reasons, NULL);
    ck_document_put_text(document, row, "policy", sum->reasons[i].policy);
    ck_document_put_text(document, row, "reason", sum->reasons[i].reason);
    ck_document_put_int(document, row, "count", sum->reasons[i].count);
  }
  ck_document_put_int(document, at, "written_bytes", sum->bytes_written);
  ck_document_put_int(document, at, "kept", sum->kept);
  ck_document_put_int(document, at, "kept_bytes", sum->bytes_kept);
  struct cJSON *lost = ck_document_put_object(document, at, "lost");
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) put_loss(document, lost, sum, kind);
  ck_document_put_int(document, at, "failures", sum->failures);
  if (sum->failures) ck_document_put_text(document, at, "failure", sum->failure.text);
}

/* ---- the table ---- */

typedef struct printing {
  ck_table table;
  const ck_simulation_sum *const *sums;
  size_t count;
} printing;

typedef void (*put_figure)(ck_table *table, int64_t number);

static void put_row(printing *self, const char *name, size_t member, put_figure put) {
  ck_table_put_word(&self->table, name);
  for (size_t i = 0; i < self->count; i++) {
    int64_t number;
    memcpy(&number, (const char *)self->sums[i] + member, sizeof number);
    put(&self->table, number);
  }
}

static int64_t count_of(const ck_simulation_sum *sum, const ck_reason_count *like) {
  for (size_t i = 0; i < sum->reason_count; i++) {
    const ck_reason_count *row = &sum->reasons[i];
    bool same = row->policy && like->policy ? strcmp(row->policy, like->policy) == 0
                                            : row->policy == like->policy;
    if (same && strcmp(row->reason, like->reason) == 0) return row->count;
  }
  return 0;
}

static bool printed_before(const printing *self, size_t column, const ck_reason_count *reason) {
  for (size_t i = 0; i < column; i++) {
    if (count_of(self->sums[i], reason)) return true;
  }
  return false;
}

static ck_status put_reason(printing *self, const ck_reason_count *reason, ck_error *err) {
  ck_buffer name = {0};
  ck_buffer_append_format(&name, "  %s%s%s", reason->policy ? reason->policy : "",
                          reason->policy ? ": " : "", reason->reason);
  ck_status status = ck_buffer_check(&name, err);
  if (status == CK_OK) ck_table_put_text(&self->table, ck_buffer_bytes(&name));
  ck_buffer_clear(&name);
  for (size_t i = 0; status == CK_OK && i < self->count; i++)
    ck_table_put_count(&self->table, count_of(self->sums[i], reason));
  return status;
}

static ck_status put_reasons(printing *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->count; i++) {
    for (size_t k = 0; status == CK_OK && k < self->sums[i]->reason_count; k++) {
      const ck_reason_count *reason = &self->sums[i]->reasons[k];
      if (!printed_before(self, i, reason)) status = put_reason(self, reason, err);
    }
  }
  return status;
}

static void put_tenths(ck_table *table, double number) {
  char text[48];
  snprintf(text, sizeof text, "%.1f", number);
  ck_table_put_word(table, text);
}

enum { MEAN, P95, WORST, MEASURES };

static void put_measure(ck_table *table, ck_loss_kind kind, const ck_loss *loss, int measure) {
  double number = measure == MEAN  ? loss->mean
                  : measure == P95 ? (double)loss->p95
                                   : (double)loss->worst;
  if (kind == CK_LOSS_MS)
    ck_table_put_duration(table, llround(number * 1000));
  else if (kind == CK_LOSS_COST)
    ck_table_put_money(table, llround(number));
  else if (kind == CK_LOSS_TOOL_CALLS && measure == MEAN)
    put_tenths(table, number);
  else
    ck_table_put_count(table, llround(number));
}

static void put_losses(printing *self, ck_loss_kind kind) {
  static const char *const measures[MEASURES] = {"mean", "p95", "worst"};
  ck_loss losses[CK_TABLE_COLUMNS_MAX];
  for (size_t i = 0; i < self->count; i++)
    ck_loss_measure(&losses[i], self->sums[i]->lost[kind], self->sums[i]->lost_count[kind]);
  for (int measure = 0; measure < MEASURES; measure++) {
    char name[64];
    snprintf(name, sizeof name, "lost %s, %s", ck_loss_names[kind], measures[measure]);
    ck_table_put_word(&self->table, name);
    for (size_t i = 0; i < self->count; i++) {
      if (self->sums[i]->lost_count[kind])
        put_measure(&self->table, kind, &losses[i], measure);
      else
        ck_table_put_word(&self->table, NULL);
    }
  }
}

static ck_status put_rows(printing *self, const char *const *names, ck_error *err) {
  ck_table_put_word(&self->table, "profile");
  for (size_t i = 0; i < self->count; i++) ck_table_put_text(&self->table, ck_bytes_text(names[i]));
  put_row(self, "sessions", offsetof(ck_simulation_sum, sessions), ck_table_put_count);
  put_row(self, "boundaries", offsetof(ck_simulation_sum, boundaries), ck_table_put_count);
  put_row(self, "decided as recorded", offsetof(ck_simulation_sum, as_recorded),
          ck_table_put_count);
  put_row(self, "checkpoints", offsetof(ck_simulation_sum, checkpoints), ck_table_put_count);
  ck_status status = put_reasons(self, err);
  put_row(self, "bytes written, estimated", offsetof(ck_simulation_sum, bytes_written),
          ck_table_put_bytes);
  put_row(self, "checkpoints kept", offsetof(ck_simulation_sum, kept), ck_table_put_count);
  put_row(self, "bytes kept, estimated", offsetof(ck_simulation_sum, bytes_kept),
          ck_table_put_bytes);
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) put_losses(self, kind);
  return status;
}

ck_status ck_simulation_print_sums(ck_output *output, const char *const *names,
                                   const ck_simulation_sum *const *sums, size_t count,
                                   ck_error *err) {
  ck_column columns[CK_TABLE_COLUMNS_MAX + 1] = {{"", false}};
  for (size_t i = 1; i <= count; i++) columns[i] = (ck_column){"", true};
  printing self = {.sums = sums, .count = count};
  ck_table_init(&self.table, output, columns);
  ck_status status = put_rows(&self, names, err);
  if (status == CK_OK) status = ck_table_print(&self.table, err);
  ck_table_clear(&self.table);
  return status;
}
