/* sessions_import.c - sessions import: makes sessions of other programs' recordings. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/run/archive.h"
#include "core/host/run/import_run.h"
#include "core/host/session/store_location.h"
#include "core/host/print/table.h"
#include "core/runtime/portable/import.h"
#include "lua/import/import.h"

enum { PROBLEMS_SHOWN = 20 }; /* of one file */

typedef struct values {
  ck_words files;
  const char *format, *session, *resume_with, *profile;
  bool accept_changed;
} values;

typedef struct importing {
  ck_host *host;
  const values *given;
  ck_store *store;
  ck_redactor *redactor;
  ck_table table;
  const char *path;
  char format[CK_IMPORT_FORMAT_SIZE];
  ck_import *session; /* the session that is being reported */
  char id[CK_ID_SIZE];
  char *source_id;
  size_t named; /* sessions that took their id from --session */
  int64_t imported, existed, lost, mended;
  int64_t file_lost, file_reported;
} importing;

/* ---- output ---- */

static const ck_column columns[] = {
    {"SESSION", CK_COLUMN_CUT},
    {"FORMAT", CK_COLUMN_SPARE(1)},
    {"STATUS", false},
    {"EVENTS", true},
    {"AGENTS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(2)},
    {"DELEGATIONS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(5)},
    {"MODEL_CALLS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(3)},
    {"TOOL_CALLS", CK_COLUMN_RIGHT | CK_COLUMN_SPARE(4)},
    {"COST", CK_COLUMN_RIGHT},
    {"FIRST", CK_COLUMN_SPARE(7)},
    {"LAST", CK_COLUMN_SPARE(6)},
    {NULL, false},
};

static void put_row(importing *self, const ck_import_report *report) {
  ck_table *table = &self->table;
  ck_table_put_text(table, ck_bytes_text(self->id));
  ck_table_put_text(table, ck_bytes_text(self->format));
  ck_table_put_word(table, ck_session_status_name(report->status));
  ck_table_put_count(table, report->events);
  ck_table_put_count(table, report->agents);
  ck_table_put_count(table, report->delegations);
  ck_table_put_count(table, report->model_calls);
  ck_table_put_count(table, report->tool_calls);
  if (report->priced)
    ck_table_put_money(table, report->cost_micros);
  else
    ck_table_put_word(table, NULL);
  ck_table_put_time(table, report->first_ms);
  ck_table_put_time(table, report->last_ms);
}

static ck_status print_json(importing *self, const ck_import_report *report, ck_error *err) {
  ck_document document;
  ck_document_init(&document, self->host->output);
  ck_document_put_text(&document, NULL, "session", self->id);
  ck_document_put_text(&document, NULL, "file", self->path);
  ck_document_put_text(&document, NULL, "format", self->format);
  ck_document_put_text(&document, NULL, "source_id", self->source_id);
  ck_document_put_text(&document, NULL, "status",
                       report ? ck_session_status_name(report->status) : "exists");
  if (report) {
    ck_document_put_int(&document, NULL, "events", report->events);
    ck_document_put_int(&document, NULL, "boundaries", report->boundaries);
    ck_document_put_int(&document, NULL, "agents", report->agents);
    ck_document_put_int(&document, NULL, "delegations", report->delegations);
    ck_document_put_int(&document, NULL, "model_calls", report->model_calls);
    ck_document_put_int(&document, NULL, "tool_calls", report->tool_calls);
    ck_document_put_int(&document, NULL, "input_tokens", report->input_tokens);
    ck_document_put_int(&document, NULL, "output_tokens", report->output_tokens);
    if (report->priced) ck_document_put_money(&document, NULL, "cost_usd", report->cost_micros);
    ck_document_put_time(&document, NULL, "first", report->first_ms);
    ck_document_put_time(&document, NULL, "last", report->last_ms);
  }
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status report_existing(importing *self, ck_error *err) {
  self->existed++;
  if (self->host->output->json) return print_json(self, NULL, err);
  ck_output_notice(self->host->output, "%s exists already and is left as it is (%s in %s)",
                   self->id, self->source_id, self->path);
  return CK_OK;
}

/* ---- sessions ---- */

/* A store that is not there is made with its first session: a file of which nothing can be read
 * leaves none behind. Without `create` it stays NULL then. */
static ck_status open_store(importing *self, bool create, ck_error *err) {
  ck_store_location location;
  ck_store_options options = {.create = create};
  ck_error absent = CK_ERROR_INIT;
  if (self->store) return CK_OK;
  ck_status status = ck_store_location_find(&location, self->host, err);
  if (status == CK_OK && create) status = ck_store_location_make_parents(&location, err);
  options.key = location.key;
  if (status == CK_OK) status = ck_store_open(&self->store, location.url, &options, &absent);
  ck_store_location_clear(&location);
  if (!create && absent.status == CK_E_NOT_FOUND) return CK_OK;
  if (absent.status != CK_OK) *err = absent;
  if (status == CK_OK)
    ck_redactor_set_fingerprint_key(self->redactor, ck_store_fingerprint_key(self->store));
  return status;
}

static ck_status end_session(importing *self, ck_error *err) {
  if (!self->session) return CK_OK;
  ck_import_report report;
  ck_error failure = CK_ERROR_INIT;
  ck_status status = open_store(self, true, &failure);
  if (status == CK_OK)
    status = ck_import_end(&report, self->session, self->store, self->redactor, &failure);
  ck_import_free(self->session);
  self->session = NULL;
  if (status == CK_E_EXISTS) return report_existing(self, err);
  if (status != CK_OK) {
    if (err) *err = failure;
    return status;
  }
  self->imported++;
  if (self->host->output->json) return print_json(self, &report, err);
  put_row(self, &report);
  return CK_OK;
}

/* The source's id; further sessions of a file that is imported under --session are numbered. */
static ck_status select_id(importing *self, const char *source_id, ck_error *err) {
  free(self->source_id);
  self->source_id = strdup(source_id);
  if (!self->source_id) return ck_error_no_memory(err);
  if (!self->given->session) {
    ck_import_make_id(self->id, self->format, source_id);
    return CK_OK;
  }
  int len = self->named++ == 0
                ? snprintf(self->id, sizeof self->id, "%s", self->given->session)
                : snprintf(self->id, sizeof self->id, "%s_%zu", self->given->session, self->named);
  if (len >= (int)sizeof self->id)
    return ck_error_set(err, CK_E_USAGE, "--session: '%.80s' is too long", self->given->session);
  return CK_OK;
}

static ck_status begin_session(importing *self, const ck_import_fact *fact, ck_error *err) {
  ck_status status = end_session(self, err);
  if (status == CK_OK) status = select_id(self, fact->id, err);
  if (status != CK_OK) return status;
  ck_session_record record = {0};
  ck_error absent = CK_ERROR_INIT;
  if (self->store && ck_store_get_session(&record, self->store, self->id, &absent) == CK_OK) {
    ck_session_record_clear(&record);
    return report_existing(self, err);
  }
  ck_import_origin origin = {.format = self->format, .path = self->path, .session = fact};
  return ck_import_begin(&self->session, self->id, &origin, err);
}

static ck_status put_fact(void *to, const ck_import_fact *fact, ck_error *err) {
  importing *self = to;
  if (fact->kind == CK_IMPORT_SESSION) return begin_session(self, fact, err);
  return self->session ? ck_import_apply(self->session, fact, err)
                       : CK_OK; /* else it exists already */
}

static void report_problem(void *to, const char *path, int64_t line, const char *text, bool lost) {
  importing *self = to;
  if (lost)
    self->lost++, self->file_lost++;
  else
    self->mended++;
  if (self->file_reported++ >= PROBLEMS_SHOWN) return;
  if (line)
    ck_output_notice(self->host->output, "%s:%" PRId64 ": %s%s", path, line, text,
                     lost ? "; left out" : "");
  else
    ck_output_notice(self->host->output, "%s: %s", path, text);
}

/* ---- files ---- */

/* Reported at once, so that the other files are imported; the first failure determines the exit
 * code. */
static void report_failure(importing *self, ck_status *first, ck_status status,
                           const ck_error *failure, ck_error *err) {
  if (*first == CK_OK) {
    *first = status;
    *err = *failure;
    return;
  }
  ck_output_notice(self->host->output, "%s", failure->text);
}

static ck_status import_file(importing *self, const char *path, ck_error *err) {
  ck_import_sink sink = {.self = self, .put = put_fact, .problem = report_problem};
  self->path = path;
  self->file_lost = self->file_reported = 0;
  ck_status status = ck_import_read_file(self->format, path, self->given->format, &sink, err);
  if (status == CK_OK) status = end_session(self, err);
  ck_import_free(
      self->session); /* of a file that could not be read to its end: nothing of it was written */
  self->session = NULL;
  if (self->file_reported > PROBLEMS_SHOWN)
    ck_output_notice(self->host->output, "%s: and %" PRId64 " more places like these", path,
                     self->file_reported - PROBLEMS_SHOWN);
  return status;
}

static bool ends_all(ck_status status) {
  return status == CK_E_NO_MEMORY || ck_status_exit(status) == ck_status_exit(CK_E_FULL);
}

static ck_status import_files(importing *self, ck_error *err) {
  ck_status first = CK_OK;
  for (size_t i = 0; i < self->given->files.count; i++) {
    ck_error failure = CK_ERROR_INIT;
    ck_status status = import_file(self, self->given->files.list[i], &failure);
    if (status != CK_OK) report_failure(self, &first, status, &failure, err);
    if (ends_all(status)) break;
  }
  if (first != CK_OK) return first;
  if (self->lost)
    return ck_error_set(err, CK_E_FAILED,
                        "%" PRId64 " places could not be read and were left out; %" PRId64
                        " sessions imported",
                        self->lost, self->imported);
  if (self->existed && !self->imported)
    return ck_error_set(err, CK_E_EXISTS, "nothing is new: %" PRId64 " sessions exist already",
                        self->existed);
  return CK_OK;
}

static ck_status import_all(ck_host *host, const values *v, ck_error *err) {
  importing self = {.host = host, .given = v};
  ck_error late = CK_ERROR_INIT;
  ck_status status = v->session ? ck_id_check_new("--session", v->session, err) : CK_OK;
  ck_table_init(&self.table, host->output, columns);
  if (status == CK_OK) status = ck_redactor_new(&self.redactor, err);
  if (status == CK_OK) status = open_store(&self, false, err);
  if (status == CK_OK) status = import_files(&self, err);
  ck_status printed =
      host->output->json || !self.imported ? CK_OK : ck_table_print(&self.table, &late);
  if (status == CK_OK && printed != CK_OK) {
    status = printed;
    *err = late;
  }
  ck_table_clear(&self.table);
  free(self.source_id);
  ck_redactor_free(self.redactor);
  ck_store_close(self.store);
  return status;
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

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  if (is_archive(v)) return import_archive(host, v, err);
  bool runs = is_run(v);
  if (!runs && (v->resume_with || v->profile || v->accept_changed))
    return ck_error_set(err, CK_E_USAGE,
                        "--resume-with, --profile and --accept-changed are for "
                        "checkpoints, and %s is none",
                        v->files.list[0]);
  if (!runs) return import_all(host, v, err);
  if (v->files.count > 1)
    return ck_error_set(err, CK_E_USAGE, "checkpoints are imported one at a time");
  ck_import_run_options options = {.path = v->files.list[0],
                                   .format = v->format,
                                   .flow = v->resume_with,
                                   .profile = v->profile,
                                   .session = v->session,
                                   .accept_changed = v->accept_changed};
  return ck_import_run(host, &options, err);
}

static const ck_operand operands[] = {
    {.name = "FILE",
     .many = true,
     .offset = offsetof(values, files),
     .complete = CK_COMPLETE_FILE,
     .help = "what another program recorded: of one session, or of many"},
    {0},
};

static const ck_option options[] = {
    {.name = "format",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, format),
     .value = "FORMAT",
     .complete = CK_COMPLETE_FILE,
     .help = "archive, run-checkpoint, session-checkpoint, loop-checkpoint, workflow-checkpoint, "
             "claude_code, hyperagent, openai, owl_roleplay, pi, relay, swe_agent, tau2_bench, "
             "tau_bench, who_and_when, or the path of an import module of your own, such as "
             "./mine.lua; told from the file otherwise"},
    {.name = "session",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, session),
     .value = "ID",
     .help = "the id of the session; one is made from the source's otherwise. Further sessions get "
             "_2, _3, … behind it"},
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
     .help = "of a checkpoint: the profile it goes on under"},
    {.name = "accept-changed",
     .offset = offsetof(values, accept_changed),
     .help = "of a run checkpoint: go on also with another agent or flow than its own"},
    {0},
};

const ck_command ck_command_sessions_import = {
    .name = "sessions import",
    .summary = "make sessions of what other programs recorded",
    .details =
        "Each session keeps every event, its agents and delegations, and the times and "
        "costs that the source has; what the source lacks stays empty. Its id is made from "
        "the source's, so that a second import finds it there already and leaves it as it "
        "is; exit code 5 when nothing was new.\n\n"
        "A line that cannot be read is named and left out, the rest is imported, and the "
        "exit code is 1. A file is read through a Lua module that knows its format: see "
        "lua/ck/import.lua to write your own.\n\n"
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
        "of their own, with the document's as its parent, and what was spent counts on.",
    .operands = operands,
    .options = options,
    .run = run,
};
