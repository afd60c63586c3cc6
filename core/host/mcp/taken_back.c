/* taken_back.c - notifications/cancelled: which request it means, and whether it has come. */
#include "core/host/mcp/taken_back.h"

ck_bytes ck_mcp_taken_back(const ck_rpc_message *message) {
  ck_bytes id = ck_json_get(message->params, "requestId");
  ck_json_type type = ck_json_type_of(id);
  bool named = type == CK_JSON_STRING || type == CK_JSON_NUMBER;
  return message->kind == CK_RPC_NOTIFICATION && named &&
                 ck_json_is_text(message->method, "notifications/cancelled")
             ? id
             : (ck_bytes){0};
}

bool ck_mcp_is_taken_back(const ck_mcp *self) {
  return self->taken_back && self->id.len && self->taken_back(self->client, self->id);
}
