/* position.c - prints the position of a session after a rewind or an undo. */
#include "core/host/inspect/position.h"

#include "core/host/print/key_values.h"
#include "core/host/session/resume_command.h"

ck_status ck_position_print(const ck_remote_command *remote, const ck_history_edit_result *now,
                            ck_error *err) {
  ck_key_values facts;
  ck_buffer next = {0};
  ck_head head = {0};
  ck_store *store = remote->runtime->store;
  ck_status status = ck_store_get_head(&head, store, now->session, err);
  if (status == CK_OK)
    status = ck_resume_command_append(&next, remote->host, store, &head, "resume %s", err);
  ck_head_clear(&head);
  ck_key_values_init(&facts, remote->host->output);
  ck_key_values_put_text(&facts, "session", now->session);
  ck_key_values_put_text(&facts, "from", now->from);
  ck_key_values_put_text(&facts, "checkpoint", now->checkpoint);
  ck_key_values_put_text(&facts, "told", now->reported);
  ck_key_values_put_count(&facts, "timeline", now->timeline);
  ck_key_values_put_count(&facts, "left", now->left);
  ck_key_values_put_text(&facts, "status", "paused");
  ck_key_values_put_text(&facts, "next", next.data);
  if (status == CK_OK) status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  ck_buffer_clear(&next);
  return status;
}
