/* print.c - prints the findings of a preflight. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/inspect/questions.h"
#include "core/host/print/document.h"
#include "core/host/print/format.h"
#include "core/host/print/problems.h"
#include "core/host/preflight/preflight.h"
#include "core/host/print/table.h"
#include "core/host/session/fields.h"
#include "core/host/session/run_settings.h"
#include "core/model/dropped_answer.h"

/* A problem of the session as a whole says its name, and that it is not resumed, itself. */
static bool names_session(const char *text, const char *id) {
  char start[CK_ID_SIZE + 16];
  int len = snprintf(start, sizeof start, "session %s ", id);
  return strncmp(text, start, (size_t)len) == 0;
}

ck_status ck_preflight_answer(const ck_preflight *self, ck_output *output, ck_error *err) {
  const ck_problems found = {
      .texts = self->problems, .count = self->problem_count, .verdict = self->verdict};
  const char *id = self->head.session.id;
  char subject[CK_ID_SIZE + 40];
  snprintf(subject, sizeof subject, "session %s cannot be resumed", id);
  bool named = found.count == 1 && names_session(found.texts.data, id);
  return ck_problems_answer(&found, output, named ? NULL : subject, err);
}

/* ---- policies ---- */

typedef struct shown_policy {
  char *name, *digest; /* owned; NULL: no memory */
  char *agent;         /* whose list it is of; NULL: the profile's, or of the run. Owned */
  int64_t version;
  bool changed, of_run; /* of this run alone: nothing to compare it with */
} shown_policy;
typedef void (*policy_visit)(void *to, const shown_policy *found);

static void visit_policies(const ck_preflight *self, policy_visit visit, void *to) {
  ck_json_iterator it =
      ck_json_iterate(self->policies ? ck_value_bytes(self->policies) : (ck_bytes){0});
  while (ck_json_next(&it)) {
    shown_policy found = {.name = ck_json_dup_string(ck_json_get(it.value, "name")),
                          .digest = ck_json_dup_string(ck_json_get(it.value, "digest")),
                          .agent = ck_json_dup_string(ck_json_get(it.value, "agent"))};
    ck_json_read_int(&found.version, ck_json_get(it.value, "version"));
    ck_json_read_bool(&found.of_run, ck_json_get(it.value, "run"));
    found.changed = !found.of_run && ck_preflight_is_changed(self, it.value);
    visit(to, &found);
    free(found.agent);
    free(found.digest);
    free(found.name);
  }
}

/* ---- as JSON ---- */

typedef struct json {
  ck_document *document;
  struct cJSON *at;
} json;

static void put_policy(void *to, const shown_policy *found) {
  json *self = to;
  struct cJSON *at = ck_document_put_object(self->document, self->at, NULL);
  ck_document_put_text(self->document, at, "name", found->name);
  ck_document_put_text(self->document, at, "agent", found->agent);
  ck_document_put_int(self->document, at, "version", found->version);
  ck_document_put_text(self->document, at, "digest", found->digest);
  ck_document_put_bool(self->document, at, "changed", found->changed);
  if (found->of_run) ck_document_put_bool(self->document, at, "run", true);
}

/* Null: not known. */
static void put_money(ck_document *document, struct cJSON *at, const char *name, int64_t micros) {
  if (micros >= 0)
    ck_document_put_money(document, at, name, micros);
  else
    ck_document_put_null(document, at, name);
}

static void put_effects(ck_document *document, const ck_preflight *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "effects");
  for (size_t i = 0; i < self->effect_count; i++) {
    const ck_dry_run_effect *effect = &self->effects[i].is;
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, at, "effect", effect->key);
    ck_document_put_text(document, at, "name", effect->name);
    ck_document_put_text(document, at, "kind", ck_effect_kind_name(effect->kind));
    ck_document_put_text(document, at, "class", ck_effect_class_name(effect->class));
    ck_document_put_text(document, at, "what", ck_dry_run_plan_name(effect->what));
    if (effect->policy) ck_document_put_text(document, at, "policy", effect->policy);
    bool denied = effect->what == CK_DRY_RUN_DENIED;
    if (effect->words)
      ck_document_put_text(document, at, denied ? "reason" : "question", effect->words);
    ck_questions_put_dropped(document, at, ck_dropped_answer_of(effect->dropped));
    if (effect->failure) ck_document_put_text(document, at, "error", effect->failure);
    put_money(document, at, "cost_usd", effect->cost_micros);
    put_money(document, at, "reserve_usd", effect->reserve_micros);
  }
}

/* What is run from the store. */
static void put_files(ck_document *document, const ck_preflight *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "stored");
  for (size_t i = 0; i < self->files.count; i++) {
    const ck_kept_file *file = &self->files.list[i];
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, at, "kind", file->kind);
    ck_document_put_text(document, at, "file", file->file);
    ck_document_put_text(document, at, "digest", file->digest);
  }
}

/* "used_usd" of money, "used_ms" of time, "used" of what is counted. */
static void put_amount(ck_document *document, struct cJSON *at, const char *what, ck_dimension d,
                       int64_t amount) {
  char name[32];
  const char *unit = d == CK_DIMENSION_BUDGET ? "_usd" : d == CK_DIMENSION_TIME ? "_ms" : "";
  snprintf(name, sizeof name, "%s%s", what, unit);
  if (d == CK_DIMENSION_BUDGET)
    ck_document_put_money(document, at, name, amount);
  else
    ck_document_put_int(document, at, name, amount);
}

static void put_constraints(ck_document *document, const ck_preflight *self) {
  struct cJSON *list = ck_document_put_object(document, NULL, "constraints");
  for (int d = 0; d < CK_DIMENSION_COUNT; d++) {
    int64_t spent = self->plan.constraints[d].spent, limit = self->plan.constraints[d].limit;
    struct cJSON *at = ck_document_put_object(document, list, ck_dimension_name((ck_dimension)d));
    ck_document_put_text(document, at, "rule", ck_dry_run_rule(&self->plan, (ck_dimension)d));
    put_amount(document, at, "used", (ck_dimension)d, spent);
    if (limit < 0) continue;
    put_amount(document, at, "limit", (ck_dimension)d, limit);
    put_amount(document, at, "left", (ck_dimension)d, limit > spent ? limit - spent : 0);
  }
}

static void put_counts(ck_document *document, const ck_preflight *self) {
  ck_document_put_int(document, NULL, "replayed", self->counts[CK_DRY_RUN_REPLAY]);
  ck_document_put_int(document, NULL, "rerun",
                      self->counts[CK_DRY_RUN_AGAIN] + self->counts[CK_DRY_RUN_ANEW] +
                          self->counts[CK_DRY_RUN_REDO]);
  ck_document_put_int(document, NULL, "probed", self->counts[CK_DRY_RUN_PROBE]);
  ck_document_put_int(document, NULL, "in_doubt", self->counts[CK_DRY_RUN_DOUBT]);
  ck_document_put_int(document, NULL, "told", self->counts[CK_DRY_RUN_TELL]);
  ck_document_put_int(document, NULL, "questions", self->counts[CK_DRY_RUN_QUESTION]);
  ck_document_put_int(document, NULL, "denied", self->counts[CK_DRY_RUN_DENIED]);
  ck_document_put_int(document, NULL, "asked", self->counts[CK_DRY_RUN_ASKED]);
  ck_document_put_int(document, NULL, "begins", self->counts[CK_DRY_RUN_BEGIN]);
  put_money(document, NULL, "cost_usd", self->cost_micros);
  put_money(document, NULL, "reserve_usd", self->reserve_micros);
}

/* Texts with a NUL behind each. */
static void put_lines(ck_document *document, const char *name, const ck_buffer *lines,
                      size_t count) {
  struct cJSON *list = ck_document_put_array(document, NULL, name);
  const char *text = lines->data;
  for (size_t i = 0; i < count; i++, text += strlen(text) + 1)
    ck_document_put_text(document, list, NULL, text);
}

/* What a person is asked before the resume. */
static void put_question(ck_document *document, const ck_preflight *self) {
  struct cJSON *approval = ck_document_put_object(document, NULL, "approval");
  ck_document_put_text(document, approval, "question", self->plan.question);
  ck_document_put_text(document, approval, "policies", self->plan.asked_by);
  if (*self->plan.dropped) ck_document_put_text(document, approval, "note", self->plan.dropped);
}

static ck_status print_json(const ck_preflight *self, ck_output *output, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "session", self->head.session.id);
  ck_document_put_text(&document, NULL, "status",
                       ck_session_status_name(self->head.session.status));
  ck_document_put_bool(&document, NULL, "resumable", self->verdict == CK_OK);
  if (self->checkpoint.seq)
    ck_fields_put_checkpoint(&document, ck_document_put_object(&document, NULL, "checkpoint"),
                             &self->checkpoint);
  ck_document_put_bool(&document, NULL, "fell_back", self->fell_back);
  if (self->stopped_owner) ck_document_put_int(&document, NULL, "takes_over", self->stopped_owner);
  ck_document_put_text(&document, NULL, "flow", self->launch.flow);
  if (self->stored) put_files(&document, self);
  ck_document_put_bool(&document, NULL, "flow_changed", self->flow_changed);
  ck_document_put_text(&document, NULL, "directory", self->launch.directory);
  ck_document_put_text(&document, NULL, "cassette", self->launch.cassette);
  ck_document_put_text(&document, NULL, "profile", self->launch.profile);
  json policies = {.document = &document, .at = ck_document_put_array(&document, NULL, "policies")};
  visit_policies(self, put_policy, &policies);
  ck_preflight_put_changes(&document, self);
  ck_document_put_value(&document, NULL, "settings", self->settings);
  ck_document_put_value(&document, NULL, "settings_before", self->settings_before);
  if (self->planned) {
    ck_document_put_int(&document, NULL, "attempt", self->plan.attempt);
    if (*self->plan.question) put_question(&document, self);
    put_counts(&document, self);
    put_effects(&document, self);
    put_constraints(&document, self);
  }
  if (self->decisions.known) ck_preflight_put_decisions(&document, self);
  put_lines(&document, "limits", &self->limits, self->limit_count);
  put_lines(&document, "problems", &self->problems, self->problem_count);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

/* ---- as a table ---- */

static void put_text(ck_table *table, const char *name, const char *text) {
  ck_table_put_word(table, name);
  ck_table_put_text(table, ck_bytes_text(text));
}

/* " --option a.b=1" without the space before. */
static void put_settings(ck_table *table, const char *name, const ck_value *settings) {
  ck_buffer words = {0};
  if (!settings) return;
  ck_run_settings_append(&words, ck_value_bytes(settings));
  put_text(table, name, words.len > 0 ? words.data + 1 : "");
  if (words.failed) table->text.failed = true;
  ck_buffer_clear(&words);
}

static void put_count(ck_table *table, const char *name, int64_t count) {
  ck_table_put_word(table, name);
  ck_table_put_count(table, count);
}

static void put_policy_row(void *to, const shown_policy *found) {
  char text[384];
  snprintf(text, sizeof text, "%.100s %" PRId64 " %.12s%s%.100s%s", found->name ? found->name : "",
           found->version, found->digest ? found->digest : "", found->agent ? ", for agent " : "",
           found->agent ? found->agent : "",
           found->changed  ? ", changed"
           : found->of_run ? ", of this run"
                           : "");
  put_text(to, "policy", text);
}

static void append_amount(ck_buffer *out, ck_dimension dimension, int64_t amount) {
  if (dimension == CK_DIMENSION_BUDGET)
    ck_format_money(out, amount);
  else if (dimension == CK_DIMENSION_TIME)
    ck_format_duration(out, amount * 1000);
  else
    ck_format_count(out, amount);
}

/* "budget $0.20 left of $5.00 (continue)"; a dimension without a limit is left out. */
static void put_constraint_rows(ck_table *table, const ck_preflight *self) {
  for (int d = 0; d < CK_DIMENSION_COUNT; d++) {
    int64_t spent = self->plan.constraints[d].spent, limit = self->plan.constraints[d].limit;
    const char *rule = ck_dry_run_rule(&self->plan, (ck_dimension)d);
    ck_buffer text = {0};
    if (limit < 0) continue;
    append_amount(&text, (ck_dimension)d, limit > spent ? limit - spent : 0);
    ck_buffer_append_text(&text, " left of ");
    append_amount(&text, (ck_dimension)d, limit);
    if (rule) ck_buffer_append_format(&text, " (%s)", rule);
    ck_table_put_word(table, ck_dimension_name((ck_dimension)d));
    ck_table_put_text(table, ck_buffer_bytes(&text));
    ck_buffer_clear(&text);
  }
}

static void append_dropped(ck_buffer *out, const ck_dry_run_effect *effect) {
  ck_value *question;
  ck_error ignored = CK_ERROR_INIT;
  ck_bytes asked = ck_bytes_text(effect->words ? effect->words : "");
  if (ck_value_text(&question, asked, &ignored) != CK_OK) return;
  ck_buffer_append_text(out, "; ");
  ck_dropped_answer_append(out, ck_value_bytes(effect->dropped), ck_value_bytes(question));
  ck_value_free(question);
}

/* "effect    main/start/tool/1 search (pure): run anew, $0.02 recorded". */
static void put_effect_rows(ck_table *table, const ck_preflight *self) {
  for (size_t i = 0; i < self->effect_count; i++) {
    const ck_dry_run_effect *effect = &self->effects[i].is;
    ck_buffer text = {0};
    ck_buffer_append_format(&text, "%s%s%s (%s): ", effect->key, effect->name ? " " : "",
                            effect->name ? effect->name : "", ck_effect_class_name(effect->class));
    ck_dry_run_describe(&text, effect);
    if (effect->dropped) append_dropped(&text, effect);
    if (effect->cost_micros > 0) {
      ck_buffer_append_text(&text, ", recorded at ");
      ck_format_money(&text, effect->cost_micros);
    }
    ck_table_put_word(table, "effect");
    ck_table_put_text(table, ck_buffer_bytes(&text));
    ck_buffer_clear(&text);
  }
}

static void put_money_row(ck_table *table, const char *name, int64_t micros) {
  ck_table_put_word(table, name);
  if (micros >= 0)
    ck_table_put_money(table, micros);
  else
    ck_table_put_word(table, "unknown");
}

static void put_work_rows(ck_table *table, const ck_preflight *self) {
  if (*self->plan.question) {
    put_text(table, "a person is asked", self->plan.question);
    if (*self->plan.dropped) put_text(table, "note", self->plan.dropped);
    put_text(table, "asked by", self->plan.asked_by);
  }
  put_count(table, "attempt", self->plan.attempt);
  put_count(table, "replayed", self->counts[CK_DRY_RUN_REPLAY]);
  put_count(table, "run anew", self->counts[CK_DRY_RUN_ANEW]);
  put_count(table, "run again", self->counts[CK_DRY_RUN_AGAIN] + self->counts[CK_DRY_RUN_REDO]);
  put_count(table, "probed", self->counts[CK_DRY_RUN_PROBE]);
  put_count(table, "in doubt", self->counts[CK_DRY_RUN_DOUBT]);
  put_count(table, "told as unknown", self->counts[CK_DRY_RUN_TELL]);
  put_count(table, "questions", self->counts[CK_DRY_RUN_QUESTION]);
  put_count(table, "denied", self->counts[CK_DRY_RUN_DENIED]);
  put_count(table, "to be asked about", self->counts[CK_DRY_RUN_ASKED]);
  put_count(table, "answered, to begin", self->counts[CK_DRY_RUN_BEGIN]);
  put_money_row(table, "cost recorded", self->cost_micros);
  put_money_row(table, "cost at most", self->reserve_micros);
  ck_buffer dropped = {0};
  if (ck_preflight_append_dropped(&dropped, self)) {
    ck_table_put_word(table, "edit drops");
    ck_table_put_text(table, ck_buffer_bytes(&dropped));
  }
  table->text.failed |= dropped.failed;
  ck_buffer_clear(&dropped);
  put_constraint_rows(table, self);
  put_effect_rows(table, self);
}

static void put_line_rows(ck_table *table, const char *name, const ck_buffer *lines, size_t count) {
  const char *text = lines->data;
  for (size_t i = 0; i < count; i++, text += strlen(text) + 1) put_text(table, name, text);
}

static ck_status print_table(const ck_preflight *self, ck_output *output, ck_error *err) {
  static const ck_column columns[] = {{"", false}, {"", false}, {NULL, false}};
  char from[160] = "the first event";
  const ck_checkpoint_info *checkpoint = &self->checkpoint;
  if (checkpoint->seq)
    snprintf(from, sizeof from, "%s (%s, seq %" PRId64 ")%s", checkpoint->id,
             ck_boundary_kind_name(checkpoint->kind), checkpoint->seq,
             self->fell_back ? ", an older one" : "");
  ck_table table;
  ck_table_init(&table, output, columns);
  put_text(&table, "session", self->head.session.id);
  put_text(&table, "status", ck_session_status_name(self->head.session.status));
  if (self->stopped_owner) put_count(&table, "ends process", self->stopped_owner);
  put_text(&table, "goes on from", from);
  ck_table_put_word(&table, "flow");
  ck_buffer flow = {0};
  ck_buffer_append_format(&flow, "%s%s%s", self->launch.flow,
                          self->stored ? ", as the store kept it" : "",
                          self->flow_changed ? ", changed" : "");
  ck_table_put_text(&table, ck_buffer_bytes(&flow));
  ck_buffer_clear(&flow);
  if (self->launch.directory) put_text(&table, "directory", self->launch.directory);
  if (self->launch.cassette) put_text(&table, "cassette", self->launch.cassette);
  if (self->launch.profile) put_text(&table, "profile", self->launch.profile);
  visit_policies(self, put_policy_row, &table);
  ck_preflight_put_change_rows(&table, self);
  put_settings(&table, "settings", self->settings);
  put_settings(&table, "settings before", self->settings_before);
  if (self->planned) put_work_rows(&table, self);
  if (self->decisions.known) ck_preflight_put_decision_rows(&table, self);
  put_line_rows(&table, "limit", &self->limits, self->limit_count);
  put_line_rows(&table, "problem", &self->problems, self->problem_count);
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

ck_status ck_preflight_print(const ck_preflight *self, ck_output *output, ck_error *err) {
  return output->json ? print_json(self, output, err) : print_table(self, output, err);
}
