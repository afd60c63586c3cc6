/* begin.c - a new session: its parts are loaded and checked together, then it is made. */
#include "core/host/preflight/begin.h"

#include "core/host/preflight/needs.h"
#include "core/host/preflight/unread.h"
#include "core/host/print/problems.h"
#include "core/host/run/record.h"
#include "core/host/run/signed_flow.h"
#include "core/host/run/steer.h"
#include "core/host/session/launch.h"
#include "core/host/session/queued.h"
#include "core/runtime/session/plain_name.h"
#include "lua/profile/overrides.h"

/* A part that cannot be loaded is one problem among others; a lack of memory or an I/O error is a
 * failure. */
static ck_status take_part(ck_problems *found, ck_status status, ck_error *failure, ck_error *err) {
  failure->status = status;
  if (status == CK_E_NO_MEMORY || ck_status_exit(status) == ck_status_exit(CK_E_IO))
    return ck_error_set(err, status, "%s", failure->text);
  if (status != CK_OK) ck_problems_take(found, failure);
  return CK_OK;
}

/* A mistake in the settings of the run is one of the command line. */
static ck_status load_profile(ck_problems *found, const ck_launch *launch, ck_engine *engine,
                              const ck_settings_words *settings, ck_error *err) {
  ck_status status = ck_engine_load_profile(engine, launch->profile, ck_problems_take, found, err);
  if (status != CK_OK || !engine->profile) return status;
  status = ck_engine_take_settings(engine, settings, err);
  if (status != CK_OK) return status;
  return ck_engine_load_policies(engine, ck_problems_take, found, err);
}

static ck_status load_parts(ck_problems *found, ck_launch *launch, ck_engine *engine,
                            const ck_begin_words *v, ck_error *err) {
  ck_error of_flow = CK_ERROR_INIT, of_cassette = CK_ERROR_INIT, of_input = CK_ERROR_INIT;
  ck_status status =
      take_part(found, ck_engine_load_flow(engine, v->flow, &of_flow), &of_flow, err);
  if (status == CK_OK && v->cassette)
    status = take_part(found, ck_engine_load_cassette(engine, v->cassette, &of_cassette),
                       &of_cassette, err);
  if (status == CK_OK) status = load_profile(found, launch, engine, &v->settings, err);
  if (status == CK_OK && v->input)
    status = take_part(found, ck_launch_take_input(launch, v->input, &of_input), &of_input, err);
  return status;
}

/* What the loaded parts need of each other, and of this machine. */
static ck_status check_parts(ck_problems *found, ck_engine *engine, const ck_state_edits *edits,
                             const ck_begin_words *v, ck_error *err) {
  const ck_needs needs = {.engine = engine,
                          .recorded = v->cassette,
                          .edits = edits,
                          .problem = ck_problems_take,
                          .to = found};
  ck_status status =
      engine->profile ? ck_engine_hide_secrets(engine, ck_problems_take, found, err) : CK_OK;
  if (status == CK_OK && engine->profile)
    status = ck_amend_check(edits, engine->output, engine->profile, ck_problems_take, found, err);
  if (status == CK_OK && engine->flow) status = ck_needs_check(&needs, err);
  if (status == CK_OK && engine->flow)
    ck_unread_report(engine->output, ck_engine_manifest(engine), edits, NULL);
  return status;
}

/* What travels is what was signed; a recording is no part of it. */
static ck_status take_signature(ck_engine *engine, const ck_launch *launch, const ck_begin_words *v,
                                ck_error *err) {
  const ck_flow_parts parts = {&engine->scripts, launch->profile, &v->settings};
  if (!v->signature) return CK_OK;
  return ck_signed_flow_read(&engine->signed_flow, v->signature, &parts, err);
}

/* A text that is not kept cannot travel. */
static ck_status check_travels(const ck_engine *engine, ck_error *err) {
  for (size_t i = 0; engine->signed_flow && i < engine->scripts.count; i++)
    if (engine->scripts.list[i].withheld)
      return ck_error_set(err, CK_E_REFUSED,
                          "%s is not kept in the store, so no worker can have it from there: take "
                          "out what is masked, or leave --signature out",
                          engine->scripts.list[i].name);
  return CK_OK;
}

/* Everything is read and checked before anything is made; all problems are told at once. */
static ck_status load(ck_launch *launch, ck_engine *engine, ck_state_edits *edits,
                      const ck_begin_words *v, ck_error *err) {
  ck_problems found = {0};
  ck_status status = ck_amend_take(edits, &v->edits, err);
  if (status == CK_OK && v->session) status = ck_id_check_new("--session", v->session, err);
  if (status == CK_OK) status = ck_launch_take_path(&launch->flow, v->flow, err);
  if (status == CK_OK) status = ck_launch_take_path(&launch->directory, ".", err);
  if (status == CK_OK) status = ck_engine_set_directory(engine, launch->directory, err);
  if (status == CK_OK && v->cassette)
    status = ck_launch_take_cassette(&launch->cassette, v->cassette, err);
  if (status == CK_OK && v->profile)
    status = ck_launch_take_profile(&launch->profile, v->profile, err);
  if (status == CK_OK) status = load_parts(&found, launch, engine, v, err);
  if (status == CK_OK) status = check_parts(&found, engine, edits, v, err);
  if (status == CK_OK) status = ck_problems_answer(&found, engine->output, NULL, err);
  ck_problems_clear(&found);
  if (status == CK_OK) status = take_signature(engine, launch, v, err);
  if (status != CK_OK) return status;
  ck_digest_hex(launch->flow_digest, &ck_engine_manifest(engine)->digest);
  launch->flow_version = ck_engine_manifest(engine)->version;
  return status;
}

/* What others find the session by stays readable. */
static ck_status check_names(const ck_engine *engine, const ck_begin_words *v, ck_error *err) {
  ck_status status = ck_plain_name_check(&engine->policies, "session", v->session,
                                         "give the session another id with --session", err);
  return status == CK_OK ? ck_queued_check_masked(engine->queued, &engine->policies, err) : status;
}

/* The user's input, redacted for storage; the flow gets no other, or a resume could not continue
 * with the same. */
static ck_status write_input(ck_value **out, const ck_output *output, const ck_launch *launch,
                             ck_error *err) {
  ck_launch kept = *launch;
  *out = kept.input = NULL;
  ck_status status = CK_OK;
  if (launch->input)
    status =
        ck_redactor_apply(&kept.input, output->redactor, CK_SINK_REQUEST, NULL, launch->input, err);
  if (status == CK_OK) status = ck_launch_write(out, &kept, err);
  ck_value_free(kept.input);
  return status;
}

static ck_status start(const ck_host *host, ck_engine *engine, ck_launch *launch,
                       const ck_state_edits *edits, const ck_begin_words *v, ck_error *err) {
  ck_store_location location = {0};
  ck_value *input = NULL, *about = NULL, *settings = NULL;
  const ck_run_origin from = {.flow = launch->flow};
  ck_status status = check_names(engine, v, err);
  if (status == CK_OK) status = ck_store_location_find(&location, host, err);
  if (status == CK_OK && engine->queued) status = ck_queued_check_store(location.url, err);
  if (status == CK_OK) status = ck_store_location_make_parents(&location, err);
  if (status == CK_OK)
    status = ck_engine_open_store(engine, &location, CK_ENGINE_STORE_CREATE, err);
  if (status == CK_OK) status = ck_engine_describe_policies(&launch->policies, engine, false, err);
  if (status == CK_OK) status = write_input(&input, host->output, launch, err);
  if (status == CK_OK) status = ck_engine_describe_run(&about, engine, &from, err);
  if (status == CK_OK) status = check_travels(engine, err);
  if (status == CK_OK) status = ck_profile_describe_run(&settings, engine->profile, err);
  ck_session_options options = {
      .id = v->session,
      .profile = engine->profile,
      .policies = &engine->policies,
      .flow = launch->flow,
      .input = input,
      .media = &launch->media,
      .about = about,
      .settings = settings,
      .edits = edits,
  };
  if (status == CK_OK) status = ck_record_claim(engine, v->record, err);
  ck_steer_hold();
  if (status == CK_OK) status = ck_engine_open_loop(engine, err);
  if (status == CK_OK) status = ck_session_start(&engine->session, engine->runtime, &options, err);
  ck_value_free(input);
  ck_value_free(about);
  ck_value_free(settings);
  ck_store_location_clear(&location);
  return status;
}

/* The store's key: as it was given, else as the profile has it. */
static ck_status take_key(ck_host *host, const ck_profile *profile, ck_error *err) {
  if (!host->key) host->key = profile->key_ref;
  if (host->key || profile->encrypt != CK_ENCRYPT_ALWAYS) return CK_OK;
  return ck_error_set(err, CK_E_SECRET_MISSING,
                      "profile %s says encrypt = true: give the store's key with --key "
                      "env:NAME or file:PATH, or set CKRUN_KEY or CKRUN_KEY_COMMAND",
                      profile->name);
}

ck_status ck_begin_session(ck_host *host, ck_engine *engine, const ck_begin_words *words,
                           ck_error *err) {
  ck_launch launch = {0};
  ck_state_edits edits = {0};
  ck_status status = ck_record_check(words->record, err);
  if (status == CK_OK) status = load(&launch, engine, &edits, words, err);
  if (status == CK_OK) status = take_key(host, engine->profile, err);
  if (status == CK_OK) status = start(host, engine, &launch, &edits, words, err);
  ck_launch_clear(&launch);
  ck_state_edits_clear(&edits);
  return status;
}
