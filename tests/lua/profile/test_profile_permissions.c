/* test_profile_permissions.c - what a profile says agents may do: kind by kind, over what it
 * extends, typos named. */
#include <string.h>

#include "lua/profile/profile.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

static void refuses(const char *text, const char *say) {
  ck_profile *profile = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_buffer whole = {0};
  ck_buffer_append_format(&whole, "return { name = 'x', %s }", text);
  tap_is_status(ck_profile_load(&profile, vm_script_file("refused.lua", whole.data), &err),
                CK_E_PARSE, &err, "%s is refused", text);
  if (!tap_ok(strstr(err.text, say) != NULL, "the text has: %s", say))
    tap_diag("it is: %s", err.text);
  ck_profile_free(profile);
  ck_buffer_clear(&whole);
}

int main(void) {
  ck_profile *profile = NULL;
  ck_error err = CK_ERROR_INIT;
  vm_script_file(
      "below.lua",
      "return { name = 'below', permissions = { ['*'] = 'ask', read = 'allow', edit = 'allow' } }");
  const char *above = vm_script_file(
      "above.lua", "return { name = 'above', extends = './below.lua', agent_files = true,\n"
                   "permissions = { edit = 'ask', delete = 'reject' } }");
  tap_must(ck_profile_load(&profile, above, &err) == CK_OK, "a profile with permissions loads: %s",
           err.text);
  tap_is_int(ck_permissions_get(&profile->permissions, "edit"), CK_PERMIT_ASK,
             "its own rule holds");
  tap_is_int(ck_permissions_get(&profile->permissions, "read"), CK_PERMIT_ALLOW,
             "else the inherited one");
  tap_is_int(ck_permissions_get(&profile->permissions, "delete"), CK_PERMIT_REJECT,
             "a new one is added");
  tap_is_int(ck_permissions_get(&profile->permissions, "fetch"), CK_PERMIT_ASK,
             "else the one for the rest");
  tap_ok(profile->agent_files, "files may be given");
  ck_profile_free(profile);
  profile = NULL;
  tap_must(ck_profile_load(&profile, "default", &err) == CK_OK, "%s", err.text);
  tap_ok(!profile->agent_files &&
             ck_permissions_get(&profile->permissions, "read") == CK_PERMIT_REJECT,
         "unless a profile says so, nothing is");
  ck_profile_free(profile);
  refuses("permissions = { eidt = 'allow' }",
          "permissions: unknown key 'eidt' (did you mean 'edit'?)");
  refuses("permissions = { edit = 'allow_once' }",
          "permissions.edit: \"reject\", \"allow\" or \"ask\" is expected");
  refuses("permissions = { edit = true }",
          "permissions.edit: \"reject\", \"allow\" or \"ask\" is expected");
  refuses("permissions = 'allow'", "permissions: a table with names is expected");
  refuses("agent_files = 1", "agent_files: true or false is expected");
  refuses("agents = { a = { permissions = { edit = 'allow' } } }", "unknown key 'permissions'");
  return tap_done();
}
