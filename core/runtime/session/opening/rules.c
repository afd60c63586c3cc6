/* rules.c - asks the policies' rules at a resume, refuses it or sets the bases. */
#include "core/runtime/session/opening/rules.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/session/opening/refusal.h"
#include "core/runtime/session/session_private.h"

static const char *const rule_names[] = {[CK_RULE_DEFAULT] = "default",
                                         [CK_RULE_CONTINUE] = "continue",
                                         [CK_RULE_RESET] = "reset",
                                         [CK_RULE_REFUSE] = "refuse"};

const char *ck_rule_name(ck_rule rule) { return rule_names[rule]; }

static ck_rule effective(ck_rule given, ck_rule otherwise) {
  return given == CK_RULE_DEFAULT ? otherwise : given;
}

void ck_session_write_rules(const ck_session *self, ck_json_writer *w) {
  ck_json_name(w, "rules");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "budget", rule_names[self->rules.budget]);
  ck_json_member_text(w, "time", rule_names[self->rules.time]);
  ck_json_member_text(w, "rounds", rule_names[self->rules.rounds]);
  ck_json_member_text(w, "tokens", rule_names[self->rules.tokens]);
  ck_json_member_text(w, "tool_calls", rule_names[self->rules.tool_calls]);
  ck_json_member_text(w, "model_calls", rule_names[self->rules.model_calls]);
  ck_json_end(w, '}');
}

/* Why the resume is refused: what a policy says, or the rule for a dimension; "": it is not. */
static void describe_refusal(char *out, size_t size, const ck_resume_rules *rules) {
  const struct {
    const char *dimension;
    ck_rule rule;
  } all[] = {{"budget", rules->budget},         {"time", rules->time},
             {"rounds", rules->rounds},         {"tokens", rules->tokens},
             {"tool_calls", rules->tool_calls}, {"model_calls", rules->model_calls}};
  snprintf(out, size, "%s", rules->refusal ? rules->refusal : "");
  for (size_t i = 0; !*out && i < sizeof all / sizeof *all; i++)
    if (all[i].rule == CK_RULE_REFUSE)
      snprintf(out, size, "the rule for its %s is to refuse", all[i].dimension);
}

ck_status ck_session_ask_rules(ck_session *self, const ck_head *head,
                               const ck_checkpoint_info *from, bool records, ck_error *err) {
  char reason[CK_ERROR_TEXT_MAX];
  const ck_policy_engine *policies = self->policies;
  ck_clock *clock = &self->runtime->clock;
  ck_resume_rules rules = {0};
  ck_resume_case of = {.session = &head->session,
                       .checkpoint = from->seq ? from : NULL,
                       .totals = &self->spent.totals,
                       .now_ms = clock->wall_ms(clock->self)};
  ck_status status = policies->resume ? policies->resume(&rules, policies->self, &of, err) : CK_OK;
  describe_refusal(reason, sizeof reason, &rules);
  if (records && *reason)
    ck_session_record_refusal(self, head, &(ck_refusal){rules.refused_by, reason});
  if (status == CK_OK && *reason)
    status =
        ck_error_set(err, CK_E_REFUSED, "session %s is not resumed: %s", head->session.id, reason);
  free(rules.refusal);
  self->rules = (ck_resume_rules){.budget = effective(rules.budget, CK_RULE_CONTINUE),
                                  .time = effective(rules.time, CK_RULE_RESET),
                                  .rounds = effective(rules.rounds, CK_RULE_CONTINUE),
                                  .tokens = effective(rules.tokens, CK_RULE_CONTINUE),
                                  .tool_calls = effective(rules.tool_calls, CK_RULE_CONTINUE),
                                  .model_calls = effective(rules.model_calls, CK_RULE_CONTINUE)};
  return status == CK_OK ? ck_session_reset_base(self, head, from, &self->rules, err) : status;
}
