/* checkpoint.c - checkpoint: asks the process that runs a session to save at its next boundary. */
#include <string.h>

#include "core/host/cli/duration.h"
#include "core/host/command/commands.h"
#include "core/host/print/key_values.h"
#include "core/host/session/checkpoint_words.h"
#include "core/host/session/remote_command.h"

typedef struct values {
  const char *session, *description, *timeout;
  bool no_wait;
} values;

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
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s is not running: it is %s, its last checkpoint is %s, and "
                      "'ckrun resume %s' goes on with it",
                      remote->id, how, id, remote->id);
}

typedef struct search {
  const char *id;
  ck_buffer words;
  bool found;
} search;

static bool find(void *to, const ck_checkpoint_info *checkpoint) {
  search *self = to;
  self->found = strcmp(checkpoint->id, self->id) == 0;
  if (self->found) ck_checkpoint_words_append(&self->words, checkpoint);
  return !self->found;
}

static ck_status print(const ck_remote_command *remote, const char *status, const char *checkpoint,
                       const char *description, ck_error *err) {
  ck_key_values facts;
  ck_key_values_init(&facts, remote->host->output);
  ck_key_values_put_text(&facts, "session", remote->id);
  ck_key_values_put_text(&facts, "status", status);
  ck_key_values_put_text(&facts, "checkpoint", checkpoint);
  ck_key_values_put_text(&facts, "description", description);
  if (facts.json) ck_key_values_put_text(&facts, "request", remote->request);
  ck_status printed = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  return printed;
}

/* One that is pruned already, by the end of its run, has no words any more. */
static ck_status print_saved(const ck_remote_command *remote, ck_error *err) {
  search s = {.id = remote->saved};
  ck_status status =
      ck_store_list_checkpoints(remote->runtime->store, remote->head.session.no, find, &s, err);
  if (status == CK_OK) status = ck_buffer_check(&s.words, err);
  if (status == CK_OK) status = print(remote, "saved", remote->saved, s.words.data, err);
  ck_buffer_clear(&s.words);
  return status;
}

static ck_status ask(ck_remote_command *remote, const values *v, ck_error *err) {
  ck_session_request request = {.kind = CK_REQUEST_CHECKPOINT};
  ck_status status = ck_remote_command_clean(&request.text, remote, v->description, err);
  if (status == CK_OK) status = ck_remote_command_leave(remote, &request, err);
  ck_session_request_clear(&request);
  if (status != CK_OK) return status;
  if (v->no_wait) return print(remote, "requested", NULL, NULL, err);
  status = ck_remote_command_wait(remote, CK_REMOTE_COMMAND_SAVED, err);
  if (status == CK_OK) status = ck_remote_command_check_problem(remote, "saved", err);
  if (status != CK_OK) return status;
  if (remote->saved[0]) return print_saved(remote, err);
  return ck_error_set(
      err, CK_E_REFUSED,
      "session %s ended before it came to a boundary, and nothing was saved: it is "
      "%s%s",
      remote->id, ck_session_status_name(remote->head.session.status),
      remote->head.session.status == CK_SESSION_RUNNING ? ", and its process is gone" : "");
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  int64_t timeout_ms = CK_REMOTE_COMMAND_TIMEOUT_MS;
  ck_status status = ck_duration_take(&timeout_ms, "--timeout", v->timeout, err);
  if (status == CK_OK) status = ck_remote_command_open(&remote, host, v->session, timeout_ms, err);
  if (status == CK_OK) status = remote.live ? ask(&remote, v, err) : refuse_at_rest(&remote, err);
  ck_remote_command_close(&remote);
  return status;
}

static const ck_operand operands[] = {
    {.name = "SESSION",
     .offset = offsetof(values, session),
     .help = CK_RESOLVE_SESSION_HELP,
     .complete = CK_COMPLETE_SESSION},
    {0},
};

static const ck_option options[] = {
    {.name = "description",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, description),
     .value = "TEXT",
     .help = "what the checkpoint is listed as; where it lies otherwise"},
    {.name = "no-wait",
     .offset = offsetof(values, no_wait),
     .help = "return when the request is left with its owner"},
    {.name = "timeout",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, timeout),
     .value = "TIME",
     .help = "how long to wait: 30s unless given; the request stands after it"},
    {0},
};

const ck_command ck_command_checkpoint = {
    .name = "checkpoint",
    .summary = "have a session that another process runs save",
    .details = "The owner takes the request within a second and takes a checkpoint at its next "
               "boundary, whatever its policies say, and goes on. The id is printed when the "
               "checkpoint is on the disk. Those who ask before the same boundary are given the "
               "same checkpoint. Pruning treats it as any other: 'ckrun sessions pin' keeps it.\n\n"
               "With --timeout over, the exit code is 1, and the session still saves when it comes "
               "to a boundary. A session that no process runs is refused, exit code 5: where it "
               "stands is saved already.",
    .operands = operands,
    .options = options,
    .run = run,
};
