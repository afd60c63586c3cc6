/* import_recordings.c - makes sessions of what others recorded: of a file all, or nothing. */
#include "core/host/run/import_recordings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/session/own_policies.h"
#include "core/host/session/store_location.h"
#include "core/runtime/portable/import.h"
#include "core/runtime/session/secret.h"
#include "core/store/sqlite/foreign.h"
#include "lua/import/import.h"
#include "lua/profile/profile.h"

enum { PROBLEMS_SHOWN = 20 }; /* of one file */

/* A session of the file. */
typedef struct waiting {
  ck_import *session; /* NULL: one with its id exists */
  char id[CK_ID_SIZE];
  char *source_id;
} waiting;

typedef struct importing {
  ck_host *host;
  const ck_import_recordings_options *given;
  ck_store *store;
  ck_redactor *redactor;
  ck_own_policies *policies; /* NULL: none mask */
  ck_table table;
  const char *path;
  char format[CK_IMPORT_FORMAT_SIZE];
  waiting *sessions; /* of the file, until it is read to its end; the last one is being reported */
  size_t session_count;
  ck_error first; /* of what could not be read in the file */
  size_t named;   /* sessions that took their id from --session */
  int64_t imported, existed, lost;
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

static void put_row(importing *self, const waiting *of, const ck_import_report *report) {
  ck_table *table = &self->table;
  ck_table_put_text(table, ck_bytes_text(of->id));
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

static ck_status print_json(importing *self, const waiting *of, const ck_import_report *report,
                            ck_error *err) {
  ck_document document;
  ck_document_init(&document, self->host->output);
  ck_document_put_text(&document, NULL, "session", of->id);
  ck_document_put_text(&document, NULL, "file", self->path);
  ck_document_put_text(&document, NULL, "format", self->format);
  ck_document_put_text(&document, NULL, "source_id", of->source_id);
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

static ck_status report_existing(importing *self, const waiting *of, ck_error *err) {
  self->existed++;
  if (self->host->output->json) return print_json(self, of, NULL, err);
  ck_output_notice(self->host->output, "%s exists already and is left as it is (%s in %s)", of->id,
                   of->source_id, self->path);
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
  options.watch = &location.watch;
  if (status == CK_OK) status = ck_store_open(&self->store, location.opens, &options, &absent);
  ck_store_location_clear(&location);
  if (!create && absent.status == CK_E_NOT_FOUND) return CK_OK;
  if (absent.status != CK_OK) *err = absent;
  if (status == CK_OK)
    ck_redactor_set_fingerprint_key(self->redactor, ck_store_fingerprint_key(self->store));
  return status;
}

static ck_status write_session(importing *self, waiting *of, ck_error *err) {
  ck_import_report report;
  if (!of->session) return report_existing(self, of, err);
  ck_status status = open_store(self, true, err);
  if (status == CK_OK)
    status = ck_import_end(&report, of->session, self->store, self->redactor, err);
  if (status == CK_E_EXISTS) return report_existing(self, of, err);
  if (status != CK_OK) return status;
  self->imported++;
  if (self->host->output->json) return print_json(self, of, &report, err);
  put_row(self, of, &report);
  return CK_OK;
}

static void forget_sessions(importing *self) {
  for (size_t i = 0; i < self->session_count; i++) {
    ck_import_free(self->sessions[i].session);
    free(self->sessions[i].source_id);
  }
  free(self->sessions);
  self->sessions = NULL;
  self->session_count = 0;
}

/* The source's id; further sessions of a file that is imported under --session are numbered. */
static ck_status select_id(waiting *of, importing *self, const char *source_id, ck_error *err) {
  of->source_id = strdup(source_id);
  if (!of->source_id) return ck_error_no_memory(err);
  if (!self->given->session) {
    ck_import_make_id(of->id, self->format, source_id);
    return CK_OK;
  }
  int len = self->named++ == 0
                ? snprintf(of->id, sizeof of->id, "%s", self->given->session)
                : snprintf(of->id, sizeof of->id, "%s_%zu", self->given->session, self->named);
  if (len >= (int)sizeof of->id)
    return ck_error_set(err, CK_E_USAGE, "--session: '%.80s' is too long", self->given->session);
  return CK_OK;
}

static bool exists(const importing *self, const char *id) {
  ck_session_record record = {0};
  ck_error absent = CK_ERROR_INIT;
  if (!self->store || ck_store_get_session(&record, self->store, id, &absent) != CK_OK)
    return false;
  ck_session_record_clear(&record);
  return true;
}

static ck_status begin_session(importing *self, const ck_import_fact *fact, ck_error *err) {
  waiting *list = reallocarray(self->sessions, self->session_count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->sessions = list;
  waiting *of = &list[self->session_count++];
  *of = (waiting){0};
  ck_status status = select_id(of, self, fact->id, err);
  if (status != CK_OK || exists(self, of->id)) return status;
  ck_import_origin origin = {.format = self->format, .path = self->path, .session = fact};
  status = ck_import_begin(&of->session, of->id, &origin, err);
  if (status == CK_OK)
    ck_import_set_policies(of->session, ck_own_policies_redacting(self->policies));
  return status;
}

static ck_status put_fact(void *to, const ck_import_fact *fact, ck_error *err) {
  importing *self = to;
  if (fact->kind == CK_IMPORT_SESSION) return begin_session(self, fact, err);
  const waiting *of = self->session_count ? &self->sessions[self->session_count - 1] : NULL;
  return of && of->session ? ck_import_apply(of->session, fact, err) : CK_OK;
}

static void report_problem(void *to, const char *path, int64_t line, const char *text, bool lost) {
  importing *self = to;
  char place[32] = "";
  if (line) snprintf(place, sizeof place, ":%" PRId64, line);
  if (lost && !self->file_lost++)
    ck_error_set(&self->first, CK_E_PARSE, "%s%s: %s", path, place, text);
  if (lost && !self->given->partial) return; /* told at the end, as why nothing is imported */
  if (self->file_reported++ >= PROBLEMS_SHOWN) return;
  ck_output_notice(self->host->output, "%s%s: %s%s", path, place, text, lost ? "; left out" : "");
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

/* Why nothing of the file is imported. */
static ck_status refuse(const importing *self, ck_error *err) {
  char more[64] = "";
  if (self->file_lost > 1)
    snprintf(more, sizeof more, "; so do %" PRId64 " more places", self->file_lost - 1);
  return ck_error_set(err, CK_E_PARSE,
                      "%s%s: nothing of it is imported; --partial leaves out what cannot be read",
                      self->first.text, more);
}

/* A session without an event is none. */
static ck_status check_sessions(const importing *self, ck_error *err) {
  for (size_t i = 0; i < self->session_count; i++)
    if (self->sessions[i].session && !ck_import_count(self->sessions[i].session))
      return ck_error_set(err, CK_E_PARSE,
                          "%s: session %s of it has no event of format %s: nothing is imported",
                          self->path, self->sessions[i].source_id, self->format);
  return CK_OK;
}

static ck_status write_sessions(importing *self, ck_error *err) {
  ck_status status = self->file_lost && !self->given->partial ? refuse(self, err) : CK_OK;
  if (status == CK_OK) status = check_sessions(self, err);
  for (size_t i = 0; i < self->session_count && status == CK_OK; i++)
    status = write_session(self, &self->sessions[i], err);
  if (status == CK_OK) self->lost += self->file_lost;
  return status;
}

static ck_status import_file(importing *self, const char *path, ck_error *err) {
  ck_import_sink sink = {
      .self = self, .put = put_fact, .problem = report_problem, .read_tables = ck_foreign_read};
  self->path = path;
  self->file_lost = self->file_reported = 0;
  ck_status status = ck_import_read_file(self->format, path, self->given->format, &sink, err);
  if (status == CK_OK) status = write_sessions(self, err);
  forget_sessions(self);
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

/* Before anything is read: what cannot be masked is not imported. */
static ck_status take_profile(importing *self, const char *name, ck_error *err) {
  ck_profile *profile = NULL;
  if (!name) return CK_OK;
  ck_status status = ck_profile_load(&profile, name, err);
  if (status == CK_OK) status = ck_secret_register_all(self->redactor, profile, NULL, NULL, err);
  if (status == CK_OK && profile->exclude_memory_keys)
    status = ck_redactor_set_keys(self->redactor, (const char *const *)profile->exclude_memory_keys,
                                  err);
  ck_profile_free(profile);
  return status == CK_OK ? ck_own_policies_open_profile(&self->policies, NULL, name, err) : status;
}

ck_status ck_import_recordings(ck_host *host, const ck_import_recordings_options *v,
                               ck_error *err) {
  importing self = {.host = host, .given = v};
  ck_error late = CK_ERROR_INIT;
  ck_status status = v->session ? ck_id_check_new("--session", v->session, err) : CK_OK;
  ck_table_init(&self.table, host->output, columns);
  if (status == CK_OK) status = ck_redactor_new(&self.redactor, err);
  if (status == CK_OK) status = take_profile(&self, v->profile, err);
  if (status == CK_OK) status = open_store(&self, false, err);
  if (status == CK_OK) status = import_files(&self, err);
  ck_status printed =
      host->output->json || !self.imported ? CK_OK : ck_table_print(&self.table, &late);
  if (status == CK_OK && printed != CK_OK) {
    status = printed;
    *err = late;
  }
  ck_table_clear(&self.table);
  ck_redactor_free(self.redactor);
  ck_own_policies_free(self.policies);
  ck_store_close(self.store);
  return status;
}
