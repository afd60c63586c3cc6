/* permission_list.c - the requests for permission that wait for an answer, and replies to them. */
#include <stdlib.h>

#include "core/effect/acp/files.h"
#include "core/effect/acp/private.h"

enum { OPEN_MAX = 64 };

static void reply_action(ck_acp_agent *self, ck_bytes id, ck_bytes option) {
  ck_buffer result = {0};
  ck_json_writer w = {.out = &result};
  ck_json_begin(&w, '{');
  ck_json_name(&w, "outcome");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "outcome", option.len ? "selected" : "cancelled");
  if (option.len) ck_json_member_raw(&w, "optionId", option);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  if (result.failed)
    ck_peer_refuse(self->service.peer, id, CK_RPC_INTERNAL_ERROR, ck_status_text(CK_E_NO_MEMORY));
  else
    ck_peer_reply(self->service.peer, id, ck_buffer_bytes(&result));
  ck_buffer_clear(&result);
}

static ck_status carry_out(ck_buffer *result, const ck_acp_agent *self, const ck_acp_asked *asked,
                           ck_error *err) {
  const char *folder = self->options->service.directory ? self->options->service.directory : ".";
  ck_bytes params = ck_json_get(asked->params, "file");
  if (asked->wish == CK_ACP_READ) return ck_acp_file_read(result, folder, params, err);
  ck_buffer_append_text(result, "{}");
  ck_status status = ck_buffer_check(result, err);
  return status == CK_OK ? ck_acp_file_write(folder, params, err) : status;
}

static void reply_file(ck_acp_agent *self, const ck_acp_asked *asked, bool allowed) {
  ck_buffer result = {0};
  ck_error err = CK_ERROR_INIT;
  ck_status status =
      allowed ? carry_out(&result, self, asked, &err)
              : ck_error_set(&err, CK_E_REFUSED, "there is no permission to %s this file now",
                             asked->wish == CK_ACP_READ ? "read" : "edit");
  if (status != CK_OK)
    ck_peer_refuse(self->service.peer, asked->id, CK_RPC_INVALID_PARAMS, err.text);
  else
    ck_peer_reply(self->service.peer, asked->id, ck_buffer_bytes(&result));
  ck_buffer_clear(&result);
}

void ck_acp_reply_permission(ck_acp_agent *self, const ck_acp_asked *asked, ck_bytes option) {
  if (!self->service.peer) return;
  if (asked->wish == CK_ACP_ACTION)
    reply_action(self, asked->id, option);
  else
    reply_file(self, asked, ck_json_is_text(option, CK_ACP_ALLOW));
}

ck_status ck_acp_add_permission(ck_acp_permission **out, ck_effect_run *run,
                                const ck_acp_asked *asked, ck_error *err) {
  ck_acp_agent *agent = run->agent;
  ck_acp_permission *self = calloc(1, sizeof *self);
  *out = self;
  if (!self) return ck_error_no_memory(err);
  self->agent = agent;
  self->run = run;
  self->wish = asked->wish;
  self->next = &agent->permissions;
  self->previous = agent->permissions.previous;
  self->previous->next = self->next->previous = self;
  ck_status status = ck_value_copy(&self->id, asked->id, err);
  return status == CK_OK ? ck_value_copy(&self->request, asked->params, err) : status;
}

ck_acp_asked ck_acp_asked_of(const ck_acp_permission *self) {
  return (ck_acp_asked){self->wish, ck_value_bytes(self->id), ck_value_bytes(self->request)};
}

void ck_acp_forget_permission(ck_acp_permission *self) {
  self->previous->next = self->next;
  self->next->previous = self->previous;
  ck_value_free(self->id);
  ck_value_free(self->request);
  free(self);
}

/* A limit: no person would answer more of them. */
bool ck_acp_permissions_are_full(const ck_acp_agent *self) {
  size_t count = 0;
  for (const ck_acp_permission *it = self->permissions.next; it != &self->permissions;
       it = it->next)
    count++;
  return count >= OPEN_MAX;
}

bool ck_acp_has_permissions(const ck_effect_run *run) {
  const ck_acp_permission *end = &run->agent->permissions;
  for (const ck_acp_permission *it = end->next; it != end; it = it->next) {
    if (it->run == run) return true;
  }
  return false;
}

void ck_acp_drop_permissions(ck_acp_agent *self, ck_effect_run *run) {
  for (ck_acp_permission *it = self->permissions.next, *next; it != &self->permissions; it = next) {
    next = it->next;
    if (!it->run || (run && it->run != run)) continue;
    ck_effect_sink *sink = it->run->pending.sink;
    it->run = NULL;
    const ck_acp_asked asked = ck_acp_asked_of(it);
    ck_acp_reply_permission(self, &asked, (ck_bytes){0});
    sink->forget(sink, it->question);
    ck_acp_forget_permission(it);
  }
}
