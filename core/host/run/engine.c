/* engine.c - puts together what executes a flow: Lua, the recording, drivers, the loop, the store
 * and one session. */
#include "core/host/run/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/locked.h"
#include "core/base/log.h"
#include "core/host/print/console.h"
#include "core/host/run/lapse.h"
#include "core/host/run/orphans.h"
#include "core/host/run/release.h"
#include "core/model/pause_reason.h"
#include "core/host/run/spills.h"
#include "core/store/blob.h"
#include "core/host/session/place.h"
#include "core/host/session/policy_changes.h"
#include "core/host/session/unfinished_scrub.h"
#include "core/runtime/session/end.h"
#include "lua/flow/flow.h"
#include "lua/policy/policy.h"

ck_status ck_engine_load_flow(ck_engine *self, const char *path, ck_error *err) {
  ck_status status = self->flows ? CK_OK : ck_flow_engine_new(&self->flows, NULL, err);
  if (status == CK_OK) self->flows->use(self->flows->self, &self->scripts);
  return status == CK_OK ? self->flows->load(&self->flow, self->flows->self, path, err) : status;
}

ck_status ck_engine_set_directory(ck_engine *self, const char *directory, ck_error *err) {
  free(self->directory);
  self->directory = directory ? strdup(directory) : NULL;
  return directory && !self->directory ? ck_error_no_memory(err) : CK_OK;
}

ck_status ck_engine_load_cassette(ck_engine *self, const char *spec, ck_error *err) {
  return ck_cassette_open(&self->cassette, spec, err);
}

ck_status ck_engine_load_profile(ck_engine *self, const char *profile, ck_profile_problem problem,
                                 void *to, ck_error *err) {
  return ck_profile_read(&self->profile, profile ? profile : "default", &self->scripts, problem, to,
                         err);
}

static void ignore_problem(void *to, const ck_error *problem) {
  (void)to;
  (void)problem; /* there is an error already */
}

ck_status ck_engine_take_settings(ck_engine *self, const ck_settings_words *words, ck_error *err) {
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = ck_settings_take(self->profile, words, err);
  if (status == CK_OK) return CK_OK;
  ck_status hidden = ck_engine_hide_secrets(self, ignore_problem, NULL, &ignored);
  return hidden == CK_OK ? status : ck_error_no_memory(err);
}

ck_status ck_engine_load_policies(ck_engine *self, ck_profile_problem problem, void *to,
                                  ck_error *err) {
  return ck_profile_open_policies(&self->policies, self->profile, problem, to, err);
}

ck_status ck_engine_hide_secrets(ck_engine *self, ck_secret_problem problem, void *to,
                                 ck_error *err) {
  const char *const *keys = (const char *const *)self->profile->exclude_memory_keys;
  ck_status status =
      ck_secret_register_all(self->output->redactor, self->profile, problem, to, err);
  if (status == CK_OK && keys) status = ck_redactor_set_keys(self->output->redactor, keys, err);
  return status == CK_OK && self->profile->secret_count > 0 ? ck_output_guard_log(self->output, err)
                                                            : status;
}

static ck_policy_cleaning clean_with(const ck_engine *self) {
  return (ck_policy_cleaning){
      .redactor = self->output->redactor,
      .policies = &self->policies,
      .key = self->runtime ? ck_store_fingerprint_key(self->runtime->store) : NULL};
}

ck_status ck_engine_describe_policies(ck_value **out, const ck_engine *self, bool of_run,
                                      ck_error *err) {
  ck_value *list;
  *out = NULL;
  ck_status status = ck_policy_describe(&list, &self->policies, of_run, err);
  if (status != CK_OK) return status;
  const ck_policy_cleaning with = clean_with(self);
  status = ck_policy_list_clean(out, &with, list, err);
  ck_value_free(list);
  return status;
}

/* The models by the names that flows use, as their providers call them. */
static void put_models(ck_json_writer *to, const ck_profile *profile) {
  if (!profile->model_count) return;
  ck_json_name(to, "models");
  ck_json_begin(to, '{');
  for (size_t i = 0; i < profile->model_count; i++)
    ck_json_member_text(to, profile->models[i].name, profile->models[i].model);
  ck_json_end(to, '}');
}

/* When policies are asked which checkpoints go: for whoever asks them again. */
static void put_prune(ck_json_writer *to, const ck_engine *self) {
  const ck_profile *profile = self->profile;
  ck_json_name(to, "prune");
  ck_json_begin(to, '{');
  if (self->policies.prune) ck_json_member_bool(to, "asks", true);
  if (profile->single_checkpoint) ck_json_member_bool(to, "single", true);
  if (profile->prune_every_n_nodes) ck_json_member_int(to, "every", profile->prune_every_n_nodes);
  ck_json_end(to, '}');
}

static void put_digest(ck_json_writer *to, const char *name, const ck_digest *digest) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, digest);
  ck_json_member_text(to, name, hex);
}

ck_status ck_engine_describe_run(ck_value **out, ck_engine *self, const ck_run_origin *from,
                                 ck_error *err) {
  ck_value *policies;
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  *out = NULL;
  const ck_policy_cleaning with = clean_with(self);
  ck_status status = ck_scripts_check(&self->scripts, self->output, &with, err);
  if (status == CK_OK) status = ck_engine_describe_policies(&policies, self, true, err);
  if (status != CK_OK) return status;
  ck_json_begin(&w, '{');
  put_digest(&w, "flow", &ck_engine_manifest(self)->digest);
  put_digest(&w, "profile", &self->profile->digest);
  ck_json_member_raw(&w, "policies", ck_value_bytes(policies));
  if (from->policies) ck_json_member_raw(&w, "own_policies", ck_value_bytes(from->policies));
  ck_json_member_text(&w, "other_profile", from->other_profile);
  put_models(&w, self->profile);
  put_prune(&w, self);
  if (self->queued) ck_json_member_raw(&w, "queued", ck_value_bytes(self->queued));
  if (self->signed_flow) ck_json_member_raw(&w, "signed", ck_value_bytes(self->signed_flow));
  ck_scripts_write(&w, &self->scripts);
  ck_place_write(&w, from->flow, self->directory);
  ck_json_end(&w, '}');
  status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  ck_value_free(policies);
  return status;
}

const ck_flow_manifest *ck_engine_manifest(const ck_engine *self) {
  return self->flows->manifest(self->flow);
}

/* A command that gave it is not asked again. */
static ck_status keep_key(ck_runtime *runtime, const ck_key *key, ck_error *err) {
  char hex[CK_KEY_TEXT_SIZE];
  if (!key) return CK_OK;
  ck_key_write(hex, key);
  runtime->key = ck_locked_text(hex);
  explicit_bzero(hex, sizeof hex);
  return runtime->key ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_engine_open_store(ck_engine *self, const ck_store_location *location,
                               ck_engine_store how, ck_error *err) {
  ck_store_options options = {.create = how == CK_ENGINE_STORE_CREATE,
                              .read_only = how == CK_ENGINE_STORE_READ,
                              .key = location->key,
                              .watch = &location->watch};
  ck_status status = ck_runtime_open(&self->runtime, location->opens, &options, NULL, err);
  if (status == CK_OK) status = keep_key(self->runtime, location->key, err);
  if (status != CK_OK) return status;
  if (status == CK_OK) self->runtime->via = "terminal"; /* where it asks */
  if (status == CK_OK)
    ck_output_set_fingerprint_key(self->output, ck_store_fingerprint_key(self->runtime->store));
  if (status == CK_OK) status = ck_scrub_unfinished_tell(self->output, self->runtime->store, err);
  return status == CK_OK ? ck_spills_open(&self->spills, location->url, self->runtime->store, err)
                         : status;
}

static ck_status read_media(ck_buffer *out, void *store, const ck_digest *digest, ck_error *err) {
  return ck_store_get_blob(out, store, digest, err);
}

static ck_status open_drivers(ck_engine *self, ck_error *err) {
  ck_driver_context context = {
      .loop = self->loop,
      .clock = self->runtime->clock,
      .store = self->runtime->store,
      .session = self->session,
      .output = self->output,
      .manifest = ck_engine_manifest(self),
      .profile = self->profile,
      .cassette = self->cassette,
      .asker = self->asker,
      .media = {read_media, self->runtime->store},
      .directory = self->directory,
      .spills = self->spills.kind ? &self->spills : NULL,
      .masked = ck_policy_masks_content(&self->policies),
  };
  return ck_drivers_open(&self->drivers, &context, err);
}

static void suppress(void *to, bool on) {
  ck_engine *self = to;
  if (on) ck_reporter_end(&self->reporter);
  self->reporter.suppressed = on;
}

/* With a terminal on stderr a person is present who can answer. */
static ck_status open_asker(ck_engine *self, ck_error *err) {
  ck_console_options options = {
      .loop = self->loop, .output = self->output, .suppress = suppress, .to = self};
  if (self->output->json || !self->output->notice_terminal) return CK_OK;
  return ck_console_open(&self->asker, &options, err);
}

static void on_progress(void *to, const ck_progress *progress) {
  ck_engine *self = to;
  if (strcmp(progress->what, "boundary") == 0) ck_timing_begin(&self->timing, progress->saved);
  ck_reporter_show(&self->reporter, progress);
}

/* Events that cannot be printed stop nothing: they are in the store. */
static void report_events(ck_engine *self) {
  ck_error failure = CK_ERROR_INIT;
  if (ck_event_stream_report(&self->events, &failure) == CK_OK) return;
  ck_log_line(CK_LOG_WARN, "events: %s", failure.text);
  self->events.wanted = false;
}

static void on_tick(void *to) {
  ck_engine *self = to;
  ck_reporter_tick(&self->reporter);
  report_events(self);
}

static void take_turn(void *to) {
  ck_engine *self = to;
  ck_waker_clear(self->runtime->waker);
  ck_timing_update(&self->timing);
  self->status = ck_lapse_check(self, CK_OK, self->err);
  if (self->status == CK_OK)
    self->status = ck_execution_turn(&self->result, self->execution, self->err);
  report_events(self);
  if (self->status != CK_E_PENDING)
    ck_loop_stop(self->loop);
  else
    ck_release_sleeping(self);
}

/* The loop goes on with what it finds. */
static void before_rest(void *to) {
  ck_engine *self = to;
  ck_steer_look(&self->steer);
}

static ck_status begin_steering(ck_engine *self, ck_error *err) {
  ck_steer *steer = &self->steer;
  steer->loop = self->loop;
  steer->execution = self->execution;
  steer->reporter = &self->reporter;
  steer->clock = self->runtime->clock;
  return ck_steer_begin(steer, err);
}

ck_status ck_engine_open_loop(ck_engine *self, ck_error *err) {
  return ck_loop_new(&self->loop, err);
}

static ck_status open_execution(ck_engine *self, ck_error *err) {
  ck_execution_options options = {
      .session = self->session,
      .engine = self->flows,
      .flow = self->flow,
      .recorded_prompt = self->cassette ? ck_cassette_prompt(self->cassette) : NULL,
      .clock = self->runtime->clock,
      .waker = self->runtime->waker,
      .commits = !self->events.wanted, /* who reads them is told of each step at once */
      /* a person who resumes it may have mended what failed */
      .goes_on_waiting = self->queued != NULL,
      .parked = self->queued ? CK_PAUSE_QUEUED : NULL, /* else nobody would go on with it */
      .progress = on_progress,
      .before_rest = before_rest,
      .to = self,
  };
  ck_status status = ck_session_register_secrets(self->session, self->output->redactor, err);
  if (status == CK_OK) status = ck_output_guard_log(self->output, err);
  if (status == CK_OK) status = open_asker(self, err);
  if (status == CK_OK) status = open_drivers(self, err);
  options.drivers = (const ck_effect_driver *const *)self->drivers.list;
  if (status == CK_OK) status = ck_execution_open(&self->execution, &options, err);
  if (status == CK_OK) status = begin_steering(self, err);
  bool watched = self->events.wanted || (self->output->notice_terminal && !self->output->json);
  if (status == CK_OK && watched)
    status = ck_loop_every(self->loop, CK_REPORTER_TICK_MS, on_tick, self, err);
  if (status == CK_OK)
    status = ck_loop_watch(self->loop, ck_waker_fd(self->runtime->waker), take_turn, self, err);
  return status;
}

/* Nothing of the flow was run. For want of something that may be there later it is a pause as any
 * other. */
static ck_status leave_unbegun(ck_engine *self, ck_status status, const ck_error *err) {
  bool stored = ck_status_exit(status) != ck_status_exit(CK_E_IO);
  bool parked =
      ck_session_park(self->session, status, self->queued && !stored ? CK_PAUSE_QUEUED : err->text);
  if (!parked || (status != CK_E_UNAVAILABLE && status != CK_E_NO_MEMORY)) return status;
  self->result = (ck_execution_result){.status = CK_SESSION_PAUSED, .cause = status};
  snprintf(self->result.text, sizeof self->result.text, "%s", err->text);
  return CK_OK;
}

ck_status ck_engine_execute(ck_engine *self, ck_error *err) {
  self->reporter.output = self->output;
  self->reporter.session = self->session;
  self->reporter.clock = self->runtime->clock;
  ck_event_stream_begin(&self->events, self->output, self->runtime->store, self->session);
  self->timing.session = self->session;
  self->timing.clock = self->runtime->clock;
  self->err = err;
  self->steer.session = self->session;
  self->steer.output = self->output;
  bool ended = false;
  ck_status status = ck_orphans_begin(self->session, self->runtime->store, self->output, err);
  if (status == CK_OK) status = ck_steer_serve_first(&ended, &self->result, &self->steer, err);
  if (status == CK_OK && ended) {
    report_events(self);
    return CK_OK;
  }
  if (status == CK_OK)
    status = ck_scripts_keep(&self->scripts, self->runtime->store, self->session, err);
  if (status == CK_OK) status = open_execution(self, err);
  if (status != CK_OK) return leave_unbegun(self, status, err);
  self->reporter.execution = self->execution;
  self->status = CK_E_PENDING;
  ck_waker_wake(self->runtime->waker);
  ck_lapse_begin(self);
  ck_loop_run(self->loop);
  ck_timing_update(&self->timing);
  self->counts = *ck_execution_get_counts(self->execution);
  ck_reporter_end(&self->reporter);
  report_events(self);
  status = self->status == CK_E_PENDING ? self->steer.failure : self->status;
  return status == CK_OK ? status : ck_lapse_check(self, status, err);
}

void ck_engine_close(ck_engine *self) {
  ck_steer_clear(&self->steer);
  ck_execution_close(self->execution);
  ck_drivers_close(&self->drivers);
  if (self->asker) self->asker->free(self->asker->self);
  if (self->loop) ck_steer_hold(); /* nobody heeds them any more, and what is done stands */
  ck_loop_free(self->loop);
  if (self->session) ck_orphans_end(self->output);
  ck_lapse_end(self);
  ck_value_free(self->queued);
  ck_value_free(self->signed_flow);
  ck_shelf_close(&self->spills);
  free(self->directory);
  ck_session_close(self->session);
  if (self->flow) self->flows->unload(self->flow);
  if (self->flows) self->flows->free(self->flows->self);
  if (self->policies.free) self->policies.free(self->policies.self);
  ck_profile_free(self->profile);
  ck_scripts_clear(&self->scripts);
  ck_cassette_close(self->cassette);
  ck_runtime_close(self->runtime);
  memset(self, 0, sizeof *self);
}
