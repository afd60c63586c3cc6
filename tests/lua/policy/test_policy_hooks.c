/* test_policy_hooks.c - in_doubt, on_failure, tail, resume: how answers compose, and what a failing
 * hook answers; kept views are void. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

static void test_kept_views(void) {
  ck_policy_engine engine = vm_script_engine(
      "local kept, since\nreturn { name = 'k', version = 1,\n"
      "checkpoint = function(at) kept, since = at, at.since return true end,\n"
      "in_doubt = function(effect) return effect.key == 'a' and kept.kind or since.ms end }");
  ck_decision decision;
  ck_doubt_answer answer;
  ck_boundary at = {.kind = CK_BOUNDARY_TOOL_ROUND, .scope = "main", .budget = {0, -1}};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(engine.checkpoint(&decision, engine.self, &at, &err), CK_OK, &err,
                "a policy keeps its view");
  ck_decision_clear(&decision);
  for (int i = 0; i < 2; i++) {
    ck_effect effect = {.scope = "main",
                        .key = i ? "b" : "a",
                        .kind = CK_EFFECT_TOOL,
                        .class = CK_EFFECT_ONCE,
                        .attempt = 1};
    answer = (ck_doubt_answer){.word = CK_DOUBT_RERUN};
    tap_is_status(engine.in_doubt(&answer, engine.self, &effect, &err), CK_E_POLICY, &err,
                  "a kept view raises");
    tap_ok(strstr(err.text, "the view is only valid during the call") != NULL, "and says why: %s",
           err.text);
    tap_is_int(answer.word, CK_DOUBT_STOP, "and the answer is closed");
  }
  engine.free(engine.self);
}

static void test_words(void) {
  static const char *const texts[] = {
      "return { name = 'a', version = 1, in_doubt = function(e) if e.request.n == 1 then return "
      "'rerun' end end,\n"
      "on_failure = function(f, at) if f.attempt == 1 and at == nil and f.status == 'CK_E_IO' then "
      "return 'retry' end end }",
      "return { name = 'b', version = 1, in_doubt = function(e) if e.request.n == 2 then return "
      "'tell' elseif e.request.n == 3 then\n"
      "return 'rerrun' elseif e.request.n == 4 then e.request.n = 5 end end, on_failure = "
      "function(f) return f.attempt == 2 and 'fail' or 1 end }"};
  static const struct {
    const char *request;
    ck_status status;
    ck_doubt_word answer;
    const char *policy;
  } doubts[] = {{"{\"n\":1}", CK_OK, CK_DOUBT_RERUN, "a"},
                {"{\"n\":2}", CK_OK, CK_DOUBT_TELL, "b"},
                {"{\"n\":0}", CK_OK, CK_DOUBT_RERUN, NULL},
                {"{\"n\":3}", CK_E_POLICY, CK_DOUBT_STOP, NULL},
                {"{\"n\":4}", CK_E_POLICY, CK_DOUBT_STOP, NULL},
                {"", CK_E_POLICY, CK_DOUBT_STOP, NULL}};
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(vm_script_engines(&engine, texts, 2, &err) == CK_OK, "two policies load: %s", err.text);
  for (size_t i = 0; i < sizeof doubts / sizeof doubts[0]; i++) {
    ck_effect effect = {.scope = "main",
                        .key = "k",
                        .kind = CK_EFFECT_TOOL,
                        .class = CK_EFFECT_ONCE,
                        .attempt = 1,
                        .request = ck_bytes_text(doubts[i].request)};
    ck_doubt_answer answer = {.word = CK_DOUBT_RERUN};
    tap_is_status(engine.in_doubt(&answer, engine.self, &effect, &err), doubts[i].status, &err,
                  "in doubt about %s", doubts[i].request);
    tap_is_int(answer.word, doubts[i].answer,
               "the first answer counts, without one what the caller says; a failure stops");
    tap_is_text(answer.policy, doubts[i].policy, "and whose it is");
  }
  for (uint32_t attempt = 1; attempt <= 3; attempt++) {
    static const ck_failure_word want[] = {CK_FAILURE_RETRY, CK_FAILURE_FAIL, CK_FAILURE_PAUSE};
    ck_failure subject = {.node = "n", .status = CK_E_IO, .error = "x", .attempt = attempt};
    ck_failure_answer answer = {.word = CK_FAILURE_RETRY};
    tap_is_status(engine.on_failure(&answer, engine.self, &subject, &err),
                  attempt == 3 ? CK_E_POLICY : CK_OK, &err, "on a failure");
    tap_is_int(answer.word, want[attempt - 1], "the first answer counts, a failure pauses");
  }
  engine.free(engine.self);
}

static void test_tail(void) {
  static const char *const texts[] = {
      "return { name = 'a', version = 1, tail = function(e, agent) return e.kind == 'message' and "
      "agent == 'x' end }",
      "return { name = 'b', version = 1, tail = function(e) if e.body.n == 2 then return false "
      "elseif e.body.n == 3 then return 0 end end }"};
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(vm_script_engines(&engine, texts, 2, &err) == CK_OK, "two policies load: %s", err.text);
  for (int n = 1; n <= 3; n++) {
    char json[24];
    ck_value *body;
    bool in = n != 1;
    ck_answers said;
    snprintf(json, sizeof json, "{\"n\":%d}", n);
    tap_must(ck_value_new(&body, ck_bytes_text(json), &err) == CK_OK, "an event's body");
    ck_event event = {
        .seq = n, .timeline = 1, .kind = CK_EVENT_MESSAGE, .scope = "main", .body = body};
    tap_is_status(engine.tail(&in, &said, engine.self, &event, "x", &err),
                  n == 3 ? CK_E_POLICY : CK_OK, &err, "an event is asked about");
    tap_ok(in == (n == 1), "all must agree, and a failure excludes");
    tap_ok(said.policies[CK_ANSWER_IN] == (n == 1 ? 3 : 1) &&
               said.policies[CK_ANSWER_OUT] == (n == 2 ? 2 : 0) &&
               said.policies[CK_ANSWER_FAILED] == (n == 3 ? 2 : 0),
           "it is told who said what");
    ck_value_free(body);
  }
  engine.free(engine.self);
}

static void check_resume(const ck_policy_engine *engine, int64_t cost, ck_status want,
                         ck_rule budget, const char *refusal) {
  ck_session_record record = {.id = "s1", .status = CK_SESSION_PAUSED};
  ck_checkpoint_info info = {.id = "c1", .seq = 3, .kind = CK_BOUNDARY_PAUSE, .clean = true};
  ck_totals totals = {.cost_micros = cost};
  ck_resume_case subject = {
      .session = &record, .checkpoint = &info, .totals = &totals, .now_ms = 1};
  ck_resume_rules rules = {.budget = CK_RULE_CONTINUE};
  ck_error err = CK_ERROR_INIT;
  tap_is_status(engine->resume(&rules, engine->self, &subject, &err), want, &err,
                "a resume is asked about");
  if (!refusal)
    tap_ok(rules.refusal == NULL, "and not refused");
  else
    tap_ok(rules.refusal && strstr(rules.refusal, refusal), "and refused: %s",
           rules.refusal ? rules.refusal : "(not)");
  if (!refusal) tap_is_int(rules.budget, budget, "later rules override");
  tap_is_int(rules.time, refusal ? (int64_t)rules.time : CK_RULE_DEFAULT,
             "what nobody names stays the default");
  ck_resume_rules_clear(&rules);
}

static void test_resume(void) {
  static const char *const texts[] = {
      "return { name = 'a', version = 1, resume = function(s, c) if s.cost_usd > 5 then return "
      "ck.refuse 'too dear' end\n"
      "return { budget = c.is_clean and 'continue' or 'reset' } end }",
      "return { name = 'b', version = 1, resume = function(s) if s.cost_usd == 4 then "
      "error('lost') end\n"
      "if s.cost_usd == 3 then return { budget = 'rest' } end if s.cost_usd == 2 then return { "
      "budget = 'reset' } end end }"};
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(vm_script_engines(&engine, texts, 2, &err) == CK_OK, "two policies load: %s", err.text);
  check_resume(&engine, 1000000, CK_OK, CK_RULE_CONTINUE, NULL);
  check_resume(&engine, 2000000, CK_OK, CK_RULE_RESET, NULL);
  check_resume(
      &engine, 3000000, CK_E_POLICY, CK_RULE_DEFAULT,
      "budget: \"continue\", \"reset\" or \"refuse\" expected, got 'rest' (did you mean 'reset'?)");
  check_resume(&engine, 4000000, CK_E_POLICY, CK_RULE_DEFAULT, "lost");
  check_resume(&engine, 6000000, CK_OK, CK_RULE_DEFAULT, "too dear");
  engine.free(engine.self);
}

/* A bit for each place of the list: profile's policies, then those of agents. */
static void check_answers(const ck_policy_engine *engine, const char *agent,
                          const uint64_t want[CK_ANSWER_COUNT]) {
  ck_decision decision;
  ck_error err = CK_ERROR_INIT;
  ck_boundary at = {
      .kind = CK_BOUNDARY_TOOL_ROUND, .scope = "main", .agent = agent, .budget = {0, -1}};
  ck_status status = engine->checkpoint(&decision, engine->self, &at, &err);
  tap_is_status(status, want[CK_ANSWER_FAILED] ? CK_E_POLICY : CK_OK, &err, "%s is asked about",
                agent ? agent : "nobody");
  for (int i = 0; i < CK_ANSWER_COUNT; i++)
    tap_is_int((int64_t)decision.answers.policies[i], (int64_t)want[i], "who answered %s",
               ck_answer_name(CK_HOOK_CHECKPOINT, i) ? ck_answer_name(CK_HOOK_CHECKPOINT, i)
                                                     : "what nobody can");
  ck_decision_clear(&decision);
}

static void test_answers(void) {
  static const char *const texts[] = {
      "return { name = 'a', version = 1, checkpoint = function() end }",
      "return { name = 'b', version = 1, redact = function() end }",
      "return { name = 'c', version = 1, checkpoint = function(at) if at.agent == 'x' then "
      "error('lost') end return 'so' end }",
      "return { name = 'd', version = 1, checkpoint = function() return { durability = 'sync' } "
      "end }",
      "return { name = 'e', version = 1, checkpoint = function() return false end }"};
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(vm_script_engines(&engine, texts, 5, &err) == CK_OK, "five policies load: %s", err.text);
  check_answers(&engine, NULL, (const uint64_t[]){1 | 16, 4, 8, 0, 0, 0, 0, 0});
  check_answers(&engine, "x", (const uint64_t[]){1 | 16, 0, 8, 0, 0, 0, 0, 4});
  engine.free(engine.self);
}

/* x has a list of its own, which replaces the first policy of the profile's. */
static void test_answers_of_agents(void) {
  const char *a = vm_script_file("a.lua", "return { name = 'a', version = 1, checkpoint = "
                                          "function() return true end }");
  const char *b = vm_script_file("b.lua", "return { name = 'b', version = 1, checkpoint = "
                                          "function() return false end }");
  ck_profile_policy own[] = {{.name = (char *)a}},
                    of_x[] = {{.name = (char *)a}, {.name = (char *)b}};
  ck_profile_agent agents[] = {{.name = (char *)"x", .policies = of_x, .policy_count = 2}};
  ck_profile profile = {.policies = own, .policy_count = 1, .agents = agents, .agent_count = 1};
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_policy_engine_open(&engine, &profile, &err) == CK_OK, "an engine: %s", err.text);
  check_answers(&engine, NULL, (const uint64_t[]){0, 1, 0, 0, 0, 0, 0, 0});
  check_answers(&engine, "x", (const uint64_t[]){4, 2, 0, 0, 0, 0, 0, 0});
  engine.free(engine.self);
}

int main(void) {
  test_answers();
  test_answers_of_agents();
  test_kept_views();
  test_words();
  test_tail();
  test_resume();
  return tap_done();
}
