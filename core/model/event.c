/* event.c - names event kinds, keeps an event in one allocation. */
#include "core/model/event.h"

#include <stdlib.h>
#include <string.h>

const char *ck_event_kind_name(ck_event_kind kind) {
  switch (kind) {
#define X(name, number, text) \
  case name:                  \
    return text;
    CK_EVENT_TABLE(X)
#undef X
  }
  return NULL;
}

ck_event_kind ck_event_kind_of(const char *name) {
  if (!name) return 0;
#define X(kind, number, text) \
  if (strcmp(name, text) == 0) return kind;
  CK_EVENT_TABLE(X)
#undef X
  return 0;
}

ck_status ck_event_new(ck_event **out, const ck_event *from, ck_error *err) {
  *out = NULL;
  size_t scope_size = strlen(from->scope) + 1;
  size_t agent_size = from->agent ? strlen(from->agent) + 1 : 0;
  size_t decision_size = from->decision.len;
  ck_event *self = malloc(sizeof *self + scope_size + agent_size + decision_size);
  if (!self) return ck_error_no_memory(err);
  *self = *from;
  char *texts = (char *)(self + 1);
  self->scope = memcpy(texts, from->scope, scope_size);
  if (from->agent) self->agent = memcpy(texts + scope_size, from->agent, agent_size);
  if (decision_size)
    self->decision.data =
        memcpy(texts + scope_size + agent_size, from->decision.data, decision_size);
  self->body = ck_value_share(from->body);
  *out = self;
  return CK_OK;
}

void ck_event_free(ck_event *self) {
  if (!self) return;
  ck_value_free(self->body);
  free(self);
}
