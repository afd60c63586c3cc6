/* outside.c - services and people: what they are asked they carry out, fail, forget or do without
 * saying so, and they count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/worlds/cover.h"
#include "tests/worlds/disk.h"
#include "tests/worlds/money.h"
#include "tests/worlds/world.h"

enum { ENDINGS = 16 };

static bool serves(void *self, const ck_effect *effect) {
  (void)self, (void)effect;
  return true;
}

static int64_t reserve(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_MODEL ? WORLD_RESERVE : 0;
}

static bool probes(void *self, const ck_effect *effect) {
  (void)self;
  return effect->class == CK_EFFECT_RECONCILABLE;
}

void outside_text(char out[64], const char *key, ck_effect_kind kind) {
  uint64_t h = 5;
  for (const char *c = key; *c; c++) h = (h ^ (unsigned char)*c) * 1099511628211u;
  const char *format =
      kind == CK_EFFECT_MODEL ? "{\"role\":\"assistant\",\"content\":\"%u\"}" : "\"%u\"";
  snprintf(out, 64, format, (unsigned)(h % 100000));
}

/* The first one is what a person at the terminal says. */
void outside_word(char out[64], const char *key, uint32_t word) {
  outside_text(out, key, CK_EFFECT_ASK);
  if (word) snprintf(out, 64, "\"%u\"", (unsigned)strtoul(out + 1, NULL, 10) + 100000 * word);
}

/* ---- being asked ---- */

static ck_effect_run *add(world_process *process, const ck_effect *effect, ck_effect_sink *sink,
                          bool probing) {
  tap_must(process->running_count < WORLD_RUNNING, "not too much at once");
  process->running[process->running_count++] =
      (world_running){.sink = sink,
                      .fact = model_fact(&the_world.model, effect->key),
                      .attempt = effect->attempt,
                      .probing = probing};
  return (ck_effect_run *)(void *)sink;
}

static bool reaches_nobody(const world_process *process) { return disk_is_dead(process->number); }

static bool holds(ck_bytes text, const char *word) {
  return memmem(text.data, text.len, word, strlen(word)) != NULL;
}

static bool begins(ck_bytes text, const char *word) {
  return text.len >= strlen(word) && memcmp(text.data, word, strlen(word)) == 0;
}

static uint64_t read_talk(const ck_conversation *said, size_t from) {
  uint64_t talk = 0;
  for (size_t i = from; i < ck_conversation_count(said); i++) {
    ck_bytes text = ck_value_bytes(ck_conversation_get(said, i));
    if (holds(text, "it was no good") || begins(text, "{\"role\":\"tool\"")) continue;
    talk = world_talk_add(talk, begins(text, "{\"role\":\"assistant\"") ? 'a' : 'u', text);
  }
  return talk;
}

/* A model is sent what was said in its scope; tools' words and people's reports of what they took
 * back are passed over. An agent of a name that was used before has what that one said in front. */
static void check_talk(const ck_effect *effect) {
  const ck_conversation *said = effect->conversation;
  size_t count = ck_conversation_count(said), from = 0;
  uint64_t want = model_fact(&the_world.model, effect->key)->talk;
  bool agent = effect->key[0] != 'm';
  while (agent && from < count && read_talk(said, from) != want) from++;
  cover("%s sent %s", agent ? "an agent's model is" : "a model is",
        count > 1 ? "what was said" : "a word");
  if (read_talk(said, from) != want)
    model_fail(&the_world.model, "%s is sent %zu messages, which are not what was said",
               effect->key, count);
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  world_process *self = to;
  if (reaches_nobody(self)) return ck_error_set(err, CK_E_UNAVAILABLE, "this process is dead");
  world_log("begin %s attempt %u", effect->key, effect->attempt);
  if (self->replaced)
    model_fail(&the_world.model, "%s is begun by a process that was replaced", effect->key);
  if (effect->kind == CK_EFFECT_MODEL) money_check_limits(&the_world, self, effect->key);
  if (effect->kind == CK_EFFECT_MODEL) check_talk(effect);
  model_begins(&the_world.model, effect);
  *out = add(self, effect, sink, false);
  return CK_OK;
}

static ck_status probe(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  world_process *self = to;
  if (reaches_nobody(self)) return ck_error_set(err, CK_E_UNAVAILABLE, "this process is dead");
  world_log("probe %s", effect->key);
  world_fact *fact = model_fact(&the_world.model, effect->key);
  fact->kind = effect->kind; /* it may not have been begun */
  fact->class = effect->class;
  *out = add(self, effect, sink, true);
  return CK_OK;
}

static void cancel(void *to, ck_effect_run *run) {
  world_process *process = to;
  for (size_t i = 0; i < process->running_count; i++)
    if ((void *)process->running[i].sink == (void *)run) process->running[i].cancelled = true;
}

/* A question that is answered elsewhere, unless the person at the terminal was quicker. */
static bool withdraw(void *to, ck_effect_run *run, const char *answer) {
  world_process *process = to;
  size_t at = 0;
  (void)answer;
  while (at < process->running_count && (void *)process->running[at].sink != (void *)run) at++;
  if (at == process->running_count || chance_happens(CHANCE_WORD, 200)) return false;
  world_running *one = &process->running[at];
  world_log("withdraw %s", one->fact->key);
  cover("question: withdrawn, it was answered elsewhere");
  one->fact->open = false;
  memmove(one, one + 1, (--process->running_count - at) * sizeof *one);
  return true;
}

ck_effect_driver outside_driver(world_process *process) {
  return (ck_effect_driver){.name = "outside",
                            .self = process,
                            .serves = serves,
                            .start = start,
                            .probe = probe,
                            .probes = probes,
                            .cancel = cancel,
                            .withdraw = withdraw,
                            .reserve = reserve};
}

/* ---- answering ---- */

static ck_outcome *make(ck_outcome_status status, const world_fact *fact, ck_status cause) {
  ck_error err = CK_ERROR_INIT;
  char json[64];
  ck_outcome *outcome;
  ck_value *result = NULL;
  outside_text(json, fact->key, fact->kind);
  ck_status made =
      status == CK_OUTCOME_OK ? ck_value_new(&result, ck_bytes_text(json), &err) : CK_OK;
  const char *text =
      status == CK_OUTCOME_OK || status == CK_OUTCOME_ABSENT ? NULL : "no: " WORLD_SECRET;
  if (made == CK_OK) made = ck_outcome_new(&outcome, status, result, text, &err);
  tap_must(made == CK_OK, "an outcome: %s", err.text);
  outcome->error_status = cause;
  ck_value_free(result);
  return outcome;
}

static void carry_out(world_fact *fact) {
  /* by its key, a service knows what it has done already */
  if (fact->class != CK_EFFECT_IDEMPOTENT || fact->done == 0) fact->done++;
}

static ck_outcome *succeed(world *self, world_fact *fact) {
  carry_out(fact);
  fact->words |= 1;
  ck_outcome *outcome = make(CK_OUTCOME_OK, fact, CK_OK);
  if (fact->kind != CK_EFFECT_MODEL) return outcome;
  outcome->cost_micros = 1 + chance_pick(CHANCE_COST, WORLD_RESERVE - 100);
  money_add(&self->model, fact->key, &(world_purse){.paid = outcome->cost_micros});
  return outcome;
}

static ck_outcome *fail(world_fact *fact, ck_status cause) {
  fact->failed = true;
  return make(CK_OUTCOME_FAILED, fact, cause);
}

static ck_outcome *lose(world_fact *fact, bool happened) {
  if (happened) carry_out(fact);
  fact->unknown = true;
  return make(CK_OUTCOME_UNKNOWN, fact, CK_E_UNAVAILABLE);
}

static ck_outcome *answer_probe(world_fact *fact) {
  if (chance_happens(CHANCE_PROBE, 150)) return make(CK_OUTCOME_UNKNOWN, fact, CK_E_UNAVAILABLE);
  fact->absent = fact->done == 0;
  return make(fact->done ? CK_OUTCOME_OK : CK_OUTCOME_ABSENT, fact, CK_OK);
}

/* NULL: it hangs. */
static ck_outcome *end(world *self, world_running *one) {
  world_fact *fact = one->fact;
  if (one->settled) return make(fact->done ? CK_OUTCOME_OK : CK_OUTCOME_UNKNOWN, fact, CK_OK);
  bool tool = fact->kind == CK_EFFECT_TOOL;
  if (one->probing) return answer_probe(fact);
  uint32_t how = chance_pick(CHANCE_ENDING, ENDINGS);
  if (one->cancelled && how % 2) return fail(fact, CK_E_INTERRUPTED);
  if (fact->kind == CK_EFFECT_ASK && how >= ENDINGS / 2) return fail(fact, CK_E_WAITING);
  if (fact->kind == CK_EFFECT_SLEEP || fact->kind == CK_EFFECT_ASK) return succeed(self, fact);
  switch (how) {
    case 1:
      if (!tool) break;
      fact->erred = true;
      carry_out(fact);
      return make(CK_OUTCOME_ERROR, fact, CK_OK);
    case 2:
      return fail(fact, CK_E_UNAVAILABLE);
    case 3:
      return fail(fact, CK_E_FAILED);
    case 4:
      return lose(fact, true);
    case 5:
      return lose(fact, false);
    case 6:
      one->hangs = !one->cancelled;
      return one->hangs ? NULL : succeed(self, fact);
    default:
      break;
  }
  return succeed(self, fact);
}

bool outside_answer(world *self, world_process *process) {
  size_t able[WORLD_RUNNING], count = 0;
  for (size_t i = 0; i < process->running_count; i++)
    if (!process->running[i].hangs || process->running[i].cancelled) able[count++] = i;
  if (count == 0) return false;
  size_t at = able[chance_pick(CHANCE_WHICH, (uint32_t)count)];
  world_running *one = &process->running[at], taken;
  ck_outcome *outcome = end(self, one);
  if (!outcome) {
    world_log("%s hangs", one->fact->key);
    cover("effect %s, ends: not at all", ck_effect_class_name(one->fact->class));
    return true;
  }
  cover("effect %s, %s: %s", ck_effect_class_name(one->fact->class),
        one->settled   ? "too late"
        : one->probing ? "probed"
                       : "ends",
        ck_outcome_status_name(outcome->status));
  world_log("%s %s: %s", one->probing ? "probed" : "end", one->fact->key,
            ck_outcome_status_name(outcome->status));
  taken = *one;
  if (!taken.probing && !taken.settled) taken.fact->open = false;
  memmove(one, one + 1, (--process->running_count - at) * sizeof *one);
  taken.sink->done(taken.sink, outcome);
  return true;
}

void outside_settle(world_process *process) {
  for (size_t i = 0; i < process->running_count; i++) {
    world_running *one = &process->running[i];
    if (one->probing || one->settled) continue;
    one->settled = true;
    if (one->fact->kind == CK_EFFECT_MODEL)
      money_add(&the_world.model, one->fact->key, &(world_purse){.lost = 1});
    bool happened = chance_happens(CHANCE_HAPPENED, 500);
    if (happened) carry_out(one->fact);
    world_log("left %s: %s", one->fact->key, happened ? "happened" : "did not");
    cover("effect %s, left by a death: %s", ck_effect_class_name(one->fact->class),
          happened ? "was done" : "was not");
  }
}
