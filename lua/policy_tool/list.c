/* list.c - policy list: each policy loaded as a session would. */
#include "lua/policy_tool/about.h"
#include "lua/policy_tool/policy_tool.h"

static ck_status write_about(ck_json_writer *w, const char *name, ck_error *err) {
  loaded_policy policy;
  const ck_profile_policy from = {.name = (char *)name};
  ck_status status = ck_policy_load(&policy, &from, NULL, err);
  if (status != CK_OK) return status;
  status = ck_policy_about_write(w, &policy, err);
  ck_policy_clear(&policy);
  return status;
}

ck_status ck_policy_tool_list(const char *folder, ck_sources_take take, void *to, ck_error *err) {
  return ck_sources_list("policy", folder, write_about, take, to, err);
}
