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

/* A policy has a version and hooks; flows and profiles have neither. */
static bool is_meant(lua_State *L) {
  bool meant = lua_getfield(L, -1, "version") != LUA_TNIL;
  lua_pop(L, 1);
  for (int hook = 0; !meant && hook < POLICY_HOOK_COUNT; hook++) {
    meant = lua_getfield(L, -1, ck_policy_hooks[hook].name) != LUA_TNIL;
    lua_pop(L, 1);
  }
  return meant;
}

ck_status ck_policy_tool_list(const char *folder, ck_sources_take take, void *to, ck_error *err) {
  static const ck_sources_kind policies = {"policy", write_about, is_meant};
  return ck_sources_list(&policies, folder, take, to, err);
}
