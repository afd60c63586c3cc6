/* cmd_resume.c - resume: goes on with a session that stopped, crashed or failed. */
#include "core/host/commands.h"
#include "core/host/duration.h"
#include "core/host/amend.h"
#include "core/host/preflight.h"
#include "core/host/record.h"
#include "core/host/summary.h"

typedef struct values {
  const char *session, *checkpoint, *cassette, *profile, *grace, *record;
  ck_edit_words edits;
  bool dry_run, accept_changed;
} values;

static ck_status resume(ck_host *host, ck_engine *engine, const values *v, const ck_state_edits *edits, ck_error *err) {
  ck_resume_options options = {.profile = engine->profile, .policies = &engine->policies, .checkpoint = v->checkpoint,
                               .edits = edits};
  ck_status status = ck_session_resume(&engine->session, engine->runtime, v->session, &options, err);
  return status == CK_OK ? ck_summary_execute(host, engine, err) : status;
}

static ck_status check_and_resume(ck_host *host, ck_engine *engine, const values *v, const ck_state_edits *edits, ck_error *err) {
  ck_preflight_options options = {
    .session = v->session, .checkpoint = v->checkpoint, .cassette = v->cassette, .profile = v->profile,
    .edits = edits, .accept_changed = v->accept_changed,
  };
  ck_preflight found = {0};
  ck_status status = ck_preflight_check(&found, engine, &options, err);
  if (status == CK_OK && v->dry_run) status = ck_preflight_print(&found, host->output, err);
  if (status == CK_OK) status = ck_preflight_answer(&found, host->output, err);
  ck_preflight_clear(&found);
  if (status != CK_OK || v->dry_run) return status;
  return resume(host, engine, v, edits, err);
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_place place = {0};
  ck_state_edits edits = {0};
  ck_engine engine = {.output = host->output, .steer = {.grace_ms = CK_STEER_GRACE_MS}};
  ck_status status = ck_duration_take(&engine.steer.grace_ms, "--grace", v->grace, err);
  if (status == CK_OK) status = ck_record_check(v->record, err);
  if (status == CK_OK) status = ck_id_check("session", v->session, err);
  if (status == CK_OK && v->checkpoint) status = ck_id_check("--checkpoint", v->checkpoint, err);
  if (status == CK_OK) status = ck_amend_take(&edits, &v->edits, err);
  if (status == CK_OK) status = ck_place_find(&place, host->store, err);
  if (status == CK_OK) status = ck_engine_open_store(&engine, &place, false, err);
  if (status == CK_OK) status = check_and_resume(host, &engine, v, &edits, err);
  status = ck_record_write(v->record, &engine, status, err);
  ck_engine_close(&engine);
  ck_place_clear(&place);
  ck_state_edits_clear(&edits);
  return status;
}

static const ck_operand operands[] = {
  {.name = "SESSION", .offset = offsetof(values, session), .help = "its id", .complete = CK_COMPLETE_SESSION},
  {0},
};

static const ck_option options[] = {
  {.name = "checkpoint", .type = CK_OPTION_TEXT, .offset = offsetof(values, checkpoint), .value = "ID",
   .help = "go on from this one instead of the latest; what came after it is left behind, and kept"},
  {.name = "cassette", .type = CK_OPTION_TEXT, .offset = offsetof(values, cassette), .value = "FILE[#N]",
   .complete = CK_COMPLETE_FILE,
   .help = "another recording than the one it was started with"},
  {.name = "profile", .type = CK_OPTION_TEXT, .offset = offsetof(values, profile), .value = "PROFILE",
   .complete = CK_COMPLETE_FILE,
   .help = "another profile than the one it was started with"},
  CK_EDIT_OPTIONS(values, edits),
  {.name = "dry-run", .offset = offsetof(values, dry_run),
   .help = "tell what it would do and what stands against it, and stop"},
  {.name = "accept-changed", .offset = offsetof(values, accept_changed), .help = "go on although the flow has changed since"},
  CK_RECORD_OPTION(values, record),
  {.name = "grace", .type = CK_OPTION_TEXT, .offset = offsetof(values, grace), .value = "TIME",
   .help = "how long SIGINT or SIGTERM waits for the step under way: 10s unless given"},
  {0},
};

const ck_command ck_command_resume = {
  .name = "resume",
  .summary = "go on with a session that stopped, crashed or failed",
  .details = "Everything is checked first, and every problem is told at once: the flow and its digest, the recording, the profile, "
             "the checkpoint, the keys the flow reads, its tools. Then the session goes on from its latest checkpoint; what was done "
             "after it is replayed from the ledger, not done again.\n\n"
             "With --set, --set-env or --set-file the state is edited first: recorded, kept by a checkpoint of its own, and model "
             "calls and other pure effects behind it are asked anew.",
  .operands = operands,
  .options = options,
  .run = run,
};
