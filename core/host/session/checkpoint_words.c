/* checkpoint_words.c - shows what a checkpoint is, in words. */
#include "core/host/session/checkpoint_words.h"

#include <stdlib.h>

#include "core/base/json.h"
#include "core/model/description.h"

static ck_bytes member(const ck_checkpoint_info *checkpoint, const char *name) {
  return checkpoint->info ? ck_json_get(ck_value_bytes(checkpoint->info), name) : (ck_bytes){0};
}

/* A text, or null. */
static void put_text(ck_document *document, struct cJSON *at, const char *name, ck_bytes value) {
  bool is_text = ck_json_type_of(value) == CK_JSON_STRING;
  char *text = is_text ? ck_json_dup_string(value) : NULL;
  if (text)
    ck_document_put_text(document, at, name, text);
  else if (is_text)
    document->failed = true;
  else
    ck_document_put_null(document, at, name);
  free(text);
}

void ck_checkpoint_words_append(ck_buffer *out, const ck_checkpoint_info *checkpoint) {
  ck_description_append_stored(out, checkpoint->kind, checkpoint->info);
}

void ck_checkpoint_words_put(ck_document *document, struct cJSON *at,
                             const ck_checkpoint_info *checkpoint) {
  ck_buffer words = {0};
  ck_checkpoint_words_append(&words, checkpoint);
  document->failed |= words.failed;
  ck_document_put_text(document, at, "description", words.data ? words.data : "");
  ck_buffer_clear(&words);
  ck_bytes reasons = member(checkpoint, "reasons");
  struct cJSON *list = ck_document_put_array(document, at, "reasons");
  if (ck_json_type_of(reasons) != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(reasons); ck_json_next(&it);) {
    ck_value *reason = NULL;
    ck_error ignored = CK_ERROR_INIT;
    if (ck_value_copy(&reason, it.value, &ignored) != CK_OK) document->failed = true;
    ck_document_put_value(document, list, NULL, reason);
    ck_value_free(reason);
  }
}

void ck_checkpoint_words_put_nodes(ck_document *document, struct cJSON *at,
                                   const ck_checkpoint_info *checkpoint) {
  put_text(document, at, "current_node", member(checkpoint, "node"));
  put_text(document, at, "next_node", member(checkpoint, "next"));
}

void ck_checkpoint_words_put_incidents(ck_document *document, struct cJSON *at,
                                       const ck_checkpoint_info *checkpoint) {
  int64_t retries = 0;
  ck_bytes failed = member(checkpoint, "failed");
  ck_json_read_int(&retries, member(checkpoint, "retries"));
  ck_document_put_int(document, at, "total_retries", retries);
  struct cJSON *list = ck_document_put_array(document, at, "nodes_with_failures");
  if (ck_json_type_of(failed) != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(failed); ck_json_next(&it);)
    put_text(document, list, NULL, it.value);
}

static void append_reason(ck_buffer *out, ck_bytes reason, bool first) {
  if (!first) ck_buffer_append_text(out, "; ");
  ck_json_read_string(out, ck_json_get(reason, "policy"));
  ck_buffer_append_text(out, ": ");
  ck_json_read_string(out, ck_json_get(reason, "reason"));
}

void ck_checkpoint_words_append_reasons(ck_buffer *out, const ck_value *info) {
  ck_bytes reasons = info ? ck_json_get(ck_value_bytes(info), "reasons") : (ck_bytes){0};
  bool first = true;
  if (ck_json_type_of(reasons) != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(reasons); ck_json_next(&it); first = false)
    append_reason(out, it.value, first);
}

void ck_checkpoint_words_put_cells(ck_table *table, const ck_checkpoint_info *checkpoint) {
  ck_buffer words = {0}, why = {0};
  ck_checkpoint_words_append(&words, checkpoint);
  ck_table_put_text(table, ck_buffer_bytes(&words));
  ck_checkpoint_words_append_reasons(&why, checkpoint->info);
  ck_table_put_text(table, ck_buffer_bytes(&why));
  table->text.failed |= words.failed || why.failed;
  ck_buffer_clear(&words);
  ck_buffer_clear(&why);
}
