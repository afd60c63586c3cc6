/* verdicts.c - reads the resolutions that name a policy. */
#include "core/host/inspect/verdicts.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/runtime/ledger/ledger_body.h"

typedef struct ck_verdict_said {
  char *effect, *verdict, *policy;
} ck_verdict_said;

static void clear_said(ck_verdict_said *self) {
  free(self->effect);
  free(self->verdict);
  free(self->policy);
}

void ck_verdicts_clear(ck_verdicts *self) {
  for (size_t i = 0; i < self->count; i++) clear_said(&self->list[i]);
  free(self->list);
  *self = (ck_verdicts){0};
}

ck_status ck_verdicts_take(ck_verdicts *self, const ck_event *event, ck_error *err) {
  ck_bytes body = ck_value_bytes(event->body);
  if (!ck_ledger_is_policy_verdict(body)) return CK_OK;
  ck_verdict_said *grown = ck_array_grow(self->list, self->count, &self->cap, sizeof *grown);
  if (!grown) return ck_error_no_memory(err);
  self->list = grown;
  ck_verdict_said *said = &grown[self->count++];
  *said = (ck_verdict_said){.effect = ck_json_dup_string(ck_json_get(body, "key")),
                            .verdict = ck_json_dup_string(ck_json_get(body, "verdict")),
                            .policy = ck_json_dup_string(ck_json_get(body, "policy"))};
  bool copied = said->effect && said->verdict && said->policy;
  return copied ? CK_OK : ck_error_no_memory(err);
}

void ck_verdicts_put(ck_document *document, const ck_verdicts *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "settled");
  for (size_t i = 0; i < self->count; i++) {
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, at, "effect", self->list[i].effect);
    ck_document_put_text(document, at, "verdict", self->list[i].verdict);
    ck_document_put_text(document, at, "policy", self->list[i].policy);
  }
}

void ck_verdicts_put_rows(ck_table *table, const ck_verdicts *self) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_verdict_said *said = &self->list[i];
    ck_buffer text = {0};
    ck_buffer_append_format(&text, "%s: %s, by policy \"%s\"", said->effect, said->verdict,
                            said->policy);
    ck_table_put_word(table, "settled");
    ck_table_put_text(table, ck_buffer_bytes(&text));
    table->text.failed |= text.failed;
    ck_buffer_clear(&text);
  }
}
