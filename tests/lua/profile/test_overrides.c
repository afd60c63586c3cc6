/* test_overrides.c - what one run sets lies over the profile and its agents, is checked against
 * what the policies declare, and can be described. */
#include <stdlib.h>
#include <string.h>

#include "lua/policy/policy.h"
#include "lua/profile/overrides.h"
#include "lua/profile/profile.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

#define SAY                                                                                  \
  "options = { text = 'policy', n = 1, on = true, list = { 'a' }, named = { a = 1 }, any = " \
  "ck.null, free = {} },\n"                                                                  \
  "checkpoint = function(at, opt) return opt.text .. ' ' .. opt.n end }"

static ck_profile *load(void) {
  vm_script_file("say.lua", "return { name = 'say', version = 1, " SAY);
  vm_script_file("more.lua", "return { name = 'more', version = 2, " SAY);
  const char *path = vm_script_file(
      "house.lua", "return { name = 'house', policies = { { './say.lua', text = 'profile' } },\n"
                   "agents = { x = { policies = { { './say.lua', text = 'agent', n = 5 } } } } }");
  ck_profile *profile = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_load(&profile, path, &err) == CK_OK, "it loads: %s", err.text);
  return profile;
}

static void check_decision(const ck_policy_engine *engine, const char *agent, const char *want) {
  ck_boundary at = {
      .kind = CK_BOUNDARY_TOOL_ROUND, .scope = "main", .agent = agent, .budget = {0, -1}};
  ck_decision decision;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(engine->checkpoint(&decision, engine->self, &at, &err), CK_OK, &err,
                "a boundary of %s", agent ? agent : "nobody");
  tap_ok(strstr(ck_value_bytes(decision.reasons).data, want) != NULL, "is decided with it: %s",
         ck_value_bytes(decision.reasons).data);
  ck_decision_clear(&decision);
}

static void test_order(void) {
  ck_profile *profile = load();
  ck_error err = CK_ERROR_INIT;
  ck_value *settings;
  tap_is_status(ck_profile_describe_run(&settings, profile, &err), CK_OK, &err, "a profile alone");
  tap_ok(settings == NULL, "has no settings of a run");
  tap_is_status(ck_profile_add_policy(profile, tap_tmpfile("more.lua"), &err), CK_OK, &err,
                "a policy is added");
  tap_is_status(ck_profile_set_option(profile, "say", "text", "run", &err), CK_OK, &err,
                "an option is set");
  tap_is_status(ck_profile_set_option(profile, "more", "n", "2.5", &err), CK_OK, &err,
                "one of the added policy, too");
  ck_policy_engine engine;
  tap_must(ck_policy_engine_open(&engine, profile, &err) == CK_OK, "the policies: %s", err.text);
  check_decision(&engine, NULL, "\"reason\":\"run 1\"},{\"policy\":\"more\"");
  check_decision(&engine, NULL, "\"reason\":\"policy 2.5\"}]");
  check_decision(&engine, "x", "\"reason\":\"run 5\"}");
  ck_value *all, *own;
  tap_must(ck_policy_describe(&all, &engine, true, &err) == CK_OK &&
               ck_policy_describe(&own, &engine, false, &err) == CK_OK,
           "the engine is described");
  tap_ok(strstr(ck_value_bytes(all).data, "\"name\":\"more\"") &&
             strstr(ck_value_bytes(all).data, "\"run\":true"),
         "with the run's policy, marked");
  tap_ok(!strstr(ck_value_bytes(own).data, "more"), "or without: %s", ck_value_bytes(own).data);
  ck_value_free(all);
  ck_value_free(own);
  tap_must(ck_profile_describe_run(&settings, profile, &err) == CK_OK && settings, "the settings");
  ck_buffer want = {0};
  ck_buffer_append_format(&want,
                          "{\"policies\":[\"%s\"],\"options\":{\"say\":{\"text\":\"run\"},"
                          "\"more\":{\"n\":2.5}}}",
                          tap_tmpfile("more.lua"));
  tap_is_bytes(ck_value_bytes(settings), ck_buffer_bytes(&want), "are described");
  ck_buffer_clear(&want);
  ck_value_free(settings);
  engine.free(engine.self);
  ck_profile_free(profile);
}

/* A value as the policy declares it; `want` is what is kept. */
static void test_values(void) {
  static const struct {
    const char *key, *text, *want;
  } rows[] = {
      {"text", "two words", "\"two words\""},
      {"text", "12", "\"12\""},
      {"text", "true", "\"true\""},
      {"text", "", "\"\""},
      {"text", "\"a\\nb\"", "\"a\\nb\""},
      {"text", "[1]", "\"[1]\""},
      {"text", "{", "\"{\""},
      {"n", "-0.5", "-0.5"},
      {"n", " 7", " 7"},
      {"on", "false", "false"},
      {"list", "[\"b\",\"c\"]", NULL},
      {"list", "[]", NULL},
      {"list", "{}", NULL},
      {"named", "{\"b\":2}", NULL},
      {"named", "[]", NULL},
      {"free", "[1]", NULL},
      {"free", "{\"a\":1}", NULL},
      {"any", "text", "\"text\""},
      {"any", "3", "3"},
      {"any", "null", "null"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ck_profile *profile = load();
    ck_error err = CK_ERROR_INIT;
    const char *want = rows[i].want ? rows[i].want : rows[i].text;
    tap_is_status(ck_profile_set_option(profile, "say", rows[i].key, rows[i].text, &err), CK_OK,
                  &err, "%s = %s", rows[i].key, rows[i].text);
    const ck_value *kept = ck_profile_get_run_options(profile, "say");
    ck_bytes got = kept ? ck_json_get(ck_value_bytes(kept), rows[i].key) : ck_bytes_text("");
    tap_is_bytes(got, ck_bytes_text(want + strspn(want, " ")), "is taken");
    ck_profile_free(profile);
  }
}

static void test_refusals(void) {
  static const struct {
    const char *policy, *key, *text, *want;
  } rows[] = {
      {"say", "n", "hunter22", "option 'n': a number is expected, not a string"},
      {"say", "n", "true", "option 'n': a number is expected, not a boolean"},
      {"say", "n", "null", "option 'n': a number is expected, not a null"},
      {"say", "on", "1", "option 'on': a boolean is expected, not a number"},
      {"say", "list", "{\"a\":1}", "option 'list': a list is expected, not a table with names"},
      {"say", "list", "hunter22", "option 'list': a list is expected, not a string"},
      {"say", "list", "[\"b\",1]", "option 'list': element 2: a string is expected, not a number"},
      {"say", "list", "[[\"b\"]]", "option 'list': element 1: a string is expected, not a list"},
      {"say", "named", "[1]", "option 'named': a table with names is expected, not a list"},
      {"say", "list", "[\"hunter22\"", "the value begins like JSON and is none"},
      {"say", "text", "\"hunter22", "the value begins like JSON and is none"},
      {"say", "txet", "1", "unknown option 'txet' (did you mean 'text'?)"},
      {"sya", "n", "1", "profile house has no policy 'sya' (did you mean 'say'?)"},
      {"unlike", "n", "1", "profile house has no policy 'unlike'; --policy adds one for the run"},
      {"", "n", "1", "profile house has no policy ''"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    ck_profile *profile = load();
    ck_error err = CK_ERROR_INIT;
    ck_status status =
        ck_profile_set_option(profile, rows[i].policy, rows[i].key, rows[i].text, &err);
    tap_is_status(status, CK_E_USAGE, &err, "%s.%s is refused", rows[i].policy, rows[i].key);
    tap_ok(strstr(err.text, rows[i].want) != NULL, "because: %s", err.text);
    tap_ok(strstr(err.text, "hunter22") == NULL, "and the value is not repeated");
    tap_ok(profile->run_option_count == 0, "nothing is kept of it");
    ck_profile_free(profile);
  }
}

static void test_additions(void) {
  ck_profile *profile = load();
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_profile_add_policy(profile, "no_such", &err), CK_E_NOT_FOUND, &err,
                "a policy that is not there");
  vm_script_file("broken.lua", "return { name = 'broken' }");
  tap_is_status(ck_profile_add_policy(profile, tap_tmpfile("broken.lua"), &err), CK_E_PARSE, &err,
                "one that is none");
  vm_script_file("other.lua", "return { name = 'say', version = 9 }");
  tap_is_status(ck_profile_add_policy(profile, tap_tmpfile("other.lua"), &err), CK_E_USAGE, &err,
                "one that calls itself as the profile's does");
  tap_is_status(ck_profile_add_policy(profile, "every_n", &err), CK_OK, &err, "a shipped one");
  tap_is_status(ck_profile_add_policy(profile, "every_n", &err), CK_E_USAGE, &err, "but not twice");
  tap_ok(strstr(err.text, "--option every_n.KEY=VALUE") != NULL, "the remedy is named: %s",
         err.text);
  tap_is_int((int64_t)profile->policy_count, 2, "it stands behind the profile's");
  tap_is_status(ck_profile_set_option(profile, "every_n", "n", "3", &err), CK_OK, &err, "once");
  tap_is_status(ck_profile_set_option(profile, "every_n", "n", "4", &err), CK_E_USAGE, &err,
                "an option is set once");
  ck_profile_free(profile);
}

int main(void) {
  test_order();
  test_values();
  test_refusals();
  test_additions();
  return tap_done();
}
