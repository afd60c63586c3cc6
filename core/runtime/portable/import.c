/* import.c - takes the facts of a session that ran elsewhere and makes events of them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/runtime/portable/import_private.h"

void ck_import_make_id(char out[CK_ID_SIZE], const char *format, const char *source_id) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text(format));
  ck_digester_update_field(&digester, ck_bytes_text(source_id));
  ck_digest digest = ck_digester_final(&digester);
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, &digest);
  int len = snprintf(out, CK_ID_SIZE, "imported_%.40s_%.8s", format, hex);
  for (int i = 0; i < len; i++)
    if (!isalnum((unsigned char)out[i]) && out[i] != '-') out[i] = '_';
}

ck_status ck_import_begin(ck_import **out, const char *id, const ck_import_origin *origin,
                          ck_error *err) {
  *out = NULL;
  const ck_import_fact *session = origin->session;
  ck_status status = ck_id_check_new("session id", id, err);
  if (status != CK_OK) return status;
  ck_import *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  strcpy(self->id, id);
  self->status = CK_SESSION_COMPLETED;
  self->at_ms = session->at_ms;
  self->total_cost = session->cost_micros;
  self->total_input = session->input_tokens;
  self->total_output = session->output_tokens;
  status = ck_text_replace(&self->format, origin->format, err);
  if (status == CK_OK) status = ck_text_replace(&self->path, origin->path, err);
  if (status == CK_OK) status = ck_text_replace(&self->source_id, session->id, err);
  if (status == CK_OK && session->value.len)
    status = ck_value_new(&self->about, session->value, err);
  if (status != CK_OK) {
    ck_import_free(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

void ck_import_free(ck_import *self) {
  if (!self) return;
  for (size_t i = 0; i < self->count; i++) ck_value_free(self->entries[i].body);
  for (size_t i = 0; i < self->agent_count; i++) {
    free(self->agents[i].name);
    free(self->agents[i].parent);
    free(self->agents[i].role);
  }
  for (size_t i = 0; i < self->call_count; i++) {
    free(self->calls[i].id);
    free(self->calls[i].name);
  }
  free(self->entries);
  free(self->agents);
  free(self->calls);
  free(self->format);
  free(self->path);
  free(self->source_id);
  free(self->reason);
  ck_value_free(self->about);
  free(self);
}

/* ---- facts that are no events ---- */

static ck_status take_agent(ck_import *self, const ck_import_fact *fact, ck_error *err) {
  int agent;
  ck_status status = ck_import_find_agent(&agent, self, fact->id, err);
  if (status == CK_OK) status = ck_text_replace(&self->agents[agent].parent, fact->parent, err);
  return status == CK_OK ? ck_text_replace(&self->agents[agent].role, fact->role, err) : status;
}

static ck_status take_end(ck_import *self, const ck_import_fact *fact, ck_error *err) {
  ck_session_status status = ck_session_status_of(fact->status ? fact->status : "completed");
  bool ends =
      status == CK_SESSION_COMPLETED || status == CK_SESSION_FAILED || status == CK_SESSION_PAUSED;
  if (!ends)
    return ck_error_set(err, CK_E_TYPE,
                        "end: the status must be completed, failed or paused, not '%s'",
                        fact->status);
  self->status = status;
  return ck_text_replace(&self->reason, fact->reason, err);
}

ck_status ck_import_apply(ck_import *self, const ck_import_fact *fact, ck_error *err) {
  const char *lack = ck_import_find_lack(fact);
  if (lack)
    return ck_error_set(err, CK_E_TYPE, "%s: it needs '%s'", ck_import_kind_name(fact->kind), lack);
  if (fact->kind == CK_IMPORT_AGENT) return take_agent(self, fact, err);
  if (fact->kind == CK_IMPORT_END) return take_end(self, fact, err);
  int agent;
  ck_status status = ck_import_find_agent(&agent, self, fact->agent, err);
  return status == CK_OK ? ck_import_put(self, fact, agent, err) : status;
}

void ck_import_set_policies(ck_import *self, const ck_policy_engine *policies) {
  self->policies = policies;
}

size_t ck_import_count(const ck_import *self) { return self->count; }
