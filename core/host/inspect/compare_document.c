/* compare_document.c - the difference of two checkpoints as a document. */
#include "core/host/inspect/compare.h"
#include "core/host/session/fields.h"
#include "core/model/difference.h"

typedef struct writing {
  ck_document *document;
  struct cJSON *list; /* of keys, or of one key's differences */
} writing;

static void put_span(ck_document *document, struct cJSON *at, const char *name, ck_bytes span) {
  ck_value *value = NULL;
  ck_error ignored = CK_ERROR_INIT;
  if (!span.len) return;
  if (ck_value_copy(&value, span, &ignored) != CK_OK) document->failed = true;
  ck_document_put_value(document, at, name, value);
  ck_value_free(value);
}

static bool add_difference(void *to, const ck_difference *one) {
  writing *self = to;
  ck_document *document = self->document;
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

static void add_key(void *to, const ck_state_entry *old, const ck_state_entry *now) {
  writing *self = to;
  ck_document *document = self->document;
  ck_error ignored = CK_ERROR_INIT;
  struct cJSON *at = ck_document_put_object(document, self->list, NULL), *keys = self->list;
  ck_document_put_text(document, at, "key", old ? old->key : now->key);
  ck_document_put_text(document, at, "change", !old ? "added" : !now ? "removed" : "changed");
  if (!now) ck_document_put_value(document, at, "old", old->value);
  if (!old) ck_document_put_value(document, at, "value", now->value);
  if (!old || !now) return;
  self->list = ck_document_put_array(document, at, "differences");
  ck_status status = ck_difference_find(ck_value_bytes(old->value), ck_value_bytes(now->value),
                                        add_difference, self, &ignored);
  if (status != CK_OK) document->failed = true;
  self->list = keys;
}

static void add_side(ck_document *document, struct cJSON *in, const char *name,
                     const ck_compare_side *side) {
  struct cJSON *at = ck_document_put_object(document, in, name);
  ck_fields_put_checkpoint(document, ck_document_put_object(document, at, "checkpoint"),
                           &side->checkpoint);
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
    if (side->events[kind])
      ck_document_put_int(document, events, ck_event_kind_name((ck_event_kind)kind),
                          side->events[kind]);
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

void ck_compare_put(ck_document *document, struct cJSON *at, const ck_compare *self,
                    const char *session) {
  writing w = {.document = document};
  ck_totals spent = spent_between(&self->from.checkpoint.totals, &self->to.checkpoint.totals);
  ck_document_put_text(document, at, "session", session);
  ck_document_put_int(document, at, "common", self->common);
  add_side(document, at, "from", &self->from);
  add_side(document, at, "to", &self->to);
  w.list = ck_document_put_array(document, at, "keys");
  ck_compare_visit_keys(self, add_key, &w);
  ck_fields_fill_totals(document, ck_document_put_object(document, at, "spent"), &spent);
}
