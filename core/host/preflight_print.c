/* preflight_print.c - tells what a preflight has found. */
#include <stdio.h>
#include <string.h>

#include "core/host/document.h"
#include "core/host/look.h"
#include "core/host/preflight.h"
#include "core/host/table.h"

ck_status ck_preflight_answer(const ck_preflight *self, ck_output *output, ck_error *err) {
  if (self->verdict == CK_OK) return CK_OK;
  const char *id = self->head.session.id, *text = self->problems.data;
  if (self->problem_count == 1) return ck_error_set(err, self->verdict, "session %s cannot be resumed: %s", id, text);
  char all[CK_ERROR_TEXT_MAX];
  size_t len = 0;
  for (size_t i = 0; i < self->problem_count; i++, text += strlen(text) + 1) {
    ck_output_talk(output, "problem: %s", text);
    int more = snprintf(all + len, sizeof all - len, "%s%s", i ? "; " : "", text);
    len = more > 0 && len + (size_t)more < sizeof all ? len + (size_t)more : sizeof all - 1;
  }
  if (output->json) return ck_error_set(err, self->verdict, "session %s cannot be resumed: %s", id, all);
  return ck_error_set(err, self->verdict, "session %s cannot be resumed: %zu problems", id, self->problem_count);
}

static ck_status print_json(const ck_preflight *self, ck_output *output, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "session", self->head.session.id);
  ck_document_put_text(&document, NULL, "status", ck_session_status_name(self->head.session.status));
  ck_document_put_bool(&document, NULL, "resumable", self->verdict == CK_OK);
  if (self->checkpoint.seq)
    ck_look_put_checkpoint(&document, ck_document_put_object(&document, NULL, "checkpoint"), &self->checkpoint);
  ck_document_put_text(&document, NULL, "flow", self->launch.flow);
  ck_document_put_bool(&document, NULL, "flow_changed", self->flow_changed);
  ck_document_put_text(&document, NULL, "cassette", self->launch.cassette);
  ck_document_put_text(&document, NULL, "profile", self->launch.profile);
  ck_document_put_int(&document, NULL, "replayed", self->work.replayed);
  ck_document_put_int(&document, NULL, "rerun", self->work.rerun);
  ck_document_put_int(&document, NULL, "probed", self->work.probed);
  ck_document_put_int(&document, NULL, "in_doubt", self->work.in_doubt);
  ck_document_put_int(&document, NULL, "reserve_micros", self->work.reserve_micros);
  struct cJSON *problems = ck_document_put_array(&document, NULL, "problems");
  const char *text = self->problems.data;
  for (size_t i = 0; i < self->problem_count; i++, text += strlen(text) + 1)
    ck_document_put_text(&document, problems, NULL, text);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static void put_text(ck_table *table, const char *name, const char *text) {
  ck_table_put_word(table, name);
  ck_table_put_text(table, ck_bytes_text(text));
}

static void put_count(ck_table *table, const char *name, int64_t count) {
  ck_table_put_word(table, name);
  ck_table_put_count(table, count);
}

static ck_status print_table(const ck_preflight *self, ck_output *output, ck_error *err) {
  static const ck_column columns[] = {{"", false}, {"", false}, {NULL, false}};
  char from[160] = "the first event";
  const ck_checkpoint_info *checkpoint = &self->checkpoint;
  if (checkpoint->seq)
    snprintf(from, sizeof from, "%s (%s, seq %lld)", checkpoint->id, ck_boundary_kind_name(checkpoint->kind),
        (long long)checkpoint->seq);
  ck_table table;
  ck_table_init(&table, output, columns);
  put_text(&table, "session", self->head.session.id);
  put_text(&table, "status", ck_session_status_name(self->head.session.status));
  put_text(&table, "goes on from", from);
  put_text(&table, "flow", self->launch.flow);
  if (self->launch.cassette) put_text(&table, "cassette", self->launch.cassette);
  if (self->launch.profile) put_text(&table, "profile", self->launch.profile);
  put_count(&table, "replayed", self->work.replayed);
  put_count(&table, "run again", self->work.rerun);
  put_count(&table, "probed", self->work.probed);
  put_count(&table, "in doubt", self->work.in_doubt);
  ck_table_put_word(&table, "cost at most");
  ck_table_put_money(&table, self->work.reserve_micros);
  const char *text = self->problems.data;
  for (size_t i = 0; i < self->problem_count; i++, text += strlen(text) + 1) put_text(&table, "problem", text);
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

ck_status ck_preflight_print(const ck_preflight *self, ck_output *output, ck_error *err) {
  return output->json ? print_json(self, output, err) : print_table(self, output, err);
}
