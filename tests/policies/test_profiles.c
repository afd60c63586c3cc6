/* test_profiles.c - every shipped profile loads, and does at a boundary, a prune and a resume what
 * its system does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/embed.h"
#include "lua/policy/policy.h"
#include "lua/profile/profile.h"
#include "tests/tap.h"

static const struct {
  const char *name;
  ck_boundary_kind kind;
  ck_effect_class next;
  bool take, sync;
} boundaries[] = {
    {"default", CK_BOUNDARY_TOOL_ROUND, CK_EFFECT_PURE, true, false},
    {"default", CK_BOUNDARY_NODE_START, CK_EFFECT_PURE, false, false},
    {"graph", CK_BOUNDARY_NODE_START, CK_EFFECT_PURE, true, false},
    {"graph", CK_BOUNDARY_NODE_COMPLETE, CK_EFFECT_PURE, true, false},
    {"graph", CK_BOUNDARY_EDGE_TRANSITION, CK_EFFECT_PURE, false, false},
    {"graph", CK_BOUNDARY_LOOP_ITERATION, CK_EFFECT_PURE, false, false},
    {"deliberation", CK_BOUNDARY_ROUND_COMPLETE, CK_EFFECT_PURE, true, false},
    {"deliberation", CK_BOUNDARY_NODE_START, CK_EFFECT_PURE, false, false},
    {"loop", CK_BOUNDARY_TOOL_ROUND, CK_EFFECT_PURE, true, false},
    {"loop", CK_BOUNDARY_TOOL_ROUND, CK_EFFECT_ONCE, true, true},
    {"loop", CK_BOUNDARY_STEP_COMPLETE, CK_EFFECT_PURE, false, false},
    {"explore", CK_BOUNDARY_TOOL_ROUND, CK_EFFECT_PURE, true, false},
    {"portable", CK_BOUNDARY_LOOP_ITERATION, CK_EFFECT_PURE, true, true},
    {"portable", CK_BOUNDARY_TOOL_ROUND, CK_EFFECT_PURE, true, true},
};

static const struct {
  const char *name;
  ck_rule time, budget;
} resumes[] = {
    {"graph", CK_RULE_RESET, CK_RULE_CONTINUE},   {"deliberation", CK_RULE_RESET, CK_RULE_CONTINUE},
    {"loop", CK_RULE_CONTINUE, CK_RULE_CONTINUE}, {"explore", CK_RULE_CONTINUE, CK_RULE_CONTINUE},
    {"portable", CK_RULE_RESET, CK_RULE_RESET},
};

static ck_policy_engine open_profile(const char *name) {
  ck_profile *profile;
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_load(&profile, name, &err) == CK_OK &&
               ck_policy_engine_open(&engine, profile, &err) == CK_OK,
           "%s: %s", name, err.text);
  ck_profile_free(profile);
  return engine;
}

static void test_all(void) {
  static const char folder[] = "policies/profiles/";
  ck_error err = CK_ERROR_INIT;
  int count = 0;
  for (const ck_embedded *row = ck_embedded_table; row->name; row++) {
    if (strncmp(row->name, folder, strlen(folder)) != 0) continue;
    char name[64];
    ck_profile *profile;
    ck_value *description = NULL;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(row->name + strlen(folder)) - 4),
             row->name + strlen(folder));
    tap_must(ck_profile_load(&profile, name, &err) == CK_OK, "%s loads: %s", name, err.text);
    tap_is_text(profile->name, name, "%s is called as its file is", name);
    tap_is_status(ck_profile_describe(&description, profile, NULL, &err), CK_OK, &err,
                  "and can be shown");
    tap_ok(profile->policy_count > 0 && profile->replay_depth == 50,
           "and has policies and tails of 50 events");
    ck_value_free(description);
    ck_profile_free(profile);
    count++;
  }
  tap_is_int(count, 6, "six profiles are shipped");
}

static void test_boundaries(void) {
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < sizeof boundaries / sizeof boundaries[0]; i++) {
    ck_policy_engine engine = open_profile(boundaries[i].name);
    ck_boundary at = {.kind = boundaries[i].kind,
                      .scope = "main",
                      .next = {.tool = "t", .has_class = true, .effect_class = boundaries[i].next},
                      .budget = {0, -1}};
    ck_decision decision;
    tap_is_status(engine.checkpoint(&decision, engine.self, &at, &err), CK_OK, &err, "%s at %s",
                  boundaries[i].name, ck_boundary_kind_name(at.kind));
    tap_ok(decision.take == boundaries[i].take && decision.sync == boundaries[i].sync,
           "checkpoints as it should");
    ck_decision_clear(&decision);
    engine.free(engine.self);
  }
}

static void test_resumes(void) {
  ck_error err = CK_ERROR_INIT;
  ck_session_record record = {.id = "s"};
  ck_totals totals = {0};
  for (size_t i = 0; i < sizeof resumes / sizeof resumes[0]; i++) {
    ck_policy_engine engine = open_profile(resumes[i].name);
    ck_resume_rules rules;
    tap_is_status(engine.resume(&rules, engine.self,
                                &(ck_resume_case){.session = &record, .totals = &totals}, &err),
                  CK_OK, &err, "%s resumes", resumes[i].name);
    tap_ok(rules.time == resumes[i].time && rules.budget == resumes[i].budget && !rules.refusal,
           "with its rules for time and budget");
    ck_resume_rules_clear(&rules);
    engine.free(engine.self);
  }
}

/* A long run must not pile up what its end would drop. */
static void test_prunes(void) {
  ck_profile *profile;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_load(&profile, "graph", &err) == CK_OK, "graph loads: %s", err.text);
  tap_is_int(profile->prune_every_n_nodes, 10,
             "a graph is pruned at every tenth checkpoint, not only at its end");
  ck_profile_free(profile);
}

static void test_excluded(void) {
  ck_policy_engine engine = open_profile("graph");
  ck_redaction got;
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_value_new(&value, ck_bytes_text("\"sk\""), &err) == CK_OK, "a value");
  tap_ok(engine.redact(&got, engine.self, &(ck_item){.key = "memory.api_key", .value = value},
                       &err) == CK_OK &&
             got.verdict == CK_REDACT_DROP,
         "a graph never writes memory.api_key");
  ck_value_free(value);
  engine.free(engine.self);
}

int main(void) {
  test_all();
  test_boundaries();
  test_resumes();
  test_prunes();
  test_excluded();
  return tap_done();
}
