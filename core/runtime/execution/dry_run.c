/* dry_run.c - what a resume would do: all of it but the acquisition, so that nothing is
 * written. */
#include "core/model/dropped_answer.h"
#include "core/base/text.h"
#include "core/runtime/execution/dry_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/model/sources.h"
#include "core/redact/redact.h"
#include "core/runtime/execution/dry_run_parked.h"
#include "core/runtime/execution/dry_run_permit.h"
#include "core/runtime/execution/limits.h"
#include "core/runtime/execution/said_masked.h"
#include "core/runtime/execution/unsettled.h"
#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/opening/rules.h"

const char *ck_dry_run_plan_name(ck_dry_run_plan what) {
  static const char *const names[] = {
#define X(name, text) [name] = text,
      CK_DRY_RUN_PLAN_TABLE(X)
#undef X
  };
  return names[what];
}

void ck_dry_run_describe(ck_buffer *out, const ck_dry_run_effect *effect) {
  static const char *const answers[CK_DRY_RUN_COUNT] = {
      [CK_DRY_RUN_REDO] = "would be done again",
      [CK_DRY_RUN_TELL] = "would be told as unknown",
      [CK_DRY_RUN_DENIED] = "would be denied",
      [CK_DRY_RUN_ASKED] = "a person would be asked",
      [CK_DRY_RUN_BEGIN] = "begins now"};
  const char *answer = answers[effect->what];
  ck_buffer_append_text(out, answer ? answer : ck_dry_run_plan_name(effect->what));
  if (effect->by)
    ck_buffer_append_format(out, ": allowed by %s", effect->by);
  else if (effect->what == CK_DRY_RUN_BEGIN)
    ck_buffer_append_text(out, ": no policy asks about it any more");
  if (effect->policy) ck_buffer_append_format(out, ", by policy \"%s\"", effect->policy);
  if (effect->words) ck_buffer_append_format(out, ": %s", effect->words);
  if (effect->failure) ck_buffer_append_format(out, ": %s", effect->failure);
}

/* A flow's pause is kept as an ask that has ended: nobody was asked anything. */
static bool is_mark(const ck_ledger_entry *entry) {
  return entry->outcome &&
         ck_json_is_text(ck_json_get(ck_value_bytes(entry->outcome), "status"), "ended");
}

static ck_dry_run_plan judge_open(const ck_ledger_entry *entry, ck_plan_action action) {
  if (action == CK_PLAN_RESOLVE) return CK_DRY_RUN_REPLAY;
  if (entry->kind == CK_EFFECT_ASK && entry->verdict == CK_VERDICT_NONE) return CK_DRY_RUN_QUESTION;
  if (action == CK_PLAN_RUN) return CK_DRY_RUN_AGAIN;
  bool probed = entry->class == CK_EFFECT_RECONCILABLE && !entry->blocked;
  return probed ? CK_DRY_RUN_PROBE : CK_DRY_RUN_DOUBT;
}

static ck_dry_run_plan judge(const ck_ledger *ledger, const ck_ledger_entry *entry,
                             uint32_t attempt) {
  ck_effect effect = {
      .key = entry->key, .attempt = attempt, .kind = entry->kind, .class = entry->class};
  ck_ledger_case found =
      ck_ledger_find(ledger, &effect, entry->open ? entry->intent_digest : entry->outcome_digest);
  ck_plan_action action = ck_ledger_plan(&found).action;
  if (entry->open) return judge_open(entry, action);
  return action == CK_PLAN_REPLAY        ? ck_dry_run_judge_parked(ledger, entry)
         : found.state == CK_LEDGER_LOST ? CK_DRY_RUN_AGAIN
                                         : CK_DRY_RUN_ANEW;
}

/* The policies are asked as the resume would ask them, but that they see the request as it is
 * stored. */
static void rehearse(ck_dry_run_effect *out, ck_session *session, const ck_ledger_entry *entry,
                     ck_error *failure) {
  static const ck_dry_run_plan plans[] = {[CK_DOUBT_STOP] = CK_DRY_RUN_DOUBT,
                                          [CK_DOUBT_RERUN] = CK_DRY_RUN_REDO,
                                          [CK_DOUBT_TELL] = CK_DRY_RUN_TELL};
  const ck_policy_engine *policies = session->policies;
  ck_doubt_answer answer = {.word = CK_DOUBT_STOP};
  if (!policies || !policies->in_doubt || !entry->intent) return;
  ck_value *untrusted =
      ck_dry_run_find_untrusted(session, entry->scope, entry->kind, ck_value_bytes(entry->intent));
  const ck_effect begun = {.scope = entry->scope,
                           .key = entry->key,
                           .kind = entry->kind,
                           .class = entry->class,
                           .agent = entry->agent,
                           .attempt = session->timeline.attempt,
                           .reserve_micros = out->reserve_micros,
                           .untrusted = ck_sources_bytes(untrusted),
                           .request = ck_json_get(ck_value_bytes(entry->intent), "request")};
  ck_status status = policies->in_doubt(&answer, policies->self, &begun, failure);
  ck_value_free(untrusted);
  if (status != CK_OK) {
    out->failure = failure->text;
    return;
  }
  out->what = plans[answer.word];
  out->policy = answer.policy;
}

/* Of one that was denied there is no intent. */
static void read_denied(ck_dry_run_effect *out, ck_bytes *request, ck_bytes denied) {
  char *class = ck_json_dup_string(ck_json_get(denied, "class"));
  if (class) (void)ck_effect_class_of(&out->class, class);
  free(class);
  *request = ck_json_get(denied, "request");
}

/* The question that its answer, not yet taken, was given to: it counts for no other. Owned. */
static char *find_answered(const ck_ledger_entry *entry) {
  bool answered = entry->open && entry->kind == CK_EFFECT_ASK &&
                  entry->verdict == CK_VERDICT_DONE && entry->intent;
  ck_bytes request =
      answered ? ck_json_get(ck_value_bytes(entry->intent), "request") : (ck_bytes){0};
  return answered ? ck_json_dup_string(ck_json_get(request, "question")) : NULL;
}

/* What call_masked.c refuses. A model's call comes back with the arguments as they are stored, a
 * program with what a person said; what else its flow makes is not known. */
static void foretell_masked(ck_dry_run_effect *out, const ck_session *session,
                            const ck_ledger_entry *entry, ck_error *failure) {
  bool runs = out->what == CK_DRY_RUN_ANEW || out->what == CK_DRY_RUN_AGAIN ||
              out->what == CK_DRY_RUN_REDO || out->what == CK_DRY_RUN_BEGIN;
  ck_bytes request =
      entry->intent ? ck_json_get(ck_value_bytes(entry->intent), "request") : (ck_bytes){0};
  ck_bytes outcome = entry->outcome ? ck_value_bytes(entry->outcome) : (ck_bytes){0};
  bool refused = outcome.len && ck_json_is_text(ck_json_get(outcome, "via"), "redaction");
  bool call = out->kind == CK_EFFECT_TOOL && ck_json_get(request, "call_id").len &&
              ck_redact_is_masked(request);
  bool program = out->kind == CK_EFFECT_EXEC && out->class != CK_EFFECT_PURE &&
                 ck_said_masked_before(session->ledger, request);
  if (!runs || out->failure || (!refused && !call && !program)) return;
  (void)!ck_error_set(failure, CK_E_REFUSED,
                      call      ? "it will not be run: its arguments are masked in the store"
                      : program ? "it will not be run: what a person said, which is masked in the "
                                  "store, is in its request"
                                : "it was not run, for its request is masked in the store, and "
                                  "will not be as long as that is so");
  out->failure = failure->text;
}

/* What an agent wanted to do is no effect that a resume makes: its prompt is. */
static void show(ck_session *session, const ck_ledger_entry *entry,
                 const ck_dry_run_visitor *visitor) {
  if (entry->kind == CK_EFFECT_AGENT_TOOL) return;
  ck_error failure = CK_ERROR_INIT;
  ck_permit_rehearsal said = {0};
  ck_dry_run_effect effect = {.what = judge(session->ledger, entry, session->timeline.attempt),
                              .key = entry->key,
                              .kind = entry->kind,
                              .class = entry->class};
  ck_bytes intent = entry->intent ? ck_value_bytes(entry->intent) : (ck_bytes){0};
  ck_bytes outcome = entry->outcome ? ck_value_bytes(entry->outcome) : (ck_bytes){0};
  ck_bytes request = ck_json_get(intent, "request"), denied = ck_json_get(outcome, "denied");
  if (denied.len) read_denied(&effect, &request, denied);
  char *name = ck_json_dup_string(ck_json_get(request, "name"));
  char *asked = find_answered(entry);
  effect.name = name;
  effect.words = asked;
  ck_json_read_int(&effect.cost_micros, ck_json_get(outcome, "cost"));
  ck_json_read_int(&effect.reserve_micros, ck_json_get(intent, "reserve"));
  if (effect.cost_micros < 0) effect.cost_micros = -1;
  if (effect.reserve_micros < 0) effect.reserve_micros = -1;
  if (effect.what == CK_DRY_RUN_DOUBT) rehearse(&effect, session, entry, &failure);
  if (effect.what == CK_DRY_RUN_ANEW) ck_dry_run_permit(&said, &effect, session, entry);
  foretell_masked(&effect, session, entry, &failure);
  visitor->effect(visitor->to, &effect);
  ck_permit_rehearsal_clear(&said);
  free(asked);
  free(name);
}

static void show_question(ck_session *session, const ck_ledger_entry *entry,
                          const ck_dry_run_visitor *visitor) {
  ck_permit_rehearsal said = {0};
  ck_dry_run_effect effect = {.what = judge(session->ledger, entry, session->timeline.attempt),
                              .key = entry->key,
                              .kind = entry->kind,
                              .class = entry->class};
  if (ck_dry_run_permit_question(&said, &effect, session, entry))
    visitor->effect(visitor->to, &effect);
  ck_permit_rehearsal_clear(&said);
}

static void fill_text(char out[CK_ERROR_TEXT_MAX], ck_bytes json) {
  char *text = ck_json_dup_string(json);
  ck_text_format(out, CK_ERROR_TEXT_MAX, "%s", text ? text : "");
  free(text);
}

static void fill_question(ck_dry_run *out, const ck_value *approval) {
  fill_text(out->question, ck_approval_question(approval));
  fill_text(out->asked_by, ck_json_get(ck_value_bytes(approval), "policies"));
  ck_buffer text = {0};
  ck_dropped_answer_append(&text, ck_json_get(ck_value_bytes(approval), CK_DROPPED_ANSWER),
                           ck_approval_question(approval));
  ck_text_format(out->dropped, sizeof out->dropped, "%s", text.data ? text.data : "");
  ck_buffer_clear(&text);
}

/* The session does not run: its time is that before this run, whatever the dry run takes itself. */
static int64_t active_before_ms(const ck_session *session) {
  return (session->spent.active_base_us - session->spent.base.active_us) / 1000;
}

static void fill(ck_dry_run *out, const ck_session *session, int64_t unsettled) {
  ck_limits_usage state;
  ck_limits_get(&state, session);
  out->attempt = session->timeline.attempt;
  out->rules = session->rules;
  for (int d = 0; d < CK_DIMENSION_COUNT; d++) {
    out->constraints[d].spent = state.spent.of[d];
    out->constraints[d].limit = state.limit.of[d];
  }
  out->constraints[CK_DIMENSION_BUDGET].spent += unsettled;
  out->constraints[CK_DIMENSION_TIME].spent = active_before_ms(session);
  if (session->asked_before) fill_question(out, session->asked_before);
}

/* The effects that the checkpoint has behind it. An abandoned branch may have begun or done them
 * first, and this one passed them since: they are not met again, though the session's ledger, which
 * holds what its view lacks, does not know. */
typedef struct settled {
  const ck_ledger *ledger;
  const ck_ledger_entry **entries; /* may hold one twice */
  size_t count, cap;
  int64_t cut;
  bool failed;
} settled;

static bool settle(void *to, const ck_event *event) {
  settled *self = to;
  char *key = ck_json_dup_string(ck_json_get(ck_value_bytes(event->body), "key"));
  const ck_ledger_entry *entry = key ? ck_ledger_get(self->ledger, key) : NULL;
  free(key);
  if (!entry) return true;
  const ck_ledger_entry **grown =
      ck_array_grow(self->entries, self->count, &self->cap, sizeof *grown);
  self->failed = !grown;
  if (!grown) return false;
  self->entries = grown;
  self->entries[self->count++] = entry;
  return true;
}

static int by_place(const void *a, const void *b) {
  const ck_ledger_entry *const *left = a, *const *right = b;
  return (*left > *right) - (*left < *right);
}

static bool is_settled(const settled *self, const ck_ledger_entry *entry) {
  return self->count &&
         bsearch(&entry, self->entries, self->count, sizeof *self->entries, by_place);
}

static ck_status read_settled(settled *out, const ck_session *session, ck_error *err) {
  *out = (settled){.ledger = session->ledger};
  ck_status status = ck_replay_range_earliest(&out->cut, session->state, session->cut, err);
  ck_event_query query = {.session = session->record.no,
                          .view = &session->view,
                          .until = out->cut,
                          .kinds = 1ull << CK_EVENT_OUTCOME | 1ull << CK_EVENT_REPLAY};
  if (status == CK_OK && out->cut > 0)
    status = ck_store_read_events(session->runtime->store, &query, settle, out, err);
  if (out->count) qsort(out->entries, out->count, sizeof *out->entries, by_place);
  return status == CK_OK && out->failed ? ck_error_no_memory(err) : status;
}

/* The limit at which the run stopped that the resume goes on from. */
typedef struct last_stop {
  ck_limit_hit hit;
  char *agent;
  bool found, failed;
} last_stop;

static void forget_stop(last_stop *self) {
  free(self->agent);
  *self = (last_stop){0};
}

static ck_dimension find_dimension(ck_bytes name) {
  int d = 0;
  while (d < CK_DIMENSION_COUNT && !ck_json_is_text(name, ck_dimension_name((ck_dimension)d))) d++;
  return (ck_dimension)d;
}

static bool take_stop(void *to, const ck_event *event) {
  last_stop *self = to;
  ck_bytes body = ck_value_bytes(event->body), agent = ck_json_get(body, "agent");
  if (event->kind != CK_EVENT_CONSTRAINT) forget_stop(self);
  if (event->kind != CK_EVENT_CONSTRAINT || self->found ||
      !ck_json_is_text(ck_json_get(body, "what"), "hit"))
    return true;
  self->hit.asked = -1;
  self->hit.dimension = find_dimension(ck_json_get(body, "dimension"));
  ck_json_read_int(&self->hit.asked, ck_json_get(body, "asked"));
  if (self->hit.asked < 0) return true;
  bool named = ck_json_type_of(agent) == CK_JSON_STRING;
  if (named) self->hit.agent = self->agent = ck_json_dup_string(agent);
  self->failed = named && !self->agent;
  self->found = true;
  return !self->failed;
}

static ck_status read_stop(last_stop *out, const ck_session *session, ck_error *err) {
  *out = (last_stop){0};
  ck_event_query query = {.session = session->record.no,
                          .view = &session->view,
                          .until = session->cut,
                          .kinds = 1ull << CK_EVENT_CONSTRAINT | 1ull << CK_EVENT_SESSION_RESUMED};
  if (session->cut <= 0) return CK_OK;
  ck_status status = ck_store_read_events(session->runtime->store, &query, take_stop, out, err);
  return status == CK_OK && out->failed ? ck_error_no_memory(err) : status;
}

static ck_status visit_limits(const ck_session *session, int64_t unsettled,
                              const ck_dry_run_visitor *visitor, ck_error *err) {
  last_stop stop;
  ck_status status = read_stop(&stop, session, err);
  if (status == CK_OK)
    ck_limits_visit_used_up(session, unsettled, stop.found ? &stop.hit : NULL, visitor->limit,
                            visitor->to);
  forget_stop(&stop);
  return status;
}

ck_status ck_session_dry_run(ck_dry_run *out, ck_runtime *runtime, const char *id,
                             const ck_resume_options *options, const ck_dry_run_visitor *visitor,
                             ck_error *err) {
  ck_session *session;
  *out = (ck_dry_run){0};
  ck_status status = ck_session_prepare(&session, &out->failing, runtime, id, options, err);
  if (status != CK_OK) return status;
  settled done = {0};
  int64_t unsettled = 0;
  if (status == CK_OK) status = ck_unsettled_expect(&unsettled, session, err);
  if (status == CK_OK) status = read_settled(&done, session, err);
  const ck_ledger_request any = {.attempt = session->timeline.attempt, .digest = ""};
  const ck_ledger_entry *entry;
  for (size_t i = 0; status == CK_OK && (entry = ck_ledger_at(session->ledger, i)) != NULL; i++) {
    ck_ledger_recall(session->ledger, entry->key, &any);
    if (is_settled(&done, entry)) continue;
    if (ck_dry_run_is_permit(entry))
      show_question(session, entry, visitor);
    else if (!is_mark(entry))
      show(session, entry, visitor);
  }
  free(done.entries);
  if (status == CK_OK) fill(out, session, unsettled);
  if (status == CK_OK && visitor->limit) status = visit_limits(session, unsettled, visitor, err);
  ck_session_close(session);
  return status;
}

const char *ck_dry_run_rule(const ck_dry_run *self, ck_dimension dimension) {
  const ck_resume_rules *rules = &self->rules;
  switch (dimension) {
    case CK_DIMENSION_BUDGET:
      return ck_rule_name(rules->budget);
    case CK_DIMENSION_TIME:
      return ck_rule_name(rules->time);
    case CK_DIMENSION_ROUNDS:
      return ck_rule_name(rules->rounds);
    case CK_DIMENSION_TOKENS:
      return ck_rule_name(rules->tokens);
    case CK_DIMENSION_TOOL_CALLS:
      return ck_rule_name(rules->tool_calls);
    case CK_DIMENSION_MODEL_CALLS:
      return ck_rule_name(rules->model_calls);
    case CK_DIMENSION_COUNT:
      break;
  }
  return NULL;
}
