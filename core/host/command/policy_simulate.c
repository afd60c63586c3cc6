/* policy_simulate.c - policy simulate: the checkpoints that the policies of a profile would have
 * kept of recorded sessions. */
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/inspect/session_ids.h"
#include "core/host/print/table.h"
#include "core/host/simulate/other_hooks.h"
#include "core/host/simulate/session_plot.h"
#include "core/host/simulate/simulation_list.h"
#include "lua/vm/sandbox.h"

enum { PROFILES_MAX = CK_PLOT_PROFILES_MAX };

typedef struct values {
  ck_words profiles, policies, sessions;
  const char *hook;
  bool plot, list, diff;
} values;

typedef struct simulating {
  ck_output *output;
  const values *given;
  ck_inspection inspection;
  ck_simulation_side sides[PROFILES_MAX];
  size_t count;
  ck_document document;
  ck_buffer plots;
  ck_simulation_list list;
  ck_other_hooks other;
  ck_session_ids ids;
} simulating;

/* Another hook than checkpoint. */
static bool is_other(const simulating *self) { return ck_other_hooks_has(self->given->hook); }

/* ---- profiles ---- */

static ck_status check_count(const values *given, size_t count, ck_error *err) {
  if (count > PROFILES_MAX)
    return ck_error_set(err, CK_E_USAGE,
                        "--profile: %zu profiles; at most %d can stand side by side", count,
                        PROFILES_MAX);
  if (given->list && count > CK_SIMULATION_LISTED_MAX)
    return ck_error_set(err, CK_E_USAGE,
                        "--list: %zu profiles; at most %d can stand side by side in a list", count,
                        CK_SIMULATION_LISTED_MAX);
  if (given->diff && count != 2)
    return ck_error_set(err, CK_E_USAGE,
                        "--diff: %zu %s; it compares two: give --profile or --policy twice", count,
                        count == 1 ? "profile" : "profiles");
  if (ck_other_hooks_has(given->hook) && (given->diff || given->plot))
    return ck_error_set(err, CK_E_USAGE, "--%s is of checkpoints, and --hook is %s: leave out one",
                        given->diff ? "diff" : "plot", given->hook);
  if (given->list && given->hook && strcmp(given->hook, "redact") == 0)
    return ck_error_set(err, CK_E_USAGE,
                        "--list: --hook redact has none; without it each policy, rule, and key or "
                        "event is listed, with a sample cut: leave out --list");
  return CK_OK;
}

static ck_status load_sides(simulating *self, ck_error *err) {
  static const char *const usual[] = {"default"};
  const values *given = self->given;
  bool none = !given->profiles.count && !given->policies.count;
  const char *const *profiles = none ? usual : given->profiles.list;
  size_t profile_count = none ? 1 : given->profiles.count;
  size_t count = profile_count + given->policies.count;
  ck_status status = check_count(given, count, err);
  for (; status == CK_OK && self->count < count; self->count++) {
    ck_simulation_side *made = &self->sides[self->count];
    size_t at = self->count;
    status = at < profile_count
                 ? ck_simulation_side_load_profile(made, at, profiles[at], err)
                 : ck_simulation_side_load_policy(
                       made, at, given->policies.list[at - profile_count], given->hook, err);
  }
  return status;
}

/* ---- one session under all profiles ---- */

/* Without --diff all are listed. */
static bool is_listed(const simulating *self, const ck_simulation *made, size_t boundary) {
  return !self->given->diff ||
         ck_simulation_differs(&made[0].decisions[boundary], &made[1].decisions[boundary]);
}

static bool lists(const simulating *self) {
  return !is_other(self) && (self->given->list || self->given->diff);
}

static ck_status put_session(simulating *self, size_t side, const ck_recording *recording,
                             const ck_simulation *made, const ck_session_plot *plot,
                             ck_error *err) {
  ck_simulation_sum own = {0};
  ck_status status = ck_simulation_sum_add(&own, recording, &made[side], err);
  struct cJSON *row = ck_document_put_object(&self->document, self->sides[side].sessions, NULL);
  ck_document_put_text(&self->document, row, "session", recording->id);
  if (status == CK_OK) ck_simulation_put_sum(&self->document, row, &own);
  ck_simulation_sum_clear(&own);
  if (self->given->plot) ck_session_plot_put(&self->document, row, plot, side);
  if (!lists(self)) return status;
  struct cJSON *list = ck_document_put_array(&self->document, row, "decisions");
  for (size_t i = 0; i < made[side].decision_count; i++) {
    if (is_listed(self, made, i))
      ck_simulation_put_decision(&self->document, list, recording, &made[side].decisions[i]);
  }
  return status;
}

static ck_status put_all(simulating *self, const ck_recording *recording, const ck_simulation *made,
                         const ck_session_plot *plot, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && self->output->json && i < self->count; i++)
    status = put_session(self, i, recording, made, plot, err);
  if (self->output->json) return status;
  if (self->given->plot)
    ck_session_plot_append(&self->plots, plot, recording, self->sides, self->count);
  for (size_t i = 0; lists(self) && i < recording->boundary_count; i++) {
    if (is_listed(self, made, i)) ck_simulation_list_add(&self->list, recording, made, i);
  }
  return status;
}

/* Each session has engines of its own, as each run has. */
static ck_status simulate_session(simulating *self, const char *id, ck_error *err) {
  ck_recording *recording;
  ck_simulation made[PROFILES_MAX] = {{0}};
  ck_status status = ck_recording_read(&recording, self->inspection.store, id, err);
  if (status != CK_OK) return status;
  ck_session_plot plot;
  ck_session_plot_begin(&plot, recording, self->sides, self->count, self->output);
  for (size_t i = 0; status == CK_OK && i < self->count; i++) {
    ck_simulation_side *side = &self->sides[i];
    const ck_shown_as as = ck_shown_as_profile(side->profile);
    status = ck_recording_read_texts(recording, self->inspection.store, &as, err);
    if (status == CK_OK)
      status = ck_simulate_profile(&made[i], recording, side->profile, true, err);
    if (status != CK_OK) break;
    ck_simulation_plot(plot.values[i], plot.width, recording, &made[i], plot.kind);
    status = ck_simulation_sum_add(&side->sum, recording, &made[i], err);
  }
  if (status == CK_OK) status = put_all(self, recording, made, &plot, err);
  for (size_t i = 0; i < self->count; i++) ck_simulation_clear(&made[i]);
  ck_recording_free(recording);
  return status;
}

static ck_status simulate_all(simulating *self, ck_error *err) {
  const ck_session_ids *ids = &self->ids;
  ck_status status =
      ck_session_ids_find(&self->ids, &self->inspection, &self->given->sessions, err);
  for (size_t i = 0; status == CK_OK && i < ids->count; i++)
    status = is_other(self) ? ck_other_hooks_add(&self->other, ids->list[i], err)
                            : simulate_session(self, ids->list[i], err);
  return status;
}

/* ---- output ---- */

static void begin_output(simulating *self) {
  const char *names[PROFILES_MAX];
  for (size_t i = 0; i < self->count; i++) names[i] = self->sides[i].name;
  self->other = (ck_other_hooks){.output = self->output,
                                 .store = self->inspection.store,
                                 .hook = self->given->hook,
                                 .list = is_other(self) && self->given->list,
                                 .sides = self->sides,
                                 .count = self->count,
                                 .document = &self->document};
  ck_other_hooks_begin(&self->other);
  if (lists(self)) ck_simulation_list_init(&self->list, self->output, names, self->count);
  ck_document_init(&self->document, self->output);
  if (is_other(self))
    ck_document_put_text(&self->document, NULL, "hook", self->given->hook);
  else
    ck_document_put_int(&self->document, NULL, "row_bytes", CK_SIMULATE_ROW_BYTES);
  struct cJSON *list = ck_document_put_array(&self->document, NULL, "profiles");
  for (size_t i = 0; i < self->count; i++) {
    ck_simulation_side *of = &self->sides[i];
    of->object = ck_document_put_object(&self->document, list, NULL);
    ck_document_put_text(&self->document, of->object, "profile", of->name);
    ck_document_put_text(&self->document, of->object, "given", of->given);
    if (!is_other(self) || strcmp(self->given->hook, "redact") != 0)
      of->sessions = ck_document_put_array(&self->document, of->object, "sessions");
  }
}

static ck_status print(simulating *self, ck_error *err) {
  const char *names[PROFILES_MAX];
  const ck_simulation_sum *sums[PROFILES_MAX];
  for (size_t i = 0; i < self->count; i++) {
    names[i] = self->sides[i].name;
    sums[i] = &self->sides[i].sum;
    if (self->output->json) ck_simulation_put_sum(&self->document, self->sides[i].object, sums[i]);
  }
  if (self->output->json) return ck_document_print(&self->document, err);
  ck_status status = lists(self)
                         ? ck_table_print(&self->list.table, err)
                         : ck_simulation_print_sums(self->output, names, sums, self->count, err);
  if (status == CK_OK) status = ck_buffer_check(&self->plots, err);
  if (status == CK_OK) ck_output_write(self->output, ck_buffer_bytes(&self->plots));
  return status;
}

/* Nobody is asked where nobody would be told. */
static void tell_tails(const simulating *self) {
  if (!is_other(self) || strcmp(self->given->hook, "tail") != 0) return;
  for (size_t i = 0; i < self->count; i++) {
    const ck_profile *profile = self->sides[i].profile;
    if (profile->resume_with_tail || profile->budget_micros == CK_SIMULATE_AS_RECORDED) continue;
    ck_output_notice(
        self->output,
        "%s: its agents resume with their conversations: only those that are processes "
        "are told tails; resume_context = \"tail\" tells all",
        self->sides[i].name);
  }
}

/* Failures were contained, as they would have been live; a failing policy still determines the exit
 * code. */
static ck_status check_failures(const simulating *self, ck_error *err) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_simulation_side *side = &self->sides[i];
    const char *first;
    int64_t failures = ck_simulation_side_failures(side, &first);
    if (failures)
      return ck_error_set(err, CK_E_POLICY,
                          "profile %s: %lld calls of its policies failed; the first: %s",
                          side->name, (long long)failures, first);
  }
  return CK_OK;
}

static void clear(simulating *self) {
  for (size_t i = 0; i < PROFILES_MAX; i++) ck_simulation_side_clear(&self->sides[i]);
  ck_session_ids_clear(&self->ids);
  ck_buffer_clear(&self->plots);
  ck_table_clear(&self->list.table);
  ck_other_hooks_clear(&self->other);
  ck_document_clear(&self->document);
  ck_inspection_close(&self->inspection);
  free(self);
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  simulating *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->output = host->output;
  self->given = given;
  ck_sandbox_quiet_print(true);
  ck_status status = load_sides(self, err);
  if (status == CK_OK) status = ck_inspection_open(&self->inspection, host, err);
  if (status == CK_OK && !self->inspection.store)
    status = ck_error_set(err, CK_E_NOT_FOUND,
                          "there is no store at %s yet: run or import a session first",
                          self->inspection.location.url);
  if (status == CK_OK) begin_output(self);
  if (status == CK_OK) tell_tails(self);
  if (status == CK_OK) status = simulate_all(self, err);
  if (status == CK_OK)
    status = is_other(self) ? ck_other_hooks_print(&self->other, err) : print(self, err);
  if (status == CK_OK) status = check_failures(self, err);
  clear(self);
  return status;
}

static const char *const hooks[] = {"checkpoint", "redact",
#define X(enumerator, name, about) name,
                                    CK_RERUN_HOOK_TABLE(X)
#undef X
                                        NULL};

static const ck_option options[] = {
    {.name = "profile",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, profiles),
     .value = "PROFILE",
     .complete = CK_COMPLETE_FILE,
     .help = "a shipped profile or the path of one (default: default); give it again to compare "
             "several side by side"},
    {.name = "policy",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, policies),
     .value = "POLICY",
     .complete = CK_COMPLETE_FILE,
     .help =
         "a policy alone, a file or a shipped one, with its usual options; behind the profiles"},
    {.name = "hook",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, hook),
     .value = "HOOK",
     .choices = hooks,
     .help = "which decisions: checkpoint (the usual, with prune); redact: what would be masked; "
             "or what else policies are asked"},
    {.name = "list",
     .offset = offsetof(values, list),
     .help = "instead of the sums, what is decided at each boundary, or answered each time, and "
             "why"},
    {.name = "diff",
     .offset = offsetof(values, diff),
     .help = "of two, the boundaries that they decide differently"},
    {.name = "plot",
     .offset = offsetof(values, plot),
     .help = "under the table, for each session, what a crash would lose over time"},
    {0},
};

static const ck_operand operands[] = {
    {.name = "SESSION",
     .optional = true,
     .many = true,
     .offset = offsetof(values, sessions),
     .help = "sessions that ran here or were imported; none: all of the store",
     .complete = CK_COMPLETE_SESSION},
    {0},
};

static const ck_example examples[] = {
    {"ckrun policy simulate trip --profile default --profile ./profile.lua",
     "compare what two profiles keep of a session"},
    {0},
};

const ck_command ck_command_policy_simulate = {
    .name = "policy simulate",
    .summary = "replay recorded sessions through policies",
    .details =
        "Tells the checkpoints that would be taken and why, their bytes, and what a crash would "
        "cost. Each recorded boundary is shown to the policies again, with the time and the random "
        "number that were recorded; what is told since the last checkpoint is counted from the "
        "checkpoints that these policies take. For a session that ran live under the same profile "
        "the decisions are those that were recorded. Nothing is written.\n\n"
        "A crash can come after each event, before the checkpoint that the event brings is "
        "durable: mean, p95 and worst of the active time, money, tokens and tool calls since the "
        "last checkpoint. Active time is that of the runs without the waiting for people: for "
        "answers to questions, and for the next message of a user. What no source tells is left "
        "empty.\n\n"
        "Bytes are estimates before compression: what changed since the last checkpoint, every "
        "time it was set, and 400 bytes for a row, its index and its event; of imported sessions "
        "no keys are known, and of sessions that an earlier version recorded only how many "
        "changed, which is estimated where decisions differ from the recorded ones. Kept is what "
        "prunes leave: policies are asked when a run under the profile asks them, at its end and "
        "after every prune_every_n_nodes checkpoints (of a policy alone: when the recorded runs "
        "did); as live, the newest checkpoint stays, a pinned one, and one that a run or a fork "
        "went on from.\n\n"
        "With --list each boundary is a line: session, event, kind, node, agent, and for each "
        "profile whether it takes a checkpoint and the policies that want it with their reasons. "
        "--diff leaves the lines where two profiles decide differently: a checkpoint or none, "
        "waited for or not. As JSON they are beside the sums.\n\n"
        "With --hook redact each content that was recorded, and each key of the latest checkpoint, "
        "is shown to the policies' redact: a line for each profile, policy, rule (drop, mask, ref, "
        "or texts of it) and key or kind of event, with how often, in how many sessions, and a "
        "sample of the text around what would be masked, never that itself. What was masked when "
        "it was recorded stays so and is not counted.\n\n"
        "With another --hook it is asked again wherever it was asked live, or would have been: how "
        "often, what is answered and why, and how many of the answers are those that were "
        "recorded. --list has a line for each, with session and event. Where a policy looks at "
        "what the session does not tell, that is counted by the name of the field, and never "
        "guessed. Of a tail are asked those events that a resumed agent was told of, or could "
        "have been. Of prune are told the checkpoints that went or would go, each with its own "
        "history: one that is gone by then is not shown to the policies again.\n\n"
        "Exit code 5 when a policy failed; its answers count as they would live.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
