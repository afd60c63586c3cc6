/* sessions_delete.c - sessions delete: removes a session and everything that belongs to it. */
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/session/clear_log.h"
#include "core/host/session/remote_command.h"
#include "core/host/print/confirm.h"
#include "core/host/print/format.h"
#include "core/host/print/key_values.h"
#include "core/host/run/archive.h"
#include "core/host/run/orphans.h"
#include "core/host/run/spills.h"
#include "core/store/maintenance.h"

typedef struct values {
  const char *session, *archive;
  bool detach, yes;
} values;

static ck_status delete_session(ck_remote_command *remote, ck_archive *archive, bool detach,
                                int64_t *freed, ck_error *err) {
  ck_lease lease;
  ck_store *store = remote->runtime->store;
  ck_status status =
      ck_store_lock_session(&lease, store, remote->id, remote->head.session.epoch, err);
  if (status != CK_OK) return status;
  status = ck_orphans_end_runs(&remote->head, NULL, remote->host->output, err);
  if (status == CK_OK && archive->file) {
    status = ck_archive_write(archive, store, remote->id, err);
    if (status != CK_OK) ck_error_prefix(err, CK_ARCHIVE_FAILED);
  }
  if (status == CK_OK) status = ck_store_delete_session(store, lease, detach, err);
  if (status != CK_OK) ck_store_release(store, lease);
  ck_shelf shelf = {0};
  if (status == CK_OK) status = ck_spills_open(&shelf, remote->location.url, store, err);
  if (status == CK_OK) status = ck_spills_remove(&shelf, remote->id, err);
  ck_shelf_close(&shelf);
  if (status == CK_OK) status = ck_store_vacuum(freed, store, err);
  return status == CK_OK ? ck_clear_log(store, remote->host->output, err) : status;
}

static ck_status delete_and_print(ck_remote_command *remote, const values *v, ck_error *err) {
  ck_key_values facts;
  int64_t freed = 0;
  ck_archive archive;
  ck_status status = ck_archive_check(&archive, "--archive", v->archive, err);
  if (status == CK_OK) status = ck_archive_check_place(&archive, err);
  if (status == CK_OK) status = delete_session(remote, &archive, v->detach, &freed, err);
  if (status != CK_OK) return status;
  ck_key_values_init(&facts, remote->host->output);
  ck_key_values_put_text(&facts, "deleted", v->session);
  ck_key_values_put_bytes(&facts, "freed_bytes", freed);
  if (archive.bytes) {
    ck_key_values_put_text(&facts, "archive", archive.path);
    ck_key_values_put_bytes(&facts, "archive_bytes", archive.bytes);
  }
  status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  return status;
}

static ck_status ask(const ck_remote_command *remote, ck_error *err) {
  ck_buffer question = {0};
  const ck_head *head = &remote->head;
  ck_buffer_append_format(&question, "delete session %s (%s, ", remote->id,
                          ck_session_status_name(head->session.status));
  ck_format_of(&question, head->last_seq, "event");
  ck_buffer_append_text(&question, ") for good?");
  ck_status status = ck_buffer_check(&question, err);
  if (status == CK_OK) status = ck_confirm(remote->host->output, question.data, err);
  ck_buffer_clear(&question);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  ck_status status = ck_remote_command_open(&remote, host, v->session, NULL, err);
  if (status == CK_OK && strcmp(remote.id, v->session) != 0)
    status = ck_error_set(err, CK_E_USAGE,
                          "'%s' is a part of session %s: what is deleted is named in full",
                          v->session, remote.id);
  if (status == CK_OK && remote.live)
    status = ck_error_set(err, CK_E_OWNED, "%s: cancel it first", remote.owner);
  if (status == CK_OK && !v->yes) status = ask(&remote, err);
  if (status == CK_OK) status = delete_and_print(&remote, v, err);
  ck_remote_command_close(&remote);
  return status;
}

static const ck_operand operands[] = {
    {.name = "SESSION",
     .offset = offsetof(values, session),
     .help = "its id",
     .complete = CK_COMPLETE_SESSION},
    {0},
};

static const ck_option options[] = {
    {.name = "detach",
     .offset = offsetof(values, detach),
     .help = "let the sessions that were forked from it have what they need of it first"},
    {.name = "archive",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, archive),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "keep it in this new file first, for 'ckrun sessions import'"},
    {.name = "yes", .offset = offsetof(values, yes), .help = "do not ask on a terminal"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions delete trip --archive trip.db",
     "delete it, and keep a copy that can be imported"},
    {0},
};

const ck_command ck_command_sessions_delete = {
    .name = "sessions delete",
    .summary = "delete a session and all that is known of it",
    .details = "Its transcript, checkpoints and state are overwritten, not only forgotten; files "
               "with long outputs of its programs are removed. A session that others were forked "
               "from is not deleted: with --detach each of them gets the transcript up to its cut "
               "first, in the same transaction; the checkpoints that it inherited can then not be "
               "gone back to any more.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
