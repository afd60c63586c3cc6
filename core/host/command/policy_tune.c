/* policy_tune.c - policy tune: looks in recorded sessions for the options that lose least. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/inspect/inspect.h"
#include "core/host/print/write_file.h"
#include "core/host/tune/output_file.h"
#include "core/host/tune/profile_text.h"
#include "core/host/tune/report.h"
#include "core/host/tune/split.h"
#include "lua/profile/profile.h"
#include "lua/vm/sandbox.h"

enum { TRIES_USUAL = 300, TRIES_MAX = 10000 };

typedef struct values {
  const char *profile, *holdout, *file;
  ck_words over, sessions;
  int64_t seed, checkpoints, tries;
  bool force;
} values;

typedef struct tuning {
  ck_output *output;
  const values *given;
  double holdout;
  ck_inspection inspection;
  ck_profile *profile;
  ck_tune_space space;
  ck_recording **recordings; /* those held out, then the others */
  size_t count, held_out;
  ck_status status; /* of listing */
  ck_error *err;
  ck_tune_found found;
  ck_tune_outcome outcomes[2];
  ck_tune_report report;
} tuning;

/* ---- what is given ---- */

static ck_status read_holdout(tuning *self, ck_error *err) {
  const char *text = self->given->holdout ? self->given->holdout : "0.3";
  char *end;
  self->holdout = strtod(text, &end);
  if (end != text && !*end && self->holdout >= 0 && self->holdout < 1) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "--holdout %s: a share from 0 to less than 1 is expected, such as 0.3", text);
}

static ck_status check_values(tuning *self, ck_error *err) {
  const values *given = self->given;
  if (given->checkpoints > 100)
    return ck_error_set(err, CK_E_USAGE,
                        "--checkpoints %lld: so many in 100 boundaries; 1 to 100 are expected",
                        (long long)given->checkpoints);
  if (given->tries > TRIES_MAX)
    return ck_error_set(err, CK_E_USAGE, "--tries %lld: at most %d", (long long)given->tries,
                        TRIES_MAX);
  return read_holdout(self, err);
}

/* ---- sessions ---- */

static bool is_read(const tuning *self, const char *id) {
  for (size_t i = 0; i < self->count; i++) {
    if (strcmp(self->recordings[i]->id, id) == 0) return true;
  }
  return false;
}

/* Each session once, however often it is named. */
static ck_status read_session(tuning *self, const char *id, ck_error *err) {
  ck_recording **grown = reallocarray(self->recordings, self->count + 1, sizeof *grown);
  if (!grown) return ck_error_no_memory(err);
  self->recordings = grown;
  if (is_read(self, id)) return CK_OK;
  const ck_shown_as as = ck_shown_as_profile(self->profile);
  ck_status status = ck_recording_read(&grown[self->count], self->inspection.store, id, err);
  self->count += status == CK_OK;
  if (status != CK_OK) return status;
  return ck_recording_read_texts(grown[self->count - 1], self->inspection.store, &as, err);
}

static ck_status read_words(tuning *self, const ck_words *words, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < words->count; i++) {
    char id[CK_ID_SIZE];
    status = ck_resolve_session(id, self->inspection.store, words->list[i], err);
    if (status == CK_OK) status = read_session(self, id, err);
  }
  return status;
}

typedef struct id_list {
  char (*ids)[CK_ID_SIZE];
  size_t count;
  bool failed;
} id_list;

static bool take_id(void *to, const ck_session_record *record) {
  id_list *self = to;
  char(*grown)[CK_ID_SIZE] = reallocarray(self->ids, self->count + 1, sizeof *grown);
  self->failed = !grown;
  if (!grown) return false;
  self->ids = grown;
  memcpy(grown[self->count++], record->id, CK_ID_SIZE);
  return true;
}

static ck_status read_all(tuning *self, ck_error *err) {
  id_list list = {0};
  ck_status status = ck_store_list_sessions(self->inspection.store, 0, take_id, &list, err);
  if (status == CK_OK && list.failed) status = ck_error_no_memory(err);
  for (size_t i = 0; status == CK_OK && i < list.count; i++)
    status = read_session(self, list.ids[i], err);
  free(list.ids);
  return status;
}

static ck_status check_sessions(const tuning *self, ck_error *err) {
  size_t boundaries = 0;
  if (!self->count)
    return ck_error_set(err, CK_E_NOT_FOUND,
                        "there is no session in %s: run or import some to tune by",
                        self->inspection.location.url);
  for (size_t i = self->held_out; i < self->count; i++)
    boundaries += self->recordings[i]->boundary_count;
  if (boundaries) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "none of the %zu sessions to tune by has a boundary: no policy would be "
                      "asked in them; name others, or another --seed",
                      self->count - self->held_out);
}

static ck_status read_sessions(tuning *self, ck_error *err) {
  const values *given = self->given;
  ck_status status = read_words(self, &given->over, err);
  if (status == CK_OK) status = read_words(self, &given->sessions, err);
  if (status == CK_OK && !given->over.count && !given->sessions.count) status = read_all(self, err);
  if (status == CK_OK)
    status = ck_tune_split(&self->held_out, self->recordings, self->count, self->holdout,
                           (uint64_t)given->seed, err);
  return status == CK_OK ? check_sessions(self, err) : status;
}

static ck_status open(tuning *self, ck_host *host, ck_error *err) {
  ck_status status = ck_profile_load(&self->profile, self->given->profile, err);
  if (status == CK_OK) status = ck_inspection_open(&self->inspection, host, err);
  if (status == CK_OK && !self->inspection.store)
    status = ck_error_set(err, CK_E_NOT_FOUND,
                          "there is no store at %s yet: run or import a session first",
                          self->inspection.location.url);
  return status;
}

/* ---- the search ---- */

static void show_progress(void *to, size_t tried, size_t of) {
  tuning *self = to;
  ck_buffer line = {0};
  if (!self->output->notice_terminal || self->output->json) return;
  ck_buffer_append_format(&line, "%zu of %zu settings tried", tried, of);
  if (!line.failed) ck_output_show_live(self->output, ck_buffer_bytes(&line));
  ck_buffer_clear(&line);
}

/* The checkpoints that the chosen setting may take: as many as the profile takes as it is, or a
 * share of the boundaries. */
static int64_t target_of(const tuning *self, const ck_tune_figures *given) {
  int64_t asked = self->given->checkpoints;
  if (asked) return (given->boundaries * asked + 99) / 100;
  return given->checkpoints > 0 ? given->checkpoints : 1;
}

static ck_status search(tuning *self, ck_error *err) {
  ck_tune_outcome *training = &self->outcomes[0];
  ck_tune_search search = {.space = &self->space,
                           .part = training->part,
                           .reference = &training->reference,
                           .target = target_of(self, &training->given),
                           .seed = (uint64_t)self->given->seed,
                           .tries = (size_t)self->report.tries,
                           .progress = show_progress,
                           .to = self};
  self->report.target = search.target;
  ck_status status = ck_tune_search_run(&self->found, &search, err);
  ck_output_hide_live(self->output);
  return status;
}

static ck_status compare(tuning *self, ck_tune_outcome *outcome, ck_error *err) {
  ck_status status = ck_tune_figures_take(&outcome->tuned, self->profile, outcome->part, err);
  if (status != CK_OK) return status;
  outcome->at = ck_tune_reference_find(&outcome->reference, outcome->tuned.checkpoints);
  for (ck_loss_kind kind = 0; status == CK_OK && kind < CK_LOSS_COUNT; kind++)
    status =
        ck_tune_reference_compare(&outcome->changes[kind], &outcome->reference, &outcome->tuned,
                                  outcome->part.count, kind, (uint64_t)self->given->seed, err);
  if (status == CK_OK)
    status = ck_tune_breakdown_add(&outcome->groups, self->profile, outcome->part, true, err);
  ck_tune_breakdown_sort(&outcome->groups);
  return status;
}

static ck_status tune(tuning *self, ck_error *err) {
  ck_tune_part training = {self->recordings + self->held_out, self->count - self->held_out};
  self->outcomes[0] = (ck_tune_outcome){.name = "training", .part = training};
  self->outcomes[1] =
      (ck_tune_outcome){.name = "held out", .part = {self->recordings, self->held_out}};
  size_t count = self->held_out ? 2 : 1;
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < count; i++) {
    ck_tune_outcome *outcome = &self->outcomes[i];
    status = ck_tune_figures_take(&outcome->given, self->profile, outcome->part, err);
    if (status == CK_OK) status = ck_tune_reference_take(&outcome->reference, outcome->part, err);
    if (status == CK_OK)
      status = ck_tune_breakdown_add(&outcome->groups, self->profile, outcome->part, false, err);
  }
  if (status == CK_OK) status = search(self, err);
  for (size_t i = 0; status == CK_OK && i < count; i++)
    status = compare(self, &self->outcomes[i], err);
  self->report.outcomes = self->outcomes;
  self->report.outcome_count = count;
  return status;
}

/* ---- output ---- */

static ck_status check_output(char **folder, const tuning *self, ck_error *err) {
  const values *given = self->given;
  *folder = NULL;
  if (given->file) return ck_tune_output_check(folder, given->file, given->force, err);
  if (given->force) return ck_error_set(err, CK_E_USAGE, "--force: of the file that -o names");
  return CK_OK;
}

/* Before the search, which may take minutes, and behind it, as the file may be there by now. */
static ck_status check_output_only(const tuning *self, ck_error *err) {
  char *folder;
  ck_status status = check_output(&folder, self, err);
  free(folder);
  return status;
}

static ck_status write_profile(tuning *self, ck_error *err) {
  ck_buffer about = {0}, text = {0};
  char *folder;
  if (!self->given->file) return CK_OK;
  ck_status status = check_output(&folder, self, err);
  ck_tune_report_append_about(&about, &self->report);
  if (status == CK_OK) status = ck_buffer_check(&about, err);
  if (status == CK_OK)
    status = ck_tune_profile_append(&text, self->profile, self->given->profile, folder,
                                    ck_buffer_bytes(&about), err);
  if (status == CK_OK) status = ck_write_file(self->given->file, ck_buffer_bytes(&text), err);
  free(folder);
  ck_buffer_clear(&about);
  ck_buffer_clear(&text);
  return status;
}

static void clear(tuning *self) {
  for (size_t i = 0; i < 2; i++) {
    ck_tune_figures_clear(&self->outcomes[i].given);
    ck_tune_figures_clear(&self->outcomes[i].tuned);
    ck_tune_reference_clear(&self->outcomes[i].reference);
    ck_tune_breakdown_clear(&self->outcomes[i].groups);
  }
  ck_tune_found_clear(&self->found);
  if (self->space.profile) ck_tune_space_close(&self->space);
  ck_profile_free(self->profile);
  for (size_t i = 0; i < self->count; i++) ck_recording_free(self->recordings[i]);
  free(self->recordings);
  ck_inspection_close(&self->inspection);
  free(self);
}

static ck_status run(ck_host *host, const void *values_given, ck_error *err) {
  values given = *(const values *)values_given;
  if (!given.seed) given.seed = 1;
  tuning *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->output = host->output;
  self->given = &given;
  ck_sandbox_quiet_print(true);
  ck_status status = check_values(self, err);
  self->report = (ck_tune_report){.profile = given.profile,
                                  .file = given.file,
                                  .space = &self->space,
                                  .found = &self->found,
                                  .seed = given.seed,
                                  .tries = given.tries ? given.tries : TRIES_USUAL,
                                  .holdout = self->holdout};
  if (status == CK_OK) status = open(self, host, err);
  if (status == CK_OK) status = check_output_only(self, err);
  if (status == CK_OK) status = read_sessions(self, err);
  if (status == CK_OK) status = ck_tune_space_open(&self->space, self->profile, err);
  if (status == CK_OK) status = tune(self, err);
  if (status == CK_OK) status = write_profile(self, err);
  if (status == CK_OK) status = ck_tune_report_print(&self->report, self->output, err);
  clear(self);
  return status;
}

static const ck_option options[] = {
    {.name = "over",
     .type = CK_OPTION_LIST,
     .offset = offsetof(values, over),
     .value = "SESSION",
     .complete = CK_COMPLETE_SESSION,
     .help = "a session to learn from; more may follow. None: all of the store"},
    {.name = "holdout",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, holdout),
     .value = "SHARE",
     .help = "of the sessions, which the search never sees (default: 0.3)"},
    {.name = "seed",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, seed),
     .value = "N",
     .help = "determines which sessions are held out, and where the search looks (default: 1)"},
    {.name = "checkpoints",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, checkpoints),
     .value = "N",
     .help = "at most so many in 100 boundaries (default: as many as PROFILE takes)"},
    {.name = "tries",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, tries),
     .value = "N",
     .help = "so many settings are tried (default: 300)"},
    {.name = "output",
     .letter = 'o',
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, file),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "write the tuned profile there (default: it is only told)"},
    {.name = "force",
     .type = CK_OPTION_FLAG,
     .offset = offsetof(values, force),
     .help = "also over a file that is there"},
    {0},
};

static const ck_operand operands[] = {
    {.name = "PROFILE",
     .offset = offsetof(values, profile),
     .help = "a shipped profile or the path of one",
     .complete = CK_COMPLETE_FILE},
    {.name = "SESSION",
     .optional = true,
     .many = true,
     .offset = offsetof(values, sessions),
     .help = "further sessions to learn from",
     .complete = CK_COMPLETE_SESSION},
    {0},
};

static const ck_example examples[] = {
    {"ckrun policy tune loop --over trip --tries 5", "look for better options of the profile loop"},
    {0},
};

const ck_command ck_command_policy_tune = {
    .name = "policy tune",
    .summary = "look for the options of a profile's policies that lose least",
    .details =
        "Tries settings of the options of those policies that decide on checkpoints, over recorded "
        "sessions, as `ckrun policy simulate` would. A policy names the ranges of its options in "
        "`ranges`; of one that does not, every number above 0 is tried from a hundredth to a "
        "hundredfold, and every boolean.\n\n"
        "The setting that is chosen takes no more checkpoints than PROFILE does, or than "
        "--checkpoints says. Among these it loses least against every_n at as many checkpoints: "
        "the kind of work that loses most counts most, and what is recorded first of money, time, "
        "tokens and tool calls has to gain most. The frontier is the settings that no other with "
        "as few checkpoints beats.\n\n"
        "Some sessions are held out: they have no say in the choice, and tell what it is worth "
        "elsewhere. Behind each comparison stands where 95 of 100 resamplings of several "
        "sessions lie. The same seed, sessions and profile give the same result, to the byte.\n\n"
        "The profile that -o writes extends PROFILE, and says which sessions and figures its "
        "numbers come from; paths in it are seen from its folder. Exit code 5 when a policy fails, "
        "and when FILE is there already.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
