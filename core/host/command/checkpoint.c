/* checkpoint.c - checkpoint: asks the process that runs a session to save at its next boundary. */
#include "core/host/command/commands.h"
#include "core/host/print/key_values.h"
#include "core/host/session/live_checkpoint.h"

typedef struct values {
  const char *session, *description, *timeout;
  bool no_wait;
} values;

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

static ck_status ask(ck_remote_command *remote, const values *v, ck_error *err) {
  ck_buffer words = {0};
  ck_status status = ck_live_checkpoint_leave(remote, v->description, err);
  if (status != CK_OK) return status;
  if (v->no_wait) return print(remote, "requested", NULL, NULL, err);
  status = ck_live_checkpoint_wait(&words, remote, err);
  if (status == CK_OK) status = print(remote, "saved", remote->saved, words.data, err);
  ck_buffer_clear(&words);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  ck_status status = ck_remote_command_open(&remote, host, v->session, v->timeout, err);
  if (status == CK_OK) status = ask(&remote, v, err);
  ck_remote_command_close(&remote);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

static const ck_option options[] = {
    {.name = "description",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, description),
     .value = "TEXT",
     .help = "what the checkpoint is listed as; where it lies otherwise"},
    CK_REMOTE_COMMAND_NO_WAIT_OPTION(values, no_wait),
    CK_REMOTE_COMMAND_TIMEOUT_OPTION(values, timeout, "", "; the request stands after it"),
    {0},
};

static const ck_example examples[] = {
    {"ckrun checkpoint trip --description 'before the risky part'", "have it save, and go on"},
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
    .examples = examples,
    .run = run,
};
