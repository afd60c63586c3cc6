/* resume.c - resume: continues a session that stopped, crashed or failed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/host/run/amend.h"
#include "core/host/run/claim.h"
#include "core/host/run/detach.h"
#include "core/host/command/commands.h"
#include "core/host/cli/duration.h"
#include "core/host/explain/decider.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/session/queued.h"
#include "core/host/session/resolve_session.h"
#include "core/host/session/short_id.h"
#include "core/host/session/run_settings.h"
#include "core/host/preflight/preflight.h"
#include "core/host/run/record.h"
#include "core/host/run/steer.h"
#include "core/host/run/summary.h"
#include "core/host/session/takeover.h"

typedef struct values {
  const char *session, *checkpoint, *flow, *directory, *cassette, *profile, *grace, *record;
  ck_words trusted, labels, folders, keys;
  ck_edit_words edits;
  ck_settings_words settings;
  bool events;
  bool dry_run, accept_changed, clean, fallback, yes, retry, take_over;
  bool detach, queued;
} values;

/* A person who goes back behind completed effects must have seen them. */
static ck_status confirm(const ck_preflight *found, ck_output *output, bool yes, ck_error *err) {
  if (!found->fell_back || yes || found->unasked) return CK_OK;
  for (size_t i = 0; i < found->effect_count; i++) {
    const ck_dry_run_effect *effect = &found->effects[i].is;
    ck_buffer what = {0};
    ck_dry_run_describe(&what, effect);
    ck_output_notice(output, "after it: %s%s%s (%s): %s", effect->key, effect->name ? " " : "",
                     effect->name ? effect->name : "", ck_effect_class_name(effect->class),
                     what.data ? what.data : "");
    ck_buffer_clear(&what);
  }
  int answer = 0;
  if (isatty(STDIN_FILENO) && output->notice_terminal && !output->json) {
    fprintf(stderr, "go on from %s? [y/N] ", found->checkpoint.id);
    answer = getchar();
  }
  if (answer == 'y' || answer == 'Y') return CK_OK;
  return ck_error_set(
      err, CK_E_REFUSED,
      "session %s was not resumed: %zu effects lie after checkpoint %s; --yes goes on from it",
      found->head.session.id, found->effect_count, found->checkpoint.id);
}

/* Settings of the run before end with it. */
static void tell_settings(const ck_preflight *found, ck_output *output) {
  const ck_value *now = found->settings, *before = found->settings_before;
  ck_buffer words = {0};
  if (!before || (now && ck_bytes_equal(ck_value_bytes(now), ck_value_bytes(before)))) return;
  ck_run_settings_append(&words, ck_value_bytes(before));
  ck_output_notice(output, "the run before was started with%s: that held for it alone",
                   words.data ? words.data : "");
  ck_buffer_clear(&words);
}

/* What was paid for is not dropped in silence. */
static void tell_dropped(const ck_preflight *found, ck_output *output) {
  ck_buffer text = {0};
  if (ck_preflight_append_dropped(&text, found))
    ck_output_notice(output,
                     "the state is edited: what lies behind the checkpoint is made anew: %s",
                     text.data ? text.data : "");
  ck_buffer_clear(&text);
}

/* At a terminal; nothing else than the two words is taken. */
static ck_approval_answer ask_person(void *to, const char *question) {
  const ck_output *output = to;
  char line[64] = "";
  ck_approval_answer answer = CK_APPROVAL_NONE;
  if (!isatty(STDIN_FILENO) || !output->notice_terminal || output->json) return answer;
  ck_steer_release();
  while (answer == CK_APPROVAL_NONE) {
    fprintf(stderr, "%s\nallow or deny > ", question);
    if (!fgets(line, sizeof line, stdin)) break;
    line[strcspn(line, "\r\n")] = 0;
    if (strcmp(line, ck_approval_answer_name(CK_APPROVAL_ALLOW)) == 0) answer = CK_APPROVAL_ALLOW;
    if (strcmp(line, ck_approval_answer_name(CK_APPROVAL_DENY)) == 0) answer = CK_APPROVAL_DENY;
  }
  ck_steer_hold();
  return answer;
}

/* A worker runs what was signed, with the settings of then: what goes back into the queue with
 * other ones, or other texts, is not that any more. */
static ck_status keep_signature(ck_engine *engine, const ck_preflight *found, ck_error *err) {
  const ck_preflight_options *given = &found->options;
  const ck_flow_parts parts = {&engine->scripts, found->launch.profile, given->settings};
  ck_last_run last = {0};
  ck_head head = {0};
  ck_status status = ck_store_get_head(&head, engine->runtime->store, given->session, err);
  if (status == CK_OK) status = ck_last_run_read(&last, engine->runtime->store, &head, err);
  ck_bytes is = last.about ? ck_json_get(ck_value_bytes(last.about), "signed") : (ck_bytes){0};
  if (status == CK_OK && is.len)
    status = ck_signed_flow_keep(&engine->signed_flow, is, &parts, err);
  if (status == CK_OK && is.len && !engine->signed_flow)
    ck_output_notice(engine->output,
                     "its flow was signed with other texts, profile, policies or options: a worker "
                     "that goes by signatures (--trust) does not run it like this");
  ck_last_run_clear(&last);
  ck_head_clear(&head);
  return status;
}

/* A person who goes on with it has seen that it did not pause. */
static ck_status supersede_pause(ck_engine *engine, ck_error *err) {
  char *reason;
  ck_status status = ck_session_supersede_pauses(&reason, engine->session, err);
  if (reason)
    ck_output_notice(engine->output,
                     "a pause was asked for before the last run died (%s): this resume supersedes "
                     "it",
                     reason);
  free(reason);
  return status;
}

/* From the checkpoint that the preflight found; a newer one that came meanwhile is detected. */
static ck_status resume(ck_host *host, ck_engine *engine, const ck_preflight *found,
                        const ck_store_location *location, const values *v, ck_error *err) {
  const ck_preflight_options *given = &found->options;
  const ck_resume_asker asker = {ask_person, host->output};
  ck_resume_options options = {.profile = engine->profile,
                               .asker = &asker,
                               .policies = &engine->policies,
                               .edits = given->edits,
                               .retry = given->retry,
                               .seen = found->seen,
                               .seen_epoch = engine->claimed_epoch,
                               .seen_status = engine->claimed_status,
                               .flow_version = ck_engine_manifest(engine)->version,
                               .checkpoint = found->checkpoint.seq ? found->checkpoint.id : NULL};
  const ck_run_origin from = {.flow = found->stored ? NULL : found->launch.flow,
                              .policies = found->own_policies,
                              .other_profile = given->profile ? found->launch.profile : NULL};
  ck_value *about, *accepted = NULL;
  ck_status status = ck_engine_describe_run(&about, engine, &from, err);
  if (status == CK_OK) status = ck_preflight_accept(&accepted, found, engine, err);
  options.about = about;
  options.accepted = accepted;
  options.settings = found->settings;
  if (status == CK_OK) status = ck_record_claim(engine, v->record, err);
  ck_steer_hold();
  if (status == CK_OK) status = ck_engine_open_loop(engine, err);
  if (status == CK_OK && found->stopped_owner)
    status = ck_takeover_end(engine->runtime->store, location->url, given->session,
                             found->stopped_owner, err);
  if (status == CK_OK)
    status = ck_session_resume(&engine->session, engine->runtime, given->session, &options, err);
  ck_value_free(about);
  ck_value_free(accepted);
  if (status == CK_OK && !v->queued) status = supersede_pause(engine, err);
  if (status != CK_OK) return status;
  return v->detach ? ck_detach(host, engine, err) : ck_summary_execute(host, engine, err);
}

/* By whose answer it did not begin, for the error's object. */
static void tell_decider(ck_output *output, const ck_engine *engine, const char *session,
                         const ck_error *failed) {
  ck_inspection of = {.store = engine->runtime->store};
  ck_decider found = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (!output->json || engine->session) return;
  ck_status status = ck_store_get_head(&of.head, of.store, session, &ignored);
  if (status == CK_OK) status = ck_decider_find_resume(&found, &of, failed->text, &ignored);
  const char *text = output->problems.data, *end = text ? text + output->problems.len : NULL;
  for (; status == CK_OK && !found.policy && text < end; text += strlen(text) + 1)
    status = ck_decider_find_resume(&found, &of, text, &ignored);
  if (found.policy) snprintf(output->policy, sizeof output->policy, "%s", found.policy);
  output->hook = found.hook;
  ck_decider_clear(&found);
  ck_head_clear(&of.head);
}

/* What only workers do, and what only people do. */
static ck_status check_queue(const values *v, ck_error *err) {
  bool own = v->checkpoint || v->clean || v->flow || v->directory || v->cassette || v->profile ||
             v->settings.options.count || v->settings.policies.count || v->detach;
  const ck_edit_words *edits = &v->edits;
  own |= edits->set.count || edits->env.count || edits->file.count || edits->limit.count;
  if (v->queued && own)
    return ck_error_set(err, CK_E_USAGE,
                        "--queued goes on with a session as it was put into the queue: --flows, "
                        "--trust, --grace, --events and --dry-run go with it");
  if ((v->folders.count || v->keys.count) && !v->queued)
    return ck_error_set(err, CK_E_USAGE, "--flows and --trust go with --queued");
  if (v->detach && (v->record || v->events || v->grace))
    return ck_error_set(err, CK_E_USAGE,
                        "--record, --events and --grace are of a run here, and --detach begins "
                        "none");
  return ck_queued_check_labels(&v->labels, v->detach, err);
}

/* A run that goes on as the one before it, and leaves the session in the queue. */
static ck_status take_claim(ck_claim *claim, ck_engine *engine, ck_preflight_options *options,
                            const values *v, ck_error *err) {
  const ck_claim_limits limits = {&v->folders, &v->keys};
  ck_status status = ck_claim_read(claim, engine->runtime->store, options->session, &limits, err);
  if (status != CK_OK) return status;
  options->profile = claim->is_signed ? NULL : claim->profile;
  options->settings = claim->is_signed ? &claim->flow.settings : &claim->settings;
  options->signed_flow = claim->is_signed ? &claim->flow : NULL;
  options->directory = claim->directory;
  options->cassette = claim->cassette;
  engine->steer.reason = CK_QUEUED_REASON;
  engine->claimed_epoch = claim->epoch;
  engine->claimed_status = claim->status;
  if (claim->signature)
    status = ck_value_copy(&engine->signed_flow, ck_value_bytes(claim->signature), err);
  if (status != CK_OK) return status;
  return ck_value_copy(&engine->queued, ck_value_bytes(claim->mark), err);
}

static ck_status check_and_resume(ck_host *host, ck_engine *engine, const values *v,
                                  const ck_state_edits *edits, const ck_store_location *location,
                                  ck_claim *claim, ck_error *err) {
  char session[CK_ID_SIZE];
  ck_preflight_options options = {
      .session = session,
      .checkpoint = v->checkpoint,
      .flow = v->flow,
      .trusted = v->trusted,
      .directory = v->directory,
      .cassette = v->cassette,
      .profile = v->profile,
      .edits = edits,
      .settings = &v->settings,
      .accept_changed = v->accept_changed,
      .clean = v->clean,
      .fallback = v->fallback,
      .retry = v->retry,
      .take_over = v->take_over,
      .dry_run = v->dry_run,
  };
  ck_preflight found = {0};
  ck_status status = ck_resolve_session(session, engine->runtime->store, v->session, err);
  if (status == CK_OK && v->queued) status = take_claim(claim, engine, &options, v, err);
  if (status == CK_OK) status = ck_preflight_check(&found, engine, location->url, &options, err);
  if (status == CK_OK && v->dry_run) status = ck_preflight_print(&found, host->output, err);
  if (status == CK_OK) status = ck_preflight_answer(&found, host->output, err);
  if (status == CK_OK && !v->dry_run) tell_settings(&found, host->output);
  if (status == CK_OK && !v->dry_run) tell_dropped(&found, host->output);
  if (status == CK_OK && !v->dry_run) status = confirm(&found, host->output, v->yes, err);
  if (status == CK_OK && v->detach)
    status = ck_queued_check_masked(engine->queued, &engine->policies, err);
  if (status == CK_OK && v->detach) status = keep_signature(engine, &found, err);
  if (status == CK_OK && !v->dry_run) status = resume(host, engine, &found, location, v, err);
  if (status != CK_OK) tell_decider(host->output, engine, session, err);
  ck_preflight_clear(&found);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_store_location location = {0};
  ck_state_edits edits = {0};
  ck_claim claim = {0};
  ck_engine engine = {.output = host->output,
                      .steer = {.grace_ms = CK_STEER_GRACE_MS},
                      .events = {.wanted = v->events}};
  if (v->events) host->output->json = true;
  ck_status status = ck_duration_take(&engine.steer.grace_ms, "--grace", v->grace, err);
  if (status == CK_OK) status = ck_record_check(v->record, err);
  if (status == CK_OK) status = ck_session_word_check(v->session, err);
  if (status == CK_OK && v->checkpoint && ck_short_id_back(v->checkpoint) < 0)
    status = ck_id_check("checkpoint", v->checkpoint, err);
  if (status == CK_OK && v->checkpoint && v->clean)
    status = ck_error_set(err, CK_E_USAGE, "CHECKPOINT names one, --clean looks for one");
  bool stored = v->flow && strcmp(v->flow, CK_PREFLIGHT_STORED) == 0;
  if (status == CK_OK && v->trusted.count && !stored)
    status = ck_error_set(err, CK_E_USAGE, "--trust-flow goes with --flow " CK_PREFLIGHT_STORED);
  if (status == CK_OK) status = check_queue(v, err);
  if (status == CK_OK && v->detach) status = ck_queued_mark(&engine.queued, &v->labels, err);
  if (status == CK_OK) status = ck_amend_take(&edits, &v->edits, err);
  if (status == CK_OK) status = ck_store_location_find(&location, host, err);
  ck_engine_store how = v->dry_run ? CK_ENGINE_STORE_READ : CK_ENGINE_STORE_WRITE;
  if (status == CK_OK) status = ck_engine_open_store(&engine, &location, how, err);
  if (status == CK_OK) status = check_and_resume(host, &engine, v, &edits, &location, &claim, err);
  status = ck_record_write(&engine, status, err);
  ck_summary_forget(host, &engine);
  ck_engine_close(&engine);
  ck_claim_clear(&claim);
  ck_store_location_clear(&location);
  ck_state_edits_clear(&edits);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    CK_CHECKPOINT_OPERAND(values, checkpoint, true,
                          "the latest resumable one otherwise: " CK_RESOLVE_CHECKPOINT_HELP),
    {0},
};

static const ck_option options[] = {
    {.name = "checkpoint",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, checkpoint),
     .value = "ID",
     .help = "go on from this one instead of the latest: " CK_RESOLVE_CHECKPOINT_HELP
             "; what came after it is left behind, and kept"},
    {.name = "clean",
     .offset = offsetof(values, clean),
     .help = "go on from the latest one that no retry or failure came before"},
    {.name = "fallback",
     .offset = offsetof(values, fallback),
     .help = "when the checkpoint cannot be read, go on from the latest that can, after asking"},
    {.name = "yes", .offset = offsetof(values, yes), .help = "with --fallback: do not ask"},
    {.name = "flow",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, flow),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "where the flow is now; it must be the same unless --accept-changed is given; "
             "'stored': what the store kept of the last run"},
    {.name = "trust-flow",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, trusted),
     .value = "DIGEST",
     .help = "with --flow " CK_PREFLIGHT_STORED
             ", in a store without a key: a file that may be run, by its digest; may be given "
             "again"},
    {.name = "directory",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, directory),
     .value = "DIR",
     .complete = CK_COMPLETE_FILE,
     .help = "where its tools run from now on, instead of where it was started"},
    {.name = "cassette",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, cassette),
     .value = "FILE[#N]",
     .complete = CK_COMPLETE_FILE,
     .help = "another recording than the one it was started with"},
    {.name = "profile",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, profile),
     .value = "PROFILE",
     .complete = CK_COMPLETE_FILE,
     .help = "another profile than the one it was started with"},
    CK_RECORD_OPTION(values, record),
    CK_EDIT_OPTIONS(values, edits),
    CK_SETTINGS_OPTIONS(values, settings),
    {.name = "dry-run",
     .offset = offsetof(values, dry_run),
     .help = "tell what it would do and what stands against it, and stop"},
    {.name = "accept-changed",
     .offset = offsetof(values, accept_changed),
     .help =
         "go on although the flow, the policies or their options have changed since: recorded with "
         "who accepted it"},
    {.name = "take-over",
     .offset = offsetof(values, take_over),
     .help = "end the process that holds it, if it is stopped and of the same user"},
    {.name = "retry",
     .offset = offsetof(values, retry),
     .help = "also when it is failing: it died again and again; or when the same call was refused"},
    CK_EVENTS_OPTION(values, events),
    {.name = "grace",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, grace),
     .value = "TIME",
     .help = "how long SIGINT or SIGTERM waits for the step under way: 10s unless given"},
    CK_QUEUED_DETACH_OPTION(values, detach),
    CK_QUEUED_LABEL_OPTION(values, labels),
    {.name = "queued",
     .offset = offsetof(values, queued),
     .help = "as workers do: only if it waits in their queue, with all that its last run was given "
             "for itself; a signal puts it back there"},
    {.name = "flows",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, folders),
     .value = "DIR",
     .complete = CK_COMPLETE_FILE,
     .help = "with --queued: only if its flow, profile, policies, recording and working folder lie "
             "in here; may be given again"},
    {.name = "trust",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, keys),
     .value = "KEYFILE",
     .complete = CK_COMPLETE_FILE,
     .help = "with --queued: also a flow that a key of this file has signed; may be given again"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun resume latest --dry-run",
     "tell what the newest session would do, and what stands against it"},
    {"ckrun resume trip --limit model_calls=9",
     "go on from the latest checkpoint, with another limit"},
    {0},
};

const ck_command ck_command_resume = {
    .name = "resume",
    .summary = "go on with a session that stopped, crashed or failed",
    .details =
        "Everything is checked first, and every problem is told at once: the flow and its "
        "digest, the recording, the profile, the checkpoint, the keys the flow reads, its "
        "tools. Then the session goes on from its latest checkpoint; what was done after it "
        "is replayed from the ledger, not done again.\n\n"
        "A session whose files were moved goes on with --flow and --directory, on another "
        "machine or as another user, too: a profile and a recording that were moved with "
        "them are found there, and later resumes need neither.\n\n"
        "Where the files are gone, --flow stored goes on with what the store kept of the "
        "last run: the flow, the profile, the policies, whose digests are shown. Whoever "
        "can write a store without a key can have put other files there, which run "
        "programs here: in such a store each must be named by its digest, of a source that "
        "you trust (--trust-flow). Nothing else ever runs what a store keeps.\n\n"
        "With --set, --set-env or --set-file the state is edited first: recorded, kept by a "
        "checkpoint of its own, and model calls and other pure effects behind it are asked "
        "anew, but for answers whose calls were made and cannot simply be repeated: what that "
        "drops is told, by --dry-run as well, with what it had cost.\n\n"
        "--dry-run tells what would become of each effect behind the checkpoint, what that "
        "may cost, what is left of each constraint after the policies' rules, and which "
        "policies decide; it writes nothing. A session that died three times in a row "
        "within half a minute of being resumed, without getting anywhere, is failing: it "
        "goes on with --retry.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
