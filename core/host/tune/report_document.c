/* report_document.c - the members of what `policy tune --json` prints. */
#include "core/host/tune/report_document.h"

#include "core/host/print/document.h"

static void put_options(ck_document *document, struct cJSON *at, const ck_tune_report *self,
                        const ck_tune_point *point, bool given) {
  struct cJSON *list = ck_document_put_array(document, at, "options");
  for (size_t i = 0; i < self->space->count; i++) {
    const ck_tune_option *option = &self->space->options[i];
    char value[CK_TUNE_VALUE_SIZE];
    ck_tune_space_value(value, option, point->places[i]);
    struct cJSON *row = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, row, "policy", option->policy_name);
    ck_document_put_text(document, row, "option", option->name);
    if (given) ck_document_put_text(document, row, "given", option->given);
    ck_document_put_text(document, row, "value", value);
  }
}

static void put_losses(ck_document *document, struct cJSON *at, const double mean[CK_LOSS_COUNT],
                       const size_t recorded[CK_LOSS_COUNT]) {
  struct cJSON *lost = ck_document_put_object(document, at, "lost");
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    if (recorded[kind])
      ck_simulation_put_loss(document, lost, ck_loss_members[kind], kind, mean[kind]);
    else
      ck_document_put_null(document, lost, ck_loss_members[kind]);
  }
}

static void put_figures(ck_document *document, struct cJSON *at, const char *name,
                        const ck_tune_figures *figures) {
  struct cJSON *row = ck_document_put_object(document, at, name);
  ck_document_put_int(document, row, "checkpoints", figures->checkpoints);
  ck_document_put_int(document, row, "written_bytes", figures->bytes);
  put_losses(document, row, figures->mean, figures->recorded);
}

static void put_reference(ck_document *document, struct cJSON *at, const ck_tune_outcome *outcome) {
  double mean[CK_LOSS_COUNT];
  const ck_tune_reference *reference = &outcome->reference;
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++)
    mean[kind] = ck_tune_reference_mean(reference, outcome->at, kind);
  struct cJSON *row = ck_document_put_object(document, at, "every_n");
  ck_document_put_int(document, row, "n", reference->n[outcome->at.above]);
  ck_document_put_number(document, row, "weight", outcome->at.weight);
  put_losses(document, row, mean, reference->at[outcome->at.above].recorded);
}

static void put_changes(ck_document *document, struct cJSON *at, const ck_tune_outcome *outcome) {
  struct cJSON *changes = ck_document_put_array(document, at, "changes");
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    const ck_tune_change *change = &outcome->changes[kind];
    if (!change->known) continue;
    struct cJSON *row = ck_document_put_object(document, changes, NULL);
    ck_document_put_text(document, row, "of", ck_loss_members[kind]);
    ck_document_put_number(document, row, "share", change->mean);
    if (change->interval) {
      ck_document_put_number(document, row, "low", change->low);
      ck_document_put_number(document, row, "high", change->high);
    } else {
      ck_document_put_null(document, row, "low");
      ck_document_put_null(document, row, "high");
    }
  }
}

static void put_group_sum(ck_document *document, struct cJSON *at, const char *name,
                          const ck_tune_group *group, const ck_tune_group_sum *sum) {
  double mean[CK_LOSS_COUNT];
  size_t recorded[CK_LOSS_COUNT];
  for (ck_loss_kind kind = 0; kind < CK_LOSS_COUNT; kind++) {
    recorded[kind] = (size_t)group->events[kind];
    mean[kind] = recorded[kind] ? sum->lost[kind] / (double)recorded[kind] : 0;
  }
  struct cJSON *row = ck_document_put_object(document, at, name);
  ck_document_put_int(document, row, "checkpoints", sum->checkpoints);
  put_losses(document, row, mean, recorded);
}

static void put_groups(ck_document *document, struct cJSON *at, const ck_tune_breakdown *groups) {
  struct cJSON *list = ck_document_put_array(document, at, "groups");
  for (size_t i = 0; i < groups->count; i++) {
    const ck_tune_group *group = &groups->list[i];
    struct cJSON *row = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, row, "agent", group->agent);
    ck_document_put_text(document, row, "boundary", group->kind);
    ck_document_put_int(document, row, "boundaries", group->boundaries);
    put_group_sum(document, row, "given", group, &group->given);
    put_group_sum(document, row, "tuned", group, &group->tuned);
  }
}

static void put_outcome(ck_document *document, struct cJSON *list, const ck_tune_outcome *outcome) {
  struct cJSON *row = ck_document_put_object(document, list, NULL);
  ck_document_put_text(document, row, "part", outcome->name);
  struct cJSON *sessions = ck_document_put_array(document, row, "sessions");
  for (size_t i = 0; i < outcome->part.count; i++)
    ck_document_put_text(document, sessions, NULL, outcome->part.list[i]->id);
  ck_document_put_int(document, row, "boundaries", outcome->tuned.boundaries);
  put_figures(document, row, "given", &outcome->given);
  put_figures(document, row, "tuned", &outcome->tuned);
  put_reference(document, row, outcome);
  put_changes(document, row, outcome);
  put_groups(document, row, &outcome->groups);
}

static void put_frontier(ck_document *document, const ck_tune_report *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "frontier");
  for (size_t i = 0; i < self->found->count; i++) {
    const ck_tune_point *point = &self->found->points[i];
    if (!point->frontier) continue;
    struct cJSON *row = ck_document_put_object(document, list, NULL);
    ck_document_put_int(document, row, "checkpoints", point->checkpoints);
    ck_document_put_int(document, row, "written_bytes", point->bytes);
    ck_document_put_number(document, row, "share", point->loss);
    put_losses(document, row, point->mean, self->outcomes[0].tuned.recorded);
    put_options(document, row, self, point, false);
  }
}

ck_status ck_tune_report_print_document(const ck_tune_report *self, ck_output *output,
                                        ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "profile", self->profile);
  ck_document_put_text(&document, NULL, "file", self->file);
  ck_document_put_int(&document, NULL, "seed", self->seed);
  ck_document_put_int(&document, NULL, "tries", self->tries);
  ck_document_put_number(&document, NULL, "holdout", self->holdout);
  ck_document_put_int(&document, NULL, "most_checkpoints", self->target);
  put_options(&document, NULL, self, &self->found->points[self->found->chosen], true);
  struct cJSON *parts = ck_document_put_array(&document, NULL, "parts");
  for (size_t i = 0; i < self->outcome_count; i++)
    put_outcome(&document, parts, &self->outcomes[i]);
  put_frontier(&document, self);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}
