/* inspect.c - describes one policy: name, version, hooks and options. */
#include <lauxlib.h>

#include "lua/policy/load.h"
#include "lua/vm/source.h"

static ck_status write_inspection(ck_value **out, loaded_policy *policy, const char *file,
                                  ck_error *err) {
  ck_value *options = NULL;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  char hex[CK_DIGEST_HEX_SIZE];
  ck_status status = ck_policy_get_options(&options, policy, err);
  if (status != CK_OK) return status;
  ck_digest_hex(hex, &policy->digest);
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "name", policy->name);
  ck_json_member_int(&w, "version", policy->version);
  ck_json_member_text(&w, "file", file);
  ck_json_member_text(&w, "digest", hex);
  ck_json_name(&w, "hooks");
  ck_json_begin(&w, '[');
  for (int i = 0; i < POLICY_HOOK_COUNT; i++) {
    if (policy->hooks[i] == LUA_NOREF) continue;
    ck_json_begin(&w, '{');
    ck_json_member_text(&w, "name", ck_policy_hooks[i].name);
    ck_json_member_int(&w, "line", policy->lines[i]);
    ck_json_end(&w, '}');
  }
  ck_json_end(&w, ']');
  ck_json_member_raw(&w, "options", ck_value_bytes(options));
  if (policy->ranges) ck_json_member_raw(&w, "ranges", ck_value_bytes(policy->ranges));
  ck_json_end(&w, '}');
  status = ck_value_from(out, &text, err);
  ck_value_free(options);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_policy_inspect(ck_value **out, const char *name, const ck_value *options,
                            ck_scripts *scripts, ck_error *err) {
  *out = NULL;
  loaded_policy policy;
  ck_source source;
  ck_profile_policy from = {.name = (char *)name, .options = (ck_value *)options};
  ck_status status = ck_policy_load(&policy, &from, scripts, err);
  if (status != CK_OK) return status;
  status = ck_source_read_for(&source, "policy", name, scripts, err);
  if (status == CK_OK) {
    status = write_inspection(out, &policy, source.name, err);
    ck_source_clear(&source);
  }
  ck_policy_clear(&policy);
  return status;
}
