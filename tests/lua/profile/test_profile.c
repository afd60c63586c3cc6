/* test_profile.c - a profile says what it means or is refused with the place, the key and the
 * nearest known name. */
/* link: -Wl,--wrap=ck_vm_new */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lua/profile/profile.h"
#include "tests/lua/still_vm.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

static ck_profile *load(const char *name) {
  ck_profile *profile = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_must(ck_profile_load(&profile, name, &err) == CK_OK, "%s loads: %s", name, err.text);
  return profile;
}

static void test_default(void) {
  ck_profile *profile = load("default");
  tap_is_text(profile->name, "default", "the default profile has its name");
  tap_is_text(profile->path, NULL, "and no path");
  tap_is_int(profile->budget_micros, -1, "and no budget");
  tap_is_int(profile->replay_depth, 50, "and replays 50 events");
  tap_is_int((int64_t)profile->policy_count, 1, "and one policy");
  tap_is_text(profile->policies[0].name, "tool_rounds", "which checkpoints every tool round");
  ck_profile_free(profile);
}

static void test_inheritance(void) {
  vm_script_file("base.lua",
                 "return { name = 'base', extends = 'default', constraints = { budget_usd = 4.8, "
                 "time_s = 0.5, rounds = 40 },\n"
                 "policies = { './mine.lua', { 'tool_rounds', a = {1, 2}, b = 'x' } } }");
  ck_profile *profile =
      load(vm_script_file("top.lua", "return { name = 'top', extends = './base.lua', constraints = "
                                     "{ rounds = false, tokens = 7 } }"));
  tap_is_text(profile->name, "top", "the name is the last one's");
  tap_is_text(profile->path, tap_tmpfile("top.lua"), "and so is the path");
  tap_is_int(profile->budget_micros, 4800000, "dollars become micro-dollars exactly");
  tap_is_int(profile->time_ms, 500, "seconds become milliseconds");
  tap_is_int(profile->rounds, -1, "false lifts an inherited limit");
  tap_is_int(profile->tokens, 7, "own limits are added");
  tap_is_int((int64_t)profile->policy_count, 2, "a list of policies replaces the inherited one");
  tap_is_text(profile->policies[0].name, tap_tmpfile("mine.lua"),
              "a path is seen from the folder of the profile that names it");
  tap_ok(profile->policies[0].options == NULL, "a bare policy has no options");
  tap_is_bytes(ck_value_bytes(profile->policies[1].options),
               ck_bytes_text("{\"a\":[1,2],\"b\":\"x\"}"), "options are kept");
  ck_profile_free(profile);
}

static void test_secrets(void) {
  vm_script_file("below.lua", "return { name = 'below', secrets = { a = 'env:BELOW', b = "
                              "'file:keys/b', c = 'file:/abs/c' } }");
  ck_profile *profile = load(vm_script_file(
      "above.lua",
      "return { name = 'above', extends = './below.lua', secrets = { a = 'env:ABOVE' } }"));
  tap_is_int((int64_t)profile->secret_count, 3, "secrets are inherited");
  for (size_t i = 0; i < profile->secret_count; i++) {
    const ck_profile_secret *secret = &profile->secrets[i];
    ck_buffer file = {0};
    ck_buffer_append_format(&file, "file:%s", tap_tmpfile("keys/b"));
    const char *want = *secret->name == 'a'   ? "env:ABOVE"
                       : *secret->name == 'b' ? file.data
                                              : "file:/abs/c";
    tap_is_text(secret->ref, want, "secret %s is the one of its name, a file seen from its profile",
                secret->name);
    ck_buffer_clear(&file);
  }
  ck_value *shown = NULL;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_profile_describe(&shown, profile, NULL, &err), CK_OK, &err,
                "they are described");
  tap_ok(
      shown && strstr(ck_value_bytes(shown).data, "{\"key\":\"secrets.a\",\"value\":\"env:ABOVE\""),
      "as references");
  ck_value_free(shown);
  ck_profile_free(profile);
}

static void check_refused(const char *name, ck_status want, const char *text) {
  ck_profile *profile = (ck_profile *)1;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_profile_load(&profile, name, &err), want, &err, "refused: %s", text);
  tap_ok(strstr(err.text, text) != NULL, "the error says so: %s", err.text);
  tap_ok(profile == NULL, "nothing is given out");
}

static void test_refusals(void) {
  static const struct {
    const char *text;
    ck_status status;
    const char *want;
  } cases[] = {
      {"return {\n name = }", CK_E_PARSE, ".lua:2: "},
      {"return 1", CK_E_PARSE, "a profile returns a table, not a number"},
      {"return {}", CK_E_PARSE, "name: a text is expected"},
      {"return { name = '../x' }", CK_E_USAGE, "../x"},
      {"return { name = 'x', constrains = {} }", CK_E_PARSE,
       "unknown key 'constrains' (did you mean 'constraints'?)"},
      {"return { name = 'x', zebra = 1 }", CK_E_PARSE, "unknown key 'zebra'"},
      {"return { name = 'x', secrets = 'env:A' }", CK_E_PARSE,
       "secrets: a table with names is expected"},
      {"return { name = 'x', secrets = { k = 'hunter2-itself' } }", CK_E_PARSE,
       "secrets.k: \"env:NAME\", \"file:PATH\", \"credential:NAME\" or \"keyring:NAME\" "
       "is expected, never the secret itself"},
      {"return { name = 'x', secrets = { k = 'env:' } }", CK_E_PARSE, "secrets.k: "},
      {"return { name = 'x', secrets = { k = 'env:A B' } }", CK_E_PARSE, "secrets.k: "},
      {"return { name = 'x', secrets = { k = 'env:1A' } }", CK_E_PARSE, "secrets.k: "},
      {"return { name = 'x', secrets = { k = 'file:' } }", CK_E_PARSE, "secrets.k: "},
      {"return { name = 'x', secrets = { k = 7 } }", CK_E_PARSE, "secrets.k: "},
      {"return { name = 'x', secrets = { ['a b'] = 'env:A' } }", CK_E_USAGE, "secrets: a name"},
      {"return { name = 'x', secret = {} }", CK_E_PARSE,
       "unknown key 'secret' (did you mean 'secrets'?)"},
      {"return { name = 'x', 1 }", CK_E_PARSE, "keys are names"},
      {"return { name = 'x', constraints = { budget = 1 } }", CK_E_PARSE,
       "unknown key 'budget' (did you mean 'budget_usd'?)"},
      {"return { name = 'x', constraints = { budget_us = 1 } }", CK_E_PARSE,
       "unknown key 'budget_us' (did you mean 'budget_usd'?)"},
      {"return { name = 'x', constraints = { budget_usd = -1 } }", CK_E_PARSE,
       "constraints.budget_usd: -1 is not a number from 0"},
      {"return { name = 'x', constraints = { rounds = 1.5 } }", CK_E_PARSE,
       "constraints.rounds: 1.5 is not a whole number"},
      {"return { name = 'x', constraints = { rounds = '5' } }", CK_E_PARSE,
       "constraints.rounds: a number is expected"},
      {"return { name = 'x', constraints = { rounds = true } }", CK_E_PARSE,
       "constraints.rounds: a number is expected"},
      {"return { name = 'x', constraints = { tokens = 1e300 } }", CK_E_PARSE, "constraints.tokens"},
      {"return { name = 'x', constraints = { tokens = 0/0 } }", CK_E_PARSE, "NaN"},
      {"return { name = 'x', constraints = 5 }", CK_E_PARSE, "constraints: a table with names"},
      {"return { name = 'x', policies = 'a' }", CK_E_PARSE, "policies: a list is expected"},
      {"return { name = 'x', policies = { a = 1 } }", CK_E_PARSE, "policies: a list without names"},
      {"return { name = 'x', policies = { 5 } }", CK_E_PARSE, "policies[1]: "},
      {"return { name = 'x', policies = { { a = 1 } } }", CK_E_PARSE, "policies[1]: "},
      {"return { name = 'x', policies = { { 'a', f = error } } }", CK_E_PARSE,
       "value.f: a value that cannot be stored"},
      {"return { name = 'x', extends = 'defaul' }", CK_E_NOT_FOUND,
       "searched policies/profiles/defaul.lua (did you mean 'default'?)"},
      {"return { name = 'x', extends = './absent.lua' }", CK_E_NOT_FOUND,
       "absent.lua: there is no such file"},
      {"return { name = 'x', extends = 5 }", CK_E_PARSE, "extends: a name is expected"},
      {"return { name = 'x', extends = './case.lua' }", CK_E_PARSE, "case.lua: extends itself"},
      {"while true do end", CK_E_PARSE, "case.lua:1: the budget of 1000000 instructions"},
      {"error(nil)", CK_E_PARSE, "case.lua:1: the error value is a nil"},
      {"name = 'x'", CK_E_PARSE, "case.lua:1: attempt to set global 'name'"},
      {"return { name = io.open('/etc/passwd') }", CK_E_PARSE, "undefined global 'io'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    check_refused(vm_script_file("case.lua", cases[i].text), cases[i].status, cases[i].want);
  }
  vm_script_file("b.lua", "return { name = 'b', extends = './a.lua' }");
  check_refused(vm_script_file("a.lua", "return { name = 'a', extends = './b.lua' }"), CK_E_PARSE,
                "a.lua: extends itself");
  check_refused("nope", CK_E_NOT_FOUND, "profile 'nope': not among the shipped ones");
  check_refused("./nope.lua", CK_E_NOT_FOUND, "./nope.lua: there is no such file");
  check_refused("", CK_E_NOT_FOUND, "profile ''");
  const char *open_to_all = vm_script_file("open.lua", "return { name = 'x' }");
  chmod(open_to_all, 0666);
  check_refused(open_to_all, CK_E_REFUSED, "others may write it");
}

int main(void) {
  still_vm_set(true);
  test_default();
  test_inheritance();
  test_secrets();
  test_refusals();
  return tap_done();
}
