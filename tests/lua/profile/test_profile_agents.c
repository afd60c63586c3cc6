/* test_profile_agents.c - agent beats profile beats policy default; what holds and who said so can
 * be shown. */
#include <stdlib.h>
#include <string.h>

#include "lua/policy/policy.h"
#include "lua/profile/profile.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

static ck_profile *load(const char *name) {
  ck_profile *profile = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_load(&profile, name, &err) == CK_OK, "%s loads: %s", name, err.text);
  return profile;
}

static const char *write_profiles(void) {
  vm_script_file(
      "show.lua",
      "return { name = 'show', version = 4, options = { a = 1, b = 1, c = 1 },\n"
      "checkpoint = function(at, opt) return opt.a .. ' ' .. opt.b .. ' ' .. opt.c end,\n"
      "tail = function(event, agent, opt) return opt.a ~= 3 end, in_doubt = function(e, opt) "
      "return opt.a == 3 and 'rerun' or nil end }");
  vm_script_file(
      "extra.lua",
      "return { name = 'extra', version = 1, checkpoint = function() return 'extra' end }");
  vm_script_file(
      "below.lua",
      "return { name = 'below', constraints = { rounds = 7, budget_usd = 2 }, policies = { { "
      "'./show.lua', a = 2, b = 2 } },\n"
      "resume = { budget = 'reset', time = 'continue' }, exclude_memory_keys = { 'old' },\n"
      "agents = { x = { constraints = { rounds = 3, transcript_replay_depth = 9 }, policies = { "
      "'gone' } } } }");
  return vm_script_file("above.lua",
                        "return { name = 'above', extends = './below.lua', constraints = { "
                        "transcript_replay_depth = 20, budget_usd = false },\n"
                        "resume = { budget = 'continue' }, exclude_memory_keys = { 'api_key', "
                        "'token' }, checkpoints = 'many',\n"
                        "agents = { x = { constraints = { budget_usd = 0.5 }, policies = { { "
                        "'./show.lua', a = 3 }, './extra.lua' } }, ['y-1'] = {} } }");
}

static void test_fields(const ck_profile *profile) {
  const ck_profile_agent *x = ck_profile_get_agent(profile, "x"),
                         *y = ck_profile_get_agent(profile, "y-1");
  tap_must(x && y && !ck_profile_get_agent(profile, "z"), "two agents are known");
  tap_is_int(x->budget_micros, 500000, "an agent has limits of its own");
  tap_is_int(x->rounds, 3, "also inherited ones");
  tap_is_int(x->replay_depth, 9, "and its own replay depth");
  tap_is_int(y->replay_depth, 20, "else the profile's");
  tap_is_int(y->rounds, -1, "and no limits otherwise");
  tap_is_int(profile->budget_micros, -1, "the profile's own limits are apart");
  tap_is_int((int64_t)x->policy_count, 2, "its list replaces the inherited one");
  tap_is_bytes(ck_value_bytes(x->policies[0].options), ck_bytes_text("{\"b\":2,\"a\":3}"),
               "its options lie over the profile's");
  tap_is_int(profile->resume.budget, CK_RULE_CONTINUE, "a rule is overridden");
  tap_is_int(profile->resume.time, CK_RULE_CONTINUE, "or inherited");
  tap_is_int(profile->resume.rounds, CK_RULE_DEFAULT, "or left alone");
  tap_ok(profile->exclude_memory_keys && strcmp(profile->exclude_memory_keys[1], "token") == 0 &&
             !profile->exclude_memory_keys[2],
         "a list replaces the inherited one");
}

static void check_decision(const ck_policy_engine *engine, const char *agent, const char *want) {
  ck_boundary at = {
      .kind = CK_BOUNDARY_TOOL_ROUND, .scope = "main", .agent = agent, .budget = {0, -1}};
  ck_decision decision;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(engine->checkpoint(&decision, engine->self, &at, &err), CK_OK, &err,
                "a boundary of %s", agent ? agent : "nobody");
  ck_bytes got = decision.reasons ? ck_value_bytes(decision.reasons) : ck_bytes_text("");
  tap_is_bytes(got, ck_bytes_text(want), "is decided by its policies");
  ck_decision_clear(&decision);
}

static void test_engine(const ck_profile *profile) {
  static const char common[] = "[{\"policy\":\"show\",\"version\":4,\"reason\":\"2 2 1\"}]";
  ck_policy_engine engine;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_policy_engine_open(&engine, profile, &err) == CK_OK, "the policies load: %s",
           err.text);
  check_decision(&engine, NULL, common);
  check_decision(&engine, "y-1", common);
  check_decision(&engine, "stranger", common);
  check_decision(&engine, "x",
                 "[{\"policy\":\"show\",\"version\":4,\"reason\":\"3 2 "
                 "1\"},{\"policy\":\"extra\",\"version\":1,\"reason\":\"extra\"}]");
  ck_value *body;
  tap_must(ck_value_new(&body, ck_bytes_text("{}"), &err) == CK_OK, "a body");
  ck_event event = {.seq = 1, .kind = CK_EVENT_NOTE, .scope = "main", .body = body};
  bool in = false;
  ck_answers said;
  tap_ok(engine.tail(&in, &said, engine.self, &event, "y-1", &err) == CK_OK && in,
         "a tail is the common one's");
  tap_ok(engine.tail(&in, &said, engine.self, &event, "x", &err) == CK_OK && !in,
         "or the agent's own");
  ck_doubt_answer answer = {.word = CK_DOUBT_TELL};
  ck_effect effect = {.scope = "main", .key = "k", .agent = "x"};
  tap_ok(engine.in_doubt(&answer, engine.self, &effect, &err) == CK_OK &&
             answer.word == CK_DOUBT_RERUN,
         "so is a doubt");
  ck_resume_rules rules;
  ck_session_record record = {.id = "s"};
  ck_totals totals = {0};
  tap_ok(engine.resume(&rules, engine.self,
                       &(ck_resume_case){.session = &record, .totals = &totals}, &err) == CK_OK &&
             rules.budget == CK_RULE_CONTINUE && rules.time == CK_RULE_CONTINUE &&
             rules.rounds == CK_RULE_DEFAULT && !rules.refusal,
         "the profile's rules hold without any policy");
  ck_redaction redaction = {0};
  ck_item items[] = {{.key = "memory.token", .value = body},
                     {.key = "memory.old", .value = body},
                     {.key = "outputs.token", .value = body},
                     {.value = body}};
  for (int i = 0; i < 4; i++) {
    tap_ok(engine.redact(&redaction, engine.self, &items[i], &err) == CK_OK &&
               redaction.verdict == (i == 0 ? CK_REDACT_DROP : CK_REDACT_LEAVE),
           "excluded keys of the memory are dropped, others are not");
  }
  ck_value_free(body);
  ck_value *described;
  tap_is_status(ck_policy_describe(&described, &engine, true, &err), CK_OK, &err,
                "the engine is described");
  tap_ok(strstr(ck_value_bytes(described).data, "\"agent\":\"x\"") != NULL,
         "with whose policies they are: %s", ck_value_bytes(described).data);
  ck_value_free(described);
  engine.free(engine.self);
}

static void check_row(const ck_value *description, const char *key, const char *value,
                      const char *origin, const char *says) {
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(description));
  while (ck_json_next(&it)) {
    if (!ck_json_is_text(ck_json_get(it.value, "key"), key)) continue;
    tap_is_bytes(ck_json_get(it.value, "value"), ck_bytes_text(value), "%s is %s", key, value);
    char *from = ck_json_dup_string(ck_json_get(it.value, "origin"));
    size_t len = strlen(origin), got = from ? strlen(from) : 0;
    tap_ok(got >= len && strcmp(from + got - len, origin) == 0, "and comes from %s: %s", origin,
           from);
    tap_ok(ck_json_is_text(ck_json_get(it.value, "from"), says), "by the word of: %s", says);
    free(from);
    return;
  }
  tap_ok(false, "%s is shown", key);
}

static void test_description(const ck_profile *profile) {
  static const struct {
    const char *agent, *key, *value, *origin, *says;
  } rows[] = {
      {NULL, "constraints.rounds", "7", "below.lua", "extends"},
      {NULL, "constraints.budget_usd", "null", "above.lua", "profile"},
      {NULL, "constraints.time_s", "null", "built in", "default"},
      {NULL, "constraints.transcript_replay_depth", "20", "above.lua", "profile"},
      {NULL, "constraints.on_limit", "\"pause\"", "built in", "default"},
      {NULL, "checkpoints", "\"many\"", "above.lua", "profile"},
      {NULL, "exclude_memory_keys", "[\"api_key\",\"token\"]", "above.lua", "profile"},
      {NULL, "resume.time", "\"continue\"", "below.lua", "extends"},
      {NULL, "policies.show", "4", "below.lua", "extends"},
      {NULL, "policies.show.a", "2", "below.lua", "extends"},
      {NULL, "policies.show.c", "1", "show.lua", "default"},
      {"x", "constraints.rounds", "3", "below.lua", "agent"},
      {"x", "constraints.budget_usd", "0.5", "above.lua", "agent"},
      {"x", "constraints.time_s", "null", "built in", "default"},
      {"x", "policies.show.a", "3", "above.lua", "agent"},
      {"x", "policies.show.b", "2", "below.lua", "extends"},
      {"x", "policies.show.c", "1", "show.lua", "default"},
      {"x", "policies.extra", "1", "above.lua", "agent"},
      {"stranger", "policies.show.a", "2", "below.lua", "extends"},
  };
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ck_value *description;
    tap_must(ck_profile_describe(&description, profile, rows[i].agent, &err) == CK_OK,
             "a profile is described: %s", err.text);
    check_row(description, rows[i].key, rows[i].value, rows[i].origin, rows[i].says);
    ck_value_free(description);
  }
}

static void test_refusals(void) {
  static const struct {
    const char *text;
    ck_status status;
    const char *want;
  } cases[] = {
      {"agents = 5", CK_E_PARSE, "agents: a table with names is expected"},
      {"agents = { x = 5 }", CK_E_PARSE, "agents.x: x: a table with names"},
      {"agents = { ['../x'] = {} }", CK_E_USAGE, "../x"},
      {"agents = { x = { constrain = {} } }", CK_E_PARSE,
       "agents.x: unknown key 'constrain' (did you mean 'constraints'?)"},
      {"agents = { x = { resume = {} } }", CK_E_PARSE, "agents.x: unknown key 'resume'"},
      {"agents = { x = { constraints = { round = 1 } } }", CK_E_PARSE,
       "agents.x: constraints: unknown key 'round' (did you mean 'rounds'?)"},
      {"agents = { x = { constraints = { on_limit = 'pause' } } }", CK_E_PARSE,
       "agents.x: constraints: unknown key 'on_limit'"},
      {"agents = { x = { policies = { 5 } } }", CK_E_PARSE, "policies[1]: "},
      {"resume = { budget = 'restart' }", CK_E_PARSE,
       "resume.budget: \"continue\", \"reset\" or \"refuse\" is expected"},
      {"resume = { budgte = 'reset' }", CK_E_PARSE,
       "resume: unknown key 'budgte' (did you mean 'budget'?)"},
      {"resume = 'reset'", CK_E_PARSE, "resume: a table with names is expected"},
      {"exclude_memory_keys = 'api_key'", CK_E_PARSE,
       "exclude_memory_keys: a list of at most 256 names"},
      {"exclude_memory_keys = { api_key = true }", CK_E_PARSE, "exclude_memory_keys: a list"},
      {"checkpoints = 'few'", CK_E_PARSE, "checkpoints: \"many\" or \"single\" is expected"},
      {"checkpoint = 'many'", CK_E_PARSE, "unknown key 'checkpoint' (did you mean 'checkpoints'?)"},
      {"on_save_failure = 'go on'", CK_E_PARSE,
       "on_save_failure: \"pause\" or \"continue\" is expected"},
      {"unsaved = { checkpoints = -1 }", CK_E_PARSE,
       "unsaved.checkpoints: -1 is not a whole number from 0"},
      {"unsaved = { checkpoints = 1.5 }", CK_E_PARSE,
       "unsaved.checkpoints: 1.5 is not a whole number from 0"},
      {"unsaved = { time_s = 'long' }", CK_E_PARSE, "unsaved.time_s: a number is expected"},
      {"unsaved = { checkpoint = 1 }", CK_E_PARSE,
       "unsaved: unknown key 'checkpoint' (did you mean 'checkpoints'?)"},
      {"compress = 'yes'", CK_E_PARSE, "compress: true or false is expected"},
      {"compression_threshold_bytes = -1", CK_E_PARSE,
       "compression_threshold_bytes: -1 is not a whole number from 0"},
      {"compression_threshold_bytes = 0.5", CK_E_PARSE,
       "compression_threshold_bytes: 0.5 is not a whole number from 0"},
      {"compression_threshold_bytes = '100 kB'", CK_E_PARSE,
       "compression_threshold_bytes: a number is expected"},
      {"compression_treshold_bytes = 1", CK_E_PARSE,
       "unknown key 'compression_treshold_bytes' (did you mean 'compression_threshold_bytes'?)"},
      {"agents = { x = { compress = false } }", CK_E_PARSE,
       "agents.x: key 'compress' holds for the whole session"},
      {"checkpoint_tool = { enabled = 1 }", CK_E_PARSE, "checkpoint_tool.enabled: true or false"},
      {"prune_every_n_nodes = 0.5", CK_E_PARSE, "prune_every_n_nodes: 0.5 is not a whole number"},
      {"prune_every_n_nodes = false", CK_E_PARSE, "prune_every_n_nodes: a number is expected"},
      {"['constraints.rounds'] = 1", CK_E_PARSE, "unknown key 'constraints.rounds'"},
      {"on_node_start = true", CK_E_PARSE,
       "did you mean policies = { { \"every_boundary\", on_node_start = true } }?"},
      {"keep_clean_only = true", CK_E_PARSE, "did you mean policies = { \"keep_clean\" }?"},
      {"encrypt = 'yes'", CK_E_PARSE, "encrypt: true or false is expected"},
      {"key = '0123'", CK_E_PARSE,
       "key: \"env:NAME\", \"file:PATH\", \"credential:NAME\", \"command:LINE\" or "
       "\"keyring:NAME\" is expected, never the secret itself"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    ck_buffer text = {0};
    ck_profile *profile = (ck_profile *)1;
    ck_error err = CK_ERROR_INIT;
    ck_buffer_append_format(&text, "return { name = 'x', %s }", cases[i].text);
    tap_is_status(ck_profile_load(&profile, vm_script_file("case.lua", text.data), &err),
                  cases[i].status, &err, "refused: %s", cases[i].text);
    tap_ok(strstr(err.text, cases[i].want) && strstr(err.text, "case.lua"), "saying %s: %s",
           cases[i].want, err.text);
    tap_ok(profile == NULL, "nothing is given out");
    ck_buffer_clear(&text);
  }
  ck_profile *profile = load(vm_script_file(
      "same.lua",
      "return { name = 'x', checkpoints = 'many', on_success = 'keep', on_save_failure = 'pause',\n"
      "on_unreadable = 'stop', resume_context = 'conversation', checkpoint_tool = { enabled = "
      "false }, prune_every_n_nodes = 10 }"));
  tap_ok(!profile->single_checkpoint && !profile->checkpoint_tool,
         "what is done anyway may be said");
  tap_is_int(profile->prune_every_n_nodes, 10, "and how often is pruned");
  tap_is_int(profile->replay_depth, 50, "a tail has 50 events where no profile says how many");
  ck_profile_free(profile);
}

int main(void) {
  ck_profile *profile = load(write_profiles());
  test_fields(profile);
  test_engine(profile);
  test_description(profile);
  ck_profile_free(profile);
  test_refusals();
  return tap_done();
}
