/* sessions_prune.c - sessions prune: drops checkpoints that are not needed, and reports which stay
 * and why. */
#include <stdlib.h>

#include "core/host/command/commands.h"
#include "core/host/session/clear_log.h"
#include "core/host/session/policy_changes.h"
#include "core/host/session/remote_command.h"
#include "core/host/print/key_values.h"
#include "core/host/session/launch.h"
#include "core/base/clock.h"
#include "core/host/cli/duration.h"
#include "core/host/inspect/resolve_checkpoint.h"
#include "core/host/run/archive.h"
#include "core/host/run/spills.h"
#include "core/runtime/history/prune_at_rest.h"
#include "lua/policy/policy.h"
#include "lua/profile/profile.h"

typedef struct values {
  const char *session, *keep, *older_than, *archive;
  ck_words checkpoints;
  int64_t limit;
  bool dry_run, unclean;
} values;

static bool has_filter(const values *v) {
  return v->checkpoints.count || v->older_than || v->unclean;
}

/* The seqs of the named checkpoints; of one that a fork inherits, its origin must be asked. */
static ck_status find_seqs(int64_t *seqs, const ck_remote_command *remote, const values *v,
                           ck_error *err) {
  ck_inspection inspection = {
      .store = remote->runtime->store, .head = remote->head, .live = remote->live};
  for (size_t i = 0; i < v->checkpoints.count; i++) {
    ck_checkpoint_info named;
    ck_status status = ck_resolve_checkpoint(&named, &inspection, v->checkpoints.list[i], err);
    if (status != CK_OK) return status;
    seqs[i] = named.seq;
    if (named.session)
      status = ck_error_set(err, CK_E_REFUSED,
                            "checkpoint %s is one of the session that %s was forked from: drop it "
                            "there",
                            named.id, remote->id);
    ck_checkpoint_info_clear(&named);
    if (status != CK_OK) return status;
  }
  return CK_OK;
}

/* `seqs` has room for all that are named. */
static ck_status take_filter(ck_prune_filter *out, int64_t *seqs, const ck_remote_command *remote,
                             const values *v, ck_error *err) {
  int64_t age_ms = 0;
  ck_clock clock = ck_clock_system();
  ck_status status = ck_duration_take(&age_ms, "--older-than", v->older_than, err);
  if (status == CK_OK) status = find_seqs(seqs, remote, v, err);
  *out = (ck_prune_filter){.seqs = v->checkpoints.count ? seqs : NULL,
                           .count = v->checkpoints.count,
                           .before_ms = v->older_than ? clock.wall_ms(clock.self) - age_ms : 0,
                           .unclean = v->unclean};
  return status;
}

/* One that was named and must stay is not dropped in silence. */
static ck_status check_named(const ck_pruned *of, const values *v, ck_error *err) {
  if (!v->checkpoints.count || !of->report.kept_count) return CK_OK;
  const ck_kept *kept = &of->report.kept[0];
  return ck_error_set(err, CK_E_REFUSED, "checkpoint %s stays: %s", *kept->id ? kept->id : "?",
                      ck_kept_reason_text(kept->reason));
}

static ck_status take_keep(int64_t *out, const char *word, ck_error *err) {
  char *end;
  *out = -1;
  if (!word) return CK_OK;
  if (*word < '0' || *word > '9')
    return ck_error_set(err, CK_E_USAGE, "--keep %s: say how many, such as --keep 20", word);
  *out = strtoll(word, &end, 10);
  return *end || *out < 0
             ? ck_error_set(err, CK_E_USAGE, "--keep %s: say how many, such as --keep 20", word)
             : CK_OK;
}

/* What is looked at as a page is told by the rows that are read for it; a prune reads all. */
static ck_status check_limit(const values *v, ck_error *err) {
  if (!v->limit || (v->dry_run && v->keep && !has_filter(v))) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "--limit %lld: it is for a page of --dry-run --keep N, without --checkpoint, "
                      "--older-than and --unclean",
                      (long long)v->limit);
}

static void put_dropped(ck_key_values *facts, const ck_prune_report *report) {
  struct cJSON *array = ck_key_values_put_array(facts, "ids");
  for (size_t i = 0; i < report->count; i++) {
    const char *id = report->ids[i];
    if (facts->json)
      ck_document_put_text(&facts->document, array, NULL, id);
    else
      ck_key_values_put_text(facts, "drops", id);
  }
}

static void put_kept(ck_key_values *facts, const ck_prune_report *report) {
  struct cJSON *array = ck_key_values_put_array(facts, "kept");
  for (size_t i = 0; i < report->kept_count; i++) {
    const char *id = *report->kept[i].id ? report->kept[i].id : NULL,
               *reason = ck_kept_reason_text(report->kept[i].reason);
    if (facts->json) {
      struct cJSON *at = ck_document_put_object(&facts->document, array, NULL);
      ck_document_put_text(&facts->document, at, "id", id);
      ck_document_put_text(&facts->document, at, "reason", reason);
      continue;
    }
    char text[256];
    snprintf(text, sizeof text, "%s: %s", id ? id : "?", reason);
    ck_key_values_put_text(facts, "keeps", text);
  }
}

typedef struct pruning {
  ck_remote_command *remote;
  ck_archive archive;
  ck_pruned of;
  ck_spills_size spills;
} pruning;

/* Of a page it is not known. */
static void put_payloads(ck_key_values *facts, const ck_prune_report *report) {
  ck_key_values_put_count(facts, "hidden", report->hidden);
  if (report->broken) ck_key_values_put_count(facts, "unreadable", report->broken);
  ck_key_values_put_bytes(facts, "dropped_bytes", report->bytes);
}

static ck_status print(const pruning *self, const values *v, ck_error *err) {
  const ck_remote_command *remote = self->remote;
  const ck_pruned *of = &self->of;
  const ck_spills_size *spills = &self->spills;
  ck_key_values facts;
  ck_key_values_init(&facts, remote->host->output);
  ck_key_values_put_text(&facts, "session", remote->id);
  ck_key_values_put_count(&facts, "checkpoints", of->report.before);
  ck_key_values_put_count(&facts, "dropped", (int64_t)of->report.count);
  put_dropped(&facts, &of->report);
  put_kept(&facts, &of->report);
  if (v->limit)
    ck_key_values_put_count(&facts, "more", of->report.more);
  else
    put_payloads(&facts, &of->report);
  if (!v->dry_run) ck_key_values_put_bytes(&facts, "freed_bytes", of->freed);
  if (spills->files) ck_key_values_put_count(&facts, "spill_files", spills->files);
  if (spills->files) ck_key_values_put_bytes(&facts, "spill_bytes", spills->bytes);
  if (self->archive.bytes) {
    ck_key_values_put_text(&facts, "archive", self->archive.path);
    ck_key_values_put_bytes(&facts, "archive_bytes", self->archive.bytes);
  }
  ck_status status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  return status;
}

/* Removes the long outputs that no result names any more. Those of an effect in doubt are kept,
 * since they help to judge it; so are those of a running session, whose results are not known
 * yet. */
static ck_status sweep_spills(ck_spills_size *out, ck_remote_command *remote, bool dry_run,
                              ck_error *err) {
  ck_shelf shelf;
  ck_lease lease = {0};
  ck_store *store = remote->runtime->store;
  *out = (ck_spills_size){0};
  if (remote->live || remote->head.session.status == CK_SESSION_IN_DOUBT) return CK_OK;
  ck_status status = ck_spills_open(&shelf, remote->location.url, store, err);
  if (status == CK_OK && !dry_run)
    status = ck_store_lock_session(&lease, store, remote->id, remote->head.session.epoch, err);
  if (status == CK_OK)
    status = ck_spills_sweep(out, &shelf, store, &remote->head.session, dry_run, err);
  if (lease.session) ck_store_release(store, lease);
  ck_shelf_close(&shelf);
  return status;
}

/* The policies of the profile that the session was started with. */
static ck_status load_policies(ck_profile **profile, ck_policy_engine *policies, ck_value **list,
                               const ck_remote_command *remote, ck_error *err) {
  ck_launch launch;
  ck_status status = ck_launch_read(&launch, &remote->head.session, err);
  if (status != CK_OK) return status;
  status = ck_profile_load(profile, launch.profile ? launch.profile : "default", err);
  if (status == CK_OK) status = ck_policy_engine_open(policies, *profile, err);
  ck_value *all = NULL;
  if (status == CK_OK) status = ck_policy_describe(&all, policies, true, err);
  if (status == CK_OK)
    status = ck_policy_list_clean(
        list,
        &(ck_policy_cleaning){.redactor = remote->host->output->redactor,
                              .policies = policies,
                              .key = ck_store_fingerprint_key(remote->runtime->store)},
        all, err);
  ck_value_free(all);
  ck_launch_clear(&launch);
  return status;
}

/* The long outputs that are swept below go with the checkpoints. Nothing goes: there is no file. */
static ck_status keep_session(void *to, const ck_prune_report *plan, ck_error *err) {
  pruning *self = to;
  ck_spills_size spills;
  ck_status status = sweep_spills(&spills, self->remote, true, err);
  if (status != CK_OK || (!plan->count && !plan->emptied && !spills.files)) return status;
  status = ck_archive_write(&self->archive, self->remote->runtime->store, self->remote->id, err);
  return status == CK_OK ? status : ck_error_prefix(err, CK_ARCHIVE_FAILED);
}

static ck_status prune_and_print(pruning *self, const values *v, const ck_prune_order *order,
                                 ck_error *err) {
  ck_status status = ck_session_prune_at_rest(&self->of, self->remote->runtime->store,
                                              self->remote->id, order, err);
  if (status == CK_OK) status = sweep_spills(&self->spills, self->remote, v->dry_run, err);
  if (status == CK_OK && !v->dry_run && self->of.report.emptied)
    status = ck_clear_log(self->remote->runtime->store, self->remote->host->output, err);
  if (status == CK_OK) status = print(self, v, err);
  if (status == CK_OK) status = check_named(&self->of, v, err);
  ck_pruned_clear(&self->of);
  return status;
}

static ck_status prune(ck_remote_command *remote, const values *v, int64_t keep, ck_error *err) {
  ck_profile *profile = NULL;
  ck_policy_engine policies = {0};
  ck_value *list = NULL;
  pruning self = {.remote = remote};
  ck_prune_filter filter;
  int64_t *seqs = calloc(v->checkpoints.count + 1, sizeof *seqs);
  if (!seqs) return ck_error_no_memory(err);
  ck_prune_order order = {.filter = has_filter(v) ? &filter : NULL,
                          .policies = &policies,
                          .keep = keep,
                          .dry_run = v->dry_run,
                          .page = v->limit,
                          .before = v->archive ? keep_session : NULL,
                          .to = &self};
  ck_status status = ck_archive_check(&self.archive, "--archive", v->archive, err);
  if (status == CK_OK) status = ck_archive_check_place(&self.archive, err);
  if (status == CK_OK) status = take_filter(&filter, seqs, remote, v, err);
  if (status == CK_OK && keep < 0 && !order.filter)
    status = load_policies(&profile, &policies, &list, remote, err);
  order.list = list;
  if (status == CK_OK) status = prune_and_print(&self, v, &order, err);
  free(seqs);
  ck_value_free(list);
  if (policies.free) policies.free(policies.self);
  ck_profile_free(profile);
  return status;
}

static bool count_one(void *to, const ck_checkpoint_info *checkpoint) {
  *(int64_t *)to += !checkpoint->session;
  return true;
}

/* Pruned checkpoints are in the session's log. */
static ck_status request_from_owner(ck_remote_command *remote, const values *v, ck_error *err) {
  ck_key_values facts;
  int64_t left = 0;
  ck_session_request request = {.kind = CK_REQUEST_PRUNE, .text = (char *)v->keep};
  ck_status status = ck_remote_command_leave(remote, &request, err);
  if (status == CK_OK) status = ck_remote_command_wait(remote, CK_REMOTE_COMMAND_NOTED, err);
  if (status == CK_OK) status = ck_remote_command_check_problem(remote, "pruned", err);
  if (status == CK_OK && !remote->noted)
    status = ck_error_set(err, CK_E_REFUSED, "session %s ended before it was pruned: try again",
                          remote->id);
  if (status == CK_OK)
    status = ck_store_list_checkpoints(remote->runtime->store, remote->head.session.no, count_one,
                                       &left, err);
  if (status != CK_OK) return status;
  ck_key_values_init(&facts, remote->host->output);
  ck_key_values_put_text(&facts, "session", remote->id);
  ck_key_values_put_text(&facts, "pruned", "by the process that runs it");
  ck_key_values_put_count(&facts, "checkpoints", left);
  status = ck_key_values_print(&facts, err);
  ck_key_values_clear(&facts);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  int64_t keep;
  ck_status status = take_keep(&keep, v->keep, err);
  if (status == CK_OK) status = check_limit(v, err);
  if (status == CK_OK && v->dry_run)
    status = ck_remote_command_open_dry(&remote, host, v->session, err);
  else if (status == CK_OK)
    status = ck_remote_command_open(&remote, host, v->session, NULL, err);
  if (status == CK_OK && remote.live && !v->dry_run && (has_filter(v) || v->archive))
    status = ck_error_set(err, CK_E_OWNED, "%s: pause it first", remote.owner);
  else if (status == CK_OK && remote.live && !v->dry_run)
    status = request_from_owner(&remote, v, err);
  else if (status == CK_OK)
    status = prune(&remote, v, keep, err);
  ck_remote_command_close(&remote);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {0},
};

static const ck_option options[] = {
    {.name = "dry-run",
     .offset = offsetof(values, dry_run),
     .help = "say what would go and what stays, and stop"},
    {.name = "checkpoint",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, checkpoints),
     .value = "CHECKPOINT",
     .help = "drop this one: " CK_RESOLVE_CHECKPOINT_HELP "; may be given many times"},
    {.name = "older-than",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, older_than),
     .value = "TIME",
     .help = "drop those that were made longer ago than that, such as 72h"},
    {.name = "unclean",
     .offset = offsetof(values, unclean),
     .help = "drop those before which something was retried or failed"},
    {.name = "keep",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, keep),
     .value = "N",
     .help = "keep the latest N; without it the policies of the session's profile say what goes"},
    {.name = "limit",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, limit),
     .value = "N",
     .help =
         "with --dry-run and --keep: look at the oldest N of those that would go, and count the "
         "others"},
    {.name = "archive",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, archive),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help =
         "keep the session as it is in this new file first, for 'ckrun sessions import'; without "
         "it what goes is gone"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun sessions prune trip --keep 1 --dry-run", "what would go if the newest alone stayed"},
    {0},
};

const ck_command ck_command_sessions_prune = {
    .name = "sessions prune",
    .summary = "drop checkpoints that nobody needs",
    .details =
        "Never dropped, whoever asks: the checkpoint that the session stands at, the latest "
        "resumable one, a pinned one, one that a fork or a timeline goes on from, and one that "
        "cannot be read; each is listed with its reason. Every payload is read before anything "
        "goes. A payload that one of the others loads through stays, hidden, until that is gone, "
        "too. Free space is given back to the system, and files with long outputs of programs that "
        "no result names are removed.\n\n"
        "--checkpoint, --older-than and --unclean drop what fits all of those that are given, but "
        "for the latest N of --keep; a checkpoint that is named and must stay is an error, exit "
        "code 5. The session is stopped then.\n\n"
        "--archive keeps the whole session as it is, with its long outputs in FILE.spill, before "
        "anything goes: FILE is written under another name, synced, and renamed, so a failure or a "
        "kill leaves everything in the store, or FILE whole. It is a store at rest under the same "
        "key, as sealed as this one, and holds nothing else of it. 'ckrun sessions import FILE' "
        "brings the checkpoints back, 'ckrun --store FILE' reads it where it is. The session is "
        "stopped then. Where nothing goes, no file is made.\n\n"
        "--limit N with --dry-run and --keep looks at a page: of those that are asked to go the "
        "oldest N, of which alone payloads are read, are listed as dropped or kept, and how many "
        "more there are is counted; what that gives back is not known then.\n\n"
        "A session that runs is asked to do it: its owner takes the request within a second.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
