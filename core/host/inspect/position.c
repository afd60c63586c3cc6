/* position.c - prints the position of a session after a rewind or an undo. */
#include "core/host/inspect/position.h"

#include "core/host/print/key_values.h"
#include "core/host/session/next_command.h"

ck_status ck_position_print(const ck_remote_command *remote, const ck_history_edit_result *now,
                            ck_error *err) {
  ck_key_values facts;
  ck_buffer words = {0}, next = {0};
  ck_buffer_append_format(&words, "resume %s", now->session);
  ck_next_command_append(&next, remote->host, words.data ? words.data : "");
  ck_key_values_init(&facts, remote->host->output);
  ck_key_values_put_text(&facts, "session", now->session);
  ck_key_values_put_text(&facts, "from", now->from);
  ck_key_values_put_text(&facts, "checkpoint", now->checkpoint);
  ck_key_values_put_text(&facts, "told", now->reported);
  ck_key_values_put_count(&facts, "timeline", now->timeline);
  ck_key_values_put_count(&facts, "left", now->left);
  ck_key_values_put_text(&facts, "status", "paused");
  ck_key_values_put_text(&facts, "next", next.data);
  ck_status status = ck_buffer_check(&next, err);
  if (status == CK_OK) status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  ck_buffer_clear(&words);
  ck_buffer_clear(&next);
  return status;
}
