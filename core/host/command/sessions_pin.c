/* sessions_pin.c - sessions pin: a checkpoint that is never pruned. */
#include "core/host/command/commands.h"
#include "core/host/session/remote_command.h"
#include "core/host/print/key_values.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/store/maintenance.h"

typedef struct values {
  const char *session, *checkpoint;
  bool off;
} values;

static ck_status pin(ck_remote_command *remote, const ck_checkpoint_info *checkpoint, bool pinned,
                     ck_error *err) {
  ck_lease lease;
  ck_store *store = remote->runtime->store;
  ck_status status =
      ck_store_lock_session(&lease, store, remote->id, remote->head.session.epoch, err);
  if (status != CK_OK) return status;
  status = ck_store_pin(store, lease, checkpoint->seq, pinned, err);
  ck_store_release(store, lease);
  return status;
}

static ck_status request_from_owner(ck_remote_command *remote, const ck_checkpoint_info *checkpoint,
                                    bool pinned, ck_error *err) {
  char text[32];
  snprintf(text, sizeof text, "%s%lld", pinned ? "" : "-", (long long)checkpoint->seq);
  ck_session_request request = {.kind = CK_REQUEST_PIN, .text = text};
  ck_status status = ck_remote_command_leave(remote, &request, err);
  if (status == CK_OK) status = ck_remote_command_wait(remote, CK_REMOTE_COMMAND_NOTED, err);
  if (status != CK_OK || remote->noted)
    return status == CK_OK && remote->problem[0]
               ? ck_error_set(err, CK_E_REFUSED, "session %s: %s", remote->id, remote->problem)
               : status;
  return pin(remote, checkpoint, pinned, err); /* its owner ended without taking the request */
}

static ck_status print(const ck_remote_command *remote, const ck_checkpoint_info *checkpoint,
                       bool pinned, ck_error *err) {
  ck_key_values facts;
  ck_key_values_init(&facts, remote->host->output);
  ck_key_values_put_text(&facts, "session", remote->id);
  ck_key_values_put_text(&facts, "checkpoint", checkpoint->id);
  ck_key_values_put_text(&facts, "pinned", pinned ? "yes" : "no");
  ck_status status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  return status;
}

static ck_status pin_and_print(ck_remote_command *remote, const values *v, ck_error *err) {
  ck_checkpoint_info checkpoint;
  ck_inspection inspection = {
      .store = remote->runtime->store, .head = remote->head, .live = remote->live};
  ck_status status = ck_resolve_checkpoint(&checkpoint, &inspection, v->checkpoint, err);
  if (status != CK_OK) return status;
  if (checkpoint.session)
    status =
        ck_error_set(err, CK_E_REFUSED,
                     "checkpoint %s is one of the session that %s was forked from: pin it there",
                     checkpoint.id, v->session);
  if (status == CK_OK)
    status = remote->live ? request_from_owner(remote, &checkpoint, !v->off, err)
                          : pin(remote, &checkpoint, !v->off, err);
  if (status == CK_OK) status = print(remote, &checkpoint, !v->off, err);
  ck_checkpoint_info_clear(&checkpoint);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  ck_status status = ck_remote_command_open(&remote, host, v->session, NULL, err);
  if (status == CK_OK) status = pin_and_print(&remote, v, err);
  ck_remote_command_close(&remote);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {.name = "CHECKPOINT",
     .offset = offsetof(values, checkpoint),
     .help = CK_RESOLVE_CHECKPOINT_HELP},
    {0},
};

static const ck_option options[] = {
    {.name = "off", .offset = offsetof(values, off), .help = "lift the pin"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions pin trip first", "never prune its first checkpoint"},
    {0},
};

const ck_command ck_command_sessions_pin = {
    .name = "sessions pin",
    .summary = "keep a checkpoint from ever being pruned",
    .details =
        "A session that runs is asked to do it: its owner takes the request within a second.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
