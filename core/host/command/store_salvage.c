/* store_salvage.c - store salvage: what can be read of a store whose log is damaged, and what was
 * cut. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/run/archive.h"
#include "core/host/session/store_location.h"
#include "core/store/salvage.h"

typedef struct values {
  const char *to;
} values;

typedef struct salvage {
  ck_output *output;
  ck_store *store; /* the copy */
  ck_table table;
  ck_document document;
  struct cJSON *sessions;
  ck_status status;
  ck_error *err;
} salvage;

static const ck_column columns[] = {
    {"SESSION", 0}, {"STATUS", 0}, {"EVENTS", CK_COLUMN_RIGHT}, {"CHECKPOINT", CK_COLUMN_RIGHT},
    {"UPDATED", 0}, {NULL, 0}};

static void put_session(salvage *self, const ck_head *head) {
  const ck_session_record *session = &head->session;
  const char *status = ck_session_status_name(session->status);
  if (self->output->json) {
    struct cJSON *row = ck_document_put_object(&self->document, self->sessions, NULL);
    ck_document_put_text(&self->document, row, "id", session->id);
    ck_document_put_text(&self->document, row, "status", status);
    ck_document_put_int(&self->document, row, "last_seq", head->last_seq);
    ck_document_put_int(&self->document, row, "checkpoint_seq", head->latest.seq);
    ck_document_put_time(&self->document, row, "updated", session->updated_ms);
    return;
  }
  ck_table_put_text(&self->table, ck_bytes_text(session->id));
  ck_table_put_word(&self->table, status);
  ck_table_put_count(&self->table, head->last_seq);
  ck_table_put_count(&self->table, head->latest.seq);
  ck_table_put_time(&self->table, session->updated_ms);
}

static bool visit(void *to, const ck_session_record *record) {
  salvage *self = to;
  ck_head head;
  self->status = ck_store_get_head(&head, self->store, record->id, self->err);
  if (self->status != CK_OK) return false;
  put_session(self, &head);
  ck_head_clear(&head);
  return true;
}

/* ---- what was cut ---- */

static void describe(char *out, size_t size, const ck_salvage_report *report) {
  int len = 0;
  if (report->log_gone)
    len = snprintf(out, size, "the write-ahead log is gone or has no header: all commits in it");
  else if (report->cut_frames)
    len = snprintf(out, size, "frames %lld to %lld of the write-ahead log: %lld commits or more",
                   (long long)report->frames + 1, (long long)(report->frames + report->cut_frames),
                   (long long)report->cut_commits);
  else
    len = snprintf(out, size,
                   report->other_log ? "nothing: the write-ahead log beside it is of another file"
                                     : "nothing");
  if (report->mended_bits && len > 0 && (size_t)len < size)
    snprintf(out + len, size - (size_t)len, "; %lld bits of the log were set right",
             (long long)report->mended_bits);
}

static ck_status print_report(salvage *self, const ck_salvage_report *report, ck_error *err) {
  char cut[200];
  describe(cut, sizeof cut, report);
  if (!self->output->json) {
    ck_status status = ck_table_print(&self->table, err);
    ck_output_notice(self->output, "cut: %s", cut);
    return status;
  }
  ck_document_put_int(&self->document, NULL, "frames", report->frames);
  ck_document_put_int(&self->document, NULL, "commits", report->commits);
  ck_document_put_int(&self->document, NULL, "mended_bits", report->mended_bits);
  ck_document_put_int(&self->document, NULL, "cut_frames", report->cut_frames);
  ck_document_put_int(&self->document, NULL, "cut_commits", report->cut_commits);
  ck_document_put_bool(&self->document, NULL, "log_gone", report->log_gone);
  ck_document_put_bool(&self->document, NULL, "other_log", report->other_log);
  return ck_document_print(&self->document, err);
}

static ck_status list(salvage *self, const ck_salvage_report *report, const char *copy,
                      const ck_key *key, ck_error *err) {
  char url[4200];
  snprintf(url, sizeof url, "sqlite:%s", copy);
  ck_store_options options = {.read_only = true, .key = key};
  ck_status status = ck_store_open(&self->store, url, &options, err);
  if (status != CK_OK) return status;
  ck_table_init(&self->table, self->output, columns);
  ck_document_init(&self->document, self->output);
  self->sessions = ck_document_put_array(&self->document, NULL, "sessions");
  self->err = err;
  status = ck_store_list_sessions(self->store, 0, visit, self, err);
  if (status == CK_OK) status = self->status;
  if (status == CK_OK) status = print_report(self, report, err);
  ck_document_clear(&self->document);
  ck_table_clear(&self->table);
  ck_store_close(self->store);
  return status;
}

/* ---- the copy ---- */

/* Beside the store, for the user alone: it is as secret as the store. */
static ck_status make_folder(char **out, const char *url, ck_error *err) {
  const char *path = strchr(url, ':') + 1;
  if (asprintf(out, "%s.salvage-XXXXXX", path) < 0) {
    *out = NULL;
    return ck_error_no_memory(err);
  }
  if (mkdtemp(*out)) return CK_OK;
  return ck_error_set(err, CK_E_IO, "cannot make a folder for a copy of %s: %s; give --to FILE",
                      path, strerror(errno));
}

static void remove_copy(const char *folder, const char *copy) {
  static const char *const suffixes[] = {"", "-wal", "-shm", ".lock"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    char *name = NULL;
    if (asprintf(&name, "%s%s", copy, suffixes[i]) < 0) continue;
    unlink(name);
    free(name);
  }
  rmdir(folder);
}

static ck_status salvage_to(const ck_store_location *location, const char *copy, ck_host *host,
                            ck_error *err) {
  ck_salvage_report report;
  salvage self = {.output = host->output};
  ck_status status = ck_store_salvage(&report, location->url, copy, err);
  if (status == CK_OK) status = list(&self, &report, copy, location->key, err);
  if (status == CK_OK && (report.log_gone || report.cut_frames))
    status = ck_error_set(err, CK_E_CORRUPT, "%s: a part of its write-ahead log cannot be read",
                          location->url);
  return status;
}

static ck_status salvage_for_good(const ck_store_location *location, const char *copy,
                                  ck_host *host, ck_error *err) {
  ck_error lost = CK_ERROR_INIT;
  ck_status status = salvage_to(location, copy, host, err);
  bool is_there = status == CK_OK || (status == CK_E_CORRUPT && access(copy, F_OK) == 0);
  if (!is_there) return status;
  /* what lies beside the store is no part of its log, and whole */
  ck_status copied = ck_archive_copy_spills(location->url, NULL, NULL, copy, &lost);
  return copied == CK_OK ? status
                         : ck_error_set(err, copied, "%s: its long outputs: %s", copy, lost.text);
}

static ck_status salvage_beside(const ck_store_location *location, ck_host *host, ck_error *err) {
  char *folder = NULL, *copy = NULL;
  ck_status status = make_folder(&folder, location->url, err);
  if (status == CK_OK && asprintf(&copy, "%s/copy.db", folder) < 0) {
    copy = NULL;
    status = ck_error_no_memory(err);
  }
  if (status == CK_OK) status = salvage_to(location, copy, host, err);
  if (copy) remove_copy(folder, copy);
  free(copy);
  free(folder);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_store_location location;
  ck_status status = ck_store_location_find(&location, host, err);
  if (status != CK_OK) return status;
  if (strncmp(location.url, "sqlite:", 7) != 0)
    status = ck_error_set(err, CK_E_UNSUPPORTED, "store %s: only a store in a file can be salvaged",
                          location.url);
  else if (access(location.url + 7, F_OK) != 0)
    status = ck_error_set(err, CK_E_NOT_FOUND, "there is no store %s", location.url + 7);
  else
    status = v->to ? salvage_for_good(&location, v->to, host, err)
                   : salvage_beside(&location, host, err);
  ck_store_location_clear(&location);
  return status;
}

static const ck_option options[] = {
    {.name = "to",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, to),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "keep the copy: a new store with everything that can be read, and the long outputs"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun store salvage --to readable.db", "keep all that can be read"},
    {0},
};

const ck_command ck_command_store_salvage = {
    .name = "store salvage",
    .summary = "list what can be read of a store whose log is damaged, and what was cut",
    .details = "A store whose write-ahead log lost commits that were on disk is refused with exit "
               "code 7. This reads a copy of it: the file, and the log up to the first frame that "
               "its checksums do not hold; a single wrong bit is found by them and set right in "
               "the copy. Columns: session, status, events, checkpoint, updated. Exit code 7 when "
               "a part cannot be read. The store itself is left as it is; to go on with what can "
               "be read, keep the copy and name it as the store. Calls whose outcomes were cut may "
               "then be made again.",
    .options = options,
    .examples = examples,
    .run = run,
};
