/* rehearsal.c - what a resume would do: all of it but the acquisition, so that nothing is written. */
#include "core/runtime/rehearsal.h"

#include <stdlib.h>

#include "core/runtime/limits.h"

const char *ck_rehearsed_name(ck_rehearsed what) {
  static const char *const names[] = {
#define X(name, text) [name] = text,
      CK_REHEARSED_TABLE(X)
#undef X
  };
  return names[what];
}

/* A flow's pause is kept as an ask that has ended: nobody was asked anything. */
static bool is_mark(const ck_ledger_entry *entry) {
  return entry->outcome && ck_json_is_text(ck_json_get(ck_value_bytes(entry->outcome), "status"), "ended");
}

static ck_rehearsed judge_open(const ck_ledger_entry *entry, ck_ledger_answer answer) {
  if (answer == CK_LEDGER_RESOLVED) return CK_REHEARSED_REPLAY;
  if (entry->kind == CK_EFFECT_ASK && entry->verdict == CK_VERDICT_NONE) return CK_REHEARSED_QUESTION;
  if (answer == CK_LEDGER_RUN) return CK_REHEARSED_AGAIN;
  return entry->class == CK_EFFECT_RECONCILABLE ? CK_REHEARSED_PROBE : CK_REHEARSED_DOUBT;
}

static ck_rehearsed judge(const ck_ledger_entry *entry, uint32_t attempt) {
  ck_effect effect = {.key = entry->key, .attempt = attempt, .kind = entry->kind, .class = entry->class};
  ck_ledger_case found = ck_ledger_decide(entry, &effect, entry->open ? entry->intent_digest : entry->outcome_digest);
  if (entry->open) return judge_open(entry, found.answer);
  return found.answer == CK_LEDGER_REPLAY ? CK_REHEARSED_REPLAY : CK_REHEARSED_ANEW;
}

static void show(const ck_ledger_entry *entry, uint32_t attempt, ck_rehearsal_visit visit, void *to) {
  ck_rehearsed_effect effect = {.what = judge(entry, attempt), .key = entry->key, .kind = entry->kind, .class = entry->class};
  ck_bytes intent = entry->intent ? ck_value_bytes(entry->intent) : (ck_bytes){0};
  ck_bytes outcome = entry->outcome ? ck_value_bytes(entry->outcome) : (ck_bytes){0};
  char *name = ck_json_dup_string(ck_json_get(ck_json_get(intent, "request"), "name"));
  effect.name = name;
  ck_json_read_int(&effect.cost_micros, ck_json_get(outcome, "cost"));
  ck_json_read_int(&effect.reserve_micros, ck_json_get(intent, "reserve"));
  if (effect.reserve_micros < 0) effect.reserve_micros = 0;
  visit(to, &effect);
  free(name);
}

static void fill(ck_rehearsal *out, const ck_session *session) {
  ck_limits_state state;
  ck_limits_get(&state, session);
  out->attempt = session->timeline.attempt;
  out->rules = session->rules;
  for (int d = 0; d < CK_DIMENSION_COUNT; d++) {
    out->constraints[d].spent = state.spent.of[d];
    out->constraints[d].limit = state.limit.of[d];
  }
}

ck_status ck_session_rehearse(ck_rehearsal *out, ck_runtime *runtime, const char *id, const ck_resume_options *options,
                              ck_rehearsal_visit visit, void *to, ck_error *err) {
  ck_session *session;
  *out = (ck_rehearsal){0};
  ck_status status = ck_session_prepare(&session, &out->failing, runtime, id, options, err);
  if (status != CK_OK) return status;
  const ck_ledger_entry *entry;
  for (size_t i = 0; (entry = ck_ledger_at(session->ledger, i)) != NULL; i++)
    if (!is_mark(entry)) show(entry, session->timeline.attempt, visit, to);
  fill(out, session);
  ck_session_close(session);
  return CK_OK;
}

const char *ck_rehearsal_rule(const ck_rehearsal *self, ck_dimension dimension) {
  const ck_resume_rules *rules = &self->rules;
  switch (dimension) {
    case CK_DIMENSION_BUDGET: return ck_rule_name(rules->budget);
    case CK_DIMENSION_TIME: return ck_rule_name(rules->time);
    case CK_DIMENSION_ROUNDS: return ck_rule_name(rules->rounds);
    case CK_DIMENSION_TOKENS: return ck_rule_name(rules->tokens);
    case CK_DIMENSION_TOOL_CALLS: return ck_rule_name(rules->tool_calls);
    case CK_DIMENSION_MODEL_CALLS:
    case CK_DIMENSION_COUNT: break;
  }
  return NULL;
}
