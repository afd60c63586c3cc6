/* document.c - explains one boundary as a JSON object. */
#include "core/host/explain/explanation.h"
#include "core/host/explain/masked_words.h"
#include "core/host/explain/words.h"

static void put_rerun(ck_document *document, const ck_explanation *self) {
  struct cJSON *row = ck_document_put_object(document, NULL, "rerun");
  ck_document_put_text(document, row, "policy", self->rerun->policy);
  ck_document_put_bool(document, row, "taken", self->now->taken);
  ck_document_put_bool(document, row, "differs", ck_rerun_differs(self->rerun, self->now));
  ck_document_put_bool(document, row, "failed", self->now->failed);
  struct cJSON *list = ck_document_put_array(document, row, "reasons");
  ck_bytes reasons = self->now->reasons ? ck_value_bytes(self->now->reasons) : (ck_bytes){0};
  for (ck_json_iterator it = ck_json_iterate(reasons); ck_json_next(&it);) {
    struct cJSON *reason = ck_document_put_object(document, list, NULL);
    ck_document_put_string(document, reason, "policy", ck_json_get(it.value, "policy"));
    ck_words_put_reason(document, reason, ck_json_get(it.value, "reason"));
  }
}

/* Of what has not changed there is nothing. */
static void put_since(ck_document *document, ck_bytes since) {
  struct cJSON *row = ck_document_put_object(document, NULL, "since");
  static const struct {
    const char *recorded, *name;
  } counts[] = {{"events", "events"},
                {"tokens", "tokens"},
                {"tool_calls", "tool_calls"},
                {"keys", "changed_keys"},
                {"bytes", "changed_bytes"}};
  int64_t number;
  if (ck_json_read_int(&number, ck_json_get(since, "ms")))
    ck_document_put_duration(document, row, "time_ms", number * 1000);
  if (ck_json_read_int(&number, ck_json_get(since, "cost")))
    ck_document_put_money(document, row, "cost_usd", number);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    if (ck_json_read_int(&number, ck_json_get(since, counts[i].recorded)))
      ck_document_put_int(document, row, counts[i].name, number);
}

/* Without an event that tells nothing is known. */
static void put_names(ck_document *document, const char *name, ck_bytes names) {
  if (!names.len) return;
  struct cJSON *list = ck_document_put_array(document, NULL, name);
  for (ck_json_iterator it = ck_json_iterate(names); ck_json_next(&it);)
    ck_document_put_string(document, list, NULL, it.value);
}

void ck_explanation_put(ck_document *document, const ck_explanation *self) {
  const ck_event *event = self->event;
  ck_bytes body = ck_value_bytes(event->body);
  ck_document_put_int(document, NULL, "seq", event->seq);
  ck_document_put_int(document, NULL, "timeline", event->timeline);
  ck_document_put_text(document, NULL, "kind", ck_event_kind_name(event->kind));
  ck_document_put_string(document, NULL, "boundary", ck_json_get(body, "kind"));
  ck_document_put_string(document, NULL, "node", ck_json_get(body, "node"));
  ck_document_put_text(document, NULL, "scope", event->scope);
  ck_document_put_text(document, NULL, "agent", event->agent);
  ck_document_put_bool(document, NULL, "taken", self->checkpoint.len > 0);
  ck_document_put_string(document, NULL, "checkpoint", self->checkpoint);
  if (self->checkpoint.len) ck_document_put_bool(document, NULL, "pruned", self->pruned);
  if (self->fate.seq) ck_document_put_int(document, NULL, "pruned_at", self->fate.seq);
  put_names(document, "pruned_by", self->fate.by);
  if (self->fate.kept_at) {
    ck_document_put_int(document, NULL, "kept_at", self->fate.kept_at);
    put_names(document, "kept_by", self->fate.kept_by);
    put_names(document, "against", self->fate.against);
  }
  ck_document_put_bool(document, NULL, "abandoned", self->abandoned);
  ck_document_put_bool(document, NULL, "always", self->always);
  ck_document_put_bool(document, NULL, "requested", self->requested);
  ck_words_put_said(document, &self->said, self->policies);
  ck_document_put_text(document, NULL, "failure", self->failure);
  put_since(document, ck_json_get(body, "since"));
  ck_masked_words_put(document, event, self->policies);
  if (self->now) put_rerun(document, self);
}
