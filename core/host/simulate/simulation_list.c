/* simulation_list.c - the decisions of policies at single boundaries, in words and as JSON. */
#include "core/host/simulate/simulation_list.h"

bool ck_simulation_differs(const ck_simulated_decision *one, const ck_simulated_decision *other) {
  return one->taken != other->taken || one->sync != other->sync;
}

/* ---- in words ---- */

static void append_reasons(ck_buffer *out, const ck_value *reasons) {
  const char *between = "";
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(reasons));
  while (ck_json_next(&it)) {
    ck_bytes reason = ck_json_get(it.value, "reason");
    ck_buffer_append_text(out, between);
    ck_json_read_string(out, ck_json_get(it.value, "policy"));
    if (ck_json_type_of(reason) == CK_JSON_STRING) {
      ck_buffer_append_text(out, ": ");
      ck_json_read_string(out, reason);
    }
    between = "; ";
  }
}

void ck_simulation_append_decision(ck_buffer *out, const ck_recording *recording,
                                   const ck_simulated_decision *decision) {
  const ck_boundary *at = &recording->boundaries[decision->boundary].at;
  ck_buffer_append_text(out, !decision->taken ? "no" : decision->sync ? "yes, waited for" : "yes");
  if (!decision->taken) return;
  ck_buffer_append_text(out, " (");
  if (ck_boundary_kind_always(at->kind))
    ck_buffer_append_format(out, "always at %s", ck_boundary_kind_name(at->kind));
  else if (decision->reasons)
    append_reasons(out, decision->reasons);
  else if (decision->failed)
    ck_buffer_append_text(out, "a policy failed");
  else
    ck_buffer_append_text(out, at->asked ? "asked for by a command" : "no reason given");
  ck_buffer_append_text(out, ")");
}

/* ---- as JSON ---- */

void ck_simulation_put_decision(ck_document *document, struct cJSON *list,
                                const ck_recording *recording,
                                const ck_simulated_decision *decision) {
  const ck_boundary *at = &recording->boundaries[decision->boundary].at;
  struct cJSON *row = ck_document_put_object(document, list, NULL);
  ck_document_put_int(document, row, "seq", at->seq);
  ck_document_put_text(document, row, "boundary", ck_boundary_kind_name(at->kind));
  ck_document_put_text(document, row, "node", at->node);
  ck_document_put_text(document, row, "agent", at->agent);
  ck_document_put_bool(document, row, "taken", decision->taken);
  ck_document_put_bool(document, row, "waited_for", decision->sync);
  ck_document_put_bool(document, row, "kept", decision->kept);
  ck_document_put_bool(document, row, "failed", decision->failed);
  ck_document_put_bool(document, row, "as_recorded", decision->as_recorded);
  ck_document_put_int(document, row, "written_bytes", decision->bytes);
  struct cJSON *reasons = ck_document_put_array(document, row, "reasons");
  if (!decision->reasons) return;
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(decision->reasons));
  while (ck_json_next(&it)) {
    struct cJSON *reason = ck_document_put_object(document, reasons, NULL);
    ck_document_put_string(document, reason, "policy", ck_json_get(it.value, "policy"));
    ck_document_put_string(document, reason, "reason", ck_json_get(it.value, "reason"));
  }
}

/* ---- the table ---- */

void ck_simulation_list_init(ck_simulation_list *self, ck_output *output, const char *const *names,
                             size_t count) {
  const ck_column fixed[] = {{"SESSION", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
                             {"SEQ", CK_COLUMN_RIGHT},
                             {"WHAT", CK_COLUMN_LEFT},
                             {"NODE", CK_COLUMN_CUT | CK_COLUMN_SPARE(1)},
                             {"AGENT", CK_COLUMN_CUT | CK_COLUMN_SPARE(1)}};
  enum { FIXED = sizeof fixed / sizeof fixed[0] };
  *self = (ck_simulation_list){.count = count};
  for (size_t i = 0; i < FIXED; i++) self->columns[i] = fixed[i];
  for (size_t i = 0; i < count; i++)
    self->columns[FIXED + i] =
        (ck_column){names[i], i + 1 == count ? CK_COLUMN_WIDE : CK_COLUMN_CUT};
  ck_table_init(&self->table, output, self->columns);
}

void ck_simulation_list_add(ck_simulation_list *self, const ck_recording *recording,
                            const ck_simulation *simulations, size_t boundary) {
  const ck_boundary *at = &recording->boundaries[boundary].at;
  ck_table *table = &self->table;
  ck_table_put_word(table, recording->id);
  ck_table_put_count(table, at->seq);
  ck_table_put_word(table, ck_boundary_kind_name(at->kind));
  ck_table_put_text(table, ck_bytes_text(at->node));
  ck_table_put_text(table, ck_bytes_text(at->agent));
  for (size_t i = 0; i < self->count; i++) {
    ck_buffer text = {0};
    ck_simulation_append_decision(&text, recording, &simulations[i].decisions[boundary]);
    if (text.failed) table->text.failed = true;
    ck_table_put_text(table, ck_buffer_bytes(&text));
    ck_buffer_clear(&text);
  }
  self->rows++;
}
