/* said_masked.c - looks for placeholders in what people said, in the ledger and in this run. */
#include "core/runtime/execution/said_masked.h"

#include <string.h>

#include "core/base/placeholder.h"

/* Each placeholder in the text, from `*rest` on. */
static bool next(ck_bytes *placeholder, ck_bytes *rest) {
  if (!ck_placeholder_find(placeholder, NULL, *rest)) return false;
  const char *behind = placeholder->data + placeholder->len;
  *rest = (ck_bytes){behind, (size_t)(rest->data + rest->len - behind)};
  return true;
}

ck_status ck_said_masked_keep(ck_call *self, ck_error *err) {
  const ck_value *result = self->outcome->result;
  ck_buffer *kept = &self->runner->execution->said_masked;
  bool said = self->effect.kind == CK_EFFECT_ASK && result;
  ck_bytes rest = said ? ck_value_bytes(result) : (ck_bytes){0}, placeholder;
  while (rest.len && next(&placeholder, &rest))
    ck_buffer_append_format(kept, "%.*s %s\n", (int)placeholder.len, placeholder.data, self->key);
  return ck_buffer_check(kept, err);
}

/* What a person has said: the answer to a question, or what an effect in doubt returned. */
static bool says(const ck_ledger_entry *entry, ck_bytes placeholder) {
  const ck_value *said[] = {entry->resolution,
                            entry->kind == CK_EFFECT_ASK ? entry->outcome : NULL};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    ck_bytes body = said[i] ? ck_value_bytes(said[i]) : (ck_bytes){0};
    if (body.len && memmem(body.data, body.len, placeholder.data, placeholder.len)) return true;
  }
  return false;
}

/* What was said in this run is not in its ledger. */
static ck_bytes find_said_now(const ck_execution *self, ck_bytes placeholder) {
  ck_bytes kept = ck_buffer_bytes(&self->said_masked);
  const char *found =
      kept.len ? memmem(kept.data, kept.len, placeholder.data, placeholder.len) : NULL;
  if (!found) return (ck_bytes){0};
  const char *key = found + placeholder.len + 1;
  return (ck_bytes){key, strcspn(key, "\n")};
}

static ck_bytes find_said_before(const ck_ledger *ledger, ck_bytes placeholder) {
  const ck_ledger_entry *entry;
  for (size_t i = 0; (entry = ck_ledger_at(ledger, i)); i++)
    if (says(entry, placeholder)) return ck_bytes_text(entry->key);
  return (ck_bytes){0};
}

static ck_bytes find_said(const ck_call *self, ck_bytes placeholder) {
  ck_bytes before = find_said_before(ck_call_session(self)->ledger, placeholder);
  return before.len ? before : find_said_now(self->runner->execution, placeholder);
}

bool ck_said_masked_before(const ck_ledger *ledger, ck_bytes request) {
  ck_bytes placeholder;
  while (next(&placeholder, &request))
    if (find_said_before(ledger, placeholder).len) return true;
  return false;
}

bool ck_said_masked_find(ck_bytes *placeholder, ck_bytes *key, const ck_call *self) {
  ck_bytes rest = self->effect.request;
  *key = (ck_bytes){0};
  while (!key->len && next(placeholder, &rest)) *key = find_said(self, *placeholder);
  return key->len > 0;
}
