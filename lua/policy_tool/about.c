/* about.c - what a policy says of itself, as JSON. */
#include "lua/policy_tool/about.h"

#include "lua/policy/ask.h"

bool ck_policy_is_mistake(ck_status status) {
  return status == CK_E_PARSE || status == CK_E_POLICY || status == CK_E_TYPE;
}

static void write_hooks(ck_json_writer *w, const loaded_policy *policy) {
  ck_json_name(w, "hooks");
  ck_json_begin(w, '[');
  for (policy_hook hook = 0; hook < POLICY_HOOK_COUNT; hook++) {
    if (!ck_policy_has(policy, hook)) continue;
    ck_json_begin(w, '{');
    ck_json_member_text(w, "hook", ck_policy_hooks[hook].name);
    ck_json_member_int(w, "line", policy->lines[hook]);
    ck_json_end(w, '}');
  }
  ck_json_end(w, ']');
}

ck_status ck_policy_about_write(ck_json_writer *w, loaded_policy *policy, ck_error *err) {
  ck_value *options = NULL;
  char hex[CK_DIGEST_HEX_SIZE];
  ck_status status = ck_policy_get_options(&options, policy, err);
  if (status != CK_OK) return status;
  ck_digest_hex(hex, &policy->digest);
  ck_json_member_text(w, "name", policy->name);
  ck_json_member_int(w, "version", policy->version);
  ck_json_member_text(w, "digest", hex);
  write_hooks(w, policy);
  ck_json_member_raw(w, "options", ck_value_bytes(options));
  ck_value_free(options);
  return CK_OK;
}
