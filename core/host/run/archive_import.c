/* archive_import.c - sessions import of an archive: verifies it, and takes back what is in it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file_identity.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/run/archive.h"
#include "core/host/run/spills.h"
#include "core/store/backup.h"
#include "core/store/maintenance.h"
#include "core/store/verify.h"

enum { LEASES_MAX = 256 }; /* an archive holds a session and those it was forked from */

/* A database of nobody's in particular, whose program has set no number there, is one of another
 * program. */
bool ck_archive_is(const char *path) {
  enum { APPLICATION_ID = 68 };
  static const char magic[] = "SQLite format 3", nobody[4] = "";
  char head[APPLICATION_ID + sizeof nobody] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  bool is = fd >= 0 && pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
            memcmp(head, magic, sizeof magic) == 0 &&
            memcmp(head + APPLICATION_ID, nobody, sizeof nobody) != 0;
  if (fd >= 0) close(fd);
  return is;
}

typedef struct importing {
  ck_host *host;
  const char *path;
  ck_store_location location;
  ck_store *archive, *store;
  ck_lease leases[LEASES_MAX];
  size_t lease_count;
  ck_restored *taken; /* of one that was made, `checkpoints` are all that it has */
  size_t taken_count;
  ck_error first; /* the first problem of the file */
  ck_status status;
  ck_error *err;
} importing;

/* ---- the file ---- */

static void note_problem(void *to, const char *session, int64_t seq, ck_status status,
                         const char *text) {
  importing *self = to;
  if (self->first.status != CK_OK) return;
  if (session && *session)
    ck_error_set(&self->first, status, "session %s, seq %lld: %s", session, (long long)seq, text);
  else
    ck_error_set(&self->first, status, "%s", text);
}

static ck_status open_archive(importing *self, ck_error *err) {
  char *url = NULL;
  if (asprintf(&url, "sqlite:%s", self->path) < 0) return ck_error_no_memory(err);
  ck_store_options options = {.read_only = true, .key = self->location.key};
  ck_status status = ck_store_open(&self->archive, url, &options, err);
  free(url);
  return status;
}

static ck_status verify(importing *self, ck_error *err) {
  ck_verify_report report;
  ck_status status = ck_store_verify(&report, self->archive, NULL, note_problem, self, err);
  if (status != CK_OK || !report.problems) return status;
  return ck_error_set(err, self->first.status,
                      "%s is not what was written, and nothing was taken from it: %s", self->path,
                      self->first.text);
}

/* ---- the store ---- */

static ck_status open_store(importing *self, ck_error *err) {
  ck_store_options options = {
      .create = true, .key = self->location.key, .watch = &self->location.watch};
  ck_status status = ck_store_location_make_parents(&self->location, err);
  return status == CK_OK ? ck_store_open(&self->store, self->location.opens, &options, err)
                         : status;
}

static bool find_fork(void *to, const ck_session_record *fork) {
  (void)fork;
  *(bool *)to = true;
  return false;
}

/* What is there already, and gets something back, is not run meanwhile. */
static bool lock(void *to, const ck_session_record *archived) {
  importing *self = to;
  ck_session_record record;
  ck_error absent = CK_ERROR_INIT;
  bool forked = false;
  self->status = ck_store_list_forks(self->archive, archived->no, find_fork, &forked, self->err);
  if (self->status != CK_OK || forked) return self->status == CK_OK;
  ck_status status = ck_store_get_session(&record, self->store, archived->id, &absent);
  if (status == CK_E_NOT_FOUND) return true;
  if (status != CK_OK) *self->err = absent;
  if (status == CK_OK && self->lease_count == LEASES_MAX)
    status =
        ck_error_set(self->err, CK_E_OVERSIZE, "%s: more than %d sessions", self->path, LEASES_MAX);
  if (status == CK_OK)
    status = ck_store_lock_session(&self->leases[self->lease_count], self->store, record.id,
                                   record.epoch, self->err);
  if (absent.status == CK_OK) ck_session_record_clear(&record);
  if (status == CK_OK) self->lease_count++;
  self->status = status;
  return status == CK_OK;
}

/* Before their sessions beside a store in a file, whose folder is nobody's; else behind them. */
static ck_status add_spills(importing *self, bool behind, ck_error *err) {
  ck_shelf to, from = {0};
  ck_status status = ck_spills_open(&to, self->location.url, self->store, err);
  if (status == CK_OK)
    status = ck_spills_open(&from, ck_store_url(self->archive), self->archive, err);
  if (status == CK_OK && to.kind && behind == !to.folder)
    status = ck_spills_add(&from, &to, self->store, err);
  ck_shelf_close(&to);
  ck_shelf_close(&from);
  return status;
}

/* ---- output ---- */

static const ck_column columns[] = {
    {"SESSION", CK_COLUMN_CUT}, {"IMPORTED", 0}, {"CHECKPOINTS", CK_COLUMN_RIGHT}, {NULL, 0}};

static const char *what(const ck_restored *one) {
  if (one->made) return "all";
  return one->checkpoints ? "checkpoints" : "nothing";
}

static bool count_one(void *to, const ck_checkpoint_info *checkpoint) {
  *(int64_t *)to += !checkpoint->session;
  return true;
}

static ck_status count(int64_t *out, ck_store *archive, const char *id, ck_error *err) {
  ck_session_record record;
  *out = 0;
  ck_status status = ck_store_get_session(&record, archive, id, err);
  if (status != CK_OK) return status;
  status = ck_store_list_checkpoints(archive, record.no, count_one, out, err);
  ck_session_record_clear(&record);
  return status;
}

/* Printed when all of it is in the store. */
static ck_status note_taken(void *to, const ck_restored *one, ck_error *err) {
  importing *self = to;
  ck_restored *taken = reallocarray(self->taken, self->taken_count + 1, sizeof *taken);
  if (!taken) return ck_error_no_memory(err);
  self->taken = taken;
  taken += self->taken_count++;
  *taken = *one;
  return one->made ? count(&taken->checkpoints, self->archive, one->id, err) : CK_OK;
}

static ck_status print_json(const importing *self, ck_error *err) {
  ck_document document;
  ck_document_init(&document, self->host->output);
  struct cJSON *sessions = ck_document_put_array(&document, NULL, "sessions");
  for (size_t i = 0; i < self->taken_count; i++) {
    struct cJSON *at = ck_document_put_object(&document, sessions, NULL);
    ck_document_put_text(&document, at, "session", self->taken[i].id);
    ck_document_put_text(&document, at, "imported", what(&self->taken[i]));
    ck_document_put_int(&document, at, "checkpoints", self->taken[i].checkpoints);
  }
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status print_table(const importing *self, ck_error *err) {
  ck_table table;
  ck_table_init(&table, self->host->output, columns);
  for (size_t i = 0; i < self->taken_count; i++) {
    ck_table_put_text(&table, ck_bytes_text(self->taken[i].id));
    ck_table_put_word(&table, what(&self->taken[i]));
    ck_table_put_count(&table, self->taken[i].checkpoints);
  }
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status print(const importing *self, ck_error *err) {
  bool any = false;
  for (size_t i = 0; i < self->taken_count; i++)
    any |= self->taken[i].made || self->taken[i].checkpoints;
  if (!any)
    return ck_error_set(err, CK_E_EXISTS, "nothing is new: store %s has all that is in %s",
                        self->location.url, self->path);
  return self->host->output->json ? print_json(self, err) : print_table(self, err);
}

/* Whichever descriptor of a store's file is closed first drops all of the process's locks on it. */
static ck_status check_other(const importing *self, ck_error *err) {
  const char *path;
  ck_file_identity store, file;
  ck_error none = CK_ERROR_INIT;
  if (ck_store_location_check_file(&path, self->location.url, &none) != CK_OK) return CK_OK;
  bool same = ck_file_identity_read(&store, AT_FDCWD, path, true) &&
              ck_file_identity_read(&file, AT_FDCWD, self->path, true) &&
              ck_file_identity_equal(&store, &file);
  if (!same) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "%.300s is a file of the open store %.300s: name another one", self->path,
                      path);
}

static ck_status import(importing *self, ck_error *err) {
  ck_status status = check_other(self, err);
  if (status == CK_OK) status = open_archive(self, err);
  if (status == CK_OK) status = verify(self, err);
  if (status == CK_OK) status = open_store(self, err);
  self->err = err;
  if (status == CK_OK) status = ck_store_list_sessions(self->archive, 0, lock, self, err);
  if (status == CK_OK) status = self->status;
  if (status == CK_OK) status = add_spills(self, false, err);
  if (status == CK_OK) status = ck_store_restore(self->store, self->path, note_taken, self, err);
  for (size_t i = 0; i < self->lease_count; i++) ck_store_release(self->store, self->leases[i]);
  if (status == CK_OK) status = add_spills(self, true, err);
  return status == CK_OK ? print(self, err) : status;
}

ck_status ck_archive_import(ck_host *host, const char *path, ck_error *err) {
  importing *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->host = host;
  self->path = path;
  ck_status status = ck_store_location_find(&self->location, host, err);
  if (status == CK_OK) status = import(self, err);
  ck_store_close(self->store);
  ck_store_close(self->archive);
  free(self->taken);
  ck_store_location_clear(&self->location);
  free(self);
  return status;
}
