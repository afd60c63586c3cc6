/* test_resume_limits.c - time begins anew, money and rounds go on; each can be told otherwise. */
#include <stdlib.h>

#include "tests/policies/policy_case.h"
#include "tests/tap.h"

static const struct {
  const char *options;
  ck_rule time, budget, rounds, tokens, tool_calls, model_calls;
} rows[] = {
    {NULL, CK_RULE_RESET, CK_RULE_CONTINUE, CK_RULE_CONTINUE, CK_RULE_CONTINUE, CK_RULE_CONTINUE,
     CK_RULE_CONTINUE},
    {"{\"time\":\"continue\",\"budget\":\"reset\"}", CK_RULE_CONTINUE, CK_RULE_RESET,
     CK_RULE_CONTINUE, CK_RULE_CONTINUE, CK_RULE_CONTINUE, CK_RULE_CONTINUE},
    {"{\"model_calls\":\"reset\"}", CK_RULE_RESET, CK_RULE_CONTINUE, CK_RULE_CONTINUE,
     CK_RULE_CONTINUE, CK_RULE_CONTINUE, CK_RULE_RESET},
    {"{\"rounds\":\"refuse\",\"tokens\":\"reset\",\"tool_calls\":\"reset\"}", CK_RULE_RESET,
     CK_RULE_CONTINUE, CK_RULE_REFUSE, CK_RULE_RESET, CK_RULE_RESET, CK_RULE_CONTINUE},
};

int main(void) {
  /* Sessions of a ckrun whose text had no rule for calls of models go on with the present one. */
  policy_case_earlier("resume_limits",
                      "cd92fe4cdecc54122de47a01ccd16ea6b2ff2bb643773acb0f3d7d5823f9ea60");
  ck_session_record record = {.id = "s"};
  ck_totals totals = {0};
  ck_resume_case subject = {.session = &record, .totals = &totals};
  ck_resume_rules got;
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ck_policy_engine engine = policy_case_open("resume_limits", rows[i].options);
    tap_is_status(engine.resume(&got, engine.self, &subject, &err), CK_OK, &err, "resume_limits %s",
                  rows[i].options ? rows[i].options : "");
    tap_ok(got.time == rows[i].time && got.budget == rows[i].budget &&
               got.rounds == rows[i].rounds && got.tokens == rows[i].tokens &&
               got.tool_calls == rows[i].tool_calls && got.model_calls == rows[i].model_calls &&
               !got.refusal,
           "gives each dimension its rule");
    ck_resume_rules_clear(&got);
    engine.free(engine.self);
  }
  policy_case_refused("resume_limits", "{\"time\":\"rest\"}",
                      "option 'time': \"continue\", \"reset\" or \"refuse\" is expected");
  return tap_done();
}
