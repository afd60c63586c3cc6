/* file_request.c - requests for text files, permitted like the agent's own actions. */
#include "core/effect/acp/private.h"

static void append_option(ck_json_writer *w, const char *id, const char *name, const char *kind) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "optionId", id);
  ck_json_member_text(w, "name", name);
  ck_json_member_text(w, "kind", kind);
  ck_json_end(w, '}');
}

static void append_call(ck_json_writer *w, const ck_rpc_message *message, bool writes) {
  ck_buffer title = {0};
  ck_buffer_append_text(&title, writes ? "Write " : "Read ");
  ck_json_read_string(&title, ck_json_get(message->params, "path"));
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "toolCallId", message->method);
  ck_json_member_string(w, "title", ck_buffer_bytes(&title));
  ck_json_member_text(w, "kind", writes ? "edit" : "read");
  ck_json_end(w, '}');
  ck_buffer_clear(&title);
}

void ck_acp_take_file_request(ck_acp_agent *self, const ck_rpc_message *message, bool writes) {
  ck_buffer params = {0};
  ck_json_writer w = {.out = &params};
  ck_bytes session = ck_json_get(message->params, "sessionId");
  if (ck_json_type_of(message->params) != CK_JSON_OBJECT) {
    ck_peer_refuse(self->service.peer, message->id, CK_RPC_INVALID_PARAMS,
                   "a file is named by an object with 'sessionId' and 'path'");
    return;
  }
  ck_json_begin(&w, '{');
  if (session.len) ck_json_member_raw(&w, "sessionId", session);
  ck_json_name(&w, "toolCall");
  append_call(&w, message, writes);
  ck_json_name(&w, "options");
  ck_json_begin(&w, '[');
  append_option(&w, CK_ACP_ALLOW, "Allow", "allow_once");
  append_option(&w, "reject", "Reject", "reject_once");
  ck_json_end(&w, ']');
  ck_json_member_raw(&w, "file", message->params);
  ck_json_end(&w, '}');
  if (params.failed)
    ck_peer_refuse(self->service.peer, message->id, CK_RPC_INTERNAL_ERROR,
                   ck_status_text(CK_E_NO_MEMORY));
  else
    ck_acp_take_permission(self, &(ck_acp_asked){writes ? CK_ACP_WRITE : CK_ACP_READ, message->id,
                                                 ck_buffer_bytes(&params)});
  ck_buffer_clear(&params);
}
