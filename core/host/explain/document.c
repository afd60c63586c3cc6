/* document.c - explains one boundary as a JSON object. */
#include <stdlib.h>
#include <string.h>

#include "core/host/explain/explanation.h"
#include "core/host/explain/words.h"

static void put_string(ck_document *document, struct cJSON *at, const char *name, ck_bytes value) {
  if (ck_json_type_of(value) != CK_JSON_STRING) return;
  char *text = ck_json_dup_string(value);
  document->failed |= !text;
  ck_document_put_text(document, at, name, text);
  free(text);
}

static void put_reason(ck_document *document, struct cJSON *at, ck_bytes reason) {
  if (ck_json_type_of(reason) == CK_JSON_STRING)
    put_string(document, at, "reason", reason);
  else
    ck_document_put_null(document, at, "reason");
}

static void put_answer(ck_document *document, struct cJSON *list, const ck_said *said) {
  struct cJSON *row = ck_document_put_object(document, list, NULL);
  ck_buffer name = {0};
  ck_words_append_name(&name, said);
  document->failed |= name.failed;
  ck_document_put_text(document, row, "policy", name.data);
  ck_buffer_clear(&name);
  if (said->version) ck_document_put_int(document, row, "version", said->version);
  put_string(document, row, "agent", ck_json_get(said->policy, "agent"));
  const char *answer = ck_answer_name(CK_HOOK_CHECKPOINT, said->answer);
  ck_document_put_text(document, row, "answer", answer ? answer : "not known");
  if (ck_said_is_yes(said)) put_reason(document, row, said->reason);
}

static void put_not_asked(ck_document *document, const ck_explanation *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "not_asked");
  int place = 0;
  for (ck_json_iterator it = ck_json_iterate(self->policies);
       place < CK_ANSWERS_POLICIES && ck_json_next(&it); place++) {
    if (!(self->said.asked >> place & 1))
      put_string(document, list, NULL, ck_json_get(it.value, "name"));
  }
}

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
    put_string(document, reason, "policy", ck_json_get(it.value, "policy"));
    put_reason(document, reason, ck_json_get(it.value, "reason"));
  }
}

/* "yes"; "no": of an earlier version; "unknown": of a later one, or not to be read. */
static const char *recorded(const ck_said_list *said) {
  if (said->recorded == CK_OK) return "yes";
  return said->recorded == CK_E_EMPTY ? "no" : "unknown";
}

void ck_explanation_put(ck_document *document, const ck_explanation *self) {
  const ck_event *event = self->event;
  ck_bytes body = ck_value_bytes(event->body);
  ck_document_put_int(document, NULL, "seq", event->seq);
  ck_document_put_int(document, NULL, "timeline", event->timeline);
  put_string(document, NULL, "boundary", ck_json_get(body, "kind"));
  put_string(document, NULL, "node", ck_json_get(body, "node"));
  ck_document_put_text(document, NULL, "scope", event->scope);
  ck_document_put_text(document, NULL, "agent", event->agent);
  ck_document_put_bool(document, NULL, "taken", self->checkpoint.len > 0);
  put_string(document, NULL, "checkpoint", self->checkpoint);
  if (self->checkpoint.len) ck_document_put_bool(document, NULL, "pruned", self->pruned);
  if (self->pruned_at) ck_document_put_int(document, NULL, "pruned_at", self->pruned_at);
  ck_document_put_bool(document, NULL, "abandoned", self->abandoned);
  ck_document_put_bool(document, NULL, "always", self->always);
  ck_document_put_bool(document, NULL, "requested", self->requested);
  ck_document_put_text(document, NULL, "recorded", recorded(&self->said));
  struct cJSON *answers = ck_document_put_array(document, NULL, "answers");
  for (size_t i = 0; i < self->said.count; i++) put_answer(document, answers, &self->said.list[i]);
  if (self->said.recorded == CK_OK) {
    put_not_asked(document, self);
    ck_document_put_duration(document, NULL, "took_ms", self->said.took_us);
  }
  if (self->now) put_rerun(document, self);
}
