/* sessions_export.c - sessions export: writes a session in a form that other programs, or another
 * run, can read. */
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/inspect/exported_media.h"
#include "core/host/inspect/marks.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/inspect/runs.h"
#include "core/host/inspect/session_checkpoint.h"
#include "core/host/inspect/transcript.h"
#include "core/host/print/key_values.h"
#include "core/host/print/write_file.h"
#include "core/host/run/archive.h"
#include "core/host/session/profile_secrets.h"
#include "core/host/session/sealed_export.h"
#include "core/host/ui/report.h"
#include "core/host/print/document.h"
#include "core/runtime/history/settled.h"
#include "core/runtime/portable/cassette_export.h"
#include "core/runtime/portable/chat_export.h"
#include "core/runtime/portable/loop_document.h"
#include "core/runtime/portable/otlp_export.h"
#include "core/runtime/portable/run_checkpoint.h"
#include "core/runtime/portable/workflow_document.h"

typedef struct values {
  const char *session, *format, *output, *checkpoint, *seal_key;
  bool seal;
  ck_key *key; /* that the document is sealed with; NULL: it is not */
} values;

/* `checkpoint`: the word that names one; NULL: as the session stands. */
typedef struct format {
  const char *name;
  CK_CHECKED ck_status (*write)(ck_buffer *out, const ck_inspection *inspection, ck_output *output,
                                const char *checkpoint, ck_error *err);
  /* In its place: goes its own way to a file. NULL: `write` does it. */
  CK_CHECKED ck_status (*give)(ck_host *host, const values *v, ck_error *err);
  bool at_checkpoints; /* it can be made of one that is named */
  bool goes_on;        /* another run goes on from it */
  bool media;          /* images and files are in it, in `form` */
  ck_media_form form;
} format;

static ck_status write_cassette(ck_buffer *out, const ck_inspection *inspection, ck_output *output,
                                const char *checkpoint, ck_error *err) {
  (void)checkpoint;
  return ck_cassette_export(out, inspection->store, &inspection->head, output->redactor, err);
}

static ck_status write_session_checkpoint(ck_buffer *out, const ck_inspection *inspection,
                                          ck_output *output, const char *checkpoint,
                                          ck_error *err) {
  ck_snapshot snapshot;
  ck_document document;
  ck_document_init_bare(&document, output);
  ck_status status = ck_snapshot_open(&snapshot, inspection, output, checkpoint, err);
  if (status == CK_OK) status = ck_session_checkpoint_put(&document, NULL, &snapshot, err);
  if (status == CK_OK) status = ck_document_write(out, &document, err);
  ck_document_clear(&document);
  ck_snapshot_clear(&snapshot);
  return status;
}

static ck_status write_run_checkpoint(ck_buffer *out, const ck_inspection *inspection,
                                      ck_output *output, const char *checkpoint, ck_error *err) {
  (void)checkpoint;
  return ck_run_checkpoint_write(out, inspection->store, &inspection->head, output->redactor, err);
}

static ck_status write_loop(ck_buffer *out, const ck_inspection *inspection, ck_output *output,
                            const char *checkpoint, ck_error *err) {
  (void)checkpoint;
  ck_totals totals;
  ck_status status = ck_runs_read_totals(&totals, inspection->store, &inspection->head, err);
  return status == CK_OK ? ck_loop_document_write(out, inspection->store, &inspection->head,
                                                  &totals, output->redactor, err)
                         : status;
}

static ck_status write_workflow(ck_buffer *out, const ck_inspection *inspection, ck_output *output,
                                const char *checkpoint, ck_error *err) {
  ck_totals totals;
  ck_status status = ck_runs_read_totals(&totals, inspection->store, &inspection->head, err);
  ck_checkpoint_info named = {0};
  if (status == CK_OK && checkpoint)
    status = ck_resolve_checkpoint(&named, inspection, checkpoint, err);
  ck_workflow_source of = {
      .head = &inspection->head, .totals = &totals, .checkpoint = checkpoint ? named.id : NULL};
  if (status == CK_OK)
    status = ck_workflow_document_write(out, inspection->store, &of, output->redactor, err);
  ck_checkpoint_info_clear(&named);
  return status;
}

static ck_status write_chat(ck_buffer *out, const ck_inspection *inspection, ck_output *output,
                            const char *checkpoint, ck_error *err) {
  (void)checkpoint;
  return ck_chat_export(out, inspection->store, &inspection->head, output->redactor, err);
}

static ck_status write_otlp(ck_buffer *out, const ck_inspection *inspection, ck_output *output,
                            const char *checkpoint, ck_error *err) {
  (void)checkpoint;
  return ck_otlp_export(out, inspection->store, &inspection->head, output->redactor, err);
}

static ck_status write_markdown(ck_buffer *out, const ck_inspection *inspection, ck_output *output,
                                const char *checkpoint, ck_error *err) {
  (void)checkpoint;
  return ck_transcript_write(out, inspection, output, err);
}

static ck_status export_archive(ck_host *host, const values *v, ck_error *err);
static ck_status export_html(ck_host *host, const values *v, ck_error *err);

/* The one list of them. X(name, write, give, at_checkpoints, goes_on, media, form). */
/* clang-format off */
#define FORMATS(X) \
  X("cassette", write_cassette, NULL, false, false, true, CK_MEDIA_OWN) \
  X("session-checkpoint", write_session_checkpoint, NULL, true, true, false, CK_MEDIA_OWN) \
  X("run-checkpoint", write_run_checkpoint, NULL, false, true, true, CK_MEDIA_CHAT) \
  X("loop-checkpoint", write_loop, NULL, false, true, true, CK_MEDIA_MESSAGES) \
  X("workflow-checkpoint", write_workflow, NULL, true, true, true, CK_MEDIA_OWN) \
  X("archive", NULL, export_archive, false, false, false, CK_MEDIA_OWN) \
  X("html", NULL, export_html, false, false, false, CK_MEDIA_OWN) \
  X("markdown", write_markdown, NULL, false, false, false, CK_MEDIA_OWN) \
  X("openai", write_chat, NULL, false, false, true, CK_MEDIA_CHAT) \
  X("otlp", write_otlp, NULL, false, false, false, CK_MEDIA_OWN)
/* clang-format on */
static const format formats[] = {
#define X(name, write, give, at_checkpoints, goes_on, media, form) \
  {name, write, give, at_checkpoints, goes_on, media, form},
    FORMATS(X)
#undef X
};
static const char *const format_names[] = {
#define X(name, write, give, at_checkpoints, goes_on, media, form) name,
    FORMATS(X)
#undef X
        NULL};

static const format *find_format(const char *name) {
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    if (strcmp(formats[i].name, name) == 0) return &formats[i];
  return NULL;
}

/* Before anything of the session is: the key is one of the secrets that are masked in it. */
static ck_status read_seal_key(values *v, const ck_host *host, ck_error *err) {
  if (!v->seal && !v->seal_key) return CK_OK;
  if (v->format && find_format(v->format)->give == export_archive)
    return ck_error_set(err, CK_E_USAGE,
                        "an archive is as sealed as its store is, with the same key: --seal and "
                        "--seal-key are for the other formats, and 'ckrun key rotate' seals a "
                        "store");
  if (!v->output && host->output->terminal)
    return ck_error_set(err, CK_E_USAGE,
                        "a sealed export is nothing to read: say with -o FILE where it goes");
  ck_status status = ck_sealed_export_key(&v->key, v->seal_key, host, err);
  if (status != CK_OK || v->key) return status;
  return ck_error_set(err, CK_E_USAGE,
                      "--seal takes the key of the store, and none is given: --seal-key file:PATH "
                      "names one for the export alone ('ckrun key new PATH' makes it)");
}

static ck_status put(ck_output *output, const char *path, ck_bytes text, ck_error *err) {
  if (path) return ck_write_file(path, text, err);
  ck_output_write(output, text);
  return ck_output_flush_shown(output, err);
}

static ck_status give(ck_host *host, const values *v, ck_bytes text, ck_error *err) {
  ck_buffer sealed = {0};
  if (!v->key) return put(host->output, v->output, text, err);
  ck_status status = ck_sealed_export_write(&sealed, v->key, text, err);
  if (status == CK_OK) status = put(host->output, v->output, ck_buffer_bytes(&sealed), err);
  ck_buffer_clear(&sealed);
  return status;
}

static ck_status print_archive(ck_output *output, const ck_archive *made, const char *session,
                               ck_error *err) {
  ck_key_values facts;
  ck_key_values_init(&facts, output);
  ck_key_values_put_text(&facts, "session", session);
  ck_key_values_put_text(&facts, "archive", made->path);
  ck_key_values_put_bytes(&facts, "archive_bytes", made->bytes);
  ck_status status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  return status;
}

/* The session as it is stored, with its files. */
static ck_status export_archive(ck_host *host, const values *v, ck_error *err) {
  ck_archive made;
  ck_inspection inspection;
  if (!v->output)
    return ck_error_set(err, CK_E_USAGE, "an archive is a file: say with -o FILE where it goes");
  ck_status status = ck_archive_check(&made, "-o", v->output, err);
  if (status == CK_OK) status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  const char *id = inspection.head.session.id;
  status = ck_archive_check_place(&made, err);
  if (status == CK_OK) status = ck_archive_write(&made, inspection.store, id, err);
  if (status == CK_OK) status = print_archive(host->output, &made, id, err);
  ck_inspection_close(&inspection);
  return status;
}

/* As `ckrun ui` shows it, in one file. */
static ck_status export_html(ck_host *host, const values *v, ck_error *err) {
  ck_inspection inspection;
  ck_buffer text = {0};
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  const char *id = inspection.head.session.id;
  status = ck_profile_secrets_hide(host->output, inspection.store, id, err);
  if (status == CK_OK) status = ck_ui_report_write(&text, host, id, host->output->redactor, err);
  if (status == CK_OK) status = give(host, v, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  ck_inspection_close(&inspection);
  return status;
}

/* A run goes on in another session with its conversation, not with its position. */
static ck_status warn_of_marks(ck_output *output, const ck_inspection *inspection, ck_error *err) {
  ck_marks marks;
  const ck_head *head = &inspection->head;
  ck_status status = ck_marks_read(&marks, inspection->store, head, err);
  if (status == CK_OK && marks.count > 0)
    ck_output_notice(output,
                     "session %s has an active mark of checkpoint, which the document does not "
                     "hold: 'rewind' finds none where it is imported; --format archive keeps it",
                     head->session.id);
  ck_marks_clear(&marks);
  return status;
}

static ck_status export_as(ck_host *host, const values *v, const format *of, ck_error *err) {
  ck_inspection inspection;
  ck_buffer text = {0};
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  status = ck_profile_secrets_hide(host->output, inspection.store, inspection.head.session.id, err);
  if (status == CK_OK && of->goes_on)
    status = ck_session_check_settled(inspection.store, &inspection.head, inspection.live, err);
  if (status == CK_OK) status = of->write(&text, &inspection, host->output, v->checkpoint, err);
  if (status == CK_OK && of->media)
    status = ck_exported_media_put(&text, inspection.store, of->form, err);
  if (status == CK_OK && (of->write == write_loop || of->write == write_run_checkpoint))
    status = warn_of_marks(host->output, &inspection, err);
  if (status == CK_OK) status = give(host, v, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  ck_inspection_close(&inspection);
  return status;
}

static ck_status ask_format(ck_error *err) {
  ck_buffer list = {0};
  size_t count = sizeof formats / sizeof *formats;
  for (size_t i = 0; i < count; i++)
    ck_buffer_append_format(&list, "%s%s",
                            i == 0          ? ""
                            : i + 1 < count ? ", "
                                            : " or ",
                            formats[i].name);
  ck_status status = ck_buffer_check(&list, err);
  if (status == CK_OK)
    status = ck_error_set(err, CK_E_USAGE, "--format says as what: %.*s", (int)list.len, list.data);
  ck_buffer_clear(&list);
  return status;
}

static ck_status export(ck_host *host, const values *v, ck_error *err) {
  const format *of = v->format ? find_format(v->format) : NULL;
  if (v->checkpoint && (!of || !of->at_checkpoints))
    return ck_error_set(err, CK_E_USAGE,
                        "--checkpoint is for session-checkpoint and workflow-checkpoint: any other "
                        "is of the session as it stands");
  if (!of) return ask_format(err);
  return of->give ? of->give(host, v, err) : export_as(host, v, of, err);
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  values v = *(const values *)given;
  ck_status status = read_seal_key(&v, host, err);
  if (status == CK_OK) status = export(host, &v, err);
  ck_key_free(v.key);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

static const ck_option options[] = {
    {.name = "format",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, format),
     .value = "FORMAT",
     .choices = format_names,
     .required = true,
     .help = "as what"},
    {.name = "checkpoint",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, checkpoint),
     .value = "CHECKPOINT",
     .help = "of a session or a workflow, as it was there: " CK_RESOLVE_CHECKPOINT_HELP},
    {.name = "output",
     .letter = 'o',
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, output),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "to this file, which is replaced as a whole, instead of stdout"},
    {.name = "seal",
     .offset = offsetof(values, seal),
     .help = "sealed with the key of the store (--key): nobody reads or changes it without"},
    {.name = "seal-key",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, seal_key),
     .value = "REF",
     .help = "sealed with this key instead, by reference, as --key"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions export trip --format html -o trip.html", "one file to show to others"},
    {"ckrun sessions export trip --format markdown --seal-key file:$PWD/share.key -o trip.sealed",
     "one that opens for who has the key"},
    {0},
};

const ck_command ck_command_sessions_export = {
    .name = "sessions export",
    .summary = "give a session away in a form that others can read",
    .details =
        "cassette: a recording of what models, tools and people answered, as JSON lines, for "
        "`ckrun run FLOW --cassette FILE`: one run without a stop, whatever the session went "
        "through.\n\n"
        "session-checkpoint: where a session of several agents stands, as one JSON object: "
        "sessionId, constraintState, activeAgents (agentId, parentAgentId, depth, "
        "conversationTail, expertiseSnapshot), roundsCompleted, pendingDelegations, "
        "transcriptReplayDepth, createdAt. Money is in micro-dollars, time in milliseconds; spent "
        "is what `ckrun sessions show` says, with --checkpoint what was spent until there.\n\n"
        "run-checkpoint: a run that failed or stopped short of its end, as one JSON object that "
        "another run goes on from: version, runId, history, lastCompletedIteration, "
        "originalInput, checkpointedAt, failurePoint, agent, flow. The history has the messages "
        "as every provider takes them; of steps and graphs each completed node is a call with its "
        "result. Refused when nothing was completed, or when another run would fail in the same "
        "way.\n\n"
        "loop-checkpoint: an agent's loop of turns: schema_version, run_id, parent_run_id, "
        "session_id, turn (the last completed one), messages (content blocks), total_usage, "
        "tool_calls_count, verification_reports, checkpoint_ms. workflow-checkpoint: the completed "
        "steps of a flow.steps: schema_version, workflow_id, steps (task_id, outcome), "
        "checkpoint_ms, and the same of run and usage: all that is complete by now, also between "
        "two checkpoints and while the session runs, or with --checkpoint what was complete "
        "there, and spent until then. Usage is cumulative over all runs.\n\n"
        "openai: what was said, as JSON lines, one for each scope and agent: session_id, "
        "conversation_id, scope, agent, usage (prompt_tokens, completion_tokens), cost_usd, and "
        "messages as OpenAI's chat completions take them. 'ckrun sessions import' reads each line "
        "as a session.\n\n"
        "otlp: what was done, as a trace of OpenTelemetry (OTLP as JSON) by its conventions for "
        "generative AI, for whatever shows traces (`curl -H 'Content-Type: application/json' -d "
        "@FILE http://localhost:4318/v1/traces`): a span for the session, for each agent, and for "
        "each call of a model or tool, on whichever timeline, with tokens, costs in dollars, "
        "errors, and what was said, each message in the first call that was given it. Ids are made "
        "of the session's id and the numbers of events: exported again it is the same, and a "
        "collector finds nothing new. Of images and files it has the digests.\n\n"
        "archive: the session as it is stored, with those that it was forked from, the files that "
        "its runs executed, and its long outputs beside it in FILE.spill; as sealed as the store. "
        "'ckrun sessions import FILE' makes the same session elsewhere, and 'ckrun --store FILE' "
        "reads it where it is. The other formats hold no files: neither the flow, the profile and "
        "its policies (`ckrun sessions inspect SESSION --files` shows their texts) nor what tools "
        "wrote; who goes on with them brings these.\n\n"
        "html: the session as `ckrun ui` shows it, in one file that loads nothing from elsewhere, "
        "for a report of a fault: its events, checkpoints, what policies said, and the states of "
        "the newest 200 checkpoints. A browser opens it; nothing in it acts.\n\n"
        "markdown: what was said and done, to read: messages, calls with their results, "
        "checkpoints, and what else became of the session. What a rewind or a resume left behind "
        "is not in it.\n\n"
        "What a session has and the format of a checkpoint no place for is in one member of "
        "ckrun's own, `ckrun`: its input, as it was given, and of several agents what each has "
        "spent. It may be missing in a document.\n\n"
        "The four checkpoints are refused with exit code 75 while an effect of class once or "
        "reconcilable was begun and has no outcome, since whoever goes on would do it again: see "
        "`ckrun resolve`.\n\n"
        "All but an archive passes redaction once more; what was masked stays masked.\n\n"
        "With --seal or --seal-key the file is encrypted and signed as a whole, and is bytes: "
        "'ckrun key unseal' gives the document, and 'ckrun sessions import' takes a sealed "
        "checkpoint as it is. Who loses that key loses the file.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
