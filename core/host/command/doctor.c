/* doctor.c - doctor: looks for what needs somebody, and says what to do. */
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/doctor/counters.h"
#include "core/host/doctor/files.h"
#include "core/host/doctor/known_faults.h"
#include "core/host/doctor/sessions.h"
#include "core/host/session/next_command.h"
#include "core/host/session/store_location.h"
#include "core/store/backend.h"
#include "core/store/postgres/url.h"
#include "lua/vm/vm.h"

enum { FREE_MIB = 256 };

typedef struct values {
  int64_t free_mib;
} values;

typedef struct examination {
  ck_findings findings;
  ck_findings_head head;
  ck_store_location location;
  ck_store *store; /* NULL: none, or none that can be opened */
  const char *path;
} examination;

/* A store that cannot be opened is a finding as any other; without its key nothing of it can be
 * looked at. */
static void add_closed(examination *self, const ck_host *host, const ck_error *why) {
  ck_buffer remedy = {0};
  if (why->status == CK_E_NOT_FOUND) {
    ck_findings_add(&self->findings, "store", CK_OK, self->location.url, NULL,
                    "there is none yet: 'ckrun run FLOW' makes it");
    return;
  }
  bool damaged = ck_status_exit(why->status) == 7;
  if (damaged) ck_next_command_append(&remedy, host, "store salvage");
  ck_findings_add(&self->findings, "store", why->status, self->location.url,
                  damaged ? &remedy : NULL, "%s", why->text);
}

typedef struct noting {
  examination *self;
  const ck_host *host;
} noting;

/* ck_store_watch: that a store has no counter is none of its faults. */
static void note(void *to, bool set_back, const char *text) {
  const noting *with = to;
  examination *self = with->self;
  if (set_back) ck_doctor_add_rollback(&self->findings, with->host, self->location.url, text);
}

static void open_store(examination *self, const ck_host *host) {
  ck_error why = CK_ERROR_INIT;
  noting with = {self, host};
  self->location.watch.note = note;
  self->location.watch.to = &with;
  ck_status status = ck_store_location_open_store(&self->store, &self->location, &why);
  self->location.watch.note = NULL; /* it is gone with this call */
  why.status = status;
  if (status != CK_OK) add_closed(self, host, &why);
}

/* The key's file is looked at before it is read: one that others can read is refused there. */
static ck_status find_store(examination *self, ck_host *host, ck_error *err) {
  static const char scheme[] = "sqlite:";
  ck_host keyless = *host;
  ck_error why = CK_ERROR_INIT;
  keyless.key = NULL;
  ck_status status = ck_store_location_find(&self->location, &keyless, err);
  if (status != CK_OK) return status;
  ck_doctor_check_key_file(&self->findings, host->key);
  if (strncmp(self->location.url, scheme, sizeof scheme - 1) == 0)
    self->path = self->location.url + sizeof scheme - 1;
  if (self->path) ck_doctor_check_store_files(&self->findings, self->path);
  ck_store_location_clear(&self->location);
  status = ck_store_location_find(&self->location, host, &why);
  self->path = self->path && self->location.url ? self->location.url + sizeof scheme - 1 : NULL;
  if (status == CK_OK) {
    open_store(self, host);
  } else if (self->location.url) {
    why.status = status;
    add_closed(self, host, &why);
  }
  return self->location.url ? CK_OK : ck_error_set(err, status, "%s", why.text);
}

static ck_status check_space(examination *self, const ck_host *host, int64_t needed,
                             ck_error *err) {
  ck_buffer prune = {0};
  ck_status status = self->store ? ck_doctor_find_prune(&prune, host, self->store, err) : CK_OK;
  if (status == CK_OK)
    ck_doctor_check_space(&self->findings, &self->head.free_bytes, self->path, needed, &prune);
  ck_buffer_clear(&prune);
  return status;
}

static void note_server(void *to, const char *check, ck_status status, const char *text) {
  examination *self = to;
  ck_findings_add(&self->findings, check, status, self->location.url, NULL, "%s", text);
}

static ck_status examine(examination *self, ck_host *host, int64_t needed, ck_error *err) {
  self->head = (ck_findings_head){.lua = ck_vm_version(), .free_bytes = -1};
  ck_status status = find_store(self, host, err);
  self->head.store = self->location.url;
  if (status == CK_OK && self->path) status = check_space(self, host, needed, err);
  if (status == CK_OK && self->store)
    status = ck_store_examine(self->store, note_server, self, err);
  if (status == CK_OK && self->store)
    status = ck_doctor_check_sessions(&self->findings, host, self->store, self->path, err);
  if (status == CK_OK)
    status = ck_doctor_check_counters(&self->findings, self->location.watch.folder, err);
  if (!ck_postgres_url_is(self->location.url ? self->location.url : "")) {
    self->head.sqlite = ck_backend_sqlite_version();
    ck_known_faults_add(&self->findings, "SQLite", self->head.sqlite);
  }
  ck_known_faults_add(&self->findings, "Lua", self->head.lua);
  return status == CK_OK ? ck_findings_check(&self->findings, err) : status;
}

static ck_status report(const examination *self, ck_output *output, ck_error *err) {
  size_t count = 0;
  ck_status worst = ck_findings_worst(&self->findings);
  ck_status status = ck_findings_print(&self->findings, &self->head, output, err);
  for (size_t i = 0; i < self->findings.count; i++) count += self->findings.list[i].status != CK_OK;
  if (status != CK_OK || worst == CK_OK) return status;
  return ck_error_set(err, worst, "%zu %s somebody", count,
                      count == 1 ? "finding needs" : "findings need");
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  examination self = {0};
  int64_t needed = (v->free_mib ? v->free_mib : FREE_MIB) * (INT64_C(1) << 20);
  ck_status status = v->free_mib > INT64_MAX >> 20
                         ? ck_error_set(err, CK_E_USAGE, "--free %lld: more than there can be",
                                        (long long)v->free_mib)
                         : examine(&self, host, needed, err);
  if (status == CK_OK) status = report(&self, host->output, err);
  ck_findings_clear(&self.findings);
  ck_store_close(self.store);
  ck_store_location_clear(&self.location);
  return status;
}

static const ck_option options[] = {
    {.name = "free",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, free_mib),
     .value = "MIB",
     .help = "tell when less than so many MiB are free for the store; 256 without it"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun doctor --free 1024", "all checks, with a gigabyte to be free"},
    {0},
};

const ck_command ck_command_doctor = {
    .name = "doctor",
    .summary = "look for what needs somebody, and say what to do",
    .details =
        "Of a store on a server: its version, what it makes durable, its clock and leases, its "
        "standbys, the connections that are left, the role's privileges. "
        "Looks at the versions of SQLite and Lua, at who may read and write the store, its "
        "folder, the file of its key, flows, profiles and policies, at the room that is left, at "
        "sessions whose process is gone, that are in doubt, failing or waiting for a person, "
        "whether the store was set back, and at files and counters that belong to nothing. Each "
        "finding has the command that mends it, or lists what a person has to say. Nothing is "
        "changed.\n\n"
        "Columns: check, status, subject, text, remedy. The exit code is that of the gravest "
        "finding: 74 the disk is nearly full or the store cannot be used, 7 it is damaged, 75 a "
        "session is in doubt, 5 other users can read or write a file, 8 a session waits, 1 "
        "something was left behind; 0 when nothing needs to be done. Versions with known faults "
        "are told, and change no exit code.",
    .options = options,
    .examples = examples,
    .run = run,
};
