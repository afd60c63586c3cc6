/* preflight.c - finds the obstacles to a resume before anything is changed: the session, and the
 * parts it needs. */
#include "core/host/preflight/preflight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/host/run/amend.h"
#include "core/host/session/launch.h"
#include "core/host/session/next_command.h"
#include "core/host/session/place.h"
#include "core/host/session/run_settings.h"
#include "core/host/session/takeover.h"
#include "lua/profile/overrides.h"

void ck_preflight_clear(ck_preflight *self) {
  ck_head_clear(&self->head);
  ck_checkpoint_info_clear(&self->checkpoint);
  ck_launch_clear(&self->launch);
  ck_kept_files_clear(&self->files);
  ck_last_run_clear(&self->last);
  ck_value_free(self->policies);
  ck_value_free(self->own_policies);
  ck_value_free(self->changes);
  ck_value_free(self->guard_changes);
  ck_value_free(self->settings);
  ck_value_free(self->settings_before);
  ck_value_free(self->seen);
  for (size_t i = 0; i < self->effect_count; i++) {
    ck_preflight_effect_clear(&self->effects[i]);
  }
  free(self->effects);
  ck_buffer_clear(&self->limits);
  ck_buffer_clear(&self->problems);
}

static ck_status replace(char **text,
                         ck_status (*take)(char **out, const char *given, ck_error *err),
                         const char *given, ck_error *err) {
  char *taken;
  if (!given) return CK_OK;
  ck_status status = take(&taken, given, err);
  if (status != CK_OK) return status;
  free(*text);
  *text = taken;
  return CK_OK;
}

static ck_status load_flow(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  char digest[CK_DIGEST_HEX_SIZE];
  ck_status status = self->options.signed_flow ? ck_preflight_take_signed(self, engine, err)
                     : self->stored            ? ck_preflight_take_stored(self, engine, err)
                                               : CK_OK;
  if (status != CK_OK || self->untrusted) return status;
  status = ck_engine_load_flow(engine, self->launch.flow, &failure);
  if (status == CK_E_NOT_FOUND) {
    ck_preflight_add(self, status, "%s; --flow FILE says where it is now%s", failure.text,
                     ck_preflight_has_stored(self, engine)
                         ? ", --flow stored runs what the store has kept of it"
                         : "");
    return CK_OK;
  }
  if (status != CK_OK) return ck_preflight_take(self, status, &failure, err);
  ck_digest_hex(digest, &ck_engine_manifest(engine)->digest);
  ck_bytes last = ck_last_run_flow_digest(&self->last);
  self->flow_changed =
      last.len ? !ck_json_is_text(last, digest) : strcmp(digest, self->launch.flow_digest) != 0;
  if (self->flow_changed && !self->options.accept_changed)
    ck_preflight_add(self, CK_E_REFUSED,
                     "flow %s has changed since %s; --accept-changed goes on with it as it is now",
                     self->launch.flow, ck_preflight_since(self));
  return CK_OK;
}

static void take_problem(void *to, const ck_error *problem) {
  ck_preflight_add(to, problem->status, "%s", problem->text);
}

static ck_status load_profile(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  if (self->untrusted) return CK_OK;
  if (self->options.profile) engine->scripts.closed = false;
  ck_status status =
      ck_engine_load_profile(engine, self->launch.profile, take_problem, self, &failure);
  if (status != CK_OK) return ck_preflight_take(self, status, &failure, err);
  if (!engine->profile) return CK_OK;
  status = ck_engine_take_settings(engine, self->options.settings, err);
  if (status == CK_OK) status = ck_profile_describe_run(&self->settings, engine->profile, err);
  if (status != CK_OK) return status;
  status = ck_engine_load_policies(engine, take_problem, self, &failure);
  if (status != CK_OK) return ck_preflight_take(self, status, &failure, err);
  status = ck_engine_hide_secrets(engine, take_problem, self, err);
  if (status == CK_OK)
    status = ck_amend_check(self->options.edits, engine->output, engine->profile, take_problem,
                            self, err);
  return status == CK_OK && engine->policies.self ? ck_preflight_check_policies(self, engine, err)
                                                  : status;
}

/* ---- a failure that the same call meets again ---- */

static bool is_other(ck_bytes about, const char *name, const ck_digest *now) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_bytes then = ck_json_get(about, name);
  ck_digest_hex(hex, now);
  return then.len && !ck_json_is_text(then, hex);
}

/* What is sent differs from then: by an edit, from an earlier checkpoint, under another flow or
 * profile, or from a recording. */
static ck_status find_change(bool *out, const ck_preflight *self, const ck_engine *engine,
                             ck_error *err) {
  const ck_preflight_options *given = &self->options;
  const ck_session_record *record = &self->head.session;
  ck_value *about = NULL;
  *out = given->retry || given->checkpoint || given->clean || given->cassette ||
         (given->edits && given->edits->count) || !engine->flow || !engine->profile;
  if (*out) return CK_OK;
  ck_status status =
      ck_store_get_about(&about, engine->runtime->store, record->no, record->timeline, err);
  if (status == CK_OK && about)
    *out = is_other(ck_value_bytes(about), "flow", &ck_engine_manifest(engine)->digest) ||
           is_other(ck_value_bytes(about), "profile", &engine->profile->digest);
  ck_value_free(about);
  return status;
}

static ck_status check_failure(ck_preflight *self, const ck_engine *engine, ck_error *err) {
  const ck_session_record *record = &self->head.session;
  ck_status refusal = ck_next_command_refusal(record);
  bool changed = true;
  ck_status status = refusal == CK_OK ? CK_OK : find_change(&changed, self, engine, err);
  if (status == CK_OK && !changed)
    ck_preflight_add(self, CK_E_REFUSED,
                     "session %s failed because %s, and the same call would meet that again: "
                     "'ckrun sessions rewind %s' and 'ckrun sessions fork %s' go back, --set, "
                     "--checkpoint or another --profile change what is sent; --retry sends it "
                     "again as it is",
                     record->id, ck_status_text(refusal), record->id, record->id);
  return status;
}

/* Tools run where the session was started, or where its last run was told to. */
static ck_status check_directory(ck_preflight *self, ck_engine *engine, ck_error *err) {
  const char *directory = self->launch.directory;
  struct stat info;
  bool there = directory && stat(directory, &info) == 0;
  if (there && !S_ISDIR(info.st_mode)) errno = ENOTDIR, there = false;
  if (there && access(directory, X_OK) != 0) there = false;
  if (directory && !there)
    ck_preflight_add(self, CK_E_REFUSED,
                     "the folder %s, where its tools run, cannot be entered: %s; --directory DIR "
                     "names another",
                     directory, strerror(errno));
  return ck_engine_set_directory(engine, directory, err);
}

static ck_status load_cassette(ck_preflight *self, ck_engine *engine, ck_error *err) {
  ck_error failure = CK_ERROR_INIT;
  ck_status status = CK_OK;
  if (self->launch.cassette)
    status = ck_engine_load_cassette(engine, self->launch.cassette, &failure);
  return ck_preflight_take(self, status, &failure, err);
}

/* A live owner is an error; a stopped one is too, unless it is to be taken over. */
static ck_status check_owner(ck_preflight *self, ck_store *store, const char *store_url,
                             ck_error *err) {
  const char *id = self->options.session;
  ck_status status = ck_store_check_owner(store, id, err);
  if (status != CK_E_OWNED || !self->options.take_over) return status;
  return ck_takeover_check(&self->stopped_owner, store, store_url, id, err);
}

static ck_status read_session(ck_preflight *self, ck_engine *engine, const char *store_url,
                              ck_error *err) {
  ck_store *store = engine->runtime->store;
  ck_status status = ck_store_get_head(&self->head, store, self->options.session, err);
  if (status == CK_OK) status = check_owner(self, store, store_url, err);
  if (status == CK_OK) status = ck_preflight_select(self, store, err);
  if (status != CK_OK) return status;
  const ck_session_record *record = &self->head.session;
  if (!ck_session_status_resumable(record->status))
    return ck_error_set(err, CK_E_REFUSED,
                        "session %s is %s and cannot be resumed: 'ckrun sessions fork %s' makes "
                        "one that goes on from a checkpoint of it",
                        record->id, ck_session_status_name(record->status), record->id);
  status = ck_run_settings_read_last(&self->settings_before, store, &self->head, err);
  if (status == CK_OK) status = ck_last_run_read(&self->last, store, &self->head, err);
  return status == CK_OK ? ck_place_read_launch(&self->launch, store, &self->head, err) : status;
}

/* As the command line says; what is given there is not moved. */
static ck_status place(ck_preflight *self, ck_error *err) {
  const ck_preflight_options *given = &self->options;
  char *flow = NULL, *directory = NULL;
  bool asked = given->flow && strcmp(given->flow, CK_PREFLIGHT_STORED) == 0;
  bool moved = given->flow && !asked;
  self->stored = asked || given->signed_flow;
  ck_status status = moved ? ck_launch_take_path(&flow, given->flow, err) : CK_OK;
  if (status == CK_OK && given->directory)
    status = ck_launch_take_path(&directory, given->directory, err);
  if (status == CK_OK) status = ck_place_move(&self->launch, flow, directory, err);
  free(flow);
  free(directory);
  if (status == CK_OK)
    status = replace(&self->launch.cassette, ck_launch_take_cassette, given->cassette, err);
  return status == CK_OK
             ? replace(&self->launch.profile, ck_launch_take_profile, given->profile, err)
             : status;
}

ck_status ck_preflight_check(ck_preflight *self, ck_engine *engine, const char *store_url,
                             const ck_preflight_options *options, ck_error *err) {
  self->options = *options;
  ck_status status = read_session(self, engine, store_url, err);
  if (status == CK_OK) status = place(self, err);
  if (status == CK_OK) status = load_flow(self, engine, err);
  if (status == CK_OK) status = check_directory(self, engine, err);
  if (status == CK_OK) status = load_cassette(self, engine, err);
  if (status == CK_OK) status = load_profile(self, engine, err);
  if (status == CK_OK) status = ck_preflight_check_guards(self, err);
  if (status == CK_OK) status = check_failure(self, engine, err);
  if (status == CK_OK) status = ck_preflight_check_state(self, engine, err);
  if (status == CK_OK) status = ck_preflight_describe(self, engine, err);
  if (status == CK_OK) status = ck_preflight_dry_run(self, engine, err);
  if (status == CK_OK) status = ck_preflight_compare_decisions(self, engine, err);
  return status == CK_OK ? ck_buffer_check(&self->problems, err) : status;
}
