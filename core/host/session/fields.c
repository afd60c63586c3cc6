/* fields.c - the members of checkpoints, events and totals in documents. */
#include "core/host/session/fields.h"

#include "core/host/session/checkpoint_words.h"
#include "core/host/print/format.h"
#include "core/model/sums.h"

void ck_fields_put_event(ck_document *document, struct cJSON *at, const ck_event *event) {
  ck_document_put_int(document, at, "seq", event->seq);
  ck_document_put_int(document, at, "timeline", event->timeline);
  ck_document_put_text(document, at, "kind", ck_event_kind_name(event->kind));
  ck_document_put_time(document, at, "at", event->at_ms);
  ck_document_put_text(document, at, "scope", event->scope);
  ck_document_put_text(document, at, "agent", event->agent);
  ck_document_put_value(document, at, "body", event->body);
}

static bool has_cost(const ck_totals *totals) {
  return totals->cost_micros != 0 || totals->unmetered == 0;
}

void ck_fields_put_cost(ck_document *document, struct cJSON *at, const ck_totals *totals) {
  if (has_cost(totals))
    ck_document_put_money(document, at, "cost_usd", totals->cost_micros);
  else
    ck_document_put_null(document, at, "cost_usd");
}

void ck_fields_put_reserved(ck_document *document, struct cJSON *at, int64_t micros) {
  ck_document_put_money(document, at, "reserved_usd", micros);
}

void ck_fields_format_cost(ck_buffer *out, const ck_totals *totals) {
  if (has_cost(totals))
    ck_format_money(out, totals->cost_micros);
  else
    ck_buffer_append_text(out, "an unknown cost");
}

void ck_fields_put_cost_row(ck_table *table, const char *name, const ck_totals *totals) {
  ck_table_put_word(table, name);
  ck_fields_put_cost_cell(table, totals);
}

void ck_fields_put_cost_cell(ck_table *table, const ck_totals *totals) {
  if (has_cost(totals))
    ck_table_put_money(table, totals->cost_micros);
  else
    ck_table_put_word(table, "unknown");
}

void ck_fields_fill_usage(ck_document *document, struct cJSON *object, const ck_totals *totals) {
  ck_fields_put_cost(document, object, totals);
  ck_document_put_int(document, object, "input_tokens", totals->input_tokens);
  ck_document_put_int(document, object, "output_tokens", totals->output_tokens);
  ck_document_put_int(document, object, "model_calls", totals->model_calls);
  ck_document_put_int(document, object, "tool_calls", totals->tool_calls);
  ck_document_put_int(document, object, "unmetered", totals->unmetered);
}

void ck_fields_fill_totals(ck_document *document, struct cJSON *object, const ck_totals *totals) {
  ck_fields_fill_usage(document, object, totals);
  ck_document_put_duration(document, object, "active_ms", totals->active_us);
}

void ck_fields_put_totals(ck_document *document, struct cJSON *at, const ck_totals *totals) {
  ck_fields_fill_totals(document, ck_document_put_object(document, at, "totals"), totals);
}

void ck_fields_put_info(ck_document *document, struct cJSON *at,
                        const ck_checkpoint_info *checkpoint) {
  ck_value *shown = checkpoint->info ? ck_sums_hide(checkpoint->info) : NULL;
  if (checkpoint->info && !shown) document->failed = true;
  ck_document_put_value(document, at, "info", shown);
  ck_value_free(shown);
}

void ck_fields_put_checkpoint(ck_document *document, struct cJSON *at,
                              const ck_checkpoint_info *checkpoint) {
  char digest[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(digest, &checkpoint->digest);
  ck_document_put_text(document, at, "id", checkpoint->id);
  ck_document_put_int(document, at, "seq", checkpoint->seq);
  ck_document_put_int(document, at, "parent", checkpoint->parent);
  ck_document_put_int(document, at, "timeline", checkpoint->timeline);
  ck_document_put_text(document, at, "kind", ck_boundary_kind_name(checkpoint->kind));
  ck_checkpoint_words_put(document, at, checkpoint);
  ck_document_put_time(document, at, "created", checkpoint->created_ms);
  ck_document_put_bool(document, at, "clean", checkpoint->clean);
  ck_document_put_bool(document, at, "resumable", checkpoint->resumable);
  if (checkpoint->pinned) ck_document_put_bool(document, at, "pinned", true);
  if (checkpoint->session) ck_document_put_bool(document, at, "inherited", true);
  ck_document_put_int(document, at, "keys_changed", checkpoint->changed);
  ck_document_put_int(document, at, "stored_bytes", checkpoint->stored_bytes);
  ck_document_put_int(document, at, "plain_bytes", checkpoint->plain_bytes);
  ck_document_put_bool(document, at, "is_keyframe", checkpoint->keyframe == checkpoint->seq);
  ck_document_put_int(document, at, "keyframe", checkpoint->keyframe);
  ck_document_put_text(document, at, "digest", digest);
  ck_fields_put_info(document, at, checkpoint);
  ck_fields_put_totals(document, at, &checkpoint->totals);
}
