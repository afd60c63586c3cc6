/* policy.c - asks each policy of the list, and puts the answers together. */
#include "lua/policy/policy.h"

#include <stdlib.h>
#include <string.h>

#include "lua/vm/json.h"
#include "lua/policy/ask.h"

typedef struct {
  loaded_policy *policies; /* fixed once loaded: views point into it. Those of agents are last */
  size_t count;
  ck_buffer text;  /* what one call gathers: reasons, a refusal, a reference */
  char **excluded; /* names below memory. that are never written; ends with NULL */
  ck_profile_rules rules;
  int64_t last_checkpoint; /* seq, as the boundaries tell it */
  ck_view_counts counts;
} engine;

/* ---- who is asked ---- */

static bool is_of(const loaded_policy *policy, const char *agent) {
  return agent && strcmp(policy->agent, agent) == 0;
}

/* The policy at place `i` of the list as it is for `agent` (NULL: none), when it has the hook; else
 * NULL. */
static loaded_policy *choose(const engine *self, size_t i, const char *agent, policy_hook hook) {
  loaded_policy *found = &self->policies[i];
  if (found->agent && (found->replaces != SIZE_MAX || !is_of(found, agent))) return NULL;
  for (size_t k = self->count; agent && !found->agent && k-- > 0 && self->policies[k].agent;) {
    if (self->policies[k].replaces == i && is_of(&self->policies[k], agent)) {
      found = &self->policies[k];
      break;
    }
  }
  return policy_has(found, hook) ? found : NULL;
}

/* The first error is the call's; later ones of other policies are not lost in silence, their answer
 * is closed too. */
static void note_failure(ck_status *first, ck_status status, ck_error *err, const ck_error *found) {
  if (*first != CK_OK) return;
  *first = status;
  if (err) *err = *found;
}

/* ---- checkpoint ---- */

/* A boundary tells where the last checkpoint was, so what is counted since then follows from the
 * boundaries alone. */
static void count_boundary(engine *self, const ck_boundary *at) {
  int64_t last_checkpoint = at->seq - 1 - at->since.events;
  if (last_checkpoint != self->last_checkpoint) self->counts = (ck_view_counts){0};
  self->last_checkpoint = last_checkpoint;
  self->counts.boundaries++;
  self->counts.iterations += at->kind == CK_BOUNDARY_LOOP_ITERATION;
}

static ck_status take_reasons(ck_decision *out, engine *self, ck_error *err) {
  if (self->text.len == 0 && !self->text.failed) return CK_OK;
  ck_buffer_append_char(&self->text, ']');
  ck_status status = ck_value_from(&out->reasons, &self->text, err);
  if (status == CK_OK) return CK_OK;
  out->take = out->sync = true;
  ck_buffer_clear(&self->text);
  return status;
}

static ck_status engine_checkpoint(ck_decision *out, void *self, const ck_boundary *at,
                                   ck_error *err) {
  engine *own = self;
  ck_error found;
  ck_status first = CK_OK;
  *out = (ck_decision){0};
  ck_buffer_reset(&own->text);
  count_boundary(own, at);
  for (size_t i = 0; i < own->count; i++) {
    asking of = {.policy = choose(own, i, at->agent, POLICY_checkpoint),
                 .subject = at,
                 .text = &own->text,
                 .counts = own->counts};
    if (!of.policy) continue;
    ck_status status = policy_ask(&of, POLICY_checkpoint, &found);
    out->take |= status != CK_OK || of.decision.take;
    out->sync |= status != CK_OK || of.decision.sync;
    if (status != CK_OK) note_failure(&first, status, err, &found);
  }
  ck_status status = take_reasons(out, own, &found);
  if (status != CK_OK) note_failure(&first, status, err, &found);
  return first;
}

/* ---- prune: dropped if some policy drops and none keeps ---- */

static ck_status list_by_id(const ck_checkpoint_info ***out, const ck_history *history,
                            ck_error *err) {
  *out = calloc(history->count + 1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  for (size_t i = 0; i < history->count; i++) (*out)[i] = &history->checkpoints[i];
  qsort(*out, history->count, sizeof **out, ck_answer_compare_ids);
  return CK_OK;
}

static ck_status engine_prune(ck_prune_plan *out, void *self, const ck_history *history,
                              ck_error *err) {
  engine *own = self;
  const ck_checkpoint_info **by_id;
  ck_status status = list_by_id(&by_id, history, err);
  for (size_t i = 0; status == CK_OK && i < own->count; i++) {
    asking of = {.policy = choose(own, i, NULL, POLICY_prune),
                 .subject = history,
                 .by_id = by_id,
                 .plan = out};
    if (of.policy) status = policy_ask(&of, POLICY_prune, err);
  }
  for (size_t i = 0; i < history->count; i++)
    out->drop[i] = status == CK_OK && out->drop[i] && !out->keep[i];
  free(by_id);
  return status;
}

/* ---- redact: only ever more is removed ---- */

/* How much a verdict removes. A reference can be filled again, a mask tells that there was
 * something. */
static int strength(ck_redact_verdict verdict) {
  static const int strengths[] = {
      [CK_REDACT_LEAVE] = 0, [CK_REDACT_REF] = 1, [CK_REDACT_MASK] = 2, [CK_REDACT_DROP] = 3};
  return strengths[verdict];
}

static bool is_excluded(const engine *self, const char *key) {
  if (!key || strncmp(key, "memory.", 7) != 0) return false;
  for (char **name = self->excluded; *name; name++) {
    if (strcmp(key + 7, *name) == 0) return true;
  }
  return false;
}

static ck_status take_verdict(ck_redaction *out, const asking *of, ck_error *err) {
  if (strength(of->verdict) <= strength(out->verdict)) return CK_OK;
  free(out->ref);
  *out = (ck_redaction){.verdict = of->verdict};
  if (of->verdict != CK_REDACT_REF) return CK_OK;
  out->ref = of->text->failed ? NULL : strdup(of->text->data);
  return out->ref ? CK_OK : ck_error_no_memory(err);
}

/* What the policies behind one that masked see in the place of the value. */
static ck_status show_removed(ck_value **shown, ck_item *item, ck_error *err) {
  ck_status status = *shown ? CK_OK : ck_value_text(shown, ck_bytes_text("[redacted]"), err);
  if (status == CK_OK) item->value = *shown;
  return status;
}

static ck_status engine_redact(ck_redaction *out, void *self, const ck_item *given, ck_error *err) {
  engine *own = self;
  ck_item item = *given;
  ck_value *shown = NULL;
  ck_status status = CK_OK;
  *out = (ck_redaction){.verdict = is_excluded(own, given->key) ? CK_REDACT_DROP : CK_REDACT_LEAVE};
  for (size_t i = 0; status == CK_OK && i < own->count && out->verdict != CK_REDACT_DROP; i++) {
    asking of = {
        .policy = choose(own, i, NULL, POLICY_redact), .subject = &item, .text = &own->text};
    if (!of.policy) continue;
    status = policy_ask(&of, POLICY_redact, err);
    if (status == CK_OK) status = take_verdict(out, &of, err);
    if (status == CK_OK && out->verdict != CK_REDACT_LEAVE)
      status = show_removed(&shown, &item, err);
  }
  ck_value_free(shown);
  if (status == CK_OK) return CK_OK;
  free(out->ref);
  *out = (ck_redaction){.verdict = CK_REDACT_DROP};
  return status;
}

/* ---- resume: later rules override, any refusal wins ---- */

/* Keeps the first refusal. */
static ck_status keep_refusal(ck_resume_rules *out, const char *text, ck_error *err) {
  if (out->refusal || !text) return CK_OK;
  out->refusal = strdup(text);
  return out->refusal ? CK_OK : ck_error_no_memory(err);
}

static ck_resume_rules begin_rules(const ck_profile_rules *from) {
  return (ck_resume_rules){.budget = from->budget,
                           .time = from->time,
                           .rounds = from->rounds,
                           .tokens = from->tokens,
                           .tool_calls = from->tool_calls};
}

static ck_status engine_resume(ck_resume_rules *out, void *self, const ck_resume_case *subject,
                               ck_error *err) {
  engine *own = self;
  ck_error found;
  ck_status first = CK_OK;
  *out = begin_rules(&own->rules);
  for (size_t i = 0; i < own->count; i++) {
    asking of = {.policy = choose(own, i, NULL, POLICY_resume),
                 .subject = subject,
                 .rules = out,
                 .text = &own->text};
    if (!of.policy) continue;
    ck_status status = policy_ask(&of, POLICY_resume, &found);
    if (status == CK_OK && own->text.failed) status = ck_error_no_memory(&found);
    const char *refusal = status != CK_OK ? found.text : own->text.len > 0 ? own->text.data : NULL;
    if (status != CK_OK) note_failure(&first, status, err, &found);
    status = keep_refusal(out, refusal, &found);
    if (status != CK_OK) note_failure(&first, status, err, &found);
  }
  return first;
}

/* ---- tail: all must agree ---- */

static ck_status engine_tail(bool *out, void *self, const ck_event *event, const char *agent,
                             ck_error *err) {
  engine *own = self;
  *out = true;
  for (size_t i = 0; i < own->count && *out; i++) {
    asking of = {.policy = choose(own, i, agent, POLICY_tail), .subject = event, .agent = agent};
    if (!of.policy) continue;
    ck_status status = policy_ask(&of, POLICY_tail, err);
    *out = status == CK_OK && of.truth;
    if (status != CK_OK) return status;
  }
  return CK_OK;
}

/* ---- on_failure, in_doubt: the first answer ---- */

typedef struct {
  policy_hook hook;
  const void *subject;
  const char *agent;
} question;

/* The word that the first policy answers, -1 when none has an opinion. A failure ends the asking:
 * its answer is closed. */
static ck_status ask_word(int *out, engine *own, const question *about, ck_error *err) {
  *out = -1;
  for (size_t i = 0; i < own->count && *out < 0; i++) {
    asking of = {
        .policy = choose(own, i, about->agent, about->hook), .subject = about->subject, .word = -1};
    if (!of.policy) continue;
    ck_status status = policy_ask(&of, about->hook, err);
    if (status != CK_OK) return status;
    *out = of.word;
  }
  return CK_OK;
}

static ck_status engine_on_failure(ck_failure_answer *out, void *self, const ck_failure *failure,
                                   ck_error *err) {
  int word;
  ck_status status = ask_word(&word, self, &(question){POLICY_on_failure, failure, NULL}, err);
  if (status != CK_OK)
    *out = CK_FAILURE_PAUSE;
  else if (word >= 0)
    *out = (ck_failure_answer)word;
  return status;
}

static ck_status engine_in_doubt(ck_doubt_answer *out, void *self, const ck_effect *effect,
                                 ck_error *err) {
  int word;
  ck_status status =
      ask_word(&word, self, &(question){POLICY_in_doubt, effect, effect->agent}, err);
  *out = word < 0 ? CK_DOUBT_STOP : (ck_doubt_answer)word;
  return status;
}

/* ---- migrate: one after the other ---- */

static ck_status engine_migrate(ck_value **out, void *self, const ck_value *doc, int from, int to,
                                ck_error *err) {
  engine *own = self;
  ck_status status = CK_OK;
  *out = ck_value_share(doc);
  for (size_t i = 0; status == CK_OK && i < own->count; i++) {
    asking of = {
        .policy = choose(own, i, NULL, POLICY_migrate), .subject = *out, .from = from, .to = to};
    if (!of.policy) continue;
    status = policy_ask(&of, POLICY_migrate, err);
    if (status == CK_OK && !of.document) continue;
    ck_value_free(*out);
    *out = of.document;
    if (status != CK_OK) {
      ck_value_free(*out);
      *out = NULL;
    }
  }
  return status;
}

/* ---- life ---- */

static void engine_free(void *self) {
  engine *own = self;
  if (!own) return;
  for (size_t i = 0; i < own->count; i++) policy_clear(&own->policies[i]);
  for (char **name = own->excluded; name && *name; name++) free(*name);
  free(own->excluded);
  free(own->policies);
  ck_buffer_clear(&own->text);
  free(own);
}

static ck_status load_of_agent(engine *self, const ck_profile *profile,
                               const ck_profile_agent *agent, ck_error *err) {
  for (size_t i = 0; i < agent->policy_count; i++) {
    loaded_policy *loaded = &self->policies[self->count];
    ck_status status = policy_load(loaded, &agent->policies[i], err);
    if (status != CK_OK) return status;
    self->count++;
    loaded->agent = strdup(agent->name);
    if (!loaded->agent) return ck_error_no_memory(err);
    for (size_t k = profile->policy_count; k-- > 0;) {
      if (strcmp(profile->policies[k].name, agent->policies[i].name) == 0) loaded->replaces = k;
    }
  }
  return CK_OK;
}

static ck_status load_all(engine *self, const ck_profile *profile, ck_error *err) {
  size_t total = profile->policy_count, names = 0;
  for (size_t i = 0; i < profile->agent_count; i++) total += profile->agents[i].policy_count;
  while (profile->exclude_memory_keys && profile->exclude_memory_keys[names]) names++;
  self->rules = profile->resume;
  self->policies = calloc(total + 1, sizeof *self->policies);
  self->excluded = calloc(names + 1, sizeof *self->excluded);
  if (!self->policies || !self->excluded) return ck_error_no_memory(err);
  for (size_t i = 0; i < names; i++) {
    self->excluded[i] = strdup(profile->exclude_memory_keys[i]);
    if (!self->excluded[i]) return ck_error_no_memory(err);
  }
  for (size_t i = 0; i < profile->policy_count; i++) {
    ck_status status = policy_load(&self->policies[i], &profile->policies[i], err);
    if (status != CK_OK) return status;
    self->count++;
  }
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < profile->agent_count; i++)
    status = load_of_agent(self, profile, &profile->agents[i], err);
  return status;
}

static bool any_has(const engine *self, policy_hook hook) {
  for (size_t i = 0; i < self->count; i++) {
    if (policy_has(&self->policies[i], hook)) return true;
  }
  return false;
}

static bool has_rules(const ck_profile_rules *rules) {
  return rules->budget || rules->time || rules->rounds || rules->tokens || rules->tool_calls;
}

ck_status ck_policy_engine_open(ck_policy_engine *out, const ck_profile *profile, ck_error *err) {
  *out = (ck_policy_engine){0};
  engine *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  ck_status status = load_all(self, profile, err);
  if (status != CK_OK) {
    engine_free(self);
    return status;
  }
  *out = (ck_policy_engine){.self = self, .free = engine_free};
  if (any_has(self, POLICY_checkpoint)) out->checkpoint = engine_checkpoint;
  if (any_has(self, POLICY_prune)) out->prune = engine_prune;
  if (any_has(self, POLICY_redact) || self->excluded[0]) out->redact = engine_redact;
  if (any_has(self, POLICY_resume) || has_rules(&self->rules)) out->resume = engine_resume;
  if (any_has(self, POLICY_tail)) out->tail = engine_tail;
  if (any_has(self, POLICY_on_failure)) out->on_failure = engine_on_failure;
  if (any_has(self, POLICY_in_doubt)) out->in_doubt = engine_in_doubt;
  if (any_has(self, POLICY_migrate)) out->migrate = engine_migrate;
  return CK_OK;
}

ck_status ck_policy_describe(ck_value **out, const ck_policy_engine *engine_of, ck_error *err) {
  *out = NULL;
  const engine *self = engine_of->self;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < self->count; i++) {
    char hex[CK_DIGEST_HEX_SIZE];
    ck_digest_hex(hex, &self->policies[i].digest);
    ck_json_begin(&w, '{');
    ck_json_member_text(&w, "name", self->policies[i].name);
    ck_json_member_int(&w, "version", self->policies[i].version);
    ck_json_member_text(&w, "digest", hex);
    ck_json_member_text(&w, "agent", self->policies[i].agent);
    ck_json_end(&w, '}');
  }
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}
