/* answer.c - the tool of `ckrun mcp` that gives a session the answer that it waits for. */
#include <stdlib.h>

#include "core/host/mcp/tools.h"
#include "core/host/session/answering.h"

static ck_status answer_session(ck_mcp *self, ck_document *out, const ck_mcp_value *values,
                                ck_error *err) {
  ck_remote_command remote = {0};
  ck_masking masking = {0};
  ck_buffer message = {0};
  char *text = NULL;
  ck_status status = ck_remote_command_open(&remote, self->host, values[0].text, NULL, err);
  if (status == CK_OK) remote.runtime->via = "ckrun mcp";
  if (status == CK_OK)
    status = ck_answering_find_masking(&masking, &remote, values[1].text, values[2].text, err);
  if (status == CK_OK) status = ck_remote_command_clean(&text, &remote, values[1].text, err);
  if (status == CK_OK) status = ck_answering_give(&remote, text, values[2].text, err);
  if (status == CK_OK) {
    const ck_session_record *record = &remote.head.session;
    ck_document_put_text(out, NULL, "session_id", record->id);
    ck_document_put_text(out, NULL, "status", ck_session_status_name(record->status));
    ck_buffer_append_text(&message, record->reason ? record->reason : "");
    if (masking.kept) ck_buffer_append_text(&message, "; ");
    ck_masking_append(&message, &masking);
    status = ck_buffer_check(&message, err);
    ck_document_put_text(out, NULL, "message", message.data ? message.data : "");
  }
  ck_buffer_clear(&message);
  ck_masking_clear(&masking);
  free(text);
  ck_remote_command_close(&remote);
  return status;
}

const ck_mcp_tool ck_mcp_answer_session = {
    .name = "answer_session",
    .help = "Gives a person's answer to the question that a session waits for, such as whether an "
            "effect may begin: allow or deny. A running session gets it at once; one at rest keeps "
            "it, and its next resume takes it.",
    .arguments = {{"session_id", CK_MCP_ID, true, "the session", NULL},
                  {"answer", CK_MCP_TEXT, true, "the answer, as the person gave it", NULL},
                  {"effect", CK_MCP_ID, false, "which question, where there are several", NULL}},
    .own = true,
    .output = "session_id:string status:string message:string",
    .run = answer_session,
};
