/* sessions.c - walks over the sessions of a store. */
#include "core/host/doctor/sessions.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/effect/process/spill.h"
#include "core/host/doctor/files.h"
#include "core/host/run/spills.h"
#include "core/host/session/next_command.h"
#include "core/host/session/place.h"
#include "core/host/session/resume_command.h"
#include "core/store/checkpoint_list.h"
#include "lua/profile/profile.h"

enum { LISTED_MAX = 50 }; /* findings of one check about sessions */

typedef struct walk {
  ck_findings *to;
  const ck_host *host;
  ck_store *store;
  ck_shelf spills;
  ck_buffer scripts; /* paths that were looked at, each with a NUL behind it */
  ck_status status;
  ck_error *err;
} walk;

/* ---- scripts ---- */

static void check_script(walk *self, const char *path) {
  if (!path || !strchr(path, '/')) return;
  const char *at = self->scripts.data, *end = at + self->scripts.len;
  for (; at && at < end; at += strlen(at) + 1)
    if (strcmp(at, path) == 0) return;
  ck_buffer_append(&self->scripts, path, strlen(path) + 1);
  ck_doctor_check_script(self->to, path);
}

/* What does not load is told by 'ckrun profile check'. */
static void check_profile(walk *self, const char *name) {
  ck_profile *profile;
  ck_error ignored = CK_ERROR_INIT;
  check_script(self, name);
  if (!name || ck_profile_load(&profile, name, &ignored) != CK_OK) return;
  for (size_t i = 0; i < profile->policy_count; i++) check_script(self, profile->policies[i].name);
  for (size_t i = 0; i < profile->agent_count; i++)
    for (size_t j = 0; j < profile->agents[i].policy_count; j++)
      check_script(self, profile->agents[i].policies[j].name);
  ck_profile_free(profile);
}

static void check_scripts(walk *self, const ck_head *head) {
  ck_launch launch;
  ck_error ignored = CK_ERROR_INIT; /* of a session that was not begun by a flow's file */
  if (ck_place_read_launch(&launch, self->store, head, &ignored) != CK_OK) return;
  check_script(self, launch.flow);
  check_profile(self, launch.profile);
  ck_launch_clear(&launch);
}

/* ---- one session ---- */

/* "resume ID" as its last run was, or what lists what a person has to say. */
static ck_status add_session(walk *self, const ck_head *head, const char *check, ck_status as,
                             const char *words, const char *text) {
  ck_buffer remedy = {0};
  const ck_session_record *record = &head->session;
  if (ck_findings_count(self->to, check) >= LISTED_MAX) return CK_OK;
  ck_status status =
      ck_resume_command_append(&remedy, self->host, self->store, head, words, self->err);
  if (status == CK_OK)
    ck_findings_add(self->to, check, as, record->id, &remedy, "%s%s%s", text,
                    record->reason ? ": " : "", record->reason ? record->reason : "");
  ck_buffer_clear(&remedy);
  return status;
}

static ck_status check_state(walk *self, const ck_head *head) {
  switch (head->session.status) {
    case CK_SESSION_RUNNING:
      return add_session(self, head, "lease", CK_E_PENDING, "resume %s",
                         "it stands as running, and its process is gone");
    case CK_SESSION_WAITING:
      return add_session(self, head, "session", CK_E_WAITING, "answer %s", "it waits for a person");
    case CK_SESSION_IN_DOUBT:
      return add_session(self, head, "session", CK_E_IN_DOUBT, "resolve %s",
                         "a person has to say what became of an effect");
    case CK_SESSION_FAILING:
      return add_session(self, head, "session", CK_E_PENDING, "resume %s --retry", "it is failing");
    default:
      return CK_OK;
  }
}

/* As 'ckrun sessions prune' removes them; that keeps so many checkpoints that none goes. */
static ck_status check_spills(walk *self, const ck_head *head) {
  ck_spills_size gone;
  ck_session_status at = head->session.status;
  if (at == CK_SESSION_IN_DOUBT || at == CK_SESSION_RUNNING) return CK_OK;
  ck_status status =
      ck_spills_sweep(&gone, &self->spills, self->store, &head->session, true, self->err);
  if (status != CK_OK || !gone.files) return status;
  char words[CK_ID_SIZE + 64];
  ck_buffer remedy = {0};
  snprintf(words, sizeof words, "sessions prune %s --keep 1000000", head->session.id);
  ck_next_command_append(&remedy, self->host, words);
  ck_findings_add(self->to, "spill", CK_E_PENDING, head->session.id, &remedy,
                  "no result names %lld of its files of long outputs (%lld bytes)",
                  (long long)gone.files, (long long)gone.bytes);
  return CK_OK;
}

static bool check_session(void *to, const ck_session_record *record) {
  walk *self = to;
  ck_head head;
  ck_error owned = CK_ERROR_INIT;
  bool live = ck_store_check_owner(self->store, record->id, &owned) == CK_E_OWNED;
  self->status = ck_store_get_head(&head, self->store, record->id, self->err);
  if (self->status != CK_OK) return false;
  check_scripts(self, &head);
  if (!live) self->status = check_state(self, &head);
  if (!live && self->status == CK_OK) self->status = check_spills(self, &head);
  ck_head_clear(&head);
  return self->status == CK_OK;
}

/* ---- what belongs to none ---- */

static bool is_there(walk *self, const char *id) {
  ck_head head;
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = ck_store_get_head(&head, self->store, id, &ignored);
  if (status == CK_OK) ck_head_clear(&head);
  return status != CK_E_NOT_FOUND;
}

static void add_file(walk *self, const char *check, const char *folder, const char *name,
                     const char *text) {
  ck_buffer path = {0}, remedy = {0};
  ck_buffer_append_format(&path, "%s/%s", folder, name);
  ck_buffer_append_char(&path, '\0');
  if (!path.failed && ck_findings_count(self->to, check) < LISTED_MAX) {
    ck_buffer_append_text(&remedy, "rm");
    ck_next_command_append_option(&remedy, "--", path.data);
    ck_findings_add(self->to, check, CK_E_PENDING, path.data, &remedy, "%s", text);
  }
  self->to->failed |= path.failed;
  ck_buffer_clear(&path);
}

/* SESSION-<16 hex>-ATTEMPT.NAME: each place where such digits stand may end the id. */
static bool check_spill(void *to, const char *name, int64_t bytes) {
  walk *self = to;
  (void)bytes;
  for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
    char id[CK_ID_SIZE];
    if (strspn(dash + 1, "0123456789abcdef") != 16 || dash[17] != '-') continue;
    if ((size_t)(dash - name) >= sizeof id) return false;
    snprintf(id, sizeof id, "%.*s", (int)(dash - name), name);
    if (is_there(self, id)) return false;
  }
  add_file(self, "spill", self->spills.folder, name,
           "a long output of a session that is not there");
  return false;
}

/* The lock of a session that nobody runs is removed by its holder, or by the next one. */
static void check_locks(walk *self, const char *store_path) {
  ck_buffer folder = {0};
  ck_buffer_append_format(&folder, "%s.sessions", store_path);
  ck_buffer_append_char(&folder, '\0');
  DIR *locks = folder.failed ? NULL : opendir(folder.data);
  for (struct dirent *entry; locks && (entry = readdir(locks));) {
    char id[CK_ID_SIZE];
    const char *end = strstr(entry->d_name, ".lock");
    if (!end || end[5] || (size_t)(end - entry->d_name) >= sizeof id) continue;
    snprintf(id, sizeof id, "%.*s", (int)(end - entry->d_name), entry->d_name);
    if (!is_there(self, id))
      add_file(self, "file", folder.data, entry->d_name, "the lock of a session that is not there");
  }
  if (locks) closedir(locks);
  ck_buffer_clear(&folder);
}

ck_status ck_doctor_check_sessions(ck_findings *to, const ck_host *host, ck_store *store,
                                   const char *store_path, ck_error *err) {
  walk self = {.to = to, .host = host, .store = store, .err = err};
  ck_status status = ck_spills_open(&self.spills, ck_store_url(store), store, err);
  if (status == CK_OK) status = ck_store_list_sessions(store, 0, check_session, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK && self.spills.folder)
    status = ck_spill_sweep(&self.spills, NULL, check_spill, &self, err);
  if (status == CK_OK && store_path) check_locks(&self, store_path);
  ck_shelf_close(&self.spills);
  ck_buffer_clear(&self.scripts);
  return status;
}

/* ---- room ---- */

typedef struct largest {
  ck_store *store;
  char id[CK_ID_SIZE];
  int64_t bytes;
  ck_status status;
  ck_error *err;
} largest;

static bool measure(void *to, const ck_session_record *record) {
  largest *self = to;
  ck_checkpoint_count count;
  if (ck_session_status_resumable(record->status)) return true;
  self->status = ck_store_count_checkpoints(&count, self->store, record->no, self->err);
  if (self->status != CK_OK) return false;
  if (count.checkpoints < 2 || count.stored_bytes <= self->bytes) return true;
  self->bytes = count.stored_bytes;
  snprintf(self->id, sizeof self->id, "%s", record->id);
  return true;
}

ck_status ck_doctor_find_prune(ck_buffer *out, const ck_host *host, ck_store *store,
                               ck_error *err) {
  largest self = {.store = store, .err = err};
  char words[CK_ID_SIZE + 64];
  ck_status status = ck_store_list_sessions(store, 0, measure, &self, err);
  if (status == CK_OK) status = self.status;
  if (status != CK_OK || !self.id[0]) return status;
  snprintf(words, sizeof words, "sessions prune %s --keep 1", self.id);
  ck_next_command_append(out, host, words);
  return CK_OK;
}
