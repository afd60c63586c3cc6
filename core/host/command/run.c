/* run.c - run: starts a session of a flow and executes it. */
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/cli/duration.h"
#include "core/host/preflight/needs.h"
#include "core/host/preflight/unread.h"
#include "core/host/print/problems.h"
#include "core/host/run/amend.h"
#include "core/host/run/record.h"
#include "core/host/run/steer.h"
#include "core/host/run/summary.h"
#include "core/host/session/launch.h"
#include "lua/profile/overrides.h"

typedef struct values {
  const char *flow, *profile, *input, *session, *cassette, *grace, *record;
  ck_edit_words edits;
  ck_settings_words settings;
  bool events;
} values;

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
                            const values *v, ck_error *err) {
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
                             const values *v, ck_error *err) {
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

/* Everything is read and checked before anything is made; all problems are told at once. */
static ck_status load(ck_launch *launch, ck_engine *engine, ck_state_edits *edits, const values *v,
                      ck_error *err) {
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
  if (status != CK_OK) return status;
  ck_digest_hex(launch->flow_digest, &ck_engine_manifest(engine)->digest);
  launch->flow_version = ck_engine_manifest(engine)->version;
  return status;
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

static ck_status start(ck_host *host, ck_engine *engine, ck_launch *launch,
                       const ck_state_edits *edits, const values *v, ck_error *err) {
  ck_store_location location = {0};
  ck_value *input = NULL, *about = NULL, *settings = NULL;
  const ck_run_origin from = {.flow = launch->flow};
  ck_status status = ck_store_location_find(&location, host, err);
  if (status == CK_OK) status = ck_store_location_make_parents(&location, err);
  if (status == CK_OK)
    status = ck_engine_open_store(engine, &location, CK_ENGINE_STORE_CREATE, err);
  if (status == CK_OK) status = ck_engine_describe_policies(&launch->policies, engine, false, err);
  if (status == CK_OK) status = write_input(&input, host->output, launch, err);
  if (status == CK_OK) status = ck_engine_describe_run(&about, engine, &from, err);
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

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_launch launch = {0};
  ck_state_edits edits = {0};
  ck_engine engine = {.output = host->output,
                      .steer = {.grace_ms = CK_STEER_GRACE_MS},
                      .events = {.wanted = v->events}};
  if (v->events) host->output->json = true;
  ck_status status = ck_duration_take(&engine.steer.grace_ms, "--grace", v->grace, err);
  if (status == CK_OK) status = ck_record_check(v->record, err);
  if (status == CK_OK) status = load(&launch, &engine, &edits, v, err);
  if (status == CK_OK && !host->key) host->key = engine.profile->key_ref;
  if (status == CK_OK && !host->key && engine.profile->encrypt == CK_ENCRYPT_ALWAYS)
    status = ck_error_set(err, CK_E_SECRET_MISSING,
                          "profile %s says encrypt = true: give the store's key with --key "
                          "env:NAME or file:PATH, or set CKRUN_KEY or CKRUN_KEY_COMMAND",
                          engine.profile->name);
  if (status == CK_OK) status = start(host, &engine, &launch, &edits, v, err);
  if (status == CK_OK) status = ck_summary_execute(host, &engine, err);
  status = ck_record_write(&engine, status, err);
  ck_summary_forget(host, &engine);
  ck_engine_close(&engine);
  ck_launch_clear(&launch);
  ck_state_edits_clear(&edits);
  return status;
}

static const ck_operand operands[] = {
    {.name = "FLOW",
     .offset = offsetof(values, flow),
     .help = "the flow: a Lua file",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_option options[] = {
    {.name = "profile",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, profile),
     .value = "PROFILE",
     .complete = CK_COMPLETE_FILE,
     .help = "how sessions of this kind are run: a shipped name or a Lua file"},
    {.name = "input",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, input),
     .value = "JSON|@FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "what the flow is given, as JSON or from a file of JSON, an image or a PDF"},
    {.name = "session",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, session),
     .value = "ID",
     .help = "the id of the new session; one is made otherwise"},
    {.name = "cassette",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, cassette),
     .value = "FILE[#N]",
     .complete = CK_COMPLETE_FILE,
     .help = "answer model calls, questions and tools from a recording (its N-th session, from 0)"},
    CK_EDIT_OPTIONS(values, edits),
    CK_SETTINGS_OPTIONS(values, settings),
    CK_RECORD_OPTION(values, record),
    CK_EVENTS_OPTION(values, events),
    {.name = "grace",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, grace),
     .value = "TIME",
     .help = "how long SIGINT or SIGTERM waits for the step under way: 10s unless given"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun run flow.lua --profile ./profile.lua --cassette cassette.jsonl",
     "start a session that a recording answers: nothing is paid"},
    {"ckrun run flow.lua --cassette cassette.jsonl --session trip --limit budget_usd=2",
     "start one of that name, which may spend two dollars"},
    {0},
};

const ck_command ck_command_run = {
    .name = "run",
    .summary = "start a session of a flow",
    .details = "Prints the id of the session first, its progress on stderr, and a summary at the "
               "end: status, result, counts, bytes and time of the checkpoints, money spent, and "
               "how to go on when it stopped short. With --json all this is one object; its "
               "beginning with the id is written at once.\n\n"
               "SIGINT or SIGTERM pauses at the next boundary; when none is reached within "
               "--grace, what runs is given up, and the exit code is 75 if that was an effect of "
               "class once. A second signal stops at once. Whatever ends the program, 'ckrun "
               "resume' goes on without repeating what was done.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
