/* claim.c - reads what a queued session is to run, and checks where that lies. */
#include "core/host/run/claim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/shortage.h"
#include "core/base/text.h"
#include "core/effect/cassette/cassette.h"
#include "core/host/session/place.h"
#include "core/host/session/queued.h"
#include "core/host/session/run_settings.h"

static void clear_words(ck_words *words) {
  for (size_t i = 0; i < words->count; i++) free((char *)words->list[i]);
  free(words->list);
  *words = (ck_words){0};
}

void ck_claim_clear(ck_claim *self) {
  ck_value_free(self->mark);
  ck_value_free(self->signature);
  ck_signed_flow_clear(&self->flow);
  free(self->directory);
  free(self->cassette);
  free(self->profile);
  clear_words(&self->settings.options);
  clear_words(&self->settings.policies);
  *self = (ck_claim){0};
}

/* ---- where the files lie ---- */

static bool lies_in(const char *path, const char *folder) {
  size_t len = strlen(folder);
  if (strcmp(folder, "/") == 0) return true;
  return strncmp(path, folder, len) == 0 && (path[len] == '/' || !path[len]);
}

/* Links are followed: what they lead to is what runs. */
static ck_status check_place(const char *what, const char *path, const ck_words *folders,
                             ck_error *err) {
  char *real = realpath(path, NULL);
  if (!real) return ck_error_set(err, CK_E_REFUSED, "%s %s: %s", what, path, ck_errno_text(errno));
  bool found = false;
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && !found && i < folders->count; i++) {
    char *folder = realpath(folders->list[i], NULL);
    if (!folder)
      status =
          ck_error_set(err, CK_E_USAGE, "--flows %s: %s", folders->list[i], ck_errno_text(errno));
    found = folder && lies_in(real, folder);
    free(folder);
  }
  if (status == CK_OK && !found)
    status = ck_error_set(err, CK_E_REFUSED,
                          "%s %s lies in none of the folders that this worker runs flows of "
                          "(--flows)",
                          what, real);
  free(real);
  return status;
}

static ck_status check_recording(const char *spec, const ck_words *folders, ck_error *err) {
  const char *index;
  char *file = NULL;
  ck_status status = ck_cassette_split(&file, &index, spec, err);
  if (status == CK_OK) status = check_place("the recording", file, folders, err);
  free(file);
  return status;
}

/* Shipped ones lie in ckrun itself. */
static ck_status check_places(const ck_claim *self, const ck_launch *launch,
                              const ck_words *folders, ck_error *err) {
  const char *profile = self->profile ? self->profile : launch->profile;
  const ck_words *policies = &self->settings.policies;
  ck_status status = check_place("the flow", launch->flow, folders, err);
  if (status == CK_OK) status = check_place("the working folder", launch->directory, folders, err);
  if (status == CK_OK && profile && ck_launch_is_path(profile))
    status = check_place("the profile", profile, folders, err);
  if (status == CK_OK && launch->cassette) status = check_recording(launch->cassette, folders, err);
  for (size_t i = 0; status == CK_OK && i < policies->count; i++)
    if (ck_launch_is_path(policies->list[i]))
      status = check_place("the policy", policies->list[i], folders, err);
  return status;
}

/* ---- what is signed ---- */

/* Its tools run where this worker was started: no folder that the store names. */
static ck_status take_directory(ck_claim *self, ck_error *err) {
  self->directory = getcwd(NULL, 0);
  return self->directory ? CK_OK
                         : ck_error_set(err, CK_E_REFUSED, "this folder: %s", ck_errno_text(errno));
}

static ck_status open_signed(ck_claim *self, ck_store *store, const ck_launch *launch,
                             const ck_claim_limits *limits, ck_error *err) {
  ck_flow_trust trust = {0};
  ck_clock clock = ck_clock_system();
  ck_status status = ck_flow_trust_read(&trust, limits->trusted, err);
  if (status == CK_OK) status = take_directory(self, err);
  const ck_signed_place at = {store, &trust, self->directory, clock.wall_ms(clock.self)};
  if (status == CK_OK)
    status = ck_signed_flow_open(&self->flow, ck_value_bytes(self->signature), &at, err);
  if (status == CK_OK && launch->cassette) {
    status = check_recording(launch->cassette, limits->folders, err);
    if (status == CK_OK) status = ck_text_copy(&self->cassette, launch->cassette, err);
  }
  self->is_signed = status == CK_OK;
  ck_flow_trust_clear(&trust);
  return status;
}

/* What lies in the worker's own folders needs no signature. */
static ck_status check_right(ck_claim *self, ck_store *store, const ck_launch *launch,
                             const ck_claim_limits *limits, ck_error *err) {
  ck_error problem = CK_ERROR_INIT;
  if (!limits->folders->count && !limits->trusted->count) return CK_OK;
  ck_status status = check_places(self, launch, limits->folders, &problem);
  if (status == CK_OK) return status;
  if (status != CK_E_REFUSED || !limits->trusted->count)
    return ck_error_set(err, status, "%s", problem.text);
  if (self->signature) return open_signed(self, store, launch, limits, err);
  return ck_error_set(err, CK_E_REFUSED, "its flow is not signed ('submit --signature'), and %s",
                      problem.text);
}

/* ---- what its last run was given for itself ---- */

static ck_status add_word(ck_words *to, const char *word, ck_error *err) {
  const char **list = realloc(to->list, (to->count + 1) * sizeof *list);
  if (!list) return ck_error_no_memory(err);
  to->list = list;
  list[to->count] = strdup(word);
  return list[to->count] ? (to->count++, CK_OK) : ck_error_no_memory(err);
}

static ck_status add_setting(void *to, const ck_run_setting *setting, ck_error *err) {
  ck_settings_words *words = to;
  bool is_option = strcmp(setting->option, "--option") == 0;
  if (setting->masked)
    return ck_error_set(
        err, CK_E_REFUSED,
        "the value of --option %s is masked where it is stored, and no worker knows it: resume "
        "the session with it, or set it in the profile",
        setting->word);
  return add_word(is_option ? &words->options : &words->policies, setting->word, err);
}

static ck_status take_mark(ck_claim *self, const ck_last_run *last, ck_error *err) {
  ck_bytes profile = ck_last_run_profile(last);
  ck_bytes is = last->about ? ck_json_get(ck_value_bytes(last->about), "signed") : (ck_bytes){0};
  ck_status status = ck_value_copy(&self->mark, ck_queued_of(last), err);
  if (status == CK_OK && is.len) status = ck_value_copy(&self->signature, is, err);
  if (status != CK_OK || !profile.len) return status;
  self->profile = ck_json_dup_string(profile);
  return self->profile ? CK_OK : ck_error_no_memory(err);
}

static ck_status take(ck_claim *self, ck_store *store, const ck_head *head, const ck_last_run *last,
                      const ck_claim_limits *limits, ck_error *err) {
  ck_value *settings = NULL;
  ck_launch launch = {0};
  ck_status status = take_mark(self, last, err);
  if (status == CK_OK) status = ck_run_settings_read_last(&settings, store, head, err);
  if (status == CK_OK && settings)
    status = ck_run_settings_visit(ck_value_bytes(settings), add_setting, &self->settings, err);
  if (status == CK_OK) status = ck_place_read_launch(&launch, store, head, err);
  if (status == CK_OK) status = check_right(self, store, &launch, limits, err);
  ck_launch_clear(&launch);
  ck_value_free(settings);
  return status;
}

ck_status ck_claim_read(ck_claim *out, ck_store *store, const char *session,
                        const ck_claim_limits *limits, ck_error *err) {
  ck_head head = {0};
  ck_last_run last = {0};
  ck_status status = ck_store_get_head(&head, store, session, err);
  if (status == CK_OK) status = ck_last_run_read(&last, store, &head, err);
  if (status == CK_OK && !ck_queued_of(&last).len)
    status = ck_error_set(err, CK_E_REFUSED,
                          "session %s is not in the queue: a person runs it; resume --detach puts "
                          "it there",
                          session);
  if (status == CK_OK && !ck_queued_is_due(&head.session))
    status =
        ck_error_set(err, CK_E_REFUSED, "session %s is %s%s%s, and not due for a worker", session,
                     ck_session_status_name(head.session.status), head.session.reason ? ": " : "",
                     head.session.reason ? head.session.reason : "");
  if (status == CK_OK) status = take(out, store, &head, &last, limits, err);
  if (status == CK_OK) out->epoch = head.session.epoch;
  if (status == CK_OK) out->status = head.session.status;
  ck_last_run_clear(&last);
  ck_head_clear(&head);
  return status;
}
