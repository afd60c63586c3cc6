/* sessions_import.c - sessions import: makes sessions of other programs' recordings. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/host/command/commands.h"
#include "core/host/run/archive.h"
#include "core/host/run/import_recordings.h"
#include "core/host/run/import_run.h"
#include "core/host/session/sealed_export.h"
#include "lua/import/formats.h"

typedef struct values {
  ck_words files;
  const char *format, *session, *resume_with, *profile, *seal_key;
  bool accept_changed, partial;
} values;

static ck_status import_recordings(ck_host *host, const values *v, ck_error *err) {
  ck_import_recordings_options options = {.files = v->files,
                                          .format = v->format,
                                          .session = v->session,
                                          .profile = v->profile,
                                          .partial = v->partial};
  return ck_import_recordings(host, &options, err);
}

static bool is_run(const values *v) {
  if (v->format) return ck_import_run_knows(v->format);
  return v->files.count == 1 && ck_import_run_is(v->files.list[0]);
}

static bool is_archive(const values *v) {
  if (v->format) return strcmp(v->format, "archive") == 0;
  return v->files.count == 1 && ck_archive_is(v->files.list[0]);
}

static ck_status import_archive(ck_host *host, const values *v, ck_error *err) {
  if (v->files.count > 1)
    return ck_error_set(err, CK_E_USAGE, "archives are imported one at a time");
  if (v->session || v->resume_with || v->profile || v->accept_changed)
    return ck_error_set(err, CK_E_USAGE,
                        "%s is an archive: its sessions keep their ids, and --session, "
                        "--resume-with, --profile and --accept-changed are not for it",
                        v->files.list[0]);
  return ck_archive_import(host, v->files.list[0], err);
}

static ck_status import_checkpoint(ck_host *host, const values *v, const ck_key *key,
                                   ck_error *err) {
  if (v->files.count > 1)
    return ck_error_set(err, CK_E_USAGE, "checkpoints are imported one at a time");
  ck_import_run_options options = {.path = v->files.list[0],
                                   .key = key,
                                   .format = v->format,
                                   .flow = v->resume_with,
                                   .profile = v->profile,
                                   .session = v->session,
                                   .accept_changed = v->accept_changed};
  return ck_import_run(host, &options, err);
}

/* What is in it is not known before it is opened: it must be a checkpoint. */
static ck_status import_sealed(ck_host *host, const values *v, ck_error *err) {
  ck_key *key;
  if (v->files.count > 1)
    return ck_error_set(err, CK_E_USAGE, "sealed exports are imported one at a time");
  if (v->format && !ck_import_run_knows(v->format))
    return ck_error_set(err, CK_E_USAGE,
                        "%s is a sealed export, and of these checkpoints are imported: open it "
                        "with 'ckrun key unseal' for --format %s",
                        v->files.list[0], v->format);
  ck_status status = ck_sealed_export_key(&key, v->seal_key, host, err);
  if (status == CK_OK) status = import_checkpoint(host, v, key, err);
  ck_key_free(key);
  return status;
}

/* One of several is seen, too. */
static bool is_sealed(const values *v) {
  for (size_t i = 0; i < v->files.count; i++)
    if (ck_sealed_export_is_at(v->files.list[i])) return true;
  return false;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  if (is_sealed(v)) return import_sealed(host, v, err);
  if (v->seal_key)
    return ck_error_set(err, CK_E_USAGE, "%s is no sealed export: --seal-key is not for it",
                        v->files.list[0]);
  if (is_archive(v)) return import_archive(host, v, err);
  bool runs = is_run(v);
  if (!runs && v->files.count == 1 && access(v->files.list[0], F_OK) != 0 && errno == ENOENT)
    return ck_error_set(err, CK_E_NOT_FOUND, "%s: there is no such file", v->files.list[0]);
  if (!runs && (v->resume_with || v->accept_changed))
    return ck_error_set(err, CK_E_USAGE,
                        "--resume-with and --accept-changed are for checkpoints, and %s is none",
                        v->files.list[0]);
  return runs ? import_checkpoint(host, v, NULL, err) : import_recordings(host, v, err);
}

static const ck_operand operands[] = {
    {.name = "FILE",
     .many = true,
     .offset = offsetof(values, files),
     .complete = CK_COMPLETE_FILE,
     .help = "what another program recorded: of one session, or of many"},
    {0},
};

#define AND_NEXT(name) name ", "
#define OTHERS CK_IMPORT_FORMATS(AND_NEXT)

static const ck_option options[] = {
    {.name = "format",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, format),
     .value = "FORMAT",
     .complete = CK_COMPLETE_FILE,
     .help = "archive, run-checkpoint, session-checkpoint, loop-checkpoint, "
             "workflow-checkpoint, " OTHERS "or the path of an import module of your own, such as "
             "./mine.lua; told from the file otherwise"},
    {.name = "session",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, session),
     .value = "ID",
     .help = "the id of the session; one is made from the source's otherwise. Further sessions get "
             "_2, _3, … behind it"},
    {.name = "partial",
     .offset = offsetof(values, partial),
     .help = "leave out what cannot be read of a file, and import the rest"},
    {.name = "resume-with",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, resume_with),
     .value = "FLOW",
     .complete = CK_COMPLETE_FILE,
     .help = "of a checkpoint: the flow that goes on with it, a flow.agent for a run or a loop, a "
             "flow.rounds for a session, a flow.steps for a workflow"},
    {.name = "profile",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, profile),
     .value = "PROFILE",
     .complete = CK_COMPLETE_FILE,
     .help = "mask also the secrets that this profile names, and what its policies mask; a "
             "checkpoint goes on under it"},
    {.name = "accept-changed",
     .offset = offsetof(values, accept_changed),
     .help = "of a run checkpoint: go on also with another agent or flow than its own"},
    {.name = "seal-key",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, seal_key),
     .value = "REF",
     .help = "of a sealed export: the key that it was sealed with, by reference, as --key; that of "
             "the store otherwise"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions import trip.db", "bring back what 'ckrun sessions delete --archive' kept"},
    {0},
};

const ck_command ck_command_sessions_import = {
    .name = "sessions import",
    .summary = "make sessions of what other programs recorded",
    .details =
        "Each session keeps every event, its agents and delegations, and the times and "
        "costs that the source has; what the source lacks stays empty. Its id is made from "
        "the source's, so that a second import finds it there already and leaves it as it "
        "is; exit code 5 when nothing was new. So it is with a checkpoint, however its JSON is "
        "indented and under whatever id it is there: only `--session ID` makes a second session of "
        "it, which does and pays for all that follows once more.\n\n"
        "A file with a line that cannot be read, or without a session, is refused, with the line "
        "and the reason, and nothing of it is imported. With --partial such lines are named and "
        "left out, the rest is imported, and the exit code is 1. A file is read through a "
        "Lua module that knows its format: see lua/ck/import.lua to write your own.\n\n"
        "What is imported passes redaction as a run's events do: ckrun's rules, and with --profile "
        "the profile's policies, each event as what it becomes. Where a policy fails, or masks the "
        "id of the session or the name of an agent, which stay readable, nothing is imported. An "
        "archive has what its own sessions' policies left.\n\n"
        "An archive (what `ckrun sessions prune --archive` and `delete --archive` keep, or `ckrun "
        "store backup`) is verified as a whole, and all of it is taken or nothing. A session that "
        "is not in the store is there again, under its id; one that is gets back the checkpoints "
        "that were pruned since. The file is a store itself: with `--store FILE` every command "
        "reads it where it is.\n\n"
        "A run checkpoint (what `ckrun sessions export --format run-checkpoint` writes of a "
        "run that failed or stopped) becomes a paused session that `ckrun resume` goes on with, in "
        "a run of its own, from the iteration after the last completed one: its history is the "
        "conversation. Its turns count on from there, or from one when the profile says "
        "resume = { rounds = \"reset\" }; money starts at nothing, since the document does "
        "not tell it. Messages may also be spelt in camelCase (toolCalls, toolCallId); where "
        "the document has no prompt, the flow's is added. The conversation of another agent, "
        "or one held under another flow, is refused without --accept-changed.\n\nA "
        "session checkpoint (`--format session-checkpoint`) becomes a paused session of a "
        "flow.rounds, at the round after the last completed one: what was spent counts on, "
        "pads are kept, and each agent is told the tail of what it was involved in.\n\nA loop "
        "checkpoint becomes a paused session of a flow.agent at the turn after, a workflow "
        "checkpoint one of a flow.steps whose completed steps are not run again. Both begin a run "
        "of their own, with the document's as its parent, and what was spent counts on.\n\n"
        "The session's input is the one that the document's session was given; of a document "
        "without ckrun's own member `ckrun` it is what its system tells of it.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
