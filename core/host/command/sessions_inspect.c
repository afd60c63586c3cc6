/* sessions_inspect.c - sessions inspect: the state that a checkpoint restores. */
#include <string.h>

#include "core/base/clock.h"
#include "core/host/print/pager.h"
#include "core/host/inspect/checkpoint_fields.h"
#include "core/host/command/commands.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/inspect/run_files.h"
#include "core/host/inspect/session_checkpoint.h"
#include "core/host/print/table.h"
#include "core/host/session/checkpoint_words.h"
#include "core/host/session/fields.h"
#include "core/host/session/profile_secrets.h"
#include "core/host/session/run_settings.h"

typedef struct values {
  const char *session, *checkpoint, *file;
  bool files;
} values;

static const ck_column columns[] = {
    {"KEY", CK_COLUMN_CUT}, {"BYTES", true}, {"VALUE", false}, {NULL, false}};

static ck_status print_table(ck_output *output, const ck_snapshot *snapshot, ck_error *err) {
  ck_table table;
  ck_table_init(&table, output, columns);
  for (size_t i = 0; i < snapshot->entry_count; i++) {
    ck_bytes value = ck_value_bytes(snapshot->entries[i].value);
    ck_table_put_text(&table, ck_bytes_text(snapshot->entries[i].key));
    ck_table_put_bytes(&table, (int64_t)value.len);
    ck_table_put_text(&table, value);
  }
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

/* The memory is left out where the session's profile keeps it out of documents. */
static void put_state(ck_document *document, const ck_snapshot *snapshot) {
  struct cJSON *state = ck_document_put_object(document, NULL, "state");
  bool memory = !snapshot->profile || snapshot->profile->document_memory;
  for (size_t i = 0; i < snapshot->entry_count; i++) {
    const ck_state_entry *entry = &snapshot->entries[i];
    if (memory || strncmp(entry->key, "memory.", 7) != 0)
      ck_document_put_value(document, state, entry->key, entry->value);
  }
}

/* What the run that took the checkpoint had set for itself. NULL in *out: nothing. */
static ck_status read_settings(ck_value **out, const ck_snapshot *snapshot, ck_error *err) {
  const ck_inspection *inspection = snapshot->inspection;
  *out = NULL;
  if (!snapshot->has_checkpoint) return CK_OK;
  return ck_run_settings_read(out, inspection->store, &inspection->head,
                              snapshot->checkpoint.timeline, err);
}

static ck_status print_json(ck_output *output, const ck_snapshot *snapshot,
                            const ck_value *settings, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "session", snapshot->inspection->head.session.id);
  if (snapshot->has_checkpoint)
    ck_fields_put_checkpoint(&document, ck_document_put_object(&document, NULL, "checkpoint"),
                             &snapshot->checkpoint);
  ck_document_put_value(&document, NULL, "settings", settings);
  put_state(&document, snapshot);
  ck_status status = ck_checkpoint_fields_put(&document, NULL, snapshot, true, err);
  if (status == CK_OK)
    status = ck_session_checkpoint_put(
        &document, ck_document_put_object(&document, NULL, "session_checkpoint"), snapshot, err);
  if (status == CK_OK) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static void print_settings(ck_output *output, const ck_value *settings) {
  ck_buffer words = {0};
  if (!settings) return;
  ck_run_settings_append(&words, ck_value_bytes(settings));
  ck_output_notice(output, "its run was started with%s", words.data ? words.data : "");
  ck_buffer_clear(&words);
}

static void print_notice_header(ck_output *output, const ck_snapshot *snapshot) {
  const ck_checkpoint_info *checkpoint = &snapshot->checkpoint;
  char time[CK_TIME_TEXT_SIZE];
  if (!snapshot->has_checkpoint) {
    ck_output_notice(output, "no checkpoint yet: the state is empty");
    return;
  }
  ck_buffer words = {0};
  ck_checkpoint_words_append(&words, checkpoint);
  ck_time_text(time, checkpoint->created_ms);
  ck_output_notice(output, "%s: %s at seq %lld, %s, %zu %s: %s", checkpoint->id,
                   ck_boundary_kind_name(checkpoint->kind), (long long)checkpoint->seq, time,
                   snapshot->entry_count, snapshot->entry_count == 1 ? "key" : "keys",
                   words.data ? words.data : "");
  ck_buffer_clear(&words);
}

static ck_status print(ck_output *output, const ck_snapshot *snapshot, ck_error *err) {
  ck_value *settings;
  ck_status status = read_settings(&settings, snapshot, err);
  if (status == CK_OK && output->json) {
    status = print_json(output, snapshot, settings, err);
  } else if (status == CK_OK) {
    print_notice_header(output, snapshot);
    print_settings(output, settings);
    if (snapshot->entry_count) status = print_table(output, snapshot, err);
  }
  ck_value_free(settings);
  return status;
}

/* What the run executed that took the checkpoint, or the newest run. */
static ck_status print_files(ck_output *output, const ck_inspection *inspection, const values *v,
                             ck_error *err) {
  ck_checkpoint_info checkpoint = {0};
  ck_status status =
      ck_profile_secrets_hide(output, inspection->store, inspection->head.session.id, err);
  if (status == CK_OK && v->checkpoint)
    status = ck_resolve_checkpoint(&checkpoint, inspection, v->checkpoint, err);
  if (status == CK_OK)
    status = ck_run_files_print(output, inspection, checkpoint.timeline, v->file, err);
  ck_checkpoint_info_clear(&checkpoint);
  return status;
}

static ck_status print_state(ck_output *output, const ck_inspection *inspection, const values *v,
                             ck_error *err) {
  ck_snapshot snapshot = {0};
  ck_status status = ck_snapshot_open(&snapshot, inspection, output, v->checkpoint, err);
  if (status == CK_OK) status = print(output, &snapshot, err);
  ck_snapshot_clear(&snapshot);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_pager_begin(host->output);
  ck_inspection inspection;
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  status = v->files || v->file ? print_files(host->output, &inspection, v, err)
                               : print_state(host->output, &inspection, v, err);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    CK_CHECKPOINT_OPERAND(values, checkpoint, true,
                          "the latest otherwise: " CK_RESOLVE_CHECKPOINT_HELP),
    {0},
};

static const ck_option options[] = {
    {.name = "checkpoint",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, checkpoint),
     .value = "CHECKPOINT",
     .help = "the same"},
    {.name = "files",
     .offset = offsetof(values, files),
     .help =
         "instead, the files that the run executed which took the checkpoint, or the newest run"},
    {.name = "file",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, file),
     .value = "FILE",
     .help =
         "instead, the text of that one: its path, the end of it, or of its digest the beginning"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions inspect trip first", "what its first checkpoint restores"},
    {0},
};

const ck_command ck_command_sessions_inspect = {
    .name = "sessions inspect",
    .summary = "show the state that a checkpoint restores",
    .details =
        "Columns: key, bytes, value. With --json one object: checkpoint and state (all values, "
        "byte for byte); the checkpoint's fields: checkpoint_id, session_id, checkpoint_type, "
        "created_at, current_node, next_node, execution_path, shared_memory, branch_memory, "
        "conversation_states, accumulated_outputs, metrics_snapshot, is_clean, can_resume_from, "
        "description, reasons, signature; and session_checkpoint, as "
        "`ckrun sessions export --format session-checkpoint` "
        "gives it. `settings` are those that the run which took it had for itself (--option, "
        "--policy).\n\n"
        "The flow, the profile and the policies of each run are kept in the store, but for a file "
        "that holds a secret. Columns of --files: kind, file, digest (BLAKE2b-256, as of b2sum -l "
        "256), kept; with --json an object for each, with its text.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
