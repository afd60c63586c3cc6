/* session.c - the sessions that an agent knows, and the turns that use them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/acp/private.h"

ck_acp_session *ck_acp_find_session(ck_acp_agent *self, const char *id) {
  ck_acp_session *it = self->sessions;
  while (it && strcmp(it->id, id) != 0) it = it->next;
  return it;
}

ck_acp_session *ck_acp_add_session(ck_acp_agent *self, const char *id, int64_t cost_micros) {
  ck_acp_session *it = ck_acp_find_session(self, id);
  if (it) return it;
  it = calloc(1, sizeof *it);
  if (!it) return NULL;
  snprintf(it->id, sizeof it->id, "%s", id);
  it->cost_micros = cost_micros;
  it->next = self->sessions;
  self->sessions = it;
  return it;
}

void ck_acp_clear_sessions(ck_acp_agent *self) {
  while (self->sessions) {
    ck_acp_session *it = self->sessions;
    self->sessions = it->next;
    free(it);
  }
}

void ck_acp_read_id(char out[CK_ACP_ID_MAX], ck_bytes json) {
  char *text = ck_json_dup_string(json);
  *out = '\0';
  if (text && strlen(text) < CK_ACP_ID_MAX) memcpy(out, text, strlen(text) + 1);
  free(text);
}

ck_effect_run *ck_acp_find_run(ck_acp_agent *self, ck_bytes params) {
  ck_bytes id = ck_json_get(params, "sessionId");
  for (ck_effect_run *run = NULL; (run = ck_pending_calls_next(&self->runs, run));) {
    if (!run->pending.outcome && *run->session && ck_json_is_text(id, run->session)) return run;
  }
  return NULL;
}
