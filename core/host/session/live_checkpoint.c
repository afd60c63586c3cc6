/* live_checkpoint.c - asks the process that runs a session to save at its next boundary. */
#include "core/host/session/live_checkpoint.h"

#include <string.h>

#include "core/host/session/checkpoint_words.h"
#include "core/host/session/resume_command.h"

/* Only a boundary can be saved, and a session comes to one when it runs. */
static ck_status refuse_at_rest(const ck_remote_command *remote, ck_error *err) {
  const ck_head *head = &remote->head;
  const char *id = head->has_checkpoint ? head->checkpoint.id : "none",
             *how = ck_session_status_name(head->session.status);
  if (head->session.status == CK_SESSION_RUNNING)
    return ck_remote_command_check_paused(remote, err);
  if (!ck_session_status_resumable(head->session.status))
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s is not running: it is %s, and its last checkpoint is %s",
                        remote->id, how, id);
  ck_buffer next = {0};
  ck_status status =
      ck_resume_command_append(&next, remote->host, remote->runtime->store, head, "resume %s", err);
  if (status == CK_OK)
    status = ck_error_set(err, CK_E_REFUSED,
                          "session %s is not running: it is %s, its last checkpoint is %s, and "
                          "'%s' goes on with it",
                          remote->id, how, id, next.data);
  ck_buffer_clear(&next);
  return status;
}

ck_status ck_live_checkpoint_leave(ck_remote_command *remote, const char *description,
                                   ck_error *err) {
  if (!remote->live) return refuse_at_rest(remote, err);
  ck_session_request request = {.kind = CK_REQUEST_CHECKPOINT};
  ck_status status = ck_remote_command_clean(&request.text, remote, description, err);
  if (status == CK_OK) status = ck_remote_command_leave(remote, &request, err);
  ck_session_request_clear(&request);
  return status;
}

typedef struct search {
  const char *id;
  ck_buffer *words;
  bool found;
} search;

static bool find(void *to, const ck_checkpoint_info *checkpoint) {
  search *self = to;
  self->found = strcmp(checkpoint->id, self->id) == 0;
  if (self->found) ck_checkpoint_words_append(self->words, checkpoint);
  return !self->found;
}

/* Behind its status, where that does not tell all. */
static const char *how_it_stands(const ck_remote_command *remote) {
  if (remote->rested) return ", by another run";
  return remote->head.session.status == CK_SESSION_RUNNING
             ? ", its process is gone, and the request stands for the next run"
             : "";
}

ck_status ck_live_checkpoint_wait(ck_buffer *words, ck_remote_command *remote, ck_error *err) {
  ck_status status = ck_remote_command_wait(remote, CK_REMOTE_COMMAND_SAVED, err);
  if (status == CK_OK) status = ck_remote_command_check_problem(remote, "saved", err);
  if (status != CK_OK) return status;
  const ck_session_record *session = &remote->head.session;
  if (!remote->saved[0])
    return ck_error_set(
        err, CK_E_REFUSED,
        "session %s ended before it came to a boundary, and nothing was saved: it is %s%s",
        remote->id, ck_session_status_name(session->status), how_it_stands(remote));
  search s = {.id = remote->saved, .words = words};
  status = ck_store_list_checkpoints(remote->runtime->store, session->no, find, &s, err);
  return status == CK_OK ? ck_buffer_check(words, err) : status;
}
