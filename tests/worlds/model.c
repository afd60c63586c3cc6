/* model.c - what must be true of a world's sessions, kept apart from what they record. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/worlds/cover.h"
#include "tests/worlds/money.h"
#include "tests/worlds/world.h"

void model_fail(world_model *self, const char *format, ...) {
  if (self->problem[0]) return;
  va_list list;
  va_start(list, format);
  vsnprintf(self->problem, sizeof self->problem, format, list);
  va_end(list);
}

world_fact *model_fact(world_model *self, const char *key) {
  for (size_t i = 0; i < self->fact_count; i++)
    if (strcmp(self->facts[i].key, key) == 0) return &self->facts[i];
  tap_must(self->fact_count < WORLD_FACTS, "at most %d effects", WORLD_FACTS);
  world_fact *made = &self->facts[self->fact_count++];
  *made = (world_fact){0};
  snprintf(made->key, sizeof made->key, "%s", key);
  return made;
}

/* ---- what is done ---- */

/* A kept outcome is replayed: always, of what must not be repeated; as long as the attempt is the
 * same, of what may be. */
static bool is_kept(const world_fact *fact, uint32_t attempt) {
  if (fact->kept_attempt == 0 || fact->kind == CK_EFFECT_ASK) return false;
  bool repeats = fact->class == CK_EFFECT_PURE || (fact->was_told && fact->told != CK_OUTCOME_OK);
  return !repeats || fact->kept_attempt == attempt;
}

void model_begins(world_model *self, const ck_effect *effect) {
  world_fact *fact = model_fact(self, effect->key);
  fact->kind = effect->kind;
  fact->class = effect->class;
  bool guarded = effect->class == CK_EFFECT_ONCE || effect->class == CK_EFFECT_RECONCILABLE;
  if (is_kept(fact, effect->attempt))
    model_fail(self, "%s is begun again, though its outcome was durable", effect->key);
  if (guarded && fact->done > 0 && !(fact->erred && effect->attempt > 1))
    model_fail(self, "%s (%s) is begun again, and it was done", effect->key,
               ck_effect_class_name(effect->class));
  if (effect->class == CK_EFFECT_ONCE && fact->open && !fact->retry)
    model_fail(self, "%s (once) is begun again while nobody knows of it", effect->key);
  cover("effect %s, %s", ck_effect_class_name(effect->class),
        fact->begun == 0      ? "begins"
        : fact->retry         ? "begins again: a person said so"
        : fact->failed        ? "begins again: it failed"
        : effect->attempt > 1 ? "begins again: at a later attempt"
                              : "begins again");
  fact->begun++;
  fact->open = true;
  fact->retry = fact->failed = false;
  if (effect->kind == CK_EFFECT_MODEL) money_add(self, effect->key, &(world_purse){.begun = 1});
}

/* One that was given, and always the same: it is what the flow goes on from. `want`: it. */
static void take_word(world_model *self, world_fact *fact, char want[64], ck_bytes got) {
  uint32_t word = 0;
  for (bool found = false; !found && word < 2 * WORLD_WORDS; word += !found) {
    outside_word(want, word < WORLD_WORDS ? fact->key : "", word % WORLD_WORDS);
    found = strlen(want) == got.len && memcmp(want, got.data, got.len) == 0;
  }
  if (!(fact->words & 1u << word))
    model_fail(self, "the flow is told that %s was answered %.*s, which nobody said", fact->key,
               (int)got.len, got.data);
  if (fact->word && fact->kept_attempt && fact->word != (int)word + 1)
    model_fail(self, "the flow is told another answer to %s than before: %.*s", fact->key,
               (int)got.len, got.data);
  cover("question: answered with word %u", word % WORLD_WORDS);
  fact->word = (int)word + 1;
}

static void note_unknown(world_model *self, const char *key, ck_outcome_status status) {
  char name[24];
  for (int scope = 0; scope < WORLD_SCOPES && status == CK_OUTCOME_UNKNOWN; scope++) {
    model_scope_name(name, scope);
    size_t len = strlen(name);
    self->scopes[scope].unknown |= strncmp(key, name, len) == 0 && key[len] == '/';
  }
}

void model_told(world_model *self, const char *key, const ck_outcome *outcome) {
  if (!world_is_heard()) return;
  world_fact *fact = model_fact(self, key);
  char want[64];
  ck_outcome_status status = outcome->status;
  outside_text(want, key, fact->kind);
  ck_bytes got = outcome->result ? ck_value_bytes(outcome->result) : (ck_bytes){0};
  if (fact->kind == CK_EFFECT_ASK && status == CK_OUTCOME_OK) take_word(self, fact, want, got);
  if (status == CK_OUTCOME_OK && fact->done == 0 && !fact->said)
    model_fail(self, "the flow is told that %s was done, and it was not", key);
  if (status == CK_OUTCOME_OK && (got.len != strlen(want) || memcmp(got.data, want, got.len) != 0))
    model_fail(self, "the flow is told of %s: %.*s, and not %s", key, (int)got.len, got.data, want);
  if (status == CK_OUTCOME_ERROR && !fact->erred && !fact->absent)
    model_fail(self, "the flow is told of an error of %s that nobody gave", key);
  if (status == CK_OUTCOME_UNKNOWN && !fact->unknown)
    model_fail(self, "the flow is told that nobody knows of %s, which was answered", key);
  world_log("told %s: %s", key, ck_outcome_status_name(status));
  cover("effect %s, the flow is told: %s", ck_effect_class_name(fact->class),
        ck_outcome_status_name(status));
  fact->told = status;
  fact->was_told = true;
  note_unknown(self, key, status);
}

/* ---- what is announced ---- */

void model_ended(world_model *self, int scope, int64_t seq) {
  if (!world_is_heard()) return;
  tap_must(self->end_count < WORLD_PLACES, "at most %d ends of agents", WORLD_PLACES);
  self->ends[self->end_count++] = (struct world_end){.seq = seq, .scope = scope};
}

static void put_place(world_model *self, int scope, int64_t seq) {
  tap_must(self->place_count < WORLD_PLACES, "at most %d boundaries", WORLD_PLACES);
  self->places[self->place_count++] = (world_place){.seq = seq,
                                                    .scope = scope,
                                                    .step = self->scopes[scope].step,
                                                    .sum = self->scopes[scope].sum,
                                                    .unknown = self->scopes[scope].unknown};
}

void model_boundary(world_model *self, const char *name, int64_t seq) {
  if (!world_is_heard()) return;
  put_place(self, self->open[strcmp(name, "main") == 0 ? 0 : 1 + name[0] - 'a'], seq);
}

world_checkpoint *model_checkpoint(world_model *self, int64_t seq) {
  for (size_t i = 0; i < self->checkpoint_count; i++)
    if (self->checkpoints[i].seq == seq) return &self->checkpoints[i];
  return NULL;
}

static void note_checkpoint(world_model *self, int64_t seq) {
  if (model_checkpoint(self, seq)) return;
  tap_must(self->checkpoint_count < WORLD_PLACES, "at most %d checkpoints", WORLD_PLACES);
  self->checkpoints[self->checkpoint_count++] =
      (world_checkpoint){.seq = seq, .doubtful = seq < self->pruned_before};
}

/* What a process that was replaced announces was true before it was. */
void model_progress(world_model *self, const ck_progress *progress, uint32_t attempt) {
  const char *what = progress->what;
  bool heard = world_is_heard();
  if (strcmp(what, "checkpoint") == 0) {
    note_checkpoint(self, progress->saved->seq);
    if (heard && progress->saved->seq > self->saved_seq) self->saved_seq = progress->saved->seq;
    if (progress->saved->seq > self->top_seq) self->top_seq = progress->saved->seq;
  }
  if (strcmp(what, "outcome") != 0 || !progress->key) return;
  world_fact *fact = model_fact(self, progress->key);
  fact->kept_attempt = attempt;
  if (fact->kind == CK_EFFECT_MODEL && fact->begun > 0) /* a pause is none */
    money_add(self, fact->key, &(world_purse){.told = 1});
}

/* ---- what is there again ---- */

/* An intent may be durable that nobody outside has heard of. Outcomes of what may be repeated for
 * nothing are safe from the end of a process, not from that of the power. */
void model_lost_power(world_model *self) {
  for (size_t i = 0; i < self->fact_count; i++) {
    world_fact *fact = &self->facts[i];
    bool repeats = fact->class == CK_EFFECT_PURE || fact->class == CK_EFFECT_IDEMPOTENT;
    bool asks = fact->kind == CK_EFFECT_ASK; /* a person's words are safe */
    if (repeats && fact->kind != CK_EFFECT_MODEL && !asks) fact->kept_attempt = 0;
  }
}

void model_died(world_model *self, bool power) {
  self->deaths++;
  if (power) model_lost_power(self);
}

const world_place *model_place(const world_model *self, int scope, int64_t seq) {
  for (size_t i = self->place_count; i > 0; i--)
    if (self->places[i - 1].scope == scope && self->places[i - 1].seq <= seq)
      return &self->places[i - 1];
  return NULL;
}

/* It stands where it stood at `from`, from event `first` on. */
static void stand_scope(world_model *self, int scope, int64_t first, int64_t from) {
  const world_place *at = model_place(self, scope, from), *last = model_place(self, scope, first);
  self->scopes[scope].step = at ? at->step : 0;
  self->scopes[scope].sum = at ? at->sum : 0;
  self->scopes[scope].unknown = at && at->unknown;
  if (at != last || scope == 0) put_place(self, scope, first);
}

/* From `first` on nothing was durable of what is known: the numbers are given anew. */
static void stand(world_model *self, int64_t first, int64_t from) {
  if (first <= self->top_seq)
    model_fail(self, "event %lld is written anew, and %lld was durable", (long long)first,
               (long long)self->top_seq);
  if (self->pruned_before > first) self->pruned_before = first;
  while (self->place_count > 0 && self->places[self->place_count - 1].seq >= first)
    self->place_count--;
  while (self->end_count > 0 && self->ends[self->end_count - 1].seq >= first) self->end_count--;
  for (int scope = 0; scope < WORLD_SCOPES; scope++) stand_scope(self, scope, first, from);
}

void model_resumed(world_model *self, int64_t seq, int64_t first) {
  if (seq < self->saved_seq)
    model_fail(self, "the run goes on from %lld, and %lld was saved", (long long)seq,
               (long long)self->saved_seq);
  for (size_t i = 0; i < self->fact_count; i++)
    if (self->facts[i].kept_attempt == 0) self->facts[i].word = 0; /* it may be answered anew */
  stand(self, first, seq);
  self->top_seq = first;
  self->saved_seq = seq;
}

void model_rewound(world_model *self, int64_t from, int64_t made) {
  stand(self, made, from);
  self->top_seq = made;
  self->saved_seq = made;
  note_checkpoint(self, made);
}

/* ---- scopes ---- */

int model_scope(int child, int at) { return 1 + 2 * at + child; }
int model_scope_child(int scope) { return (scope - 1) % 2; }

void model_scope_name(char out[24], int scope) {
  int at = (scope - 1) / 2;
  if (scope == 0)
    snprintf(out, 24, "main");
  else if (at == 0)
    snprintf(out, 24, "%c@start", 'a' + model_scope_child(scope));
  else
    snprintf(out, 24, "%c@s%d", 'a' + model_scope_child(scope), at);
}

void model_opened(world_model *self, int scope, int step, uint64_t sum) {
  const struct world_scope *known = &self->scopes[scope];
  char name[24];
  if (!world_is_heard()) return;
  model_scope_name(name, scope);
  if (step != known->step || sum != known->sum)
    model_fail(self, "scope %s stands at step %d (%llx), not at %d (%llx)", name, step,
               (unsigned long long)sum, known->step, (unsigned long long)known->sum);
  self->open[scope ? 1 + model_scope_child(scope) : 0] = scope;
  if (scope) cover("an agent is opened: %s", step ? "half way" : "at its beginning");
}

void model_moves(world_model *self, int scope, int step, uint64_t sum) {
  if (world_is_heard()) {
    self->scopes[scope].step = step;
    self->scopes[scope].sum = sum;
  }
}

static bool has_failed(const world_model *self, const char *scope) {
  size_t len = strlen(scope);
  for (size_t i = 0; i < self->fact_count; i++) {
    const world_fact *fact = &self->facts[i];
    if (fact->failed && strncmp(fact->key, scope, len) == 0 && fact->key[len] == '/') return true;
  }
  return false;
}

bool model_joined(world_model *self, int scope, ck_bytes outcome, const char *key) {
  char want[100], name[24];
  unsigned long long sum = self->scopes[scope].sum;
  bool failed = ck_json_get(outcome, "error").len > 0;
  if (!world_is_heard()) return !failed;
  model_scope_name(name, scope);
  snprintf(want, sizeof want, "{\"result\":\"%llx\",%s\"writes\":{\"%s\":\"%llx\"}}", sum,
           self->scopes[scope].unknown ? "\"unknown\":true," : "", key, sum);
  bool same = outcome.len == strlen(want) && memcmp(outcome.data, want, outcome.len) == 0;
  if (failed ? !has_failed(self, name) : !same)
    model_fail(self, "%s is joined as %.*s, and came to %s", name, (int)outcome.len, outcome.data,
               want);
  cover("an agent is joined: %s", failed ? "it has failed" : "with what it came to");
  return !failed;
}
