/* fuzz_profile.c - a profile, or a policy (the first byte chooses): any text loads, within its
 * budgets, or is refused with a reason. */
#include "lua/policy/policy.h"
#include "lua/profile/profile.h"
#include "tests/fuzz/fuzz.h"

static void load_profile(ck_bytes text) {
  ck_profile *profile = NULL;
  ck_value *described = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_profile_load(&profile, fuzz_file(text, "profile.lua"), &err);
  fuzz_must(status == CK_OK || *err.text, "a refusal says why");
  if (status == CK_OK) {
    fuzz_must(ck_profile_describe(&described, profile, NULL, &err) == CK_OK, "%s", err.text);
    fuzz_must(ck_json_check(ck_value_bytes(described), &err) == CK_OK, "%s", err.text);
  }
  ck_value_free(described);
  ck_profile_free(profile);
}

static void load_policy(ck_bytes text) {
  ck_value *about = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_status status = ck_policy_inspect(&about, fuzz_file(text, "policy.lua"), NULL, NULL, &err);
  fuzz_must(status == CK_OK || *err.text, "a refusal says why");
  if (about) fuzz_must(ck_json_check(ck_value_bytes(about), &err) == CK_OK, "%s", err.text);
  ck_value_free(about);
}

void fuzz_profile(ck_bytes input) { (fuzz_byte(&input) % 2 ? load_policy : load_profile)(input); }
