/* rules.c - what the policies' rules do to each constraint when a session is resumed.
 *
 * The ledger's totals never go back. A dimension that is reset gets them as its base, from which
 * spending is counted on; bases are a key of the state, so that a later resume inherits those that
 * continue. */
#include <stdlib.h>

#include "core/runtime/session/session_private.h"

static const char *const rule_names[] = {[CK_RULE_DEFAULT] = "default",
                                         [CK_RULE_CONTINUE] = "continue",
                                         [CK_RULE_RESET] = "reset",
                                         [CK_RULE_REFUSE] = "refuse"};

const char *ck_rule_name(ck_rule rule) { return rule_names[rule]; }

/* By default time starts again and everything else continues. */
static ck_rule effective(ck_rule given, ck_rule otherwise) {
  return given == CK_RULE_DEFAULT ? otherwise : given;
}

static void read_base(ck_session *self) {
  const ck_value *kept = ck_state_get(self->state, "base");
  ck_bytes base = kept ? ck_value_bytes(kept) : (ck_bytes){0};
  ck_json_read_int(&self->base.cost_micros, ck_json_get(base, "cost"));
  ck_json_read_int(&self->base.input_tokens, ck_json_get(base, "input_tokens"));
  ck_json_read_int(&self->base.output_tokens, ck_json_get(base, "output_tokens"));
  ck_json_read_int(&self->base.tool_calls, ck_json_get(base, "tool_calls"));
  ck_json_read_int(&self->base.active_us, ck_json_get(base, "active_us"));
  ck_json_read_int(&self->rounds_base, ck_json_get(base, "rounds"));
}

/* What was spent for an agent has no base: it is counted anew. */
static void reset_agents(ck_spending *spending, const ck_resume_rules *rules) {
  for (size_t i = 0; i < spending->count; i++) {
    ck_agent_spending *agent = &spending->agents[i];
    if (rules->budget == CK_RULE_RESET) agent->cost_micros = 0;
    if (rules->time == CK_RULE_RESET) agent->ms = 0;
    if (rules->rounds == CK_RULE_RESET) agent->rounds = 0;
    if (rules->tokens == CK_RULE_RESET) agent->tokens = 0;
    if (rules->tool_calls == CK_RULE_RESET) agent->tool_calls = 0;
  }
  spending->changed |= spending->count > 0;
}

static void reset_base(ck_session *self) {
  const ck_resume_rules *rules = &self->rules;
  reset_agents(&self->spending, rules);
  if (rules->budget == CK_RULE_RESET) self->base.cost_micros = self->totals.cost_micros;
  if (rules->time == CK_RULE_RESET) self->base.active_us = self->totals.active_us;
  if (rules->rounds == CK_RULE_RESET) self->rounds_base = self->spending.rounds;
  if (rules->tool_calls == CK_RULE_RESET) self->base.tool_calls = self->totals.tool_calls;
  if (rules->tokens != CK_RULE_RESET) return;
  self->base.input_tokens = self->totals.input_tokens;
  self->base.output_tokens = self->totals.output_tokens;
}

void ck_session_write_rules(const ck_session *self, ck_json_writer *w) {
  ck_json_name(w, "rules");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "budget", rule_names[self->rules.budget]);
  ck_json_member_text(w, "time", rule_names[self->rules.time]);
  ck_json_member_text(w, "rounds", rule_names[self->rules.rounds]);
  ck_json_member_text(w, "tokens", rule_names[self->rules.tokens]);
  ck_json_member_text(w, "tool_calls", rule_names[self->rules.tool_calls]);
  ck_json_end(w, '}');
}

ck_status ck_session_put_base(ck_session *self, ck_error *err) {
  if (!self->policies->resume) return CK_OK; /* the defaults need no memory */
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "cost", self->base.cost_micros);
  ck_json_member_int(&w, "input_tokens", self->base.input_tokens);
  ck_json_member_int(&w, "output_tokens", self->base.output_tokens);
  ck_json_member_int(&w, "tool_calls", self->base.tool_calls);
  ck_json_member_int(&w, "active_us", self->base.active_us);
  ck_json_member_int(&w, "rounds", self->rounds_base);
  ck_json_end(&w, '}');
  ck_value *value = NULL;
  ck_status status = ck_value_from(&value, &buffer, err);
  if (status == CK_OK) status = ck_session_put(self, "base", value, err);
  ck_value_free(value);
  ck_buffer_clear(&buffer);
  return status;
}

static ck_status check_refusal(const ck_resume_rules *rules, const char *id, ck_error *err) {
  const struct {
    const char *dimension;
    ck_rule rule;
  } all[] = {{"budget", rules->budget},
             {"time", rules->time},
             {"rounds", rules->rounds},
             {"tokens", rules->tokens},
             {"tool_calls", rules->tool_calls}};
  if (rules->refusal)
    return ck_error_set(err, CK_E_REFUSED, "session %s is not resumed: %s", id, rules->refusal);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].rule == CK_RULE_REFUSE)
      return ck_error_set(err, CK_E_REFUSED,
                          "session %s is not resumed: the rule for its %s is to refuse", id,
                          all[i].dimension);
  return CK_OK;
}

ck_status ck_session_ask_rules(ck_session *self, const ck_head *head,
                               const ck_checkpoint_info *from, ck_error *err) {
  const ck_policy_engine *policies = self->policies;
  ck_clock *clock = &self->runtime->clock;
  ck_resume_rules rules = {0};
  ck_resume_case of = {.session = &head->session,
                       .checkpoint = from->seq ? from : NULL,
                       .totals = &self->totals,
                       .now_ms = clock->wall_ms(clock->self)};
  ck_status status = policies->resume ? policies->resume(&rules, policies->self, &of, err) : CK_OK;
  if (status == CK_OK) status = check_refusal(&rules, head->session.id, err);
  free(rules.refusal);
  self->rules = (ck_resume_rules){.budget = effective(rules.budget, CK_RULE_CONTINUE),
                                  .time = effective(rules.time, CK_RULE_RESET),
                                  .rounds = effective(rules.rounds, CK_RULE_CONTINUE),
                                  .tokens = effective(rules.tokens, CK_RULE_CONTINUE),
                                  .tool_calls = effective(rules.tool_calls, CK_RULE_CONTINUE)};
  read_base(self);
  reset_base(self);
  return status;
}
