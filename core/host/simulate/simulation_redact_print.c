/* simulation_redact_print.c - what policies would mask, as a table and as JSON. */
#include "core/host/simulate/simulation_redact.h"
#include "core/host/print/table.h"

/* Nobody takes out any of what was left. */
static int64_t as_recorded(const ck_simulated_masks *masks) {
  return masks->items - masks->failures - masks->otherwise;
}

void ck_simulated_masks_put(ck_document *document, struct cJSON *at,
                            const ck_simulated_masks *masks) {
  ck_document_put_int(document, at, "items", masks->items);
  ck_document_put_int(document, at, "as_recorded", as_recorded(masks));
  ck_document_put_int(document, at, "otherwise", masks->otherwise);
  ck_document_put_int(document, at, "unknown", masks->hidden);
  struct cJSON *list = ck_document_put_array(document, at, "masked");
  for (size_t i = 0; i < masks->count; i++) {
    const ck_simulated_mask *row = &masks->list[i];
    struct cJSON *object = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, object, "policy", row->policy);
    ck_document_put_text(document, object, "rule", row->rule);
    ck_document_put_text(document, object, "where", row->where);
    ck_document_put_int(document, object, "count", row->count);
    ck_document_put_int(document, object, "in_sessions", row->sessions);
    struct cJSON *samples = ck_document_put_array(document, object, "samples");
    for (size_t k = 0; k < CK_SIMULATED_SAMPLES; k++)
      ck_document_put_text(document, samples, NULL, row->samples[k]);
  }
  ck_document_put_int(document, at, "failures", masks->failures);
  if (masks->failures) ck_document_put_text(document, at, "failure", masks->failure.text);
}

static const ck_column columns[] = {
    {"PROFILE", CK_COLUMN_CUT | CK_COLUMN_SPARE(1)},
    {"POLICY", CK_COLUMN_CUT},
    {"RULE", CK_COLUMN_LEFT},
    {"WHERE", CK_COLUMN_CUT},
    {"COUNT", CK_COLUMN_RIGHT},
    {"SESSIONS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(2)},
    {"SAMPLE", CK_COLUMN_WIDE},
    {NULL, 0},
};

ck_status ck_simulated_masks_print(ck_output *output, const char *const *names,
                                   const ck_simulated_masks *const *masks, size_t count,
                                   ck_error *err) {
  ck_table table;
  ck_table_init(&table, output, columns);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < masks[i]->count; k++) {
      const ck_simulated_mask *row = &masks[i]->list[k];
      ck_table_put_text(&table, ck_bytes_text(names[i]));
      ck_table_put_text(&table, ck_bytes_text(row->policy));
      ck_table_put_word(&table, row->rule);
      ck_table_put_text(&table, ck_bytes_text(row->where));
      ck_table_put_count(&table, row->count);
      ck_table_put_count(&table, row->sessions);
      ck_table_put_text(&table, ck_bytes_text(row->samples[0]));
    }
  }
  ck_status status = ck_table_print(&table, err);
  for (size_t i = 0; status == CK_OK && i < count; i++)
    ck_output_notice(output,
                     "%s: of %lld items %lld as recorded, %lld otherwise; masked whole, not "
                     "asked about: %lld",
                     names[i], (long long)masks[i]->items, (long long)as_recorded(masks[i]),
                     (long long)masks[i]->otherwise, (long long)masks[i]->hidden);
  ck_table_clear(&table);
  return status;
}
